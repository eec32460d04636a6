"""A node with a gateway's identity that answers texts, and people with plain clients, in virtual time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from interfaces.text.held import Held
from interfaces.text.service import TextService
from interfaces.text.wire import HeldTransport
from lrgpnode.config import Settings
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.think import answer
from lrgpnode.mesh.transport import Outgoing
from lrgpnode.protocol.game import Delivery
from storage.model import LocalIdentity, Role
from tests.node.network import CLEAN, Air, Faults
from tests.node.players import Player
from tests.node.virtual import VirtualLoop, run

G = "9" * 32
ANN, PAUL, EVE = "a1" * 16, "b2" * 16, "e3" * 16
NAMES = {ANN: "Ann", PAUL: "Paul", EVE: "Eve"}
PACKET = 287


class Thinks:
    """Implements ``Thinker``: the house's engines, in no time."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.seed: int | None = None

    async def think(self, question: Question) -> Answer:
        await asyncio.sleep(self.seconds)
        return answer(question if self.seed is None else replace(question, seed=self.seed))


class Phone:
    """Somebody with a plain LXMF client: writes texts, and keeps what he gets."""

    def __init__(self, stage: Stage, hash: str) -> None:
        self.stage = stage
        self.hash = hash
        self.got: list[str] = []
        self.away = self.lrgp = False
        stage.air.endpoints[hash] = self  # type: ignore[assignment]
        self._known: set[bytes] = set()

    def hear(self, peer: str) -> None:
        """A client that shows no announces."""

    def take(self, message: Outgoing, message_hash: bytes, *, propagated: bool) -> bool:
        if self.away:
            return False
        if message_hash not in self._known:
            self._known.add(message_hash)
            assert self.lrgp or not message.envelope, "somebody without LRGP got an envelope"
            assert len(message.content.encode()) <= PACKET
            self.got.append(message.content)
        return True

    def write(self, text: str, *, to: str = G, at: float | None = None) -> None:
        """Send a text."""
        message = Outgoing(
            ref=0,
            identity=self.hash,
            peer=to,
            envelope=b"",
            content=text,
            delivery=Delivery.OPPORTUNISTIC,
            timestamp=self.stage.tick() if at is None else at,
        )
        self.stage.air.arrive(message, self.stage.air.hash_of(message))

    async def says(self, text: str, *, seconds: float = 30.0) -> str:
        """What comes back to a text: all of it, "" for nothing."""
        self.got.clear()
        self.write(text)
        await asyncio.sleep(seconds)
        return "\n--\n".join(self.got)


@dataclass
class _Own:
    rows: Mapping[str, LocalIdentity]


@dataclass
class Stage:
    loop: VirtualLoop
    air: Air
    node: Player
    settings: Settings
    rows: dict[str, LocalIdentity]
    thinker: Thinks = field(default_factory=Thinks)
    gateway: Any = None
    ladders: Any = None
    names: dict[str, str] = field(default_factory=lambda: dict(NAMES))

    def __post_init__(self) -> None:
        self.held: Held
        self._ticks = itertools.count(1)
        self.text: TextService | None = None

    def tick(self) -> float:
        return float(next(self._ticks))

    def phone(self, hash: str) -> Phone:
        return Phone(self, hash)

    async def start(self) -> None:
        self.node.node_parts = self._parts
        await self.node.start()
        await self._open()

    def _parts(self) -> dict[str, Any]:
        self.held = Held(self.node.store, self.rows, enabled=self.settings.text_enabled)
        return {"transport": HeldTransport(self.node.endpoint, self.held)}

    async def _open(self) -> None:
        self.text = TextService(
            self.settings,
            _Own(self.rows),  # type: ignore[arg-type]
            self.node.store,
            self.node.writer,
            self.held,
            name=lambda peer: self.names.get(peer, ""),
            thinker=self.thinker,
        )
        await self.text.open(self.node.node, self.gateway, self.ladders)

    async def restart(self) -> None:
        """Killed, and started again."""
        assert self.text is not None
        text, self.text = self.text, None
        for task in text._running:
            task.cancel()
        await text.close()
        await self.node.restart()
        await self._open()

    async def stop(self) -> None:
        if self.text is not None:
            await self.text.close()
        await self.node.stop()


class _Node(Player):
    """Tells the text commands of its events."""

    stage: Stage

    async def start(self) -> Player:
        self.events = _Told(self.stage)  # type: ignore[assignment]
        return await super().start()


class _Told(list[Any]):
    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage

    def append(self, event: Any) -> None:
        super().append(event)
        if self._stage.text is not None:
            self._stage.text.told(event.type, event.fields)


def on_stage(
    scene: Callable[[Stage], Coroutine[Any, Any, None]],
    *,
    path: str = ":memory:",
    faults: Faults = CLEAN,
    role: Role = Role.GATEWAY,
    gateway: Any = None,
    ladders: Any = None,
    seed: int = 1,
    **settings: Any,
) -> None:
    async def main(loop: VirtualLoop) -> None:
        air = Air(seed, faults)
        node = _Node(G, air, loop, path)
        row = LocalIdentity(hash=G, name="gate", created_at=1.0, role=role)
        stage = Stage(loop, air, node, Settings(**settings), {G: row}, gateway=gateway, ladders=ladders)
        node.stage = stage
        await stage.start()
        try:
            await scene(stage)
        finally:
            await stage.stop()

    run(main)
