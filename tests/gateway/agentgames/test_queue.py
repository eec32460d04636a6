"""Waiting for an opponent: who waits twice, who leaves, who is forgotten, and what a key brings back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.agentgames.place import ELSEWHERE, FORFEITED, Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import (
    AccountBusy,
    AccountRefused,
    Away,
    CannotPlay,
    Joined,
    Lost,
    NoTable,
    NotYourTurn,
    Reason,
    ResumeKey,
    SeatLost,
    Unreachable,
    Winner,
    YourTurn,
)
from tests.gateway.agentgames.fake_server import FakeServer
from tests.gateway.agentgames.playing import Hand, match, until
from tests.gateway.agentgames.serving import OTHER_TOKEN, QUICK, TOKEN, MemoryDialer, account

Main = Callable[[FakeServer, AgentGamesPlatform, MemoryDialer], Awaitable[None]]


def run(main: Main, timing: Timing = QUICK, *, leaves_queue: bool = False, **how: float) -> FakeServer:
    """A server in memory. ``leaves_queue``: as over SSH."""

    async def inside() -> FakeServer:
        server = FakeServer(**how)  # type: ignore[arg-type]
        server.accounts = {TOKEN: "alice", OTHER_TOKEN: "carol"}
        dialer = MemoryDialer(server, leaves_queue=leaves_queue)
        platform = AgentGamesPlatform("agentgames", dialer, timing=timing)
        try:
            await main(server, platform, dialer)
        finally:
            await platform.close()
            await server.stop()
        return server

    return asyncio.run(inside())


async def nothing(key: ResumeKey) -> None:
    """A note that is not kept."""


def test_an_account_waits_once_in_each_queue() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        await Hand("ttt").sit(platform)
        with pytest.raises(AccountBusy, match="waits for an opponent"):
            await Hand("ttt").sit(platform)
        # The token counts, not what it is called here.
        with pytest.raises(AccountBusy):
            await Hand("ttt").sit(platform, account(name="second"))
        await Hand("four_in_a_row").sit(platform)
        assert server.dials == [("alice", "ttt"), ("alice", "c4")]
        # In a match it may wait for the next one.
        other = Hand("ttt")
        await other.sit(platform, account(OTHER_TOKEN, "carol"))
        await until(lambda: platform._waiting.keys() == {platform._slot(account(), "c4")})
        await Hand("ttt").sit(platform)

    server = run(main)
    assert server.wrongs == []


def test_two_at_once_are_told_apart_before_the_server_is_asked() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        sat = await asyncio.gather(*(Hand("ttt").sit(platform) for _ in range(3)), return_exceptions=True)
        assert sorted(type(one).__name__ for one in sat) == ["AccountBusy", "AccountBusy", "AgentGamesSeat"]
        assert server.dials == [("alice", "ttt")]

    run(main)


def test_nobody_came_so_the_place_is_taken_again() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        playing = asyncio.create_task(hand.play())
        await until(lambda: len(server.dials) == 3)
        await until(lambda: server.waits("ttt") == "alice")
        server.bot("ttt", ["3", "4"])
        await playing
        assert hand.end.winner is Winner.US
        assert [event.begun for event in hand.events if isinstance(event, Joined)] == [False, True]
        assert hand.away() == []

    server = run(main, queue=0.05)
    assert server.wrongs == []


def test_who_leaves_a_websocket_queue_stays_until_it_is_let_go() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        seat = await Hand("ttt").sit(platform)
        await seat.leave()
        assert not dialer.open[0].closed
        assert server.waits("ttt") == "alice"
        await until(lambda: dialer.open[0].closed)
        await until(lambda: not platform._places)
        assert server.dials == [("alice", "ttt")]
        assert server.results == []
        await Hand("ttt").sit(platform)

    server = run(main, queue=0.1)
    assert server.wrongs == []


def test_whom_nobody_wanted_any_more_is_matched_and_forfeits() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        seat = await Hand("ttt").sit(platform)
        await seat.leave()
        server.bot("ttt", [])
        await until(lambda: len(server.results) == 2)
        assert server.results[0]["reason"] == "forfeit: connection closed"
        assert server.dials[0] == ("alice", "ttt")

    run(main)


def test_the_next_player_takes_a_place_over_that_cannot_be_left() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        first = Hand("ttt")
        await (await first.sit(platform)).leave()
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        assert hand.notes == first.notes
        with pytest.raises(AccountBusy):
            await Hand("ttt").sit(platform)
        server.bot("ttt", ["3", "4"])
        await hand.play()
        assert hand.end.winner is Winner.US
        assert server.dials == [("alice", "ttt"), ("bob", "ttt")]

    server = run(main)
    assert server.wrongs == []


@pytest.mark.parametrize("leaves_queue", [False, True])
def test_who_breaks_off_while_the_place_is_asked_for_leaves_no_ghost(leaves_queue: bool) -> None:
    """What was sent cannot be taken back: the place is kept for the next player, or given back over SSH."""

    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        server.mute.add("queued")
        sitting = asyncio.create_task(Hand("ttt").sit(platform))
        await until(lambda: server.waits("ttt") == "alice")
        sitting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sitting
        server.mute.clear()
        await dialer.open[0].peer.say({"type": "queued", "game": "ttt"})
        if leaves_queue:
            await until(lambda: not server.waits("ttt"))
            await until(lambda: platform._places == {})
            return
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        server.bot("ttt", ["3", "4"])
        await hand.play()
        assert hand.end.winner is Winner.US
        assert server.dials == [("alice", "ttt"), ("bob", "ttt")]

    server = run(main, leaves_queue=leaves_queue)
    assert server.wrongs == []


def test_a_place_that_is_taken_over_before_it_is_there_is_asked_for_again() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        server.mute.add("queued")
        sitting = asyncio.create_task(Hand("ttt").sit(platform))
        await until(lambda: server.waits("ttt") == "alice")
        sitting.cancel()
        await asyncio.gather(sitting, return_exceptions=True)
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        server._slots.clear()
        server.mute.clear()
        await dialer.open[0]._ended()
        await until(lambda: server.waits("ttt") == "alice")
        server.bot("ttt", ["3", "4"])
        await hand.play()
        assert hand.end.winner is Winner.US

    run(main)


def test_over_ssh_whoever_leaves_is_gone() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        seat = await Hand("ttt").sit(platform)
        await seat.leave()
        assert dialer.open[0].closed
        await until(lambda: not server.waits("ttt"))
        assert platform._places == {}

    run(main, leaves_queue=True)


def test_a_lost_connection_in_the_queue_costs_nothing() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        playing = asyncio.create_task(hand.play())
        await until(lambda: bool(hand.events))
        dialer.down = True
        await dialer.open[0]._ended()
        await until(lambda: bool(hand.away()))
        # The reference server does not see it; our next place takes the ghost's.
        server._slots.clear()
        dialer.down = False
        await until(lambda: server.waits("ttt") == "alice")
        server.bot("ttt", ["3", "4"])
        await playing
        assert hand.end.winner is Winner.US
        assert hand.away()[0] == "The connection to the platform is lost"
        kinds = [type(event).__name__ for event in hand.events]
        assert kinds[:2] == ["Joined", "Away"]
        assert kinds[kinds.index("YourTurn") - 2 : kinds.index("YourTurn")] == ["Joined", "Joined"]

    run(main)


def test_whom_the_server_has_forgotten_asks_again_and_then_gives_up() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt")
        await hand.sit(platform)
        server._slots.clear()
        playing = asyncio.create_task(hand.play())
        await until(lambda: len(server.dials) == 2)
        server._slots.clear()
        await playing
        assert hand.lost.reason == ELSEWHERE

    run(main, Timing(move=2.0, queue=0.1, grace=0.1, again=0.01))


def test_two_programs_of_one_account_do_not_take_the_place_from_each_other_for_ever() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt")
        await hand.sit(platform)
        playing = asyncio.create_task(hand.play())
        for turn in range(2):
            await until(lambda turn=turn: len(dialer.open) == turn + 1 and server.waits("ttt"))  # type: ignore[misc]
            server._slots.clear()
            await dialer.open[-1].peer.say(
                {"type": "error", "error": "another connection waits for this game"}
            )
        await playing
        assert hand.lost.reason == "The platform says: another connection waits for this game"
        assert len(hand.away()) == 1

    run(main)


def test_a_token_that_is_revoked_while_we_wait() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt")
        await hand.sit(platform)
        server.accounts.clear()
        await hand.play()
        assert hand.lost.reason == "The platform does not take the token"

    run(main, queue=0.05)


def test_a_key_brings_the_place_back() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt", [0, 1, 2])
        seat = await hand.sit(platform)
        await seat.close()
        # In this process it is the same place.
        hand.seat = await platform.resume(hand.notes[0], account())
        assert len(server.dials) == 1
        bot = server.bot("ttt", ["3", "4"])
        await hand.play()
        assert hand.end.winner is Winner.US
        assert bot.seen[-1]["type"] == "result"

    run(main)


def test_after_a_restart_the_queue_can_be_joined_again_and_a_match_cannot() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        queued = dict(hand.seat.resume_key)
        anew = AgentGamesPlatform("agentgames", MemoryDialer(server), timing=QUICK)
        server._slots.clear()
        hand.seat = await anew.resume(queued, account())
        server.bot("ttt", ["3", "4"])
        await hand.until(YourTurn)
        begun = dict(hand.seat.resume_key)
        assert (begun["place"], begun["begun"]) == (queued["place"], True)
        third = AgentGamesPlatform("agentgames", MemoryDialer(server), timing=QUICK)
        with pytest.raises(SeatLost, match=FORFEITED):
            await third.resume(begun, account())
        for key in ({}, {"v": 2}, {**begun, "v": 0}, {**queued, "place": 7}, {**queued, "app": "go"}):
            with pytest.raises(SeatLost):
                await third.resume(key, account())
        await anew.close()
        await third.close()

    run(main)


def test_tables_and_what_is_not_one() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        listed = await platform.tables()
        assert [(table.id, table.app, table.seats) for table in listed] == [
            ("ttt", "ttt", 2),
            ("c4", "four_in_a_row", 2),
        ]
        assert [table.id for table in await platform.tables("four_in_a_row")] == ["c4"]
        assert list(await platform.tables("chess")) == []
        for app, table, error in (
            ("ttt", "c4", CannotPlay),
            ("ttt", "nine", NoTable),
            ("chess", None, NoTable),
            ("go", None, NoTable),
        ):
            with pytest.raises(error):
                await platform.open_seat(app, table, account(), "Ann", nothing)
        server.games = ["c4"]
        with pytest.raises(NoTable):
            await platform.open_seat("ttt", "ttt", account(), "Ann", nothing)
        # What the server says of its games is remembered.
        assert list(platform.games) == ["four_in_a_row"]
        with pytest.raises(AccountRefused):
            await platform.open_seat("four_in_a_row", None, account("f" * 64), "Ann", nothing)
        dialer.down = True
        with pytest.raises(Unreachable):
            await platform.open_seat("four_in_a_row", None, account(), "Ann", nothing)
        assert platform._waiting == {}
        assert platform._places == {}

    run(main)


def test_looking_whether_all_is_well_takes_no_place() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        await platform.check(account())
        await platform.check(None)
        assert not server.waits("ttt")
        with pytest.raises(AccountRefused):
            await platform.check(account("f" * 64))
        dialer.down = True
        for who in (None, account()):
            with pytest.raises(Unreachable):
                await platform.check(who)
        dialer.down = False
        server.games = ["list"]
        with pytest.raises(Unreachable, match="protocol"):
            await platform.check(account())

    run(main)


def test_a_seat_that_cannot_be_noted_is_not_taken() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        async def full(key: ResumeKey) -> None:
            raise Unreachable("the disk is full")

        with pytest.raises(Unreachable, match="disk"):
            await platform.open_seat("ttt", None, account(), "Ann", full)
        assert server.dials == []
        await (await Hand("ttt").sit(platform)).leave()
        with pytest.raises(Unreachable, match="disk"):
            await platform.open_seat("ttt", None, account(), "Ann", full)
        await Hand("ttt").sit(platform)

    run(main)


def test_a_seat_that_is_left_is_not_resumed() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand = Hand("ttt")
        await (await hand.sit(platform)).leave()
        with pytest.raises(SeatLost):
            await platform.resume(hand.notes[0], account())
        with pytest.raises(SeatLost):
            await hand.seat.rematch()

    run(main)


def test_only_so_many_matches_that_are_over_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.agentgames.platform.MOST_ENDED", 2)

    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hands = []
        for _ in range(4):
            server.bot("ttt", ["drop"])
            await until(lambda: bool(server.waits("ttt")))
            hands.append(await match(platform, "ttt", []))
            assert hands[-1].end.reason is Reason.LEFT
        assert len(platform._places) <= 3
        again = await platform.resume(hands[-1].notes[0], account())
        hands[-1].seat = again
        assert (await hands[-1].play()) == hands[-1].end
        with pytest.raises(SeatLost):
            await platform.resume({**hands[0].notes[0], "begun": True}, account())

    run(main)


def test_closing_the_platform_ends_everything() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        hand, other = Hand("ttt"), Hand("four_in_a_row")
        await hand.sit(platform)
        await other.sit(platform)
        server.bot("ttt", [])
        await hand.until(YourTurn)
        await platform.close()
        assert all(connection.closed for connection in dialer.open)
        await until(lambda: len(server.results) == 2)
        with pytest.raises(NotYourTurn):
            await hand.seat.act({"i": 0})

    run(main)


def test_what_comes_of_no_use_is_counted() -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform, dialer: MemoryDialer) -> None:
        server.before = {"state": ['{"type":"queued","game":"ttt"}\n'] * 200}
        hand = Hand("ttt")
        await hand.sit(platform)
        server.bot("ttt", [])
        last = await hand.until(Lost)
        assert isinstance(last, Lost)
        assert last.reason.startswith("the platform sends too much")
        assert not [event for event in hand.events if isinstance(event, Away)]

    run(main)
