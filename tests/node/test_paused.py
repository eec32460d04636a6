"""What an identity off the mesh has to send, or is to be sent to a blocked peer, waits, under way or not."""

from __future__ import annotations

import asyncio

from storage.model import Block
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


def test_nothing_is_sent_to_a_blocked_peer_until_the_block_is_over() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        now = a.node.now()
        await a.node.admission.block(Block(peer=B, blocked_at=now, until=now + DAY / 4))
        await a.act(id, "move", i=4)
        await a.restart()
        for _ in range(5):
            await asyncio.sleep(DAY / 24)
            a.endpoint.hear(B)
        assert last(a, id)[1:] == ("queued", 0)
        assert a.node.now() < now + DAY / 4
        await asyncio.sleep(now + DAY / 4 - a.node.now() + 15)
        assert last(a, id)[1:] == ("delivered", 1)  # nobody has asked, and nothing was heard

    on_air(scene)


def test_a_block_is_not_over_by_a_clock_that_nobody_trusts() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        now = a.node.now()
        await a.node.admission.block(Block(peer=B, blocked_at=now, until=now + 3600))
        await a.act(id, "move", i=4)
        a.synchronised = False
        a.skew += 2 * 3600
        a.node.now()  # the jump is noticed
        await asyncio.sleep(3600)
        assert last(a, id)[1:] == ("queued", 0)
        a.synchronised = True
        await asyncio.sleep(90)
        assert last(a, id)[1:] == ("delivered", 1)

    on_air(scene)


def test_who_is_off_the_mesh_and_blocked_waits_for_both() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.node.pause(A)
        await a.act(id, "move", i=4)
        await a.node.admission.block(Block(peer=B, blocked_at=1.0))
        a.node.unpause(A)
        await asyncio.sleep(60)
        assert last(a, id)[1] != "delivered"
        assert await a.node.admission.unblock(B)
        await asyncio.sleep(60)
        assert last(a, id)[1] == "delivered"

    on_air(scene)


def test_a_person_is_told_what_a_message_waits_for() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        def waits(session: str) -> list[str]:
            return [a.node.outbox.waits_for(row.id).value for row in a.rows(session) if row.state.open]

        id = await started(a, b)
        a.node.pause(A)
        await a.act(id, "move", i=4)
        await a.act(id, "draw_offer")
        assert waits(id)[-2:] == ["disabled", "earlier"]
        a.node.unpause(A)
        await a.node.admission.block(Block(peer=B, blocked_at=1.0))
        assert waits(id)[-2:] == ["blocked", "earlier"]
        b.endpoint.detach()
        assert await a.node.admission.unblock(B)
        await asyncio.sleep(1)
        assert waits(id)[-2:] == ["", "earlier"]  # it is under way
        await asyncio.sleep(120)
        assert waits(id)[-2:] == ["peer", "earlier"]
        b.endpoint.attach(b.node)
        a.endpoint.hear(B)
        await asyncio.sleep(30)
        assert set(waits(id)) <= {""}

    on_air(scene)
