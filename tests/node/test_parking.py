"""Messages that come too early wait in front of the router, durable and few; what is deleted stays so."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lrgpnode.node.parking import (
    DECLINES_PER_IDENTITY,
    DECLINES_PER_SENDER,
    PARK_SECONDS,
    PARKED_PER_SESSION,
)
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Status
from storage.model import OutboxState
from tests.node.network import Air
from tests.node.players import A, B, Player
from tests.node.scenes import DAY, envelope, on_air, started, throw
from tests.node.virtual import VirtualLoop


def status(player: Player, id: str) -> Status | None:
    session = player.session(id)
    return session.status if session is not None else None


async def accept_unseen(a: Player, b: Player, air: Air) -> tuple[str, bytes]:
    """``b`` has accepted, which ``a`` does not know; the accept."""
    id = await a.challenge(B, "chess")
    await asyncio.sleep(2)
    a.endpoint.up = False
    await b.act(id, "accept")
    await asyncio.sleep(2)
    accept = next(message.envelope for message in air.sent if message.identity == B)
    b.endpoint.detach()
    a.endpoint.up = True
    return id, accept


def test_a_resignation_that_overtook_its_accept_waits_for_it_also_through_a_restart(tmp_path: Path) -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id, accept = await accept_unseen(a, b, air)
        await throw(air, B, a, envelope("chess", "resign", id))
        assert status(a, id) is Status.PENDING
        assert not a.of("game.rejected")
        assert len(a.store.mail.parked(a.key(id))) == 1
        await a.restart()
        await throw(air, B, a, accept)
        assert status(a, id) is Status.COMPLETED
        assert [e.fields["command"] for e in a.of("game.applied") if not e.fields["own"]] == [
            "accept",
            "resign",
        ]
        assert a.store.mail.parked(a.key(id)) == []

    on_air(scene, paths=(str(tmp_path / "a.db"), str(tmp_path / "b.db")))


def test_after_ten_minutes_the_router_has_the_word_and_a_resend_can_still_fit() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id, accept = await accept_unseen(a, b, air)
        early = envelope("chess", "draw_offer", id)
        await throw(air, B, a, early)
        await asyncio.sleep(PARK_SECONDS - 10)
        assert not a.of("game.rejected")
        await asyncio.sleep(20)
        assert [event.fields["command"] for event in a.of("game.rejected")] == ["draw_offer"]
        assert a.store.mail.parked(a.key(id)) == []
        await throw(air, B, a, accept)
        assert status(a, id) is Status.ACTIVE
        # The nonce of a refused draw_* stays refused for the life of the session.
        await asyncio.sleep(3600)
        await throw(air, B, a, early)
        assert len(a.of("game.rejected")) == 1

    on_air(scene)


def test_a_refused_move_may_be_sent_again_and_fit() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        early = envelope("ttt", "move", id, {"i": 0, "b": "", "n": 2, "t": A})
        await throw(air, B, a, early)
        assert len(a.of("game.rejected")) == 1
        await throw(air, B, a, early)
        assert len(a.of("game.rejected")) == 1  # within the replay cache's time
        await asyncio.sleep(700)
        await throw(air, B, a, early)
        assert len(a.of("game.rejected")) == 2

    on_air(scene)


def test_few_are_parked_for_a_session_and_the_same_one_once() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id, _ = await accept_unseen(a, b, air)
        first = envelope("chess", "draw_offer", id)
        for _ in range(3):
            await throw(air, B, a, first)
        assert len(a.store.mail.parked(a.key(id))) == 1
        for _ in range(2 * PARKED_PER_SESSION):
            await throw(air, B, a, envelope("chess", "draw_offer", id))
        assert len(a.store.mail.parked(a.key(id))) == PARKED_PER_SESSION
        assert not a.of("game.rejected")

    on_air(scene)


def test_a_decline_may_overtake_its_challenge_by_days_but_only_its_senders() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        mine, forged = "1" * 16, "2" * 16
        await throw(air, B, a, envelope("ttt", "decline", mine))
        await throw(air, "e" * 32, a, envelope("ttt", "decline", forged))
        await asyncio.sleep(20 * DAY)
        for id in (mine, forged):
            await throw(air, B, a, envelope("ttt", "challenge", id))
        assert status(a, mine) is Status.DECLINED
        assert status(a, forged) is Status.PENDING

    on_air(scene)


def test_declines_for_nothing_are_few() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        for sender in range(40):
            for n in range(2 * DECLINES_PER_SENDER):
                packed = envelope("ttt", "decline", f"{sender:08x}{n:08x}")
                await throw(air, f"{sender:032x}", a, packed)
        assert a.store.mail.parked_count(A, "decline", f"{3:032x}") == DECLINES_PER_SENDER
        assert a.store.mail.parked_count(A, "decline") == DECLINES_PER_IDENTITY
        # In the end they are forgotten.
        await asyncio.sleep(31 * DAY)
        assert a.store.mail.parked_count(A, "decline") == 0
        assert not a.node._run.parking._parked
        assert not air.sent

    on_air(scene)


def test_an_old_challenge_does_not_revive_a_deleted_session() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        challenge = air.sent[0].envelope
        try:
            await b.node.repair.delete(b.key(id))
        except CallerError as error:
            assert "not over" in error.message
        await a.act(id, "resign")
        await asyncio.sleep(2)
        await b.node.repair.delete(b.key(id))
        assert b.session(id) is None
        assert len(b.of("game.deleted")) == 1
        b.events.clear()
        for days in (0, 10, 19):
            await asyncio.sleep(days * DAY)
            await b.restart()
            await throw(air, A, b, challenge)
            await throw(air, A, b, envelope("ttt", "challenge", id))
            await throw(air, A, b, envelope("ttt", "decline", id))
            await throw(air, A, b, envelope("ttt", "move", id, {"i": 0}))
            assert b.session(id) is None
            assert b.store.mail.parked(b.key(id)) == []
        assert not [event for event in b.events if event.type.startswith("game.")]

    on_air(scene)


def test_a_session_whose_end_the_peer_does_not_know_is_deleted_only_by_force() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        b.endpoint.detach()
        await a.act(id, "resign")
        await asyncio.sleep(60)
        try:
            await a.node.repair.delete(a.key(id))
        except CallerError as error:
            assert "last action" in error.message
        else:
            raise AssertionError
        assert a.rows(id)[-1].state is OutboxState.FAILED
        await a.node.repair.delete(a.key(id), force=True)
        sent = len(air.sent)
        await asyncio.sleep(DAY)
        assert len(air.sent) == sent
        assert a.store.outbox.counts() == {}

    on_air(scene)
