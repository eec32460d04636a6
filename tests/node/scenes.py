"""Scenes of two players in virtual time, and envelopes made by hand."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

from lrgpnode.mesh.transport import Outgoing
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Delivery
from tests.node.network import Air
from tests.node.players import B, Player, pair
from tests.node.virtual import VirtualLoop, run

Scene = Callable[[VirtualLoop, Air, Player, Player], Coroutine[Any, Any, None]]
HOUR, DAY = 3600.0, 86_400.0

_nonces = itertools.count(1)


def on_air(scene: Scene, *, paths: tuple[str, str] = (":memory:", ":memory:"), **values: Any) -> None:
    """Run a scene with two players on an air without faults, unless it makes some."""

    async def main(loop: VirtualLoop) -> None:
        air = Air(1, **values)
        a, b = await pair(air, loop, paths)
        await scene(loop, air, a, b)
        for player in (a, b):
            await player.stop()

    run(main)


async def started(a: Player, b: Player, app: str = "ttt") -> str:
    """A game that ``a`` has proposed and ``b`` accepted."""
    id = await a.challenge(b.name, app)
    await asyncio.sleep(2)
    await b.act(id, "accept")
    await asyncio.sleep(2)
    return id


def last(player: Player, id: str) -> tuple[str, str, int]:
    row = player.rows(id)[-1]
    return row.command, str(row.state), row.attempts


def envelope(app: str, command: str, id: str, payload: dict[str, Any] | None = None) -> bytes:
    return Envelope(app, 1, command, id, payload or {}, next(_nonces).to_bytes(8, "big")).pack()


async def throw(air: Air, sender: str, to: Player, packed: bytes) -> None:
    """A message of ``sender`` arrives, under a hash of its own."""
    message = Outgoing(
        ref=0, identity=sender, peer=to.name, envelope=packed, content="", delivery=Delivery.OPPORTUNISTIC
    )
    air.arrive(message, air.new_hash())
    await asyncio.sleep(1)


__all__ = ["DAY", "HOUR", "B", "Scene", "envelope", "last", "on_air", "started", "throw"]
