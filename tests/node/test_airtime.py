"""The outbox under a limit of airtime, in virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lrgpnode.airtime.budget import Limits, Purpose, Use
from lrgpnode.airtime.modem import Modem
from lrgpnode.mesh.transport import Outgoing
from lrgpnode.outbox import policy
from lrgpnode.protocol.game import Delivery
from storage.model import OutboxState
from tests.node.network import CLEAN, Air, Faults
from tests.node.players import A, B
from tests.node.radio import RadioPlayer
from tests.node.scenes import HOUR
from tests.node.virtual import VirtualLoop, run

SF7 = Modem(125_000, 7, 5)
SF8 = Modem(125_000, 8, 5)
EU868 = Limits(seconds=36.0, peer=1.0)
UNLIMITED = Limits(seconds=None)


async def players(
    loop: VirtualLoop,
    *,
    limits: Limits = EU868,
    modem: Modem = SF8,
    faults: Faults = CLEAN,
    path: str = ":memory:",
    on_wire: frozenset[str] = frozenset(),
) -> tuple[Air, RadioPlayer, RadioPlayer]:
    air = Air(1, faults=faults)
    a = RadioPlayer(A, air, loop, path, limits=limits, modem=modem, on_wire=on_wire)
    b = RadioPlayer(B, air, loop, limits=UNLIMITED, modem=modem)
    await a.start()
    await b.start()
    return air, a, b


def use_up(player: RadioPlayer) -> None:
    """Send until nothing more of ours may go out."""
    left = player.radio.budget.figures().left
    assert left is not None
    player.radio.spend(left, Use(Purpose.GATEWAY))


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(CLEAN, id="clean"),
        pytest.param(Faults(lost=0.1, proof_lost=0.1), id="lossy", marks=pytest.mark.slow),
    ],
)
def test_a_flood_of_500_actions_keeps_every_hour_and_loses_none(faults: Faults, tmp_path: Path) -> None:
    async def main(loop: VirtualLoop) -> None:
        _, a, b = await players(loop, modem=SF7, faults=faults, path=str(tmp_path / "a.db"))
        sessions = [await a.challenge(B, ("ttt", "chess", "four_in_a_row")[n % 3]) for n in range(500)]
        await asyncio.sleep(HOUR)
        assert a.node.outbox.dry[0] > 300
        await a.restart()
        for _ in range(60):
            await asyncio.sleep(HOUR / 2)
            if not a.node.outbox._lanes:
                break
        assert a.radio.fullest_hour() <= 36.0
        assert len(a.radio.sent) >= 500
        assert a.node.outbox.dry == (0, None)
        rows = [a.rows(id)[0] for id in sessions]
        assert {row.state for row in rows} == {OutboxState.DELIVERED}
        assert b.endpoint.taken >= {row.envelope for row in rows}
        if faults is CLEAN:
            # Who came first went first.
            arrived = [row.updated_at for row in rows]
            assert arrived == sorted(arrived)
        # Nothing is held for what has ended.
        assert a.radio.budget.figures().held == 0.0

    run(main)


def test_what_waits_says_so_and_until_when_and_goes_out_then() -> None:
    async def main(loop: VirtualLoop) -> None:
        air, a, b = await players(loop)
        use_up(a)
        began = loop.time()
        id = await a.challenge(B, "ttt")
        row = a.node.outbox.state(a.rows(id)[0].id)
        assert row is not None
        assert a.node.outbox.waits_for(row.id) is policy.Waits.AIRTIME
        assert row.next_attempt_at is not None
        waits = row.next_attempt_at - a.clock.wall()
        assert 3600.0 <= waits <= 3700.0
        assert a.node.outbox.dry == (1, pytest.approx(row.next_attempt_at))
        # The database was not written for it.
        assert a.rows(id)[0].next_attempt_at is None
        await asyncio.sleep(waits - 1)
        assert not air.sent
        await asyncio.sleep(3)
        assert len(air.sent) == 1
        assert loop.time() - began < 3710.0
        assert b.session(id) is not None
        assert a.rows(id)[0].state is OutboxState.DELIVERED

    run(main)


def test_moves_go_first_then_answers_then_the_newest_of_what_only_says_how_things_stand() -> None:
    async def main(loop: VirtualLoop) -> None:
        air, a, b = await players(loop)
        game = await a.challenge(B, "ttt")
        await asyncio.sleep(2)
        await b.act(game, "accept")
        theirs = await b.challenge(A, "chess")
        await asyncio.sleep(5)
        use_up(a)
        air.sent.clear()
        for text in ("older", "newer"):
            a.node.outbox.notice(a.key("f" * 16), notice(text))
        await a.act(theirs, "accept")
        await a.act(game, "move", i=4)
        await asyncio.sleep(1.1 * HOUR)
        ours = [message for message in air.sent if message.identity == A]
        assert [message.content for message in ours][2:] == ["newer"]
        rows = {row.id: row.command for id in (game, theirs) for row in a.rows(id)}
        assert [rows[message.ref] for message in ours[:2]] == ["move", "accept"]

    run(main)


def notice(text: str) -> Outgoing:
    return Outgoing(ref=0, identity=A, peer=B, envelope=b"", content=text, delivery=Delivery.OPPORTUNISTIC)


def test_an_offer_that_waited_while_we_moved_on_is_not_made() -> None:
    async def main(loop: VirtualLoop) -> None:
        air, a, b = await players(loop)
        game = await a.challenge(B, "chess")
        await asyncio.sleep(2)
        await b.act(game, "accept")
        await asyncio.sleep(2)
        mover = a if await a.tries(game, "move", m="e2e4") else b
        if mover is b:
            await b.act(game, "move", m="e2e4")
            await asyncio.sleep(2)
        await asyncio.sleep(2)
        if mover is a:
            await b.act(game, "move", m="e7e5")
            await asyncio.sleep(2)
        use_up(a)
        air.sent.clear()
        assert await a.tries(game, "draw_offer")
        await a.act(game, "move", m="g1f3" if mover is a else "e7e5")
        await asyncio.sleep(1.1 * HOUR)
        offer, move = a.rows(game)[-2:]
        assert (offer.command, offer.state) == ("draw_offer", OutboxState.DROPPED)
        assert move.state is OutboxState.DELIVERED
        assert len([message for message in air.sent if message.identity == A]) == 1

    run(main)


def test_a_peer_that_needs_no_radio_costs_nothing() -> None:
    async def main(loop: VirtualLoop) -> None:
        air, a, b = await players(loop, on_wire=frozenset((B,)))
        use_up(a)
        id = await a.challenge(B, "ttt")
        await asyncio.sleep(3)
        assert b.session(id) is not None
        assert len(air.sent) == 1

    run(main)


def test_what_was_held_for_a_move_is_given_back_when_it_is_delivered() -> None:
    async def main(loop: VirtualLoop) -> None:
        _, a, _ = await players(loop)
        await a.challenge(B, "ttt")
        assert a.radio.budget.figures().held > 4.0
        await asyncio.sleep(3)
        figures = a.radio.budget.figures()
        assert figures.held == 0.0
        assert 0.8 < figures.used < 1.4
        assert list(figures.apps) == ["game"]

    run(main)


def test_a_paused_identity_waits_for_no_airtime_and_comes_back_to_its_place() -> None:
    async def main(loop: VirtualLoop) -> None:
        _, a, b = await players(loop)
        use_up(a)
        id = await a.challenge(B, "ttt")
        a.node.pause(A)
        assert a.node.outbox.dry[0] == 0
        await asyncio.sleep(2 * HOUR)
        assert b.session(id) is None
        a.node.unpause(A)
        await asyncio.sleep(3)
        assert b.session(id) is not None

    run(main)


def test_a_resent_and_a_cancelled_one_leave_the_queue() -> None:
    async def main(loop: VirtualLoop) -> None:
        air, a, _ = await players(loop)
        use_up(a)
        id = await a.challenge(B, "ttt")
        a.node.repair.resend(a.key(id))
        assert a.node.outbox.dry[0] == 1
        await a.node.repair.cancel(a.rows(id)[0].id)
        assert a.node.outbox.dry[0] == 0
        await asyncio.sleep(2 * HOUR)
        assert not air.sent

    run(main)


def test_nothing_is_polled_while_somebody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(loop: VirtualLoop) -> None:
        _, a, b = await players(loop)
        b.endpoint.detach()
        await a.challenge(B, "ttt")  # is under way for a minute
        use_up(a)
        await a.challenge(B, "chess")
        await asyncio.sleep(2)
        woken = 0
        fill = a.node.outbox._fill

        def counted() -> None:
            nonlocal woken
            woken += 1
            fill()

        monkeypatch.setattr(a.node.outbox, "_fill", counted)
        await asyncio.sleep(HOUR / 2)
        assert woken <= 8
        assert a.node.outbox.dry[0] >= 1

    run(main)
