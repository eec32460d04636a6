"""What the tests of the seat share: a platform at a strict server, a player, and somebody on the web."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from gateway.address import parse_address
from gateway.rcadia.client.pauses import Pauses
from gateway.rcadia.client.transport import Connections, Limits
from gateway.rcadia.client.watch import Pace
from gateway.rcadia.platform import RcadiaPlatform
from gateway.rcadia.seat import RcadiaSeat, Timing
from gateway.seat import Account, Event, Outcome, PlatformError, RemoteSeat, YourTurn
from gateway.secret import Secret
from tests.gateway.rcadia.strict_server import StrictServer, Table, serving

TOKEN = "tok_sentinel_7f3a"
DEADLINE = 60.0
"""Seconds for anything that has to happen; on a loaded computer it may take a while."""

QUICK = Timing(
    pace=Pace(wait=3, gap=0.05, unheld=1.0, turn=0.4),
    patience=20.0,
    confirm=0.4,
    rematch=0,
    unreadable=(0.2, 0.4),
    pauses=lambda: Pauses(spread=lambda: 0.0),
)


POOL = Account(platform="rcadia", name="pool", token=Secret(TOKEN))


@dataclass
class Desk:
    """A server, our platform there, and our account."""

    server: StrictServer
    platform: RcadiaPlatform
    address: str
    keys: list[Any] = field(default_factory=list)
    account: Account = POOL

    async def note(self, key: Any) -> None:
        self.keys.append(key)

    async def sit(self, table: Table, app: str, name: str = "Ann") -> RcadiaSeat:
        return await self.platform.open_seat(app, table.id, self.account, name, self.note)


@asynccontextmanager
async def desk(timing: Timing = QUICK, *, limits: Limits | None = None) -> AsyncIterator[Desk]:
    server = StrictServer({TOKEN: "us", "tok_other": "other"})
    async with serving(server) as address:
        connections = Connections(parse_address(address), limits=limits)
        platform = RcadiaPlatform("rcadia", connections, timing=timing)
        try:
            yield Desk(server, platform, address)
        finally:
            await platform.close()


class Web:
    """A player at the web: plays its moves of a script as soon as it is its turn."""

    def __init__(self, table: Table, script: list[str], seat: int) -> None:
        self.table, self.script, self.seat = table, script, seat

    async def run(self) -> None:
        table = self.table
        while table.status != "finished":
            changed = table.changed
            ply = len(table.game.moves)
            if table.status == "active" and table.on_turn == self.seat and ply < len(self.script):
                table.play(self.script[ply])
            else:
                await changed.wait()


class Player:
    """A player in our seat. ``choose``: the intent for a turn, None to think on.

    As a bridge does: events are listened to while a move is made, a move that was not taken is decided anew
    with the next event.
    """

    def __init__(self, seat: RemoteSeat, choose: Callable[[YourTurn], Any]) -> None:
        self.seat, self.choose = seat, choose
        self.events: list[Event] = []
        self.outcomes: list[Outcome | PlatformError] = []
        self._arrived = asyncio.Condition()

    async def run(self) -> list[Event]:
        """All events, until there are none any more."""
        turns: asyncio.Queue[YourTurn | None] = asyncio.Queue()

        async def listen() -> None:
            async for event in self.seat.events():
                async with self._arrived:
                    self.events.append(event)
                    self._arrived.notify_all()
                if isinstance(event, YourTurn):
                    turns.put_nowait(event)
            turns.put_nowait(None)

        listening = asyncio.ensure_future(listen())
        try:
            async with asyncio.timeout(DEADLINE):
                while (turn := await turns.get()) is not None:
                    intent = self.choose(turn)
                    if intent is None or not turns.empty():
                        continue
                    try:
                        self.outcomes.append(await self.seat.act(intent, turn.turn))
                    except PlatformError as error:
                        self.outcomes.append(error)
                await listening
        finally:
            listening.cancel()
        return self.events

    async def until(self, wanted: Callable[[Event], bool]) -> Event:
        """The first event, also of those that came already, that is wanted."""
        async with asyncio.timeout(DEADLINE), self._arrived:
            await self._arrived.wait_for(lambda: any(wanted(event) for event in self.events))
            return next(event for event in self.events if wanted(event))


def scripted(key: str, script: list[Any]) -> Callable[[YourTurn], Any]:
    """The intents of a script of moves."""

    def choose(turn: YourTurn) -> Any:
        assert turn.board is not None
        assert turn.board.moves is not None
        return {key: script[len(turn.board.moves)]}

    return choose


def of_kind(events: list[Event], kind: type[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def eventually(condition: Callable[[], bool], table: Table) -> None:
    """Wait until a table's change makes ``condition`` true."""
    async with asyncio.timeout(DEADLINE):
        while not condition():
            changed = table.changed
            if condition():
                return
            await changed.wait()
