"""Messages in, events out: random games from either side, and what happens to messages on the way."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from gateway.agentgames.course import Course
from gateway.agentgames.games import APPS, Unreadable
from gateway.agentgames.wire import Answer, Malformed, PlainText, Queued, State, read_answer
from gateway.seat import (
    Event,
    Finished,
    Joined,
    Lost,
    OpponentMoved,
    Reason,
    Side,
    TheirTurn,
    Winner,
    YourTurn,
)
from lrgpnode.protocol.errors import Rejection
from tests.gateway.agentgames.fake_server import GAMES

KEYS = {"ttt": "i", "c4": "c", "chess": "m"}
LONGEST = 24
"""Plies of a random game of chess; the others are played to their ends."""


def read(message: dict[str, Any]) -> Answer:
    answer = read_answer(json.dumps(message))
    assert answer is not None
    return answer


def begun(game: str, player: int) -> Course:
    course = Course(game, move_seconds=15.0)
    course.take(read({"type": "queued", "game": game}), 0.0)
    course.take(read({"type": "hello", "player": player, "game": game, "opponent": "bob"}), 0.0)
    return course


def shown(board: Any, player: int) -> dict[str, Any]:
    return {"type": "state", "observation": board.show(), "yourTurn": board.ply % 2 == player}


def result(board: Any, player: int) -> dict[str, Any]:
    winner = -1 if board.end() == "draw" else (board.ply - 1) % 2
    outcome = "draw" if winner < 0 else "win" if winner == player else "loss"
    return {"type": "result", "winner": winner, "outcome": outcome, "rating": 1500.5}


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["ttt", "c4", "chess"]), st.integers(0, 1), st.data())
def test_random_games_are_followed_to_their_ends(game: str, player: int, data: st.DataObject) -> None:
    """The line is always that of the server; whose turn it is, what may be played and what was played too."""
    board, course, now, moves = GAMES[game](), begun(game, player), 100.0, []
    while True:
        events = course.take(read(shown(board, player)), now)
        ours = board.ply % 2 == player
        turn = events[-1]
        assert isinstance(turn, YourTurn if ours else TheirTurn)
        assert turn.deadline == now + 15.0
        assert turn.board is not None
        assert turn.board.moves == course.line.intents
        assert course.line.ply == board.ply
        told = [event for event in events if isinstance(event, OpponentMoved)]
        assert len(told) == (1 if ours and board.ply else 0)
        assert course.take(read(shown(board, player)), now) == []
        token = data.draw(st.sampled_from(board.legal()))
        if ours:
            assert isinstance(turn, YourTurn)
            assert turn.legal is not None
            assert len(turn.legal) == len(board.legal())
            intent = {KEYS[game]: token if game == "chess" else int(token)}
            move, chosen = course.choose(intent)
            assert (chosen, course.our_turn) == (token, board.ply)
            course.sent = move
            assert course.our_turn is None
            assert isinstance(course.again()[-1], TheirTurn)
        board.play(token)
        moves.append(token)
        now += 1.0
        if board.end() or (game == "chess" and board.ply >= LONGEST):
            break
    if not board.end():
        return
    *before, last = course.take(read(result(board, player)), now)
    assert isinstance(last, Finished)
    assert last.reason is Reason.BOARD
    by_us = (board.ply - 1) % 2 == player
    assert course.line.ply in ((board.ply,) if by_us else (board.ply, board.ply - 1))
    assert bool(before) == (not by_us and course.line.ply == board.ply)
    if game != "chess":
        assert list(course.line.moves) == [int(token) for token in moves][: course.line.ply]
    assert course.again()[-1] == last
    assert course.take(read(shown(board, player)), now) == []


WORDS = st.sampled_from(["queued", "hello", "state", "result"])
CELLS = st.lists(st.sampled_from([".", "X", "O", "", 1]), max_size=10)
MESSAGES = st.fixed_dictionaries(
    {"type": WORDS},
    optional={
        "game": st.sampled_from(["ttt", "c4", ""]),
        "player": st.integers(-1, 2),
        "opponent": st.text(max_size=5),
        "yourTurn": st.booleans(),
        "winner": st.integers(-2, 2),
        "outcome": st.sampled_from(["win", "loss", "draw"]),
        "rating": st.floats(),
        "reason": st.sampled_from(["", "forfeit: move timeout", "x"]),
        "observation": st.fixed_dictionaries(
            {"board": CELLS | st.lists(CELLS, max_size=6), "toMove": st.integers(-1, 2)},
            optional={"legal": st.lists(st.sampled_from(["0", "8", "9", "-1", "x"]), max_size=9)},
        ),
    },
)


@given(st.lists(MESSAGES, max_size=12))
def test_random_messages_never_break_the_course(messages: list[dict[str, Any]]) -> None:
    course = Course("ttt", move_seconds=15.0)
    events: list[Event] = []
    for message in messages:
        try:
            answer = read_answer(json.dumps(message))
            events += course.take(answer, 0.0) if answer is not None else []
        except (Unreadable, Malformed, PlainText):
            events += course.lose("nonsense")
            break
    kinds = [type(event) for event in events]
    assert not kinds or kinds[0] in (Joined, Lost)
    assert all(kind not in (Finished, Lost) for kind in kinds[:-1])


def test_what_is_not_offered_is_not_chosen() -> None:
    course = begun("ttt", 0)
    board = GAMES["ttt"]()
    message = shown(board, 0)
    message["observation"]["legal"] = ["+4", "08", "4", "7"]
    [turn] = course.take(read(message), 0.0)
    assert isinstance(turn, YourTurn)
    assert turn.legal == ({"i": 4}, {"i": 8}, {"i": 7})
    # As the server spells it.
    assert [course.choose({"i": cell})[1] for cell in (4, 8, 7)] == ["+4", "08", "7"]
    with pytest.raises(Unreadable):
        course.choose({"i": 0})
    for bad in ({"i": 9}, {"i": True}, {"i": "4"}, {}, {"c": 1}):
        with pytest.raises(Rejection):
            course.choose(bad)


UNSEEN = "the last move was not shown, rated 1516"
LATE, GONE = {"reason": "forfeit: move timeout"}, {"reason": "forfeit: connection closed"}


@pytest.mark.parametrize(
    ("message", "winner", "reason", "text"),
    [
        ({"winner": 0, "outcome": "win", "rating": 1516}, Winner.US, Reason.BOARD, UNSEEN),
        ({"winner": 1, "outcome": "loss", "rating": 1.5, **LATE}, Winner.THEM, Reason.TIMEOUT, "rated 2"),
        ({"winner": 1, "outcome": "loss", "rating": "?", **GONE}, Winner.THEM, Reason.LEFT, ""),
        ({"winner": -1, "outcome": "draw", "reason": "agreed"}, Winner.NONE, Reason.OTHER, "agreed"),
        # Who has won is what it says of us.
        ({"winner": 0, "outcome": "loss", "rating": 1516}, Winner.THEM, Reason.BOARD, UNSEEN),
    ],
)
def test_results(message: dict[str, Any], winner: Winner, reason: Reason, text: str) -> None:
    course = begun("ttt", 0)
    course.take(read(shown(GAMES["ttt"](), 0)), 0.0)
    [end] = course.take(read({"type": "result", **message}), 0.0)
    assert isinstance(end, Finished)
    assert (end.winner, end.reason, end.text) == (winner, reason, text)


def test_a_move_that_came_too_late_is_not_on_the_board() -> None:
    course = begun("ttt", 0)
    course.take(read(shown(GAMES["ttt"](), 0)), 0.0)
    course.sent = course.choose({"i": 4})[0]
    late = {
        "type": "result",
        "winner": 1,
        "outcome": "loss",
        "reason": "forfeit: move timeout",
        "rating": 1484,
    }
    [end] = course.take(read(late), 0.0)
    assert end.board is not None
    assert end.board.moves == ()


def test_sides_and_names() -> None:
    for player, first in ((0, Side.US), (1, Side.THEM)):
        course = begun("c4", player)
        [joined] = course.again()
        assert isinstance(joined, Joined)
        assert (joined.seat, joined.first, joined.begun, joined.words) == (player, first, True, frozenset())
    course = Course("c4", move_seconds=1.0)
    assert course.again() == []
    [joined] = course.take(Queued(game="c4"), 0.0)
    assert isinstance(joined, Joined)
    assert (joined.first, joined.begun, joined.players, joined.board) == (None, False, (), None)
    assert course.lose("gone") == [Lost(board=course.ended.board if course.ended else None, reason="gone")]
    assert course.lose("again") == []


def test_more_than_one_move_may_have_been_missed_in_chess() -> None:
    """Our arcade shows all moves."""
    course, board = begun("chess", 0), GAMES["chess"]()
    course.take(read(shown(board, 0)), 0.0)
    for token in ("e2e4", "e7e5"):
        board.play(token)
    assert [type(event) for event in course.take(read(shown(board, 0)), 0.0)] == [OpponentMoved, YourTurn]
    message = shown(board, 0)
    message["observation"]["moves"] = ["e2e4", "d7d5"]
    with pytest.raises(Unreadable, match="do not follow"):
        course.take(read(message), 0.0)
    raw = msgspec.Raw(json.dumps({**board.show(), "moves": ["e2e4", "e7e5", "e4e5"]}).encode())
    with pytest.raises(Unreadable, match="a move that is none"):
        course.take(State(observation=raw, your_turn=False), 0.0)
    assert set(APPS) == {"ttt", "c4", "chess"}
