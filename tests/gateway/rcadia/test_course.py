"""Snapshots in, events out: literals as the protocol's text has them, in the order in which they may come."""

from __future__ import annotations

from typing import Any

from gateway.rcadia.client.reading import lenient
from gateway.rcadia.course import Course
from gateway.rcadia.wire import Snapshot
from gateway.seat import (
    Away,
    Board,
    Event,
    Finished,
    Joined,
    OpponentMoved,
    Reason,
    Rejected,
    Side,
    TheirTurn,
    Winner,
    YourTurn,
)

CELLS = ["", "", "", "", "", "", "", "", ""]
US, THEM = "p_00000001", "p_00000002"


def shown(version: int, moves: list[int] | None = None, **fields: Any) -> Snapshot:
    """A snapshot of tic-tac-toe; on our turn with the free cells as legal actions."""
    board = list(CELLS)
    for number, cell in enumerate(moves or []):
        board[cell] = "O" if number % 2 else "X"
    yours = fields.get("yourTurn", False)
    legal = [{"cell": at} for at, cell in enumerate(board) if not cell]
    raw = {
        "sessionId": "ses_a1b2c3d4e5f6", "playerId": US, "seat": 1, "status": "active", "round": 1,
        "yourTurn": yours, "turn": len(moves or []) + 1, "deadline": "2026-10-07T19:00:00.000Z",
        "waitingFor": None if yours else "opponent", "legalActions": legal if yours else None,
        "state": {"board": board} if moves is not None else {}, "lastAction": None, "result": None,
        "players": [
            {"playerId": THEM, "seat": 0, "asName": "Fish", "you": False, "ready": True},
            {"playerId": US, "seat": 1, "asName": "Ann", "you": True, "ready": True},
        ],
        "version": version, **fields,
    }  # fmt: skip
    return lenient(raw, Snapshot)


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def moved(*cells: int) -> tuple[dict[str, int], ...]:
    return tuple({"i": cell} for cell in cells)


def test_a_game_from_its_beginning() -> None:
    course = Course("ttt")
    (joined,) = course.take(shown(1, status="waiting", waitingFor="players", turn=0))
    assert isinstance(joined, Joined)
    assert (joined.first, joined.begun, joined.seat) == (None, False, 1)
    joined, theirs = course.take(shown(2, []))
    assert isinstance(joined, Joined)
    assert (joined.first, joined.begun) == (Side.THEM, True)
    assert theirs == TheirTurn(board=Board(moves=(), position="_" * 9), deadline=1791399600.0)
    move, ours = course.take(shown(3, [4], yourTurn=True))
    assert move == OpponentMoved(board=Board(moves=moved(4), position="____X____"), intent={"i": 4}, ply=0)
    assert isinstance(ours, YourTurn)
    assert ours.legal == moved(0, 1, 2, 3, 5, 6, 7, 8)
    assert course.take(shown(4, [4], yourTurn=True)) == []
    assert course.take(shown(2, [])) == []  # an old answer that came late
    (warned,) = course.take(shown(5, [4], yourTurn=True, strikes=1))
    assert isinstance(warned, YourTurn)
    assert warned.strikes == 1


def test_two_moves_at_once() -> None:
    course = Course("ttt", moves=(4,), first=Side.THEM)
    course.sent = 0
    joined, move, ours = course.take(shown(9, [4, 0, 8], yourTurn=True))
    assert isinstance(joined, Joined)
    assert isinstance(move, OpponentMoved)
    assert (move.intent, move.ply) == ({"i": 8}, 2)
    assert ours.board == Board(moves=moved(4, 0, 8), position="O___X___X")
    assert course.sent is None


def test_an_older_state_on_their_turn_takes_nothing_back_and_on_ours_it_does() -> None:
    course = Course("ttt", moves=(4, 0), first=Side.THEM)
    listed = {"board": ["", "", "", "", "X", "", "", "", ""], "moves": [4]}
    events = course.take(shown(3, [4, 0], state=listed))
    assert kinds(events) == [Joined, TheirTurn]
    assert course.line.moves == (4, 0)
    free = [{"cell": cell} for cell in (0, 1, 2, 3, 5, 6, 7, 8)]
    (ours,) = course.take(shown(4, [4], yourTurn=True, state=listed, legalActions=free))
    assert isinstance(ours, YourTurn)
    assert ours.board is not None
    assert ours.board.moves == moved(4)


def test_what_cannot_be_read_on_their_turn_is_waited_out() -> None:
    course = Course("ttt", moves=(4,), first=Side.THEM)
    assert kinds(course.take(shown(2, [4], state={"animation": ["pop"]}))) == [Joined, TheirTurn]
    assert course.trouble == ""
    assert kinds(course.take(shown(3, [4], yourTurn=True, state={"animation": ["pop"]}))) == []
    assert "form" in course.trouble
    assert kinds(course.take(shown(4, [4], yourTurn=True))) == [YourTurn]
    assert course.trouble == ""


def test_a_turn_that_contradicts_the_board_is_trouble() -> None:
    course = Course("ttt", moves=(4,), first=Side.THEM)
    course.take(shown(2, [4], yourTurn=True))
    free = [{"cell": cell} for cell in (1, 2, 3, 5, 6, 7, 8)]
    assert kinds(course.take(shown(3, [4, 0], yourTurn=True, legalActions=free))) == []
    assert "our turn" in course.trouble


def test_a_rejection_is_told_once_and_only_of_this_turn() -> None:
    course = Course("ttt", moves=(4,), first=Side.THEM)
    last = {"actionId": "a_1", "turn": 2, "status": "rejected", "reason": "no", "at": None}
    events = course.take(shown(2, [4], yourTurn=True, lastAction=last))
    assert kinds(events) == [Joined, Rejected, YourTurn]
    assert course.take(shown(3, [4], yourTurn=True, lastAction=last)) == []
    other = {**last, "actionId": "a_2", "turn": 1}
    assert course.take(shown(4, [4], yourTurn=True, lastAction=other)) == []


def test_after_a_time_away_it_is_said_again_whose_turn_it_is() -> None:
    course = Course("ttt", moves=(4,), first=Side.THEM)
    course.take(shown(2, [4], yourTurn=True))
    assert course.away("no answer") == [Away(reason="no answer")]
    assert course.away("no answer") == []
    assert kinds(course.take(shown(2, [4], yourTurn=True))) == [YourTurn]


def test_the_end() -> None:
    course = Course("ttt", moves=(0, 3, 1, 4), first=Side.THEM)
    result = {"winner": THEM, "reason": "three_in_a_row"}
    events = course.take(shown(9, [0, 3, 1, 4, 2], status="finished", waitingFor=None, result=result))
    assert kinds(events) == [Joined, OpponentMoved, Finished]
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.winner, end.reason, end.text) == (Winner.THEM, Reason.BOARD, "three in a row")
    assert course.over
    assert course.take(shown(10, [0], status="finished")) == []
