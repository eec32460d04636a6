"""Our own seat at a table of ours: like any other, but the order of moves is ours to say, and the house host
knows what becomes of it. The house sits in one as well as a player of the mesh."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final, Protocol

from gateway.seat import Event, HostedSeat, Joined, Outcome, RemoteSeat, ResumeKey, SeatLost, Side, Word
from lrgpnode.protocol.game import Intent

from .table import Table

HOSTED: Final = "hosted"
SEAT: Final = "seat"


class Keeper(Protocol):
    """What a seat needs of the house host that has made it."""

    async def give_back(self, seat: OwnSeat) -> None:
        """The player does not come, or leaves. Raises ``Unreachable``."""
        ...

    def sat_again(self, seat: OwnSeat) -> None:
        """The player has taken the seat in the next round."""
        ...

    def told(self, seat: OwnSeat) -> None:
        """The platform has said which seat it is."""
        ...


class OwnSeat:
    """Implements ``HostedSeat`` around a seat of the platform's client."""

    def __init__(self, inner: RemoteSeat, table: Table, keeper: Keeper) -> None:
        self.inner = inner
        self.table = table
        self._keeper = keeper
        self._seat: int | None = None
        self._session = table.id

    @property
    def session(self) -> str:
        """The session that this seat is in; the table may have gone on to the next."""
        return self._session

    @property
    def seat(self) -> int | None:
        """Its number, None until the platform has said it."""
        return self._seat

    @property
    def begun(self) -> bool:
        """Whether the order has been said, or the table has gone on."""
        return self.table.id != self._session or self.table.game.phase != "waiting"

    @property
    def resume_key(self) -> ResumeKey:
        return {HOSTED: self._session, SEAT: dict(self.inner.resume_key)}

    async def events(self) -> AsyncIterator[Event]:
        async for event in self.inner.events():
            if isinstance(event, Joined):
                self._seat = event.seat
                self._keeper.told(self)
                open_order = event.begun and event.first is None and not self.begun
                yield replace(event, ours_to_order=open_order)
            else:
                yield event

    async def begin(self, first: Side) -> None:
        if self._seat is None or self.begun:
            return
        self.table.begin(self._seat if first is Side.US else 1 - self._seat)

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        return await self.inner.act(intent, turn)

    async def say(self, word: Word) -> Outcome:
        return await self.inner.say(word)

    async def leave(self) -> None:
        await self._keeper.give_back(self)

    async def rematch(self) -> HostedSeat:
        inner = await self.inner.rematch()
        if not await self.table.moved_on(self._session):
            await inner.close()
            raise SeatLost("The table is closed")
        again = OwnSeat(inner, self.table, self._keeper)
        self._keeper.sat_again(again)
        return again

    async def close(self) -> None:
        await self.inner.close()
