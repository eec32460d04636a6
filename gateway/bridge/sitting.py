"""Sits at the table for a bridge: takes or reopens the seat, reads its events, goes on while it is away."""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol

from storage.errors import StorageError
from storage.gateway_model import Bridge as Row, SeatStage

from ..seat import (
    AccountRefused,
    CannotPlay,
    Event,
    Finished,
    Joined,
    Lost,
    NoTable,
    PlatformError,
    RemoteSeat,
    SeatLost,
    Unreachable,
)
from .notes import Notes
from .seen import Seen

log = logging.getLogger(__name__)

PAUSES: Final = (2.0, 5.0, 15.0, 60.0, 180.0, 600.0)
"""Seconds from the n-th failure in a row to the next attempt at a platform; then always the last."""

AWAY_LIMIT: Final = 86_400.0
"""A seat whose platform cannot be reached for so long is given up."""

OPENING_LIMIT: Final = 600.0
"""So long a platform may be away before a player who asks for a seat is sent off."""


class Sitter(Protocol):
    """The bridge, as far as its seat concerns it."""

    row: Row
    notes: Notes
    seen: Seen

    def now(self) -> float: ...

    async def take(self) -> RemoteSeat:
        """Take the seat, or reopen it. Raises as ``Platform`` does, and ``StorageError``."""
        ...

    def saw(self, event: Event) -> None:
        """One more event of the table."""
        ...

    def silent(self) -> None:
        """Nothing more comes of the table."""
        ...

    async def send_off(self, why: str) -> None:
        """There is no seat for the player."""
        ...

    async def told_to_wait(self, error: PlatformError) -> float:
        """Seconds for which the platform wants no request."""
        ...

    def trouble_changed(self) -> None:
        """Whether it goes on at the table has changed, for people."""
        ...


class Sitting:
    """Of one bridge. ``trouble``: why the table is away just now, or ""."""

    def __init__(self, sitter: Sitter, seat: RemoteSeat | None = None) -> None:
        self.seat = seat
        self.trouble = ""
        self.task: asyncio.Task[None] | None = None
        self._sitter = sitter
        self._attempts = 0
        self._away_since: float | None = None

    def sit(self) -> None:
        """See to it that somebody sits at the table, where there is one to sit at."""
        sitter = self._sitter
        if sitter.row.stage is SeatStage.INVITED or sitter.seen.over or sitter.notes.left:
            return
        if sitter.notes.untold:
            return  # nobody is queued for a game whose clock he has not heard of
        if sitter.notes.broken and not sitter.row.seat:
            return  # none was taken
        if self.task is None or self.task.done():
            self.task = asyncio.get_running_loop().create_task(self._listen())

    async def listen_anew(self) -> None:
        """Ask for the whole state of the table again."""
        if self._sitter.seen.over or self.task is None:
            return
        await self.stop()
        self.sit()

    async def stop(self) -> None:
        """Listen no more; the seat stays ours."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        await self._let_go()

    def away(self, why: str) -> None:
        """The platform or the table's host is not there."""
        if self._away_since is None:
            self._away_since = self._sitter.now()
        if self.trouble != why:
            self.trouble = why
            row = self._sitter.row
            log.info("seat %d at %s waits: %s", row.id, row.platform, why)
            self._sitter.trouble_changed()

    # The task

    async def _listen(self) -> None:
        self._attempts = 0
        while not self._sitter.seen.over:
            pause = PAUSES[min(self._attempts, len(PAUSES) - 1)]
            self._attempts += 1
            try:
                await self._read_table()
            except Exception as error:  # noqa: BLE001 - told apart there
                pause = max(pause, await self._failed(error))
            if self._sitter.seen.over:
                break
            await self._let_go()
            if await self._too_long():
                return
            await asyncio.sleep(pause)
        self._sitter.silent()

    async def _read_table(self) -> None:
        """Read events until the game at the table is over; raises what stands in the way."""
        if self.seat is None:
            self.seat = await self._sitter.take()
        async for event in self.seat.events():
            self._attempts = 0
            if isinstance(event, Lost) and event.resumable:
                raise Unreachable(event.reason)
            self._saw(event)
        if not self._sitter.seen.over:
            raise Unreachable("the platform has said no more")

    async def _failed(self, error: Exception) -> float:
        """Make the best of it; the shortest pause before the next attempt, seconds."""
        sitter = self._sitter
        match error:
            case SeatLost():
                self._saw(Lost(reason=str(error)))
            case AccountRefused() if sitter.row.stage is SeatStage.OPENING and sitter.notes.broken:
                # The player is sent off, and nothing can be given back with an account that is not taken.
                self._saw(Lost(reason=str(error)))
            case NoTable() | CannotPlay() | AccountRefused() if sitter.row.stage is SeatStage.OPENING:
                await sitter.send_off(str(error))
            case Unreachable():
                self.away(str(error))
                return await sitter.told_to_wait(error)
            case PlatformError():
                self.away(str(error))
                return PAUSES[-1]
            case StorageError():
                self.away(str(error))
            case _:
                log.error("seat %d at %s", sitter.row.id, sitter.row.platform, exc_info=error)
                self.away(f"{type(error).__name__} at the table")
        return 0.0

    async def _too_long(self) -> bool:
        """Whether there is nothing more to wait for: no seat was taken, or the platform is away too long."""
        sitter = self._sitter
        away = sitter.now() - (self._away_since or sitter.now())
        opening = sitter.row.stage is SeatStage.OPENING
        if opening and not sitter.notes.broken and away >= OPENING_LIMIT:
            await sitter.send_off(self.trouble)
        # A seat that may have been taken is to be given back, which may need more attempts.
        if opening and sitter.notes.broken and not sitter.row.seat:
            return True
        if away >= AWAY_LIMIT:
            self._saw(Lost(reason=f"{sitter.row.platform} could not be reached for a day"))
            return True
        return False

    def _saw(self, event: Event) -> None:
        sitter = self._sitter
        sitter.saw(event)
        self._away_since = None
        if sitter.seen.away:
            self.away(sitter.seen.away)
        elif self.trouble or isinstance(event, Joined | Finished | Lost):
            self.trouble = ""
            sitter.trouble_changed()

    async def _let_go(self) -> None:
        """Close what is open of the seat, which stays ours."""
        seat, self.seat = self.seat, None
        if seat is not None:
            try:
                await seat.close()
            except PlatformError as error:
                log.info("seat %d: closing: %s", self._sitter.row.id, error)
