"""Which envelopes of our identity stay in this node, as their receiver has only texts (`wire`)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from lrgpnode.mesh.transport import Outgoing
from storage.model import LocalIdentity, Role
from storage.store import Store
from storage.text_model import Kind

from .wire import session_id

MOST: Final = 256
"""Messages that wait to be judged; what comes beyond is lost here and sent again by the outbox."""


class Held:
    """Implements ``interfaces.text.wire.Holder``. ``rows``: the identities of this node."""

    def __init__(self, store: Store, rows: Mapping[str, LocalIdentity], *, enabled: bool) -> None:
        self._store = store
        self._rows = rows
        self._enabled = enabled
        self._sessions = {seat.game_id for seat in store.text.live() if seat.kind is Kind.WIRE}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: Callable[[], None] = _nobody
        self.arrived: deque[Outgoing] = deque(maxlen=MOST)
        """What waits to be judged, the first first."""

    def attach(self, loop: asyncio.AbstractEventLoop, news: Callable[[], None]) -> None:
        """``news`` is called on the loop when something has arrived; at once if it has already."""
        self._loop, self._news = loop, news
        if self.arrived:
            news()

    def detach(self) -> None:
        self._loop = None

    def note(self, game_id: str) -> None:
        """From now on the player's side of this game is here."""
        self._sessions.add(game_id)

    def has_lrgp(self, peer: str) -> bool:
        """Whether somebody has a client that knows LRGP, as far as that was seen."""
        heard = self._store.book.peer(peer)
        return heard is not None and (bool(heard.games) or heard.played_at is not None)

    # Any thread

    def holds(self, message: Outgoing) -> bool:
        row = self._rows.get(message.identity)
        if not self._enabled or not message.envelope or row is None or row.role is not Role.GATEWAY:
            return False
        if session_id(message.envelope) in self._sessions:
            return True
        known = self._store.text.player(message.identity, message.peer).seen_at > 0
        return known and not self.has_lrgp(message.peer)

    def take(self, message: Outgoing) -> None:
        self.arrived.append(message)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._news)


def _nobody() -> None:
    """Nobody judges yet; `attach` sees what has come."""
