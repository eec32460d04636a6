"""Who wants to be assisted, in which kind of game; kept over restarts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final

from lrgpnode.protocol.session import Status
from storage.text_model import Kind, Seat

META_KEY: Final = "text.assist"
MOST: Final = 256
AWAITED_SECONDS: Final = 3600.0
"""A challenge that was declined for one of ours: the game that he wants help in is still to come."""


class Wishes:
    """Who wants help in which kind of game; over restarts. ``keep`` stores it under ``META_KEY``."""

    def __init__(
        self,
        stored: str | None,
        keep: Callable[[str], Awaitable[Any]],
        seats_of: Callable[[str], Collection[Seat]],
        now: Callable[[], float],
    ) -> None:
        pairs = json.loads(stored) if stored else []
        self._wanted = {(str(player), str(app)): None for player, app in pairs}
        self._keep = keep
        self._seats_of = seats_of
        self._now = now
        self._changed = False

    def wish(self, player: str, app: str, *, wanted: bool) -> None:
        """For the game of this kind that goes on, or is about to begin. ``store`` makes it durable."""
        if wanted is not self.wants(player, app):
            self._changed = True
            self._wanted.pop((player, app), None)
            if wanted:
                self._wanted[player, app] = None

    def wants(self, player: str, app: str) -> bool:
        return (player, app) in self._wanted

    async def store(self) -> None:
        """Raises ``StorageError``; then it is to be called again."""
        if not self._changed:
            return
        old = [pair for pair in tuple(self._wanted)[:-1] if not self._goes_on(*pair)]
        for pair in old or list(self._wanted)[: len(self._wanted) - MOST]:
            del self._wanted[pair]
        await self._keep(json.dumps(list(self._wanted), separators=(",", ":")))
        self._changed = False

    def ended(self, seat: Seat) -> None:
        """A game is over; a declined challenge is none. With the last of its kind the wish ends."""
        over = seat.status in (Status.COMPLETED, Status.EXPIRED)
        if over and not any(one.live for one in self._at_tables(seat.player, seat.app_id)):
            self.wish(seat.player, seat.app_id, wanted=False)

    def _goes_on(self, player: str, app: str) -> bool:
        since = self._now() - AWAITED_SECONDS
        return any(
            seat.live or (seat.status is Status.DECLINED and seat.last_action_at >= since)
            for seat in self._at_tables(player, app)
        )

    def _at_tables(self, player: str, app: str) -> list[Seat]:
        held = self._seats_of(player)
        return [seat for seat in held if seat.app_id == app and seat.kind is Kind.WIRE]
