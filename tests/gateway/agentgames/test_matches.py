"""Whole matches through the seat over real sockets, against a server that is strict about its client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from gateway.agentgames.place import Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import (
    ActionRefused,
    Finished,
    Joined,
    Lost,
    NotYourTurn,
    OpponentMoved,
    Outcome,
    Reason,
    Side,
    TheirTurn,
    Winner,
    Word,
    YourTurn,
)
from tests.gateway.agentgames.fake_server import FakeServer
from tests.gateway.agentgames.playing import Hand, match, until
from tests.gateway.agentgames.serving import QUICK, account_of, over_ssh, over_websocket

# ruff: noqa: SIM905 - games are easier to read in this form
DRAW_FIRST, DRAW_SECOND = [0, 8, 7, 2, 3], "4 1 6 5".split()


@pytest.fixture(params=["websocket", "ssh"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def served(
    transport: str, server: FakeServer, folder: Path, timing: Timing = QUICK
) -> AsyncIterator[AgentGamesPlatform]:
    opened = over_websocket(server, timing) if transport == "websocket" else over_ssh(server, folder, timing)
    async with opened as platform:
        yield platform


def run(
    transport: str,
    folder: Path,
    main: Callable[[FakeServer, AgentGamesPlatform], Awaitable[None]],
    timing: Timing = QUICK,
    **how: float,
) -> FakeServer:
    """A server and its client; the client must have done nothing wrong."""

    async def inside() -> FakeServer:
        server = FakeServer(**how)  # type: ignore[arg-type]
        async with served(transport, server, folder, timing) as platform:
            await main(server, platform)
        return server

    server = asyncio.run(inside())
    assert server.wrongs == []
    return server


def test_a_win_as_first_player(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        await until(lambda: server.waits("ttt") == "alice")
        server.bot("ttt", ["3", "4"])
        await hand.play()
        assert (hand.first, hand.end.winner, hand.end.reason) == (Side.US, Winner.US, Reason.BOARD)
        assert hand.line == [0, 3, 1, 4, 2]
        assert hand.end.text == "rated 1516"
        assert hand.end.result == {"outcome": "win", "winner": 0, "rating": 1516.0}
        joined = [event for event in hand.events if isinstance(event, Joined)]
        assert [event.begun for event in joined] == [False, True]
        assert [player.name for player in joined[1].players] == ["", "bob"]
        assert [event.intent for event in hand.events if isinstance(event, OpponentMoved)] == [
            {"i": 3},
            {"i": 4},
        ]
        assert hand.notes == [{**hand.seat.resume_key, "begun": False}]
        assert hand.seat.resume_key["begun"] is True

    run(transport, tmp_path, main)


def test_a_win_as_second_player(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        server.bot("c4", ["3", "3", "3", "4"])
        await until(lambda: server.waits("c4") == "bob")
        hand = await match(platform, "four_in_a_row", [2, 2, 2, 2])
        assert (hand.first, hand.end.winner, hand.end.reason) == (Side.THEM, Winner.US, Reason.BOARD)
        assert hand.line == [3, 2, 3, 2, 3, 2, 4, 2]

    run(transport, tmp_path, main)


def test_the_last_move_of_who_wins_is_derived_where_there_is_only_one(tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        server.bot("ttt", ["0", "1", "2"])
        await until(lambda: server.waits("ttt") == "bob")
        hand = await match(platform, "ttt", [3, 4])
        assert (hand.end.winner, hand.end.reason) == (Winner.THEM, Reason.BOARD)
        assert hand.line == [0, 3, 1, 4, 2]
        assert isinstance(hand.events[-2], OpponentMoved)
        assert hand.end.text == "rated 1484"

    run("websocket", tmp_path, main)


def test_where_more_than_one_move_wins_none_is_made_up(tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        # Three in a row with both ends free: 0 or 4 wins.
        server.bot("c4", ["1", "2", "3", "4"])
        await until(lambda: server.waits("c4") == "bob")
        hand = await match(platform, "four_in_a_row", [6, 6, 6])
        assert (hand.end.winner, hand.end.reason) == (Winner.THEM, Reason.BOARD)
        assert hand.line == [1, 6, 2, 6, 3, 6]
        assert hand.end.text == "the last move was not shown, rated 1484"

    run("websocket", tmp_path, main)


def test_a_draw_on_the_last_cell(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        hand = Hand("ttt", list(DRAW_FIRST))
        await hand.sit(platform)
        server.bot("ttt", DRAW_SECOND)
        await hand.play()
        assert (hand.end.winner, hand.end.reason) == (Winner.NONE, Reason.BOARD)
        assert hand.line == [0, 4, 8, 1, 7, 6, 2, 5, 3]
        server.bot("ttt", [str(move) for move in DRAW_FIRST])
        await until(lambda: server.waits("ttt") == "bob")
        hand = await match(platform, "ttt", [int(move) for move in DRAW_SECOND])
        assert (hand.end.winner, len(hand.line)) == (Winner.NONE, 9)

    run(transport, tmp_path, main)


@pytest.mark.parametrize(
    ("moves", "reason", "text"),
    [
        (["drop"], Reason.LEFT, "rated 1516"),
        (["9"], Reason.OTHER, "illegal move, rated 1516"),
        ([], Reason.TIMEOUT, "rated 1516"),
    ],
)
def test_the_other_side_forfeits(moves: list[str], reason: Reason, text: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        server.seconds_of = {"bob": 0.2}
        hand = Hand("ttt", [4])
        await hand.sit(platform)
        server.bot("ttt", moves)
        await hand.play()
        assert (hand.end.winner, hand.end.reason, hand.end.text) == (Winner.US, reason, text)
        assert hand.line == [4]

    run("websocket", tmp_path, main)


def test_our_time_is_up(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        hand = Hand("ttt", [])
        await hand.sit(platform)
        server.bot("ttt", [])
        await hand.play()
        assert (hand.end.winner, hand.end.reason) == (Winner.THEM, Reason.TIMEOUT)
        turn = next(event for event in hand.events if isinstance(event, YourTurn))
        assert turn.legal == tuple({"i": cell} for cell in range(9))
        with pytest.raises(NotYourTurn):
            await hand.seat.act({"i": 0}, 0)

    run(transport, tmp_path, main, move=0.2)


def test_the_deadline_begins_when_the_state_comes(tmp_path: Path) -> None:
    async def inside() -> None:
        server = FakeServer()
        async with over_websocket(server, Timing(move=15.0, queue=120.0)) as platform:
            platform._clock = lambda: 1000.0
            hand = Hand("ttt", [0])
            await hand.sit(platform)
            server.bot("ttt", [])
            turn = await hand.until(YourTurn)
            assert isinstance(turn, YourTurn)
            assert turn.deadline == 1015.0
            assert platform.move_seconds == 15.0
            assert platform.queue_seconds == 120.0
            assert [table.move_seconds for table in await platform.tables()] == [15.0, 15.0]

    asyncio.run(inside())


def test_a_move_is_sent_once_and_only_if_it_is_offered(tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        server.after = {"hello": ['{"type":"chat","text":"hi"}\n', "\n"]}
        hand = Hand("ttt")
        seat = await hand.sit(platform)
        bot = server.bot("ttt", ["4", "3"])
        turn = await hand.until(YourTurn)
        assert isinstance(turn, YourTurn)
        for intent in ({"i": 9}, {"m": "e2e4"}, {"i": "0"}, {}):
            with pytest.raises(ActionRefused):
                await seat.act(intent, turn.turn)
        with pytest.raises(NotYourTurn):
            await seat.act({"i": 0}, turn.turn + 1)
        with pytest.raises(ActionRefused):
            await seat.say(Word.RESIGN)
        assert await seat.act({"i": 0}, turn.turn) is Outcome.APPLIED
        with pytest.raises(NotYourTurn):
            await seat.act({"i": 1}, turn.turn)
        await until(lambda: sum(m["type"] == "state" for m in bot.seen) == 3)
        # The match goes on while nobody listens, and whoever listens anew knows all.
        await seat.close()
        again = await platform.resume(hand.notes[0], account_of(platform))
        hand.seat = again
        turn = await hand.until(YourTurn)
        assert isinstance(turn, YourTurn)
        assert (turn.turn, hand.line) == (2, [0, 4])

    run("websocket", tmp_path, main)


def test_a_move_that_nobody_answers_is_not_sent_again(tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        hand = Hand("ttt")
        seat = await hand.sit(platform)
        server.bot("ttt", [])
        turn = await hand.until(YourTurn)
        server.mute = {"state", "result"}
        assert isinstance(turn, YourTurn)
        assert await seat.act({"i": 0}, turn.turn) is Outcome.UNKNOWN
        hand.events.clear()
        told = await hand.until(TheirTurn)
        assert not [event for event in hand.events if isinstance(event, YourTurn)], told
        with pytest.raises(NotYourTurn):
            await seat.act({"i": 0}, turn.turn)
        last = await hand.until(Lost)
        assert isinstance(last, Lost)
        assert last.reason == "the platform has gone silent; the match counts as forfeited there"
        assert not last.resumable

    timing = Timing(move=1.0, queue=3.0, answer=0.1, grace=0.5)
    run("websocket", tmp_path, main, timing=timing, move=30)


def test_a_dropped_connection_in_the_match_is_the_end(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        server.drop = {"state"}
        hand = Hand("ttt")
        await hand.sit(platform)
        server.bot("ttt", [])
        await hand.play()
        assert (
            hand.lost.reason
            == "the connection to the platform was lost in the match, which counts as a forfeit there"
        )
        # Also for whoever asks later.
        hand.seat = await platform.resume(hand.notes[0], account_of(platform))
        hand.events.clear()
        await hand.play()
        assert hand.lost.reason.startswith("the connection")

    run(transport, tmp_path, main)


def test_leaving_a_match_forfeits_it(transport: str, tmp_path: Path) -> None:
    async def main(server: FakeServer, platform: AgentGamesPlatform) -> None:
        hand = Hand("ttt", [])
        seat = await hand.sit(platform)
        server.bot("ttt", [])
        await hand.until(YourTurn)
        await seat.leave()
        await seat.leave()
        await until(lambda: len(server.results) == 2)
        assert server.results[0]["reason"] == "forfeit: connection closed"
        assert server.results[0]["winner"] == 1

    run(transport, tmp_path, main)


def test_chess_where_the_server_has_it(tmp_path: Path) -> None:
    async def inside() -> None:
        server = FakeServer(["ttt", "c4", "chess"])
        server.seconds_of = {"alice": 1.5}
        async with over_websocket(server) as platform:
            assert list(platform.games) == ["ttt", "four_in_a_row"]
            await platform.check(account_of(platform))
            assert list(platform.games) == ["ttt", "four_in_a_row", "chess"]
            server.bot("chess", "e2e4 g1f3 f1c4 e1g1 d2d3 c1g5".split(), "bob")
            await until(lambda: server.waits("chess") == "bob")
            hand = await match(platform, "chess", "e7e5 b8c6 f8c5 g8f6 e8g8".split())
            assert hand.end.reason is Reason.TIMEOUT
            assert (hand.line[6], hand.line[9]) == ("e1h1", "e8h8")
            hand = Hand("chess", "e2e4 d1h5 f1c4 h5f7".split())
            await hand.sit(platform)
            server.bot("chess", "e7e5 b8c6 g8f6".split(), "bob")
            assert isinstance(await hand.play(), Finished)
            assert (hand.end.winner, hand.end.reason, len(hand.line)) == (Winner.US, Reason.BOARD, 7)
        assert server.wrongs == []

    asyncio.run(inside())
