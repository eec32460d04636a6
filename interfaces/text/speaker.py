"""Telling people what is due: one text to each is under way at a time, and what else there is waits.

What waits is in the database, one row for each slot, so that over a slow or broken way somebody gets the
latest position of a game and not all of them. A position is put into words when it is sent. As long as the
house thinks, its move and ours are one text.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from lrgpnode.protocol.errors import CallerError
from storage.errors import StorageError
from storage.model import OutboxRow, OutboxState
from storage.text import TextTable
from storage.text_model import FULL, POSITIONS, Due, TextCommit

RETRY_SECONDS: Final = 5.0
HOUSE_SECONDS: Final = 15.0
"""So long an answer waits for the house's move at most."""

SHORTEST: Final = 0.05
MOST_HELD: Final = 200

_GONE: Final = frozenset(
    (OutboxState.DELIVERED, OutboxState.STORED, OutboxState.CONFIRMED, OutboxState.DROPPED)
)

log = logging.getLogger(__name__)

Address = tuple[str, str]
"""(identity, player)."""


class Post(Protocol):
    """What is needed of the node."""

    async def send(self, identity: str, peer: str, text: str) -> None:
        """Commit a text and have it sent. Raises ``CallerError``, ``StorageError``."""
        ...

    def state(self, row: int) -> OutboxRow | None:
        """As it is known now; None once it is done with."""
        ...


class Speaker:
    """``words`` puts a position into words ("" for none), full or as short as may be; ``thinking`` says
    whether the house is about to move in a game. ``commit`` writes; see ``TextTable.commit``."""

    def __init__(
        self,
        table: TextTable,
        post: Post,
        commit: Callable[[TextCommit], Awaitable[None]],
        *,
        words: Callable[[str, str, bool], str],
        thinking: Callable[[str], bool],
        house_seconds: float = HOUSE_SECONDS,
    ) -> None:
        self._table = table
        self._post = post
        self._commit = commit
        self._words = words
        self._thinking = thinking
        self._house_seconds = house_seconds
        self._ready: OrderedDict[Address, None] = OrderedDict()
        self._news = asyncio.Event()
        self._since: dict[int, float] = {}
        self._timers: dict[Address, asyncio.TimerHandle] = {}
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Go on with whatever is due. On the loop."""
        for address in self._table.waiting():
            self.wake(*address)
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def wake(self, identity: str, player: str) -> None:
        """There may be something to tell."""
        self._ready.setdefault((identity, player))
        self._news.set()

    def told(self, type: str, fields: Mapping[str, Any]) -> None:
        """An event of the node."""
        if type == "message.delivery":
            self.wake(str(fields["identity"]), str(fields["peer"]))

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            if not self._ready:
                self._news.clear()
                continue
            address, _ = self._ready.popitem(last=False)
            try:
                await self._tell(address)
            except StorageError as error:
                log.warning("what %s is to be told waits: %s", address[1], error)
                self._later(address, RETRY_SECONDS)
            except Exception:
                log.exception("telling %s failed", address[1])
                self._later(address, RETRY_SECONDS * 12)

    def _later(self, address: Address, seconds: float) -> None:
        timer = self._timers.pop(address, None)
        if timer is not None:
            timer.cancel()
        self._timers[address] = asyncio.get_running_loop().call_later(seconds, self.wake, *address)

    async def _tell(self, address: Address) -> None:
        if self._waits(address):
            return
        muted = self._table.player(*address).muted
        soonest = self._house_seconds
        held = False
        for due in self._table.due(*address):
            if muted and not due.asked:
                await self._commit(TextCommit(told=(due.id,)))
            elif due.text in POSITIONS and self._thinking(due.slot) and (left := self._left(due)) > 0:
                held, soonest = True, min(soonest, left)
            else:
                await self._send(address, due)
                return
        if held:
            self._later(address, max(soonest, SHORTEST))

    def _left(self, due: Due) -> float:
        """Seconds that the house has yet to move, so that both moves are one text."""
        now = asyncio.get_running_loop().time()
        if due.id not in self._since:
            self._since = {due.id: now} | dict(list(self._since.items())[:MOST_HELD])
        return self._since[due.id] + self._house_seconds - now

    async def _send(self, address: Address, due: Due) -> None:
        self._since.pop(due.id, None)
        text = due.text if due.text not in POSITIONS else self._words(due.slot, due.player, due.text == FULL)
        if text:
            try:
                await self._post.send(*address, text)
            except CallerError as error:
                log.info("%s is not told something: %s", address[1], error)
        await self._commit(TextCommit(told=(due.id,)))
        self.wake(*address)

    def _waits(self, address: Address) -> bool:
        """Whether the text before is still on its way. What is known now is newer than what is stored."""
        known = map(self._post.state, self._table.under_way(*address))
        return any(row is not None and row.state not in _GONE for row in known)
