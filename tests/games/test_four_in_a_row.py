"""Four in a row: exact payloads, gravity, what a receiver refuses, brute force (spec, appendix C)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, BEN, EVE, GAMES, Table, refusal, tails

SHAPE, RULE = ErrorCode.PROTOCOL_ERROR, ErrorCode.INVALID_MOVE
A_WINS = (0, 1, 0, 1, 0, 1)
"""Column 0 wins for A now."""

FULL = tuple(map(int, "045662620302365423361262411153311045054450"))
"""42 moves, a full board and no line."""

LAST_WINS = tuple(map(int, "223200446205560034613343205243646156155111"))
"""42 moves, and only the last one makes a line."""


def played(*columns: int) -> Table:
    return Table.active("four_in_a_row").moves(*({"c": column} for column in columns))


def test_the_accept() -> None:
    assert Table.challenged("four_in_a_row").payload(BEN, "accept") == {"t": ANN}


@pytest.mark.parametrize("payload", [{}, {"t": BEN}, {"t": EVE}, {"t": ""}, {"t": ANN.upper()}, {"t": None}])
def test_a_wrong_accept(payload: dict[str, Any]) -> None:
    table = Table.challenged("four_in_a_row")
    table.refuse(BEN, "accept", payload, SHAPE)
    table.refuse(BEN, "accept", {"t": ANN, "b": "_" * 42}, SHAPE)


def test_stones_fall() -> None:
    table = Table.active("four_in_a_row")
    m = table.metadata
    assert (m["last_column"], m["last_row"], m["last_cell"]) == (None, None, None)
    assert table.play(ANN, "move", {"c": 3}) == {"c": 3, "n": 1, "x": ""}
    assert table.play(BEN, "move", {"c": 3}) == {"c": 3, "n": 2, "x": ""}
    m = table.metadata
    assert (m["last_column"], m["last_row"], m["last_cell"], m["move_count"]) == (3, 4, 31, 2)
    assert (m["board"][38], m["board"][31], m["board"].count("_")) == ("A", "B", 40)
    assert (table.ann.metadata["my_marker"], table.ben.metadata["my_marker"]) == ("A", "B")
    assert (m["first_marker"], m["second_marker"], m["first_turn"]) == ("A", "B", ANN)


def test_a_win_and_a_draw() -> None:
    table = played(*A_WINS)
    assert table.play(ANN, "move", {"c": 0}) == {"c": 0, "n": 7, "x": "win", "w": ANN}
    assert table.status is Status.COMPLETED
    assert (table.metadata["terminal"], table.metadata["winner"], table.turn) == ("win", ANN, "")
    table = played(*FULL[:-1])
    assert table.play(BEN, "move", {"c": 0}) == {"c": 0, "n": 42, "x": "draw"}
    assert (table.status, table.metadata["winner"], table.turn) == (Status.COMPLETED, "", "")


@pytest.mark.parametrize(
    ("columns", "winner"),
    [
        ((0, 0, 1, 1, 2, 2, 3), ANN),
        ((6, 0, 6, 0, 6, 0, 5, 0), BEN),
        ((0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3), ANN),
        ((6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3), ANN),
        ((0, 0, 1, 1, 3, 3, 2), ANN),  # the gap in the middle is filled last
        ((0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 3), ANN),  # seven in a line
    ],
)
def test_lines_in_every_direction(columns: tuple[int, ...], winner: str) -> None:
    table = played(*columns)
    assert (table.metadata["terminal"], table.metadata["winner"]) == ("win", winner)


def test_a_line_does_not_go_on_at_the_other_edge() -> None:
    table = played(0, 4, 4, 5, 5, 6, 6)
    assert table.metadata["board"][32:36] == "AAAA"  # three at the right, one at the left of the next row
    assert table.metadata["terminal"] == ""


def test_a_last_stone_that_wins_is_a_win() -> None:
    """The 42nd stone always is the responder's."""
    table = played(*LAST_WINS[:-1])
    assert table.play(BEN, "move", {"c": 1}) == {"c": 1, "n": 42, "x": "win", "w": BEN}


@pytest.mark.parametrize(
    "change",
    [
        {"c": True},
        {"c": 3.0},
        {"c": "3"},
        {"c": -1},
        {"c": None},
        {"n": True},
        {"n": -1},
        {"n": "1"},
        {"x": None},
        {"x": "resign"},
        {"x": "win"},
        {"w": ANN},
        {"t": BEN},
        {"b": "_" * 42},
        {"x": "draw", "w": ""},
        {"x": "win", "w": b""},
        {0: 0},
    ],
)
@pytest.mark.parametrize("state", ["pending", "active", "other turn"])
def test_a_malformed_move_is_a_protocol_error_in_every_state(change: dict[Any, Any], state: str) -> None:
    table = Table.challenged("four_in_a_row") if state == "pending" else Table.active("four_in_a_row")
    table.refuse(BEN if state == "other turn" else ANN, "move", {"c": 3, "n": 1, "x": "", **change}, SHAPE)


@pytest.mark.parametrize("key", ["c", "n", "x"])
def test_a_move_without_a_key(key: str) -> None:
    payload = {"c": 3, "n": 1, "x": ""}
    del payload[key]
    Table.active("four_in_a_row").refuse(ANN, "move", payload, SHAPE)


@pytest.mark.parametrize(
    "change",
    [{"c": 7}, {"c": 1 << 63}, {"n": 0}, {"n": 2}, {"n": 3}, {"x": "draw"}, {"x": "win", "w": ANN}],
)
def test_a_false_move(change: dict[str, Any]) -> None:
    Table.active("four_in_a_row").refuse(ANN, "move", {"c": 3, "n": 1, "x": "", **change}, RULE)


def test_a_full_column() -> None:
    table = played(*(2,) * 6)
    table.refuse(ANN, "move", {"c": 2, "n": 7, "x": ""}, RULE)
    refusal(lambda: table.payload(ANN, "move", {"c": 2}), RULE)


@pytest.mark.parametrize(
    "change", [{"w": BEN}, {"w": EVE}, {"w": ""}, {"x": "", "w": None}, {"x": "draw", "w": None}]
)
def test_a_win_that_is_told_wrongly(change: dict[str, Any]) -> None:
    payload = {"c": 0, "n": 7, "x": "win", "w": ANN, **change}
    table = played(*A_WINS)
    table.refuse(ANN, "move", {key: value for key, value in payload.items() if value is not None}, RULE)


@pytest.mark.parametrize("change", [{"x": ""}, {"x": "win", "w": BEN}])
def test_a_draw_that_is_told_wrongly(change: dict[str, Any]) -> None:
    played(*FULL[:-1]).refuse(BEN, "move", {"c": 0, "n": 42, "x": "draw", **change}, RULE)


@pytest.mark.parametrize(
    ("intent", "code"),
    [
        ({}, SHAPE),
        ({"c": 3, "n": 1}, SHAPE),
        ({"c": True}, SHAPE),
        ({"i": 3}, SHAPE),
        ({"c": -1}, RULE),
        ({"c": 7}, RULE),
    ],
)
def test_a_wrong_intent(intent: dict[str, Any], code: ErrorCode) -> None:
    table = Table.active("four_in_a_row")
    refusal(lambda: GAMES["four_in_a_row"].intend(table.ann, ANN, "move", intent, tails), code)


def oracle_wins(board: list[str], mark: str) -> bool:
    """Every window of four cells on the board, looked at one by one."""
    for row in range(6):
        for column in range(7):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + down * i, column + right * i) for i in range(4)]
                inside = all(r < 6 and 0 <= c < 7 for r, c in cells)
                if inside and all(board[r * 7 + c] == mark for r, c in cells):
                    return True
    return False


def oracle(columns: list[int]) -> tuple[str, str]:
    """(board, terminal) after these moves: columns as piles of stones."""
    piles: list[list[str]] = [[] for _ in range(7)]
    mark = ""
    for number, column in enumerate(columns):
        mark = "AB"[number % 2]
        piles[column].append(mark)
    board = [piles[c][5 - r] if len(piles[c]) > 5 - r else "_" for r in range(6) for c in range(7)]
    end = "win" if oracle_wins(board, mark) else "" if "_" in board else "draw"
    return "".join(board), end


def whole_game(columns: list[int]) -> Table:
    """Plays the columns that are not full until the game ends, against the oracle."""
    table = Table.active("four_in_a_row")
    done: list[int] = []
    for column in columns:
        if done.count(column) == 6:
            continue
        done.append(column)
        mover = table.turn
        table.moves({"c": column})
        board, end = oracle(done)
        m = table.metadata
        assert (m["board"], m["terminal"], m["move_count"]) == (board, end, len(done))
        assert (m["winner"], table.turn) == (
            mover if end == "win" else "",
            "" if end else table.ann.other(mover),
        )
        row = 6 - done.count(column)
        assert (m["last_column"], m["last_row"], m["last_cell"]) == (column, row, row * 7 + column)
        if end:
            break
    return table


@settings(max_examples=40, deadline=None)
@given(st.permutations(tuple(range(7)) * 6))
def test_whole_games_against_the_oracle(columns: list[int]) -> None:
    assert whole_game(columns).status is Status.COMPLETED


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.permutations(tuple(range(7)) * 6))
def test_many_whole_games_against_the_oracle(columns: list[int]) -> None:
    assert whole_game(columns).status is Status.COMPLETED
