"""The clock: trusted or not, and what that does to games."""

from __future__ import annotations

import asyncio

from lrgpnode.node.clock import Clock, MovableClock, system_synchronised
from lrgpnode.protocol.session import Status
from storage.clock import UNSURE
from tests.node.network import Air
from tests.node.players import Player
from tests.node.scenes import DAY, HOUR, on_air, started
from tests.node.virtual import VirtualLoop

YEAR = 365 * DAY


def status(player: Player, id: str) -> Status:
    session = player.session(id)
    assert session is not None
    return session.status


def test_the_system_says_something() -> None:
    assert system_synchronised() in (True, False)


def test_a_movable_clock() -> None:
    movable = MovableClock(Clock(wall=lambda: 100.0, boot=lambda: 5.0, synchronised=lambda: True))
    movable.move(advance=10.0, jump=-30.0)
    clock = movable.clock
    assert (clock.wall(), clock.boot(), clock.synchronised()) == (80.0, 15.0, True)
    movable.move(synchronised=False)
    assert not clock.synchronised()


def test_games_expire_on_time_while_the_clock_is_trusted() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)  # tic-tac-toe: a day
        await asyncio.sleep(DAY + HOUR - 60)
        assert status(a, id) is Status.ACTIVE
        await asyncio.sleep(180)
        assert status(a, id) is Status.EXPIRED
        assert len(a.of("game.expired")) == 1
        assert a.node.outbox._lanes == {}

    on_air(scene)


def test_a_jump_that_nobody_vouches_for_expires_nothing() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.synchronised = False
        a.skew = YEAR
        await a.act(id, "move", i=4)
        assert not a.node.time.trusted
        assert "jumped" in a.of("node.clock")[-1].fields["reason"]
        await asyncio.sleep(3 * DAY)
        assert status(a, id) is Status.ACTIVE
        assert a.node.session(a.key(id)).status is Status.ACTIVE
        assert UNSURE in a.flags(id)
        # It was wrong, and is put right: the game counts its time from now, with no time in the future.
        a.skew, a.synchronised = 0.0, True
        await asyncio.sleep(120)
        assert a.node.time.trusted
        assert a.of("node.clock")[-1].fields["trusted"]
        session = a.session(id)
        assert session is not None
        assert abs(session.last_action_at - a.node.now()) < 200
        assert UNSURE not in a.flags(id)
        await asyncio.sleep(DAY)
        assert status(a, id) is Status.ACTIVE
        await asyncio.sleep(2 * HOUR)
        assert status(a, id) is Status.EXPIRED

    on_air(scene)


def test_a_start_before_what_is_stored_expires_nothing_until_the_clock_is_right() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.crash()
        a.skew, a.synchronised = -YEAR, False
        await a.start()
        assert not a.node.time.trusted
        assert "earlier" in a.node.time.reason
        await a.act(id, "move", i=4)
        await asyncio.sleep(2)
        assert b.state(id) == a.state(id)
        await asyncio.sleep(2 * DAY)
        assert status(a, id) is Status.ACTIVE
        # A restart in between does not lose that it was touched.
        await a.restart()
        a.skew, a.synchronised = 0.0, True
        await asyncio.sleep(120)
        assert a.node.time.trusted
        session = a.session(id)
        assert session is not None
        assert session.last_action_at > a.node.now() - 300
        assert status(a, id) is Status.ACTIVE

    on_air(scene)


def test_a_clock_set_forward_by_the_system_is_trusted_and_expires() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        id = await started(a, b)
        a.skew = 5 * DAY
        a.node.clock_moved()
        await asyncio.sleep(1)
        assert a.node.time.trusted
        assert status(a, id) is Status.EXPIRED

    on_air(scene)


def test_times_stored_by_a_clock_that_was_ahead_are_clamped() -> None:
    async def scene(loop: VirtualLoop, air: Air, a: Player, b: Player) -> None:
        a.skew = YEAR  # the system vouches for it, and is wrong
        a.node.now()
        id = await started(a, b)
        a.endpoint.hear(b.name)
        await asyncio.sleep(1)
        a.skew = 0.0
        a.node.clock_moved()
        await asyncio.sleep(1)
        now = a.node.now()
        session = a.session(id)
        assert session is not None
        assert session.last_action_at <= now
        assert a.store.newest_time() <= now
        assert a.store.book.peers()[0].heard_at <= now
        await asyncio.sleep(DAY + 2 * HOUR)
        assert status(a, id) is Status.EXPIRED

    on_air(scene)
