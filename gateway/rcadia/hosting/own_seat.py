"""Our own seat at a table of ours: like any other, but the order of moves is ours to say, and the house host
knows what becomes of it. The house sits in one as well as a player of the mesh."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final, Protocol

from gateway.seat import (
    ActionRefused,
    Away,
    Event,
    HostedSeat,
    Joined,
    Lost,
    NotYourTurn,
    Outcome,
    RemoteSeat,
    ResumeKey,
    SeatLost,
    Side,
    Word,
)
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Intent

from .table import Table
from .words import ACCEPT_DRAW, DECLINE_DRAW, OFFER_DRAW, RESIGN

_KINDS: Final = {
    Word.RESIGN: RESIGN,
    Word.DRAW_OFFER: OFFER_DRAW,
    Word.DRAW_ACCEPT: ACCEPT_DRAW,
    Word.DRAW_DECLINE: DECLINE_DRAW,
}
"""Draws by repetition and fifty moves come by themselves, so there is nothing to claim."""

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
    """Implements ``HostedSeat`` around a seat of the platform's client.

    ``table`` None: it is closed, and the seat can only say how it ended.
    """

    def __init__(self, inner: RemoteSeat, session: str, table: Table | None, keeper: Keeper) -> None:
        self.inner = inner
        self.table = table
        self.handed_over = False
        """Somebody else of ours sits there now."""
        self._keeper = keeper
        self._seat: int | None = None
        self._session = session

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
        table = self._at_table()
        return table is None or table.game.phase != "waiting"

    def _at_table(self) -> Table | None:
        """The table, while it is in this seat's session."""
        return self.table if self.table is not None and self.table.id == self._session else None

    @property
    def resume_key(self) -> ResumeKey:
        return {HOSTED: self._session, SEAT: dict(self.inner.resume_key)}

    async def events(self) -> AsyncIterator[Event]:
        async for event in self.inner.events():
            if isinstance(event, Joined):
                self._seat = event.seat
                self._keeper.told(self)
                open_order = event.begun and event.first is None and not self.begun
                yield replace(event, ours_to_order=open_order, words=frozenset(_KINDS))
            elif self.begun or not isinstance(event, Away):
                # Before the order is said, the platform takes a host that only waits for it as away.
                yield event
        if self.handed_over:
            yield Lost(reason="the seat was kept for too long and has been given to the house")

    async def begin(self, first: Side) -> None:
        table = self._at_table()
        if table is not None and self._seat is not None:
            table.begin(self._seat if first is Side.US else 1 - self._seat)

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        return await self.inner.act(intent, turn)

    async def say(self, word: Word) -> Outcome:
        """The host is told directly, so it need not be this player's turn."""
        if word not in _KINDS or self._seat is None:
            raise ActionRefused("That cannot be said at this table")
        table = self._at_table()
        if table is None:
            raise NotYourTurn("The game is over")
        try:
            heard = await table.speak(self._seat, _KINDS[word])
        except Rejection as rejection:
            raise ActionRefused(rejection.message) from None
        return Outcome.APPLIED if heard else Outcome.UNKNOWN

    async def leave(self) -> None:
        if not self.handed_over:
            await self._keeper.give_back(self)

    async def rematch(self) -> HostedSeat:
        if self.table is None or self.handed_over:
            raise SeatLost("The table is closed")
        inner = await self.inner.rematch()
        if not await self.table.moved_on(self._session):
            await inner.close()
            raise SeatLost("The table is closed")
        again = OwnSeat(inner, self.table.id, self.table, self._keeper)
        self._keeper.sat_again(again)
        return again

    async def close(self) -> None:
        await self.inner.close()
