"""A mesh player's node and a node with a gateway over the in-memory air, and the platform in memory."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from gateway.desk import GatewayDesk
from gateway.policy import GatePolicy, Players
from gateway.seat import Platform
from gateway.seeking import Host
from gateway.service import Gateway
from gateway.settings import GatewaySettings
from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.config import TOKENS_NAME
from lrgpnode.node import Identities
from lrgpnode.protocol.session import Session, Status
from storage.gateway_model import Bridge, Caps
from storage.model import LocalIdentity, Policy, Role
from tests.gateway.fake_platform import FakePlatform, World
from tests.node.network import Air, Faults
from tests.node.players import A, B, Player
from tests.node.virtual import VirtualLoop, run

T = TypeVar("T")

TOKEN = "tok_1234567890"
SETTINGS = GatewaySettings(
    policy=GatePolicy(
        players=Players.EVERYONE, routes={"chess": "fake", "ttt": "fake", "four_in_a_row": "fake"}
    ),
    caps=Caps(platform=4, player=1, day=10),
    wait=3600.0,
)


class Own:
    """The identities of the node, as the gateway needs them."""

    def __init__(self) -> None:
        self.rows: dict[str, LocalIdentity] = {}

    async def create(self, name: str, role: Role) -> LocalIdentity:
        self.rows[B] = LocalIdentity(hash=B, name=name, created_at=0.0, role=role)
        return self.rows[B]

    async def enable(self, hash: str) -> LocalIdentity:
        self.rows[hash] = replace(self.rows[hash], enabled=True)
        return self.rows[hash]


class GatewayNode(Player):
    """A node whose one identity is the gateway's. ``restart`` is a kill: only files and the platform stay."""

    def __init__(self, air: Air, loop: VirtualLoop, world: World, folder: Path) -> None:
        super().__init__(B, air, loop, str(folder / "node.db"), skew=7.0)
        self.world = world
        self.folder = folder
        self.settings = SETTINGS
        self.own = Own()
        self.hosts: dict[str, Host] = {}
        self.trip: RoundTrip | None = None
        self.prepare: Callable[[FakePlatform], None] = lambda platform: None
        self.others: Callable[[], list[Platform]] = list
        token = folder / TOKENS_NAME / "fake" / "main"
        token.parent.mkdir(parents=True, exist_ok=True)
        token.write_text(TOKEN)
        token.chmod(0o600)

    async def start(self) -> GatewayNode:
        await super().start()
        publish = self.node._news._publish

        def told(type: str, fields: Mapping[str, Any]) -> None:
            publish(type, fields)
            self.gateway.told(type, fields)

        self.node._news._publish = told
        self.node.admission._default = Policy.OPEN
        self.platform = FakePlatform(self.world)
        self.prepare(self.platform)
        self.gateway = Gateway(
            self.settings,
            [self.platform, *self.others()],
            cast("Identities", self.own),
            self.store,
            self.writer,
            publish,
            data=self.folder,
            name=lambda peer: {A: "Ann"}.get(peer, ""),
            round_trip=lambda peer: self.trip,
        )
        self.world.now = self.node.now
        self.gateway.hosts.update(self.hosts)
        self.desk = GatewayDesk(self.gateway)
        await self.gateway.open(self.node)
        return self

    def crash(self) -> None:
        for bridge in self.gateway.bridges.values():
            for task in (bridge._running, bridge._sitting.task):
                if task is not None:
                    task.cancel()
        for task in self.gateway._tasks:
            task.cancel()
        super().crash()

    async def stop(self) -> None:
        await self.gateway.close()
        await super().stop()

    # Looking

    def bridge(self, id: int = 1) -> Bridge:
        row = self.store.gateway.get(id)
        assert row is not None
        return row

    def stage(self, id: int = 1) -> str:
        """How far a seat is, "" while there is none."""
        row = self.store.gateway.get(id)
        return "" if row is None else str(row.stage)

    def told_player(self) -> list[str]:
        """The texts that were written to the player, oldest first."""
        return [one.text for one in reversed(self.store.messages.page(B, A, limit=50)) if one.own]


class Scene:
    def __init__(self, loop: VirtualLoop, folder: Path, faults: Faults | None, seed: int) -> None:
        self.loop = loop
        self.world = World()
        self.air = Air(seed, faults or Faults(delay=0.5))
        self.ann = Player(A, self.air, loop)
        self.host = GatewayNode(self.air, loop, self.world, folder)

    async def until(self, what: Callable[[], Any], seconds: float = 3600.0, every: float = 0.25) -> Any:
        """Wait, in virtual time, until ``what()`` is true; its value. ``every``: seconds between looks."""
        end = self.loop.time() + seconds
        while not (found := what()):
            assert self.loop.time() < end, "it did not come to that"
            await asyncio.sleep(every)
        return found

    async def quiet(self, seconds: float = 30.0) -> None:
        """Let virtual time pass."""
        await asyncio.sleep(seconds)

    def game(self, id: str) -> Session:
        session = self.ann.session(id)
        assert session is not None
        return session

    async def turn(self, id: str) -> None:
        """Wait until the player is to move in an active game."""
        await self.until(
            lambda: self.game(id).status is Status.ACTIVE and self.game(id).metadata["turn"] == A
        )

    async def ends(self, id: str) -> Session:
        """Wait until the player's game is over."""
        await self.until(lambda: self.game(id).status.ended)
        return self.game(id)

    async def over(self, id: int = 1) -> Bridge:
        """Wait until a seat is over."""
        await self.until(lambda: self.host.stage(id) == "over")
        return self.host.bridge(id)

    def new_game(self, app: str, before: str) -> str | None:
        """The id of a game of the player in ``app`` that is not ``before``."""
        games = self.ann.node.router.list(A, app, self.ann.node.now())
        return next((one.key.session_id for one in games if one.key.session_id != before), None)


def play(
    main: Callable[[Scene], Coroutine[Any, Any, T]],
    *,
    faults: Faults | None = None,
    seed: int = 1,
    settings: GatewaySettings = SETTINGS,
    before: Callable[[Scene], None] = lambda scene: None,
) -> T:
    """Run a scene in virtual time. ``before``: prepares it, before anybody runs."""
    with tempfile.TemporaryDirectory() as folder:

        async def inside(loop: VirtualLoop) -> T:
            scene = Scene(loop, Path(folder), faults, seed)
            scene.host.settings = settings
            before(scene)
            await scene.ann.start()
            await scene.host.start()
            try:
                return await main(scene)
            finally:
                await scene.ann.stop()
                await scene.host.stop()

        return run(inside)
