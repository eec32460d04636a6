"""An identity off the mesh: what it has to send waits, under way or not, and others are not held up."""

from __future__ import annotations

import asyncio

from tests.node.network import Air, Faults
from tests.node.players import A, B, Player
from tests.node.test_outbox import DAY, last, on_air, started
from tests.node.virtual import VirtualLoop


def test_what_is_acted_meanwhile_goes_out_afterwards() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.node.pause(A)
        await a.act(id, "move", i=4)
        await asyncio.sleep(DAY / 2)
        a.endpoint.hear(B)
        await asyncio.sleep(60)
        assert last(a, id)[1:] == ("queued", 0)
        a.node.unpause(A)
        await asyncio.sleep(5)
        assert last(a, id)[1:] == ("delivered", 1)
        game = b.session(id)
        assert game is not None
        assert game.metadata["move_count"] == 1

    on_air(scene)


def test_what_was_under_way_is_sent_anew_and_arrives_once() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.act(id, "move", i=4)
        a.node.pause(A)
        await asyncio.sleep(DAY / 2)
        a.node.unpause(A)
        await asyncio.sleep(60)
        assert last(a, id)[0:2] == ("move", "delivered")
        assert [row.command for row in b.rows(id)] == ["accept"]
        game = b.session(id)
        assert game is not None
        assert game.metadata["move_count"] == 1

    on_air(scene)


def test_waiting_costs_no_attempts_and_no_place() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        ids = [await a.challenge(B, "ttt") for _ in range(5)]
        await asyncio.sleep(10)
        attempts = [last(a, id)[2] for id in ids]
        a.node.pause(A)
        for _ in range(20):
            await asyncio.sleep(DAY / 40)
            a.endpoint.hear(B)
        assert [last(a, id)[2] for id in ids] == attempts
        assert not a.node.outbox._traffic._flights
        b.endpoint.attach(b.node)
        a.node.unpause(A)
        await asyncio.sleep(600)
        assert {last(a, id)[1] for id in ids} == {"delivered"}

    on_air(scene, faults=Faults())
