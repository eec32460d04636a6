"""Boards of real games: marks, orientation, the cursor, and what choosing a cell makes."""

from __future__ import annotations

from typing import Any

import pytest

from interfaces.tui.models.board import (
    Board,
    Cell,
    Pointer,
    board,
    digits,
    moved,
    press,
    settled,
    start,
)
from interfaces.tui.models.entry import alike
from lrgpnode.control.models import view_json
from tests.cli.sessions import CHESS, FOUR, TTT, played, shown


def chess(moves: str, *, black: bool = False) -> dict[str, Any]:
    session = played(CHESS, moves)
    white = session.metadata["first_turn"]
    view = view_json(CHESS.view(session, session.other(white) if black else white))
    assert (view["seat"] == "black") == black
    return view


def cells(found: Board, mark: str) -> set[tuple[int, int]]:
    return {cell.place for row in found.rows for cell in row if getattr(cell, mark)}


def at(found: Board, row: int, column: int) -> Cell:
    return found.rows[row][column]


E2, E4, E3, G8, F6 = (6, 4), (4, 4), (5, 4), (0, 6), (2, 5)


def test_white_sees_white_below() -> None:
    found = board(chess("e4 e5"), Pointer())
    assert found.row_labels == tuple("87654321")
    assert found.column_labels == tuple("abcdefgh")
    assert (at(found, 7, 4).token, at(found, 0, 4).token) == ("K", "k")
    assert (at(found, 7, 4).side, at(found, 0, 4).side) == ("first", "second")
    assert cells(found, "last") == {(1, 4), (3, 4)}
    assert found.chequered
    assert not at(found, 7, 7).dark, "h1 is a light square"


def test_black_sees_black_below_and_keeps_every_mark() -> None:
    view = chess("e4 e5 Nf3", black=True)
    found = board(view, Pointer(cursor=G8))
    assert found.turned
    assert found.row_labels == tuple("12345678")
    assert found.column_labels == tuple("hgfedcba")
    assert at(found, 7, 3).token == "k"
    assert cells(found, "last") == {(7, 6), (5, 5)}
    assert at(found, 0, 1).last, "g1 is above, second from the left"
    assert at(found, 7, 1).cursor
    assert cells(found, "target") == {(2, 5), (2, 7), (1, 4)}
    flipped = board(view, Pointer(flipped=True))
    assert not flipped.turned
    assert flipped.row_labels == tuple("87654321")
    assert cells(flipped, "last") == cells(found, "last")


def test_a_checked_king_is_marked() -> None:
    view = chess("e4 f6 d4 g5 Qh5", black=True)
    assert cells(board(view, Pointer()), "check") == {(0, 4)}


def test_arrows_follow_the_screen() -> None:
    white, black = chess("e4 e5"), chess("e4", black=True)
    assert moved(white, Pointer(cursor=E4), "up").cursor == (3, 4)
    assert moved(black, Pointer(cursor=E4), "up").cursor == (5, 4)
    assert moved(black, Pointer(cursor=E4), "left").cursor == (4, 5)
    assert moved(white, Pointer(cursor=(0, 0)), "up").cursor == (0, 0)
    assert moved(white, Pointer(cursor=(7, 7)), "right").cursor == (7, 7)


def test_a_piece_is_chosen_then_its_target() -> None:
    view = chess("")
    chosen = press(view, Pointer(cursor=E2))
    assert chosen.moves == ()
    assert chosen.pointer.chosen == E2
    assert cells(board(view, chosen.pointer), "target") == {E3, E4}
    made = press(view, chosen.pointer, E4)
    assert [move.label for move in made.moves] == ["e4"]
    assert made.pointer.chosen is None


def test_another_piece_is_chosen_instead_and_anything_else_lets_go() -> None:
    view = chess("")
    pointer = press(view, Pointer(cursor=E2)).pointer
    assert press(view, pointer, (7, 6)).pointer.chosen == (7, 6)
    assert press(view, pointer, E2).pointer.chosen is None
    assert press(view, pointer, (3, 3)).pointer.chosen is None
    assert press(view, Pointer(cursor=(1, 4))).pointer.chosen is None, "a piece of the other side"


def test_a_promotion_is_a_choice() -> None:
    view = chess("e4 d5 exd5 c6 dxc6 Nf6 cxb7 Nd5")
    pointer = press(view, Pointer(), (1, 1)).pointer
    made = press(view, pointer, (0, 0)).moves
    assert len(made) == 4
    assert alike(made)
    assert {move.intent["m"][-1] for move in made} == set("qrbn")


def test_a_past_position_has_no_cursor_and_no_targets() -> None:
    view = chess("e4 e5")
    frame = {"grid": chess("")["grid"], "last_cells": [], "extras": {}, "moves": 0}
    found = board(view, Pointer(cursor=E2), frame)
    assert at(found, 6, 4).token == "P"
    assert not cells(found, "cursor") | cells(found, "target") | cells(found, "last")


def test_tic_tac_toe_by_cell_and_by_digit() -> None:
    view = shown(TTT, played(TTT, "a1 b2"))["view"]
    found = board(view, start(view))
    assert found.size == (3, 3)
    assert not found.chequered
    assert (at(found, 0, 0).side, at(found, 1, 1).side) == ("first", "second")
    assert press(view, Pointer(cursor=(1, 1))).moves == (), "that cell is taken"
    assert [move.label for move in press(view, Pointer(cursor=(2, 0))).moves] == ["7"]
    assert set(digits(view)) == set("2346789")
    assert start(shown(TTT, played(TTT, ""))["view"]).cursor == (1, 1)


def test_four_in_a_row_takes_any_cell_of_a_column() -> None:
    view = shown(FOUR, played(FOUR, "4 4"))["view"]
    for row in range(6):
        assert [move.label for move in press(view, Pointer(), (row, 2)).moves] == ["3"]
    assert set(digits(view)) == set("1234567")
    assert digits(chess("")) == {}


def test_nothing_can_be_played_out_of_turn() -> None:
    view = shown(TTT, played(TTT, "a1"))["view"]
    assert not view["my_turn"]
    assert press(view, Pointer(cursor=(2, 2))).moves == ()
    assert digits(view) == {}


def test_what_was_chosen_is_let_go_when_it_cannot_move_any_more() -> None:
    before, after = chess(""), chess("e4 e5")
    pointer = Pointer(cursor=E2, chosen=E2)
    assert settled(before, pointer).chosen == E2
    assert settled(after, pointer).chosen is None


@pytest.mark.parametrize("grid", [[], [[]], [["x"]], [["a"] * 2000], [["a"] * 40] * 80])
def test_any_grid_of_a_third_party_is_drawn(grid: list[list[str]]) -> None:
    view = {"grid": grid, "row_labels": [], "column_labels": [], "last_cells": [[9, 9]], "legal": []}
    pointer = start(view)
    for direction in ("up", "down", "left", "right"):
        pointer = moved(view, pointer, direction)
    found = board(view, settled(view, pointer))
    assert sum(map(len, found.rows)) <= 1024
    assert press(view, pointer).moves == ()
