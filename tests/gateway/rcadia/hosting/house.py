"""A house host at a real arcade, with an engine that thinks in this process and a mesh played by the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gateway.address import parse_address
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.transport import Connections, Transport
from gateway.rcadia.host import HouseHost
from gateway.rcadia.hosting.catalogue import words
from gateway.rcadia.hosting.engine import Engine
from gateway.rcadia.hosting.memory import Nowhere
from gateway.rcadia.hosting.plan import HostSettings
from gateway.rcadia.platform import RcadiaPlatform
from gateway.seat import Account, Event, HostedSeat, Joined, Side, Word, YourTurn
from gateway.secret import Secret
from gateway.seeking import Seek, Unwanted
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.think import answer
from tests.gateway.rcadia.hosting.arcade import Town, town

WORDS = words()


class Thinker:
    """Thinks at once, in this process."""

    async def think(self, question: Question) -> Answer:
        await asyncio.sleep(0)
        return answer(question)


@dataclass
class FakeMesh:
    """Implements ``gateway.seeking.Mesh``; ``plays`` is what a seated player does."""

    plays: Callable[[Seek, HostedSeat], Awaitable[None]] | None = None
    refuses: str = ""
    busy: set[str] = field(default_factory=set)
    seated: list[Seek] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def name(self, peer: str) -> str:
        return f"mesh-{peer}"

    def free(self, peer: str, platform: str) -> bool:
        assert platform == "arcade"
        return peer not in self.busy

    async def seat(self, seek: Seek, seat: HostedSeat, account: Account) -> None:
        assert account.name == "pool"
        if self.refuses:
            raise Unwanted(self.refuses)
        self.seated.append(seek)
        if self.plays is not None:
            work = self.plays(seek, seat)
            self.tasks.append(asyncio.ensure_future(work))  # type: ignore[arg-type]

    async def tell(self, peer: str, text: str) -> None:
        self.texts.append((peer, text))


class House:
    """The host, which can be killed and started again."""

    def __init__(self, here: Town, settings: HostSettings, mesh: FakeMesh | None) -> None:
        self.town = here
        self.settings = settings
        self.mesh = mesh
        self.shelf = Nowhere()
        self.connections = Connections(parse_address(here.url))
        self.host: HouseHost
        self.wall = 1_800_000_000.0

    async def start(self) -> None:
        account = Account(platform="arcade", name="pool", token=Secret(self.town.tokens["pool"]))
        self.host = HouseHost(
            self.settings,
            WORDS,
            HostApi(Transport(self.connections, Secret(self.town.tokens["house"]))),
            RcadiaPlatform("arcade", self.connections),
            account,
            Engine(Thinker(), 1, lambda: 7) if self.settings.house else None,
            self.shelf,
            mesh=self.mesh,
            name="the house",
            wall=lambda: self.wall,
        )
        await self.host.start()

    async def kill(self) -> None:
        """As if the process had died: nothing is said, nothing more is kept."""
        host, kept = self.host, self.shelf.load()
        for task in (host._running, *host._tasks):
            if task is not None:
                task.cancel()
        await asyncio.gather(*host._tasks, return_exceptions=True)
        self.shelf.texts[:] = [kept] if kept else []


@asynccontextmanager
async def house(data: Path, settings: HostSettings, mesh: FakeMesh | None = None) -> AsyncIterator[House]:
    async with town(data) as here:
        one = House(here, settings, mesh)
        await one.start()
        try:
            yield one
        finally:
            await one.host.close_tables()
            for task in mesh.tasks if mesh is not None else ():
                task.cancel()
            await one.connections.close()


async def until(events: AsyncIterator[Event], found: Callable[[Event], bool]) -> Event:
    """The first of a seat's events for which this is so; the others before it are gone."""
    async for event in events:
        if found(event):
            return event
    raise AssertionError("the seat's events have ended")


def to_order(event: Event) -> bool:
    return isinstance(event, Joined) and event.ours_to_order


async def gives_up(seek: Seek, seat: HostedSeat) -> None:
    """A player of the mesh who says that he begins, and resigns."""
    events = seat.events()
    await until(events, to_order)
    await seat.begin(Side.US)
    await until(events, lambda event: isinstance(event, YourTurn))
    await seat.say(Word.RESIGN)
