"""What a person can do: send again, cancel, abandon."""

from __future__ import annotations

import asyncio

import pytest

from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.session import Status
from storage.model import OutboxState
from tests.node.network import Air, Faults
from tests.node.players import Player
from tests.node.scenes import DAY, last, on_air, started
from tests.node.virtual import VirtualLoop


def test_resend_sends_the_same_envelope_at_once_and_changes_nothing_on_the_other_side() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        before, events = len(air.sent), len(b.events)
        rows = a.node.repair.resend(a.key(id))
        assert [row.command for row in rows] == ["move"]
        await asyncio.sleep(2)
        assert [m.envelope for m in air.sent[before:]] == [a.rows(id)[-1].envelope]
        assert last(a, id) == ("move", "delivered", 2)
        assert len(b.events) == events
        assert a.journal(id) == b.journal(id)
        assert len(a.rows(id)) == 2  # an attempt is no new row

    on_air(scene)


def test_resend_of_what_is_answered_or_sent_too_often_is_refused() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        with pytest.raises(CallerError, match="answered everything"):
            a.node.repair.resend(a.key(id))
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        for _ in range(11):
            a.node.repair.resend(a.key(id))
            await asyncio.sleep(2)
        with pytest.raises(CallerError, match="twelve times"):
            a.node.repair.resend(a.key(id))
        await asyncio.sleep(DAY)
        assert a.node.repair.resend(a.key(id))

    on_air(scene)


def test_a_cancelled_move_is_not_sent_and_the_game_says_so() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        air.faults = Faults(lost=1.0)
        await a.act(id, "move", i=4)
        await asyncio.sleep(60)
        air.faults = Faults()
        row = await a.node.repair.cancel(a.rows(id)[-1].id)
        assert row.state is OutboxState.DROPPED
        assert a.endpoint.discarded == [row.id]
        assert "cancelled" in a.flags(id)["out_of_sync"]
        assert a.of("game.delivery")[-1].fields["state"] == "dropped"
        sent = len(air.sent)
        for _ in range(5):
            a.endpoint.hear(b.name)
            await asyncio.sleep(DAY / 10)
        assert len(air.sent) == sent
        with pytest.raises(CallerError, match="done with"):
            await a.node.repair.cancel(row.id)
        with pytest.raises(CallerError, match="no message 999"):
            a.node.repair.resend_row(999)

    on_air(scene)


def test_abandon_ends_a_game_here_and_its_peer_is_told_when_it_goes_on() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        air.faults = Faults(lost=1.0)
        await a.act(id, "move", i=4)
        await asyncio.sleep(60)
        air.faults = Faults()
        session = await a.node.repair.abandon(a.key(id))
        assert session.status is Status.EXPIRED
        assert len(a.of("game.expired")) == 1
        assert a.store.outbox.counts() == {}
        with pytest.raises(CallerError, match="over already"):
            await a.node.repair.abandon(a.key(id))
        await b.act(id, "resign")
        await asyncio.sleep(2)
        assert b.of("game.error")[-1].fields["code"] == "session_expired"
        assert "refused our resign" in b.flags(id)["out_of_sync"]

    on_air(scene)
