"""Tic-tac-toe: exact payloads, what a receiver refuses, and a replay by brute force (spec, appendix A)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Session, Status
from tests.games.table import ANN, BEN, EVE, GAMES, Table, refusal, tails

SHAPE, RULE = ErrorCode.PROTOCOL_ERROR, ErrorCode.INVALID_MOVE
X_WINS = (0, 3, 1, 4, 2)
O_WINS = (0, 3, 1, 4, 8, 5)
DRAWN = (4, 0, 8, 2, 1, 7, 3, 5, 6)
NINTH_WINS = (0, 1, 2, 3, 4, 5, 7, 6, 8)


def played(*cells: int) -> Table:
    return Table.active("ttt").moves(*({"i": cell} for cell in cells))


def test_the_accept() -> None:
    table = Table.challenged("ttt")
    assert table.payload(BEN, "accept") == {"b": "_________", "t": ANN}


@pytest.mark.parametrize("change", [{"b": "X________"}, {"b": "________"}, {"t": BEN}, {"t": ""}, {"t": EVE}])
def test_an_accept_with_another_board_or_first_player(change: dict[str, Any]) -> None:
    table = Table.challenged("ttt")
    table.refuse(BEN, "accept", {"b": "_" * 9, "t": ANN, **change}, SHAPE)
    table.refuse(BEN, "accept", {"b": "_" * 9, "t": ANN.upper(), **change}, SHAPE)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"b": "_" * 9},
        {"t": ANN},
        {"b": "_" * 9, "t": ANN, "x": ""},
        {"b": b"_" * 9, "t": ANN},
        {"b": None, "t": ANN},
    ],
)
def test_a_malformed_accept(payload: dict[str, Any]) -> None:
    Table.challenged("ttt").refuse(BEN, "accept", payload, SHAPE)
    Table.active("ttt").refuse(BEN, "accept", payload, SHAPE)


def test_moves_of_each_kind() -> None:
    table = Table.active("ttt")
    assert table.payload(ANN, "move", {"i": 4}) == {"i": 4, "b": "____X____", "n": 1, "t": BEN, "x": ""}
    table.moves({"i": 4})
    assert table.payload(BEN, "move", {"i": 0}) == {"i": 0, "b": "O___X____", "n": 2, "t": ANN, "x": ""}
    win = played(*X_WINS[:-1])
    assert win.play(ANN, "move", {"i": 2}) == {
        "i": 2,
        "b": "XXXOO____",
        "n": 5,
        "t": "",
        "x": "win",
        "w": ANN,
    }
    assert win.status is Status.COMPLETED
    assert (win.metadata["terminal"], win.metadata["winner"], win.turn) == ("win", ANN, "")
    drawn = played(*DRAWN[:-1])
    assert drawn.play(ANN, "move", {"i": 6}) == {"i": 6, "b": "OXOXXOXOX", "n": 9, "t": "", "x": "draw"}
    assert (drawn.status, drawn.metadata["winner"]) == (Status.COMPLETED, "")


def test_the_second_player_wins_too() -> None:
    table = played(*O_WINS)
    assert (table.metadata["winner"], table.metadata["board"]) == (BEN, "XX_OOO__X")


def test_a_ninth_move_that_wins_is_a_win() -> None:
    assert played(*NINTH_WINS).metadata["terminal"] == "win"


@pytest.mark.parametrize(
    "change",
    [
        {"i": True},
        {"i": 0.0},
        {"i": "0"},
        {"i": -1},
        {"i": None},
        {"n": True},
        {"n": 1.0},
        {"n": -1},
        {"n": b"1"},
        {"b": b"X________"},
        {"b": 0},
        {"t": None},
        {"t": b""},
        {"x": None},
        {"x": False},
        {"x": "won"},
        {"x": "resign"},
        {"x": "win"},
        {"w": ANN},
        {"w": ""},
        {"z": 0},
        {1: 2},
        {"x": "draw", "w": ANN},
        {"x": "win", "w": None},
        {"x": "win", "w": ANN, "r": "cm"},
    ],
)
@pytest.mark.parametrize("state", ["pending", "active", "other turn"])
def test_a_malformed_move_is_a_protocol_error_in_every_state(change: dict[Any, Any], state: str) -> None:
    table = Table.challenged("ttt") if state == "pending" else Table.active("ttt")
    payload = {"i": 0, "b": "X________", "n": 1, "t": BEN, "x": "", **change}
    table.refuse(BEN if state == "other turn" else ANN, "move", payload, SHAPE)


@pytest.mark.parametrize("key", ["i", "b", "n", "t", "x"])
def test_a_move_without_a_key(key: str) -> None:
    payload = {"i": 0, "b": "X________", "n": 1, "t": BEN, "x": ""}
    del payload[key]
    Table.active("ttt").refuse(ANN, "move", payload, SHAPE)


@pytest.mark.parametrize(
    "change",
    [
        {"i": 9},
        {"i": 1 << 63},
        {"n": 0},
        {"n": 2},
        {"b": "_________"},
        {"b": "O________"},
        {"b": "X_______X"},
        {"b": "X_______"},
        {"b": "x________"},
        {"b": ""},
        {"i": 1},
        {"t": ANN},
        {"t": ""},
        {"t": EVE},
        {"t": BEN.upper()},
        {"x": "draw"},
        {"x": "draw", "t": ""},
        {"x": "win", "w": ANN},
        {"x": "win", "w": ANN, "t": ""},
    ],
)
def test_a_false_move(change: dict[str, Any]) -> None:
    payload = {"i": 0, "b": "X________", "n": 1, "t": BEN, "x": "", **change}
    Table.active("ttt").refuse(ANN, "move", payload, RULE)


def test_a_taken_cell() -> None:
    table = played(4)
    table.refuse(BEN, "move", {"i": 4, "b": "____O____", "n": 2, "t": ANN, "x": ""}, RULE)
    refusal(lambda: table.payload(BEN, "move", {"i": 4}), RULE)


@pytest.mark.parametrize(
    "change",
    [
        {"w": BEN},
        {"w": EVE},
        {"w": ANN.upper()},
        {"t": BEN},
        {"x": "draw", "w": None},
        {"x": "", "w": None, "t": BEN},
        {"b": "XXXOO___X"},
    ],
)
def test_a_win_that_is_told_wrongly(change: dict[str, Any]) -> None:
    payload = {"i": 2, "b": "XXXOO____", "n": 5, "t": "", "x": "win", "w": ANN, **change}
    table = played(*X_WINS[:-1])
    table.refuse(ANN, "move", {key: value for key, value in payload.items() if value is not None}, RULE)
    assert table.status is Status.ACTIVE


@pytest.mark.parametrize("change", [{"x": "", "t": BEN}, {"t": BEN}, {"x": "win", "w": ANN}])
def test_a_draw_that_is_told_wrongly(change: dict[str, Any]) -> None:
    payload = {"i": 6, "b": "OXOXXOXOX", "n": 9, "t": "", "x": "draw", **change}
    played(*DRAWN[:-1]).refuse(ANN, "move", payload, RULE)


@pytest.mark.parametrize(
    ("intent", "code"),
    [
        ({}, SHAPE),
        ({"i": 0, "n": 1}, SHAPE),
        ({"i": 0, "b": "X________"}, SHAPE),
        ({"i": True}, SHAPE),
        ({"i": 1.0}, SHAPE),
        ({"i": "1"}, SHAPE),
        ({"c": 1}, SHAPE),
        ({"i": -1}, RULE),
        ({"i": 9}, RULE),
    ],
)
def test_a_wrong_intent(intent: dict[str, Any], code: ErrorCode) -> None:
    table = Table.active("ttt")
    refusal(lambda: GAMES["ttt"].intend(table.ann, ANN, "move", intent, tails), code)


LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def oracle(cells: list[int]) -> tuple[str, str]:
    """(board, terminal) after these moves, the plainest way."""
    board = ["_"] * 9
    end = ""
    for number, cell in enumerate(cells):
        assert end == ""
        assert board[cell] == "_"
        board[cell] = "XO"[number % 2]
        if any({board[int(c)] for c in line} in ({"X"}, {"O"}) for line in LINES):
            end = "win"
        elif "_" not in board:
            end = "draw"
    return "".join(board), end


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(9)))
def test_whole_games_against_the_oracle(order: list[int]) -> None:
    table = Table.active("ttt")
    for number, cell in enumerate(order, 1):
        mover = table.turn
        table.moves({"i": cell})
        board, end = oracle(order[:number])
        expected = (board, number, end, mover if end == "win" else "")
        m = table.metadata
        assert (m["board"], m["move_count"], m["terminal"], m["winner"]) == expected
        assert table.turn == ("" if end else table.ann.other(mover))
        if end:
            break
    assert table.status is Status.COMPLETED


def test_every_position_of_the_game() -> None:
    """5,478 positions are legal; each is reached, and ends where the oracle says."""
    game = GAMES["ttt"]
    seen = {"_________"}
    stack: list[tuple[Session, list[int]]] = [(Table.active("ttt").ann, [])]
    while stack:
        session, cells = stack.pop()
        for cell in range(9):
            if session.metadata["board"][cell] != "_":
                continue
            actor = session.metadata["turn"]
            payload = game.intend(session, actor, "move", {"i": cell}, tails)
            after = game.apply(session, actor, "move", payload, 0.0)
            if after.metadata["board"] in seen:
                continue
            seen.add(after.metadata["board"])
            assert (after.metadata["board"], after.metadata["terminal"]) == oracle([*cells, cell])
            assert game.normalise(after) == after
            if after.status is Status.ACTIVE:
                stack.append((after, [*cells, cell]))
    assert len(seen) == 5478
