"""Boards and the text beside them as lines, for each kind of terminal and room."""

from __future__ import annotations

from typing import Any

import pytest

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import ASCII, UNICODE, Glyphs
from interfaces.tui.models import board, game, picture
from interfaces.tui.models.board import Pointer
from interfaces.tui.models.picture import Line, Picture
from interfaces.tui.models.sheet import Sheet, Shown, sheet
from lrgpnode.control.models import view_json
from tests.cli.sessions import CHESS, FOUR, TTT, played, shown

HOSTILE = "\x1b[31m\u202eevil\U0001f600\n" * 3


def chess(moves: str) -> dict[str, Any]:
    session = played(CHESS, moves)
    return view_json(CHESS.view(session, session.metadata["turn"]))


def plain(lines: tuple[Line, ...]) -> list[str]:
    return ["".join(part for _, part in line).rstrip() for line in lines]


def drawn(
    view: dict[str, Any], pointer: Pointer, glyphs: Glyphs = ASCII, *, colours: bool = True, columns: int = 39
) -> Picture:
    found = board.board(view, pointer)
    return picture.draw(found, glyphs, colours=colours, columns=columns, hints=picture.hints(view))


def test_chess_in_ascii_marks_everything_without_colour() -> None:
    view = chess("e4 d5")
    found = drawn(view, Pointer(cursor=(3, 3), chosen=(4, 4)), colours=False)
    assert (
        plain(found.lines)
        == [
            "8  r :n: b :q: k :b: n :r:",
            "7 :p: p :p:   :p: p :p: p",
            "6    :::   :::   :::   :::",
            "5 :::   :::xp]:::   :::",
            "4    :::   :::(P):::   :::",
            "3 :::   :::   :*:   :::",
            "2  P :P: P :P:'  :P: P :P:",
            "1 :R: N :B: Q :K: B :N: R",
            "   a  b  c  d  e  f  g  h",
        ]
        or found.lines
    )
    assert all(text.width(line) <= 26 for line in plain(found.lines))


def test_with_colours_dark_squares_need_no_pattern() -> None:
    lines = plain(drawn(chess(""), Pointer(shown=False)).lines)
    assert lines[0] == "8  r  n  b  q  k  b  n  r"
    assert lines[4] == "4"
    pieces = plain(drawn(chess(""), Pointer(shown=False), UNICODE).lines)
    assert pieces[0].split()[1:] == list("♜♞♝♛♚♝♞♜")


def test_a_place_of_the_screen_is_a_cell() -> None:
    found = drawn(chess(""), Pointer())
    assert found.hit(6, 2 + 3 * 4 + 1) == (6, 4)
    assert found.hit(0, 2) == (0, 0)
    assert found.hit(0, 1) is None
    assert found.hit(8, 5) is None, "the labels"


def test_tic_tac_toe_says_what_to_press() -> None:
    view = shown(TTT, played(TTT, "a1 b2"))["view"]
    found = drawn(view, Pointer(cursor=(2, 2)))
    assert plain(found.lines) == [
        "    a     b     c",
        "1   X  |  2  |  3",
        "  -----+-----+-----",
        "2   4  | 'O  |  6",
        "  -----+-----+-----",
        "3   7  |  8  | [9]",
    ]
    assert found.hit(3, 9) == (1, 1)


def test_four_in_a_row_marks_where_the_token_lands() -> None:
    view = shown(FOUR, played(FOUR, "4 4"))["view"]
    lines = plain(drawn(view, Pointer(cursor=(0, 3))).lines)
    assert lines[0].split() == list("1234567")
    assert lines[1].split("|")[3] == "[.]"
    assert lines[4].split("|")[3].strip() == "*"
    assert lines[5].split("|")[3] == "'B "
    assert max(map(len, lines)) <= 39


@pytest.mark.parametrize("columns", [20, 39, 79])
def test_a_board_of_a_third_party_fits_where_it_can(columns: int) -> None:
    view = {
        "grid": [["tower", "", "x"], ["", HOSTILE, ""]],
        "row_labels": ["challenger", HOSTILE],
        "column_labels": ["fingers", "call"],
        "last_cells": [[0, 0]],
        "tokens": {},
        "legal": [],
    }
    found = drawn(view, Pointer(), columns=columns)
    for line in plain(found.lines):
        assert line.isprintable()
        assert line.isascii()


def made(view: dict[str, Any], columns: int, rows: int, **more: Any) -> Sheet:
    detail = shown(CHESS, played(CHESS, "e4 d5 exd5"), peer_name=HOSTILE) | {"view": view} | more
    page = game.page(detail, "Chess", ("resign", "draw_offer"), 100.0, None)
    return sheet(Shown(page=page, picture=drawn(view, Pointer()), view=view), columns, rows, ASCII)


@pytest.mark.parametrize("size", [(80, 20), (40, 16), (30, 6), (120, 36)])
def test_all_of_a_game_fits_its_room(size: tuple[int, int]) -> None:
    columns, rows = size
    view = chess("e4 d5 exd5 Nf6 Nc3 Nxd5 Nxd5 Qxd5")
    found = made(view, columns, rows, last_own={"command": "move", "state": "failed", "reason": HOSTILE})
    assert len(found.lines) <= rows
    for line in plain(found.lines):
        assert text.width(line) <= columns
        assert line.isprintable()
    if rows >= 16:
        shown_text = "\n".join(plain(found.lines))
        for part in (
            "Your turn",
            "not delivered",
            "Qxd5",
            "white lost  N",
            "black lost  NP".replace("N", "n"),
        ):
            assert part.lower() in shown_text.lower()


def test_the_board_is_where_the_sheet_says() -> None:
    view = chess("")
    for columns in (80, 40):
        found = made(view, columns, 20)
        top, left = found.board
        assert plain(found.lines)[top][left:].startswith("8 [r]")


def test_a_long_game_shows_its_end() -> None:
    moves = "Nf3 Nf6 Ng1 Ng8 " * 14 + "e4"
    found = "\n".join(plain(made(chess(moves), 80, 20).lines))
    assert "29. e4" in found
    assert " 1. Nf3" not in found
