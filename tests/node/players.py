"""Two real nodes on real stores, over the in-memory air, in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.node import Acted, Clock, Node
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.model import OutboxRow
from storage.store import Store
from tests.node.network import Air, Endpoint
from tests.node.virtual import InlineWriter, VirtualLoop

A, B = "a" * 32, "b" * 32
BEGAN = 1_800_000_000.0


@dataclass(frozen=True)
class Event:
    type: str
    fields: Mapping[str, Any]


class Player:
    """One node with one identity. ``crash`` and ``start`` keep what is on the disk and in the inbox."""

    def __init__(
        self, name: str, air: Air, loop: VirtualLoop, path: str = ":memory:", *, skew: float = 0.0
    ) -> None:
        self.name = name
        self.loop = loop
        self.path = path
        self.skew = skew
        self.synchronised = True
        self.boot_id = "boot"
        self.random = random.Random(f"{name} {air.seed}")
        self.games: dict[str, Game] = {g.manifest.app_id: g for g in (TicTacToe(), FourInARow(), Chess())}
        self.store = Store(path, boot_id=self.boot_id)
        self.endpoint = Endpoint(air, name, loop)
        self.events: list[Event] = []
        self.node_parts: Callable[[], dict[str, Any]] = dict

    @property
    def clock(self) -> Clock:
        return Clock(
            wall=lambda: BEGAN + self.loop.time() + self.skew,
            boot=self.loop.time,
            synchronised=lambda: self.synchronised,
        )

    async def start(self) -> Player:
        self.writer = InlineWriter(self.store)
        parts: dict[str, Any] = {"transport": self.endpoint} | self.node_parts()
        self.node = Node(
            store=self.store,
            writer=self.writer,
            games=self.games,
            publish=lambda type, fields: self.events.append(Event(type, dict(fields))),
            clock=self.clock,
            **parts,
        )
        # What a failed run did can be done again.
        self.node.router._nonce = lambda: self.random.randbytes(8)
        self.node.router._new_session_id = lambda: self.random.randbytes(8).hex()
        self.node.router._coin = lambda: self.random.random() < 0.5
        await self.node.start([self.name])
        self.endpoint.attach(self.node)
        return self

    def crash(self) -> None:
        """The process is gone in the middle of whatever it did."""
        self.endpoint.detach()
        self.node._stopping = True
        self.node.outbox.stop()
        self.node._run.agenda.stop()
        for task in self.node._tasks:
            task.cancel()
        timer = self.node._deliveries._timer
        if timer is not None:
            timer.cancel()

    async def restart(self) -> None:
        self.crash()
        await asyncio.sleep(0)
        if self.path != ":memory:":
            self.store.close()
            self.store = Store(self.path, boot_id=self.boot_id)
        await self.start()

    async def stop(self) -> None:
        self.endpoint.detach()
        await self.node.stop()
        self.store.close()

    # What happened

    def key(self, session: str) -> SessionKey:
        return SessionKey(self.name, session)

    def session(self, id: str) -> Session | None:
        return self.store.sessions.get(self.key(id))

    def state(self, id: str) -> Any:
        """What both sides should agree on."""
        session = self.session(id)
        if session is None:
            return None
        game = self.games[session.app_id]
        state = {name: value for name, value in game.public(session).items() if not name.startswith("my_")}
        return str(session.status), state

    def journal(self, id: str) -> list[bytes | None]:
        return [action.envelope for action in self.store.actions.of(self.key(id))]

    def rows(self, id: str) -> list[OutboxRow]:
        return list(self.store.outbox.of(self.key(id)))

    def flags(self, id: str) -> dict[str, str]:
        return {flag.flag: flag.reason for flag in self.store.mail.flags(self.key(id))}

    def of(self, type: str) -> list[Event]:
        return [event for event in self.events if event.type == type]

    # Acting

    async def challenge(self, peer: str, app: str) -> str:
        acted = await self.node.challenge(self.name, peer, app, {})
        return acted.session.key.session_id

    async def act(self, id: str, command: str, **intent: Any) -> Acted:
        return await self.node.act(self.key(id), command, intent)

    async def tries(self, id: str, command: str, **intent: Any) -> bool:
        """Act if the rules allow it."""
        try:
            await self.act(id, command, **intent)
        except CallerError:
            return False
        return True


async def pair(
    air: Air, loop: VirtualLoop, paths: tuple[str, str] = (":memory:", ":memory:")
) -> tuple[Player, Player]:
    a, b = Player(A, air, loop, paths[0]), Player(B, air, loop, paths[1], skew=7.0)
    return await a.start(), await b.start()
