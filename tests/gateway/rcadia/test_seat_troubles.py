"""What goes wrong between us and a table: lost links and answers, restarts, slow and silent hosts, the
clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from gateway.rcadia.platform import RcadiaPlatform
from gateway.seat import (
    AccountRefused,
    ActionRefused,
    Away,
    Finished,
    Joined,
    Lost,
    NotYourTurn,
    Outcome,
    Reason,
    Rejected,
    SeatLost,
    TheirTurn,
    Winner,
    Word,
    YourTurn,
)
from gateway.secret import Secret
from tests.gateway.rcadia.playing import POOL, QUICK, Desk, Player, Web, desk, eventually, of_kind, scripted
from tests.gateway.rcadia.strict_server import Table
from tests.gateway.rcadia.table_games import ChessGame, TicTacToeGame

ACROSS: list[Any] = [0, 3, 1, 4, 2]
SCRIPT = [str(move) for move in ACROSS]


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(main())


async def begun(d: Desk, us: int = 0) -> tuple[Table, Any]:
    """A game of tic-tac-toe that goes on, and our seat in it."""
    table = d.server.table(TicTacToeGame)
    if us == 1:
        table.sit("Fish")
    seat = await d.sit(table, "ttt")
    if us == 0:
        table.sit("Fish")
    return table, seat


def once_per_turn(table: Table) -> bool:
    turns = [turn for turn, _ in table.accepted]
    return len(turns) == len(set(turns))


@pytest.mark.parametrize("how", ["lost", "unanswered"])
@pytest.mark.parametrize("nth", range(1, 13))
def test_the_link_is_lost_at_any_call(how: str, nth: int) -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            d.server.fail("*", how, nth=nth + 1)  # the list of tables is asked for again by whoever wants it
            seat = await d.sit(table, "ttt")
            player = Player(seat, scripted("i", ACROSS))
            table.sit("Fish")
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []
            assert once_per_turn(table)
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.US, Reason.BOARD)

    run(main)


@pytest.mark.parametrize("how", ["lost", "unanswered"])
@pytest.mark.parametrize("call", ["POST action", "GET state", "GET public"])
def test_every_second_call_of_a_kind_fails(call: str, how: str) -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            for nth in range(1, 20, 2):
                d.server.fail(call, how, nth=nth)
            player = Player(seat, scripted("i", ACROSS))
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []
            assert once_per_turn(table)

    run(main)


@pytest.mark.slow
def test_an_answer_that_is_none_is_a_lost_answer() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            d.server.fail("POST action", b"<html>proxy</html>")
            d.server.fail("GET state", b'{"sessionId": 5}', nth=2)
            d.server.fail("GET state", b"[" * 100_000, nth=3)
            d.server.fail("GET state", b" " * 2_000_000, nth=4)
            player = Player(seat, scripted("i", ACROSS))
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []

    run(main)


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("call", ["POST action", "GET state", "GET public"])
def test_nothing_is_sent_before_retry_after_is_over(call: str, status: int) -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            d.server.fail(call, (status, {"Retry-After": "1"}))
            player = Player(seat, scripted("i", ACROSS))
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []

    run(main)


def test_a_restarted_server_has_lost_the_game() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us=1)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn))
            key = seat.resume_key
            d.server.restart()
            await running
            end = player.events[-1]
            assert isinstance(end, Lost)
            assert not end.resumable
            assert "restarted" in end.reason
            with pytest.raises(SeatLost):
                await d.platform.resume(key, d.account)
            assert table.accepted == []

    run(main)


def test_a_restart_while_we_think() -> None:
    async def main() -> None:
        async with desk() as d:
            _, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            turn = await player.until(lambda event: isinstance(event, YourTurn))
            assert isinstance(turn, YourTurn)
            d.server.restart()
            await running
            assert isinstance(player.events[-1], Lost)

    run(main)


def test_one_404_of_a_proxy_loses_nothing_but_many_do() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us=1)
            d.server.fail("GET state", (404, {}))
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn))
            del d.server.tables[table.id]
            table.bump()
            await running
            end = player.events[-1]
            assert isinstance(end, Lost)
            assert not end.resumable

    run(main)


def test_a_token_that_is_revoked_can_be_given_again() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us=1)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn))
            account = d.server.accounts.pop(POOL.token.reveal())
            table.play("4")
            await running
            end = player.events[-1]
            assert isinstance(end, Lost)
            assert end.resumable
            with pytest.raises(AccountRefused):
                await d.platform.resume(seat.resume_key, d.account)
            d.server.accounts["tok_new"] = account
            renewed = replace(d.account, token=Secret("tok_new"))
            again = await d.platform.resume(seat.resume_key, renewed)
            first = [event async for event in take(again, 3)]
            assert isinstance(first[0], Joined)
            assert first[0].board is not None
            assert first[0].board.moves == ({"i": 4},)

    run(main)


async def take(seat: Any, most: int) -> Any:
    """The first events of a seat."""
    got = 0
    async for event in seat.events():
        yield event
        got += 1
        if got == most:
            return


def test_a_refused_move_can_be_made_anew() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            table.host.rejects.append("not like this")
            player = Player(seat, scripted("i", ACROSS))
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            refused = player.outcomes[0]
            assert isinstance(refused, ActionRefused)
            assert "not like this" in str(refused)
            assert of_kind(player.events, Rejected) == []  # who acted was told
            turns = of_kind(player.events, YourTurn)
            assert [event.turn for event in turns[:2]] == [1, 1]
            assert d.server.violations == []

    run(main)


def test_a_rejection_that_comes_while_nobody_acts() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            table.host.delay = 1.0
            table.host.rejects.append("too slow")
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            turn = await player.until(lambda event: isinstance(event, YourTurn))
            assert isinstance(turn, YourTurn)
            acting = asyncio.ensure_future(seat.act({"i": 0}, turn.turn))
            await eventually(lambda: bool(table.accepted), table)
            acting.cancel()
            rejected = await player.until(lambda event: isinstance(event, Rejected))
            assert isinstance(rejected, Rejected)
            assert rejected.reason == "too slow"
            await seat.close()
            await running

    run(main)


@pytest.mark.slow
def test_a_slow_host_is_waited_for() -> None:
    async def main() -> None:
        async with desk(replace(QUICK, pace=replace(QUICK.pace, wait=1))) as d:
            table, seat = await begun(d)
            table.host.delay = 2.5  # longer than a request is held
            player = Player(seat, scripted("i", ACROSS[:3]))
            running = asyncio.ensure_future(player.run())
            await eventually(lambda: table.game.moves == [0], table)
            table.play("3")
            await eventually(lambda: table.game.moves == [0, 3, 1], table)
            await seat.close()
            await running
            assert player.outcomes[0] is Outcome.APPLIED
            assert d.server.violations == []
            assert once_per_turn(table)

    run(main)


def test_a_silent_host_answers_late_and_the_move_is_not_made_twice() -> None:
    async def main() -> None:
        async with desk(replace(QUICK, confirm=30.0)) as d:
            table, seat = await begun(d)
            table.host.silent, table.host.verdict = True, 0.3
            player = Player(seat, scripted("i", ACROSS))
            running = asyncio.ensure_future(player.run())
            await eventually(lambda: bool(table.accepted), table)
            last = table.seats[0].last
            assert last is not None
            await eventually(lambda: last["status"] == "unconfirmed", table)
            table.host.silent = False
            table.play("0")  # the game has it after all (§4: applied when the next turn is published)
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await running
            await web
            assert player.outcomes[0] is Outcome.APPLIED
            assert d.server.violations == []
            assert once_per_turn(table)

    run(main)


def test_a_host_that_forgot_the_move_gets_it_again() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            table.host.silent, table.host.verdict = True, 0.2
            player = Player(seat, scripted("i", ACROSS))
            running = asyncio.ensure_future(player.run())
            await eventually(lambda: len(table.accepted) == 2, table)
            table.host.silent = False
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await running
            await web
            assert player.outcomes[0] is Outcome.UNKNOWN
            assert table.game.moves == ACROSS
            assert d.server.violations == []

    run(main)


def test_a_host_that_is_away_is_told_and_so_is_its_return() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us=1)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn))
            real = table.snapshot
            table.snapshot = lambda seat: {**real(seat), "waitingFor": "host"}  # type: ignore[method-assign]
            table.bump()
            await player.until(lambda event: isinstance(event, Away))
            table.snapshot = real  # type: ignore[method-assign]
            table.bump()
            await player.until(lambda event: event is player.events[-1] and isinstance(event, TheirTurn))
            table.end({"winner": None, "reason": "host_disconnected"})
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.NONE, Reason.HOST_LOST)
            assert end.text == "host disconnected"

    run(main)


def test_our_own_clock() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn) and event.strikes == 0)
            table.strike()
            warned = await player.until(lambda event: isinstance(event, YourTurn) and event.strikes == 1)
            assert isinstance(warned, YourTurn)
            assert warned.deadline is not None
            table.strike()
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason, end.text) == (Winner.THEM, Reason.TIMEOUT, "timeout")

    run(main)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (lambda table: (table.strike(), table.strike()), Reason.TIMEOUT),
        (lambda table: table.leave(table.seats[0]), Reason.LEFT),
        (
            lambda table: table.end({"winner": table.seats[1].player_id, "reason": "resignation"}),
            Reason.RESIGNED,
        ),
    ],
)
def test_the_other_side_is_gone(ending: Callable[[Table], object], reason: Reason) -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us=1)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn))
            ending(table)
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.US, reason)

    run(main)


def test_leaving_a_game_and_a_waiting_table() -> None:
    async def main() -> None:
        async with desk() as d:
            _, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            assert await seat.say(Word.RESIGN) is Outcome.APPLIED
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert (end.winner, end.reason) == (Winner.THEM, Reason.LEFT)

            waiting = d.server.table(TicTacToeGame)
            seat = await d.sit(waiting, "ttt")
            await seat.leave()
            await seat.leave()  # once more does no harm
            assert waiting.seats == []
            events = [event async for event in seat.events()]
            assert isinstance(events[-1], Lost)

    run(main)


def test_a_move_that_comes_too_late() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            turn = await player.until(lambda event: isinstance(event, YourTurn))
            assert isinstance(turn, YourTurn)
            d.server.fail("GET public", "lost")
            table.leave(table.seats[1])
            with pytest.raises(NotYourTurn):
                await seat.act({"i": 0}, turn.turn)
            await running
            end = player.events[-1]
            assert isinstance(end, Finished)
            assert table.accepted == []

    run(main)


def test_a_stale_turn_is_never_played() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            with pytest.raises(NotYourTurn):
                await seat.act({"i": 0}, 99)
            with pytest.raises(ActionRefused):
                await seat.act({"i": 9}, 1)
            with pytest.raises(ActionRefused):
                await seat.act({"m": "e2e4"}, 1)
            with pytest.raises(ActionRefused):
                await seat.say(Word.DRAW_OFFER)
            await seat.close()
            await running
            assert table.accepted == []

    run(main)


def test_thinking_long_costs_few_requests() -> None:
    async def main() -> None:
        async with desk() as d:
            _, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            before = len(d.server.calls)
            await asyncio.sleep(1.5)  # what is measured is what happens in a time
            assert len(d.server.calls) - before <= 2
            await seat.close()
            await running
            assert len(of_kind(player.events, YourTurn)) == 1

    run(main)


def test_thinking_long_at_a_server_without_a_public_view() -> None:
    async def main() -> None:
        async with desk() as d:
            d.server.has_public = False
            table, seat = await begun(d)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, YourTurn))
            before = len(d.server.calls)
            await asyncio.sleep(1.5)  # as above
            assert len(d.server.calls) - before <= 6
            table.leave(table.seats[1])
            await running
            assert isinstance(player.events[-1], Finished)
            assert d.server.violations == []

    run(main)


@pytest.mark.parametrize("us", [0, 1])
def test_a_server_that_holds_no_request_is_not_flooded(us: int) -> None:
    async def main() -> None:
        async with desk() as d:
            d.server.holds = False
            table, seat = await begun(d, us)
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            await player.until(lambda event: isinstance(event, TheirTurn | YourTurn))
            before = len(d.server.calls)
            await asyncio.sleep(2.0)  # what is measured is what happens in a time
            assert len(d.server.calls) - before <= 6
            assert d.server.violations == []
            table.end({"winner": None, "reason": "agreement"})
            await running

    run(main)


@pytest.mark.parametrize("us", [0, 1])
def test_a_restart_of_ours_in_every_position(us: int) -> None:
    """The seat is closed and reopened from its key before each of our moves."""

    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d, us)
            web = asyncio.ensure_future(Web(table, SCRIPT, 1 - us).run())
            keys = []
            over = False
            while not over:
                async for event in seat.events():
                    if isinstance(event, YourTurn):
                        assert event.board is not None
                        assert event.board.moves is not None
                        move = {"i": ACROSS[len(event.board.moves)]}
                        assert await seat.act(move, event.turn) is Outcome.APPLIED
                        break
                    over = isinstance(event, Finished)
                await seat.close()
                keys.append(seat.resume_key)
                if not over:
                    seat = await d.platform.resume(keys[-1], d.account)
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []
            assert "tok_" not in repr(keys)

    run(main)


def test_a_restart_of_ours_while_a_move_is_on_the_way() -> None:
    async def main() -> None:
        async with desk() as d:
            table, seat = await begun(d)
            table.host.delay = 0.6
            player = Player(seat, lambda turn: None)
            running = asyncio.ensure_future(player.run())
            turn = await player.until(lambda event: isinstance(event, YourTurn))
            assert isinstance(turn, YourTurn)
            acting = asyncio.ensure_future(seat.act({"i": 0}, turn.turn))
            await eventually(lambda: bool(table.accepted), table)
            key = seat.resume_key
            acting.cancel()
            await seat.close()
            await running
            again = await d.platform.resume(key, d.account)
            player = Player(again, scripted("i", ACROSS))
            web = asyncio.ensure_future(Web(table, SCRIPT, 1).run())
            await player.run()
            await web
            assert table.game.moves == ACROSS
            assert d.server.violations == []
            assert once_per_turn(table)

    run(main)


def test_a_board_alone_is_enough_after_a_restart() -> None:
    """Two moves were made while we were away, ours and theirs; the table shows only a board."""

    async def main() -> None:
        async with desk() as d:
            table = d.server.table(lambda: ChessGame("rows without turn", "uci"))
            seat = await d.sit(table, "chess")
            table.sit("Fish")
            async for event in seat.events():
                if isinstance(event, YourTurn):
                    break
            d.server.fail("POST action", "unanswered")
            acting = asyncio.ensure_future(seat.act({"m": "e2e4"}))
            await eventually(lambda: table.game.moves == ["e2e4"], table)
            key = seat.resume_key
            acting.cancel()
            await seat.close()
            table.play("c7c5")
            again = await d.platform.resume(key, d.account)
            events = [event async for event in take(again, 3)]
            turn = events[-1]
            assert isinstance(turn, YourTurn)
            assert turn.board is not None
            assert turn.board.moves == ({"m": "e2e4"}, {"m": "c7c5"})

    run(main)


def test_a_key_noted_before_joining_tells_whether_the_seat_was_taken() -> None:
    async def main() -> None:
        async with desk() as d:
            table = d.server.table(TicTacToeGame)
            seen: list[int] = []

            async def note(key: Any) -> None:
                seen.append(len(table.seats))
                d.keys.append(key)

            await d.platform.open_seat("ttt", table.id, d.account, "Ann", note)
            assert seen == [0]
            assert isinstance(await d.platform.resume(d.keys[0], d.account), object)
            other = replace(d.account, token=Secret("tok_other"))
            with pytest.raises(SeatLost):
                await d.platform.resume(d.keys[0], other)
            assert table.seats[0].joins == 1

    run(main)


@pytest.mark.parametrize(
    "key", [{}, {"v": 2}, {"v": 1, "session": "x", "app": "go", "moves": [], "first": None, "sent": None}]
)
def test_a_damaged_key_is_a_lost_seat(key: dict[str, Any]) -> None:
    async def main() -> None:
        async with desk() as d:
            platform: RcadiaPlatform = d.platform
            with pytest.raises(SeatLost):
                await platform.resume(key, d.account)
            assert d.server.calls == []

    run(main)
