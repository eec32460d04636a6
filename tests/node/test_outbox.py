"""Durable sending, one node and what the air does to it."""

from __future__ import annotations

import asyncio

import pytest

from lrgpnode.mesh.transport import Progress
from lrgpnode.outbox import policy
from storage.model import OutboxState
from tests.node.network import Air, Faults
from tests.node.players import A, B, Player
from tests.node.scenes import DAY, HOUR, last, on_air, started
from tests.node.virtual import VirtualLoop


def test_the_states_of_a_move_until_the_answer() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.events.clear()
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        states = [event.fields["state"] for event in a.of("game.delivery")]
        assert states == ["sending", "sent", "delivered"]
        assert last(a, id) == ("move", "delivered", 1)
        await b.act(id, "move", i=0)
        await asyncio.sleep(2)
        assert last(a, id) == ("move", "confirmed", 1)
        assert not a.node.outbox._lanes
        assert not a.node.outbox._attempts.keys() - {a.key(id)}

    on_air(scene)


def test_pauses_grow_and_twelve_attempts_a_day_are_the_limit() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        began = loop.time()
        id = await a.challenge(B, "chess")
        times: list[float] = []
        real = a.endpoint.send
        a.endpoint.send = lambda message: (times.append(loop.time() - began), real(message))  # type: ignore[func-returns-value]
        for _ in range(47):
            await asyncio.sleep(HOUR / 2)
            b.endpoint.air.endpoints[A].hear(B)  # heard all the time, and yet nothing arrives
        assert len(times) <= policy.ATTEMPTS_A_DAY - 1
        assert last(a, id)[1:] == ("failed", 1 + len(times))
        # A restart gives no new ones.
        await a.restart()
        count = len(times)
        await asyncio.sleep(60)
        a.endpoint.hear(B)
        await asyncio.sleep(60)
        assert len(times) == count

    on_air(scene, faults=Faults(lost=1.0))


def test_a_failed_one_goes_out_when_its_time_has_come_and_not_before_also_after_a_restart() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(60 + 60 + 60 + 5)  # two attempts have failed
        assert last(a, id)[1:] == ("failed", 2)
        due = a.rows(id)[0].next_attempt_at
        assert due is not None
        sent = len(air.sent)
        await a.restart()
        b.endpoint.attach(b.node)
        await asyncio.sleep(due - a.node.now() - 5)
        assert len(air.sent) == sent
        await asyncio.sleep(10)
        assert last(a, id)[1:] == ("delivered", 3)
        assert b.session(id) is not None

    on_air(scene)


def test_when_our_radio_is_back_nothing_waits_for_its_time() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        b.endpoint.detach()
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(2 * HOUR)
        failed = last(a, id)
        assert failed[1] == "failed"
        b.endpoint.attach(b.node)
        sent = len(air.sent)
        a.node.radio_back()
        a.node.radio_back()  # one attempt, however often it is said
        await asyncio.sleep(5)
        assert last(a, id)[1:] == ("delivered", failed[2] + 1)
        assert [message.peer for message in air.sent[sent:]].count(B) == 1
        assert b.session(id) is not None

    on_air(scene)


def test_what_was_queued_goes_out_after_a_restart() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.endpoint.air.faults = Faults(silent=1.0)
        await a.act(id, "move", i=4)
        await asyncio.sleep(1)
        air.faults = Faults()
        await a.restart()
        await asyncio.sleep(2)
        assert last(a, id)[:2] == ("move", "delivered")
        assert a.state(id) == b.state(id)

    on_air(scene)


def test_a_transport_that_says_nothing_does_not_hold_a_session_for_ever() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        air.faults = Faults(silent=1.0)
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(policy.NO_NEWS_SECONDS + 1)
        air.faults = Faults()
        assert a.node.outbox.state(a.rows(id)[0].id).state is OutboxState.FAILED  # type: ignore[union-attr]
        assert a.of("game.delivery")[-1].fields["reason"] == policy.NO_NEWS
        await asyncio.sleep(120)
        assert last(a, id)[1] == "delivered"

    on_air(scene)


def test_heard_while_in_flight_is_hurried_and_tried_again_at_once_after_a_failure() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        air.faults = Faults(lost=1.0)
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(30)
        a.endpoint.hear(B)
        assert a.endpoint.hurried == [B]
        air.faults = Faults()
        await asyncio.sleep(27)
        assert last(a, id)[1:] == ("delivered", 2)

    on_air(scene)


def test_a_peer_that_is_away_gets_it_by_a_propagation_node_and_that_is_not_called_delivered() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        b.endpoint.detach()
        await a.act(id, "move", i=4)
        await asyncio.sleep(70)
        assert last(a, id) == ("move", "stored", 2)
        assert [message.via_propagation for message in air.sent[-2:]] == [False, True]
        # The next one need not fail first.
        other = await a.challenge(B, "ttt")
        await asyncio.sleep(10)
        assert last(a, other) == ("challenge", "stored", 1)
        assert air.sent[-1].via_propagation
        # Fetched hours later, it is answered, and that confirms it.
        b.endpoint.attach(b.node)
        await asyncio.sleep(7 * HOUR)
        await b.act(id, "move", i=0)
        await asyncio.sleep(2)
        assert a.rows(id)[-1].state is OutboxState.CONFIRMED
        assert a.journal(id) == b.journal(id)

    on_air(scene, propagation=True)


def test_what_is_stored_goes_directly_when_the_peer_is_heard() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        b.endpoint.detach()
        await a.act(id, "move", i=4)
        await asyncio.sleep(70)
        b.endpoint.attach(b.node)
        a.endpoint.hear(B)
        await asyncio.sleep(2)
        assert last(a, id) == ("move", "delivered", 3)
        # A direct attempt that fails does not take away that it is stored.
        other = await a.challenge(B, "ttt")
        await asyncio.sleep(1)
        assert last(a, other)[1] in ("queued", "delivered")

    on_air(scene, propagation=True)


def test_a_failure_does_not_take_away_that_it_is_stored() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        b.endpoint.detach()
        await a.act(id, "move", i=4)
        await asyncio.sleep(70)
        a.endpoint.hear(B)
        await asyncio.sleep(70)
        assert last(a, id) == ("move", "stored", 3)

    on_air(scene, propagation=True)


def test_the_last_action_of_a_game_is_stored_again_for_thirty_days_and_then_dropped() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        b.endpoint.detach()
        await a.act(id, "resign")
        await asyncio.sleep(29 * DAY)
        row = a.rows(id)[-1]
        assert row.state is OutboxState.STORED
        assert 25 < row.attempts < 70
        await asyncio.sleep(3 * DAY)
        row = a.rows(id)[-1]
        assert (row.state, row.reason) == (OutboxState.DROPPED, policy.GIVEN_UP)
        sent = len(air.sent)
        await asyncio.sleep(10 * DAY)
        assert len(air.sent) == sent
        assert not a.store.outbox.counts()

    on_air(scene, propagation=True)


def test_absent_peers_do_not_hold_up_a_present_one() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        # Forty games with peers that are not there, known to be away or not.
        for n in range(40):
            await a.challenge(f"{n:032x}", "ttt")
        for _ in range(20):
            began = loop.time()
            id = await a.challenge(B, "chess")
            await asyncio.sleep(10)
            assert b.session(id) is not None, loop.time() - began
            await b.act(id, "decline")
            await asyncio.sleep(97)

    on_air(scene)


@pytest.mark.parametrize("via_message", [False, True])
def test_a_silent_peer_that_is_heard_gets_the_unconfirmed_again_in_order_once(via_message: bool) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(b, a, "chess")
        first = len(a.rows(id))
        while not a.store.outbox.open_of(a.key(id)) or a.rows(id)[-1].command != "move":
            session = a.session(id)
            assert session is not None
            view = a.games["chess"].view(session, A)
            if view.my_turn:
                await a.act(id, "move", **view.legal[0].intent)
            else:
                other = b.games["chess"].view(session, B)
                await b.act(id, "move", **other.legal[0].intent)
            await asyncio.sleep(2)
        assert a.rows(id)[-1].state is OutboxState.DELIVERED
        await asyncio.sleep(2 * HOUR)
        sent = len(air.sent)
        if via_message:
            await b.challenge(A, "ttt")
            await asyncio.sleep(1)
            sent += 1
        else:
            a.endpoint.hear(B)
        await asyncio.sleep(1)
        again = [message.envelope for message in air.sent[sent:]]
        assert again == [row.envelope for row in a.rows(id) if row.state.open]
        assert again
        a.endpoint.hear(B)
        await asyncio.sleep(5)
        assert len(air.sent) == sent + len(again)
        assert a.journal(id) == b.journal(id)
        assert first is not None

    on_air(scene)


def test_an_offer_that_our_own_move_followed_is_not_sent_again() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        air.faults = Faults(lost=1.0)
        await a.act(id, "draw_offer")
        await asyncio.sleep(56)
        await a.act(id, "move", i=4)
        air.faults = Faults()
        await asyncio.sleep(120)
        offer, move = a.rows(id)[-2:]
        assert (offer.state, offer.reason) == (OutboxState.DROPPED, policy.SUPERSEDED)
        assert move.state is OutboxState.DELIVERED
        assert a.state(id) == b.state(id)

    on_air(scene)


def test_an_offer_that_has_not_arrived_is_withdrawn_by_the_opponents_move() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        real = a.endpoint.send
        a.endpoint.send = lambda message: None  # type: ignore[method-assign]
        await a.act(id, "draw_offer")
        await b.act(id, "move", i=0)
        await asyncio.sleep(2)
        a.endpoint.send = real  # type: ignore[method-assign]
        assert a.rows(id)[-1].state is OutboxState.DROPPED
        assert a.state(id) == b.state(id)

    on_air(scene)


def test_a_proof_that_comes_after_the_failure_counts() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        air.faults = Faults(lost=1.0)
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(56)
        ref = a.rows(id)[0].id
        a.node.progress(ref, Progress.DELIVERED, "")
        await asyncio.sleep(1)
        assert last(a, id)[1] == "delivered"
        await asyncio.sleep(DAY / 4)
        assert len(air.sent) == 1

    on_air(scene)
