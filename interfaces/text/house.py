"""The house at the tables of text players: ``lrgpnode.house`` plays there as it does at its own games."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from typing import Any, Final

from lrgpnode.house.manners import Limits
from lrgpnode.house.memory import Daily, Levels
from lrgpnode.house.player import Player
from lrgpnode.house.worker import Thinker
from lrgpnode.protocol.errors import CallerError, ErrorCode, Kind as Failure, Rejection
from lrgpnode.protocol.session import Session, SessionKey
from storage.text_model import HOUSE, Seat

from . import seats
from .desk import Desk
from .draft import Draft, nobody

LEVELS_KEY: Final = "text.house.levels"
Commit = Callable[[Draft], Awaitable[None]]

log = logging.getLogger(__name__)


class Guests(Collection[str]):
    """Whoever sits at a table with the house was let in when he sat down."""

    def __contains__(self, peer: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class HouseTable:
    """Implements ``lrgpnode.house.player.Table`` on seats. ``lock`` is held by whoever changes a game."""

    def __init__(self, desk: Desk, lock: asyncio.Lock, commit: Commit) -> None:
        self._desk = desk
        self._lock = lock
        self._commit = commit

    def now(self) -> float:
        return self._desk.now()

    def session(self, key: SessionKey) -> Session:
        seat = self._seat(key)
        try:
            return seats.loaded(self._desk.game(seat.app_id), seat)
        except Rejection as rejection:
            raise CallerError(Failure.VALIDATION, rejection.message) from None

    async def act(self, key: SessionKey, command: str, intent: Mapping[str, Any]) -> None:
        async with self._lock:
            draft = nobody(self.now())
            try:
                await self._desk.act(draft, self._seat(key), command, intent)
            except Rejection as rejection:
                raise CallerError(Failure.VALIDATION, rejection.message, ErrorCode.INVALID_MOVE) from None
            await self._commit(draft)

    def live(self) -> list[SessionKey]:
        return [seat.key for seat in self._desk.table.live() if seat.player == HOUSE]

    def _seat(self, key: SessionKey) -> Seat:
        seat = self._desk.table.seat(key.session_id, HOUSE)
        if seat is None:
            raise CallerError(Failure.SESSION_NOT_FOUND, f"there is no game {key.session_id}")
        return seat


def player(
    table: HouseTable,
    thinker: Thinker,
    *,
    stored: str | None,
    keep: Callable[[str, str], Awaitable[Any]],
    level: int,
    seed: Callable[[], int],
) -> Player:
    """The one who plays. ``stored`` and ``keep`` as for ``Levels``, whose key is ``LEVELS_KEY`` here."""

    async def keep_levels(_: str, value: str) -> None:
        await keep(LEVELS_KEY, value)

    async def keep_nothing(_: str, value: str) -> None:
        """Games are counted where people sit down."""

    return Player(
        HOUSE,
        table,
        thinker,
        Levels(stored, keep_levels, lambda: [key.session_id for key in table.live()], level),
        Daily(json.dumps([]), keep_nothing, 0),
        live=table.live,
        local=Guests(),
        limits=Limits(open=True),
        seed=seed,
    )
