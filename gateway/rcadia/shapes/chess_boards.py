"""Chess positions in the forms in which games show them, for comparison with a position that is known.

FEN (whole, or its first field only), 8 rows of 8 cells, 64 cells in one list or text, an object from squares
to pieces, a list of pieces with their squares. Rows may begin with either rank and either file: which it is
comes out when they are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import chess

from lrgpnode.protocol.value import Value

from .chess_moves import Squares, square
from .values import fields, levels, named, plain

BOARDS: Final = (
    "fen",
    "boardfen",
    "currentfen",
    "board",
    "position",
    "squares",
    "grid",
    "cells",
    "pieces",
    "placement",
)
TURNS: Final = (
    "turn", "tomove", "sidetomove", "activecolor", "activecolour", "currentturn", "currentplayer", "current",
    "nextplayer", "side", "moving", "next",
)  # fmt: skip

_FEN: Final = re.compile(
    r"\s*((?:[KQRBNPkqrbnp1-8]{1,8}/){7}[KQRBNPkqrbnp1-8]{1,8})(?:\s+([wb])\b.*)?\s*", re.DOTALL
)
_EMPTY: Final = frozenset(("", ".", "-", "_", "0", "empty", "none", "·"))
_UNICODE: Final = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp", strict=True))
_NAMES: Final = {"king": "k", "queen": "q", "rook": "r", "bishop": "b", "knight": "n", "pawn": "p"}
_PIECE: Final = re.compile(r"(w|b|white|black)(k|q|r|b|n|p|king|queen|rook|bishop|knight|pawn)")

Cells = tuple[str, ...]
"""64 pieces by ``chess`` square number, "" for none."""

ORIENTATIONS: Final = 4
"""Rank 8 or rank 1 first, the a-file or the h-file first."""


@dataclass(frozen=True, slots=True, repr=False)
class Seen(Value):
    """What one field shows. ``cells``: one, or one for each orientation. ``white``: who moves, if said."""

    cells: tuple[Cells, ...]
    white: bool | None = None

    def ways(self, board: chess.Board) -> frozenset[int]:
        """The orientations in which this shows ``board``."""
        if self.white not in (None, board.turn):
            return frozenset()
        wanted = _cells(board)
        if len(self.cells) == 1:
            return frozenset(range(ORIENTATIONS)) if self.cells[0] == wanted else frozenset()
        return frozenset(way for way, cells in enumerate(self.cells) if cells == wanted)


def seen(state: Any) -> list[Seen]:
    """Every board in a state, and who is to move in it."""
    found = []
    turn = white_to_move(state)
    for value in (state, *named(state, BOARDS)):
        one = _board(value)
        if one is not None:
            found.append(one if one.white is not None else Seen(one.cells, turn))
    return found


def white_to_move(state: Any) -> bool | None:
    """Who is to move if the state says so by colour."""
    for level in levels(state):
        for name in TURNS:
            colour = colour_of(level.get(name))
            if colour is not None:
                return colour
    return None


def colour_of(value: Any) -> bool | None:
    """True for White, False for Black."""
    word = plain(value) if isinstance(value, str) else ""
    return {"w": True, "white": True, "b": False, "black": False}.get(word)


def _cells(board: chess.Board) -> Cells:
    pieces = board.piece_map()
    return tuple(pieces[at].symbol() if at in pieces else "" for at in chess.SQUARES)


def _board(value: Any) -> Seen | None:
    if isinstance(value, str):
        return _of_text(value)
    if isinstance(value, Mapping):
        return _of_squares((name, piece) for name, piece in value.items())
    if not isinstance(value, list):
        return None
    if value and len(value) <= 32 and all(isinstance(one, Mapping) and _place(one) for one in value):
        return _of_squares((_place(one), one) for one in value)
    return _of_rows(value)


def _of_text(text: str) -> Seen | None:
    if len(text) > 400:
        return None
    found = _FEN.fullmatch(text)
    if found is None:
        rows = text.split()
        flat = "".join(rows) if len(rows) == 8 else text
        return _of_rows(list(flat)) if len(flat) == 64 else None
    try:
        board = chess.BaseBoard(found[1])
    except ValueError:
        return None
    pieces = board.piece_map()
    cells = tuple(pieces[at].symbol() if at in pieces else "" for at in chess.SQUARES)
    return Seen((cells,), None if found[2] is None else found[2] == "w")


def _of_squares(pairs: Iterator[tuple[Any, Any]]) -> Seen | None:
    """An object or list of squares and pieces. Anything else among them and it is no board."""
    cells = [""] * 64
    for name, value in pairs:
        at = square(name, Squares.A1_FIRST) if isinstance(name, str) else None
        symbol = piece(value)
        if at is None or symbol is None:
            return None
        cells[at] = symbol
    return Seen((tuple(cells),)) if _whole(tuple(cells)) else None


def _of_rows(rows: list[Any]) -> Seen | None:
    if len(rows) == 8:
        rows = [cell for row in rows if isinstance(row, list | str) and len(row) == 8 for cell in row]
    if len(rows) != 64:
        return None
    symbols = tuple(piece(cell) for cell in rows)
    known = tuple(symbol for symbol in symbols if symbol is not None)
    if len(known) != 64 or not _whole(known):
        return None
    upright = tuple(known[at ^ 56] for at in chess.SQUARES)  # rank 8 comes first
    mirrored = tuple(upright[at ^ 7] for at in chess.SQUARES)
    flipped = tuple(tuple(cells[at ^ 56] for at in chess.SQUARES) for cells in (upright, mirrored))
    return Seen((upright, mirrored, *flipped))


def _whole(cells: Cells) -> bool:
    return cells.count("K") == cells.count("k") == 1


def piece(value: Any) -> str | None:
    """The letter of a piece (upper case White), "" for an empty cell, None for what is neither."""
    if value is None or value is False or value == 0:
        return ""
    if isinstance(value, Mapping):
        known = fields(value)
        colour = next((known[n] for n in ("color", "colour", "side", "owner", "player") if n in known), None)
        kind = next((known[n] for n in ("type", "piece", "kind", "role", "name") if n in known), None)
        if not isinstance(colour, str) or not isinstance(kind, str):
            return None
        white = colour_of(colour)
        return None if white is None else piece(("w" if white else "b") + plain(kind))
    if not isinstance(value, str):
        return None
    word = value.strip()
    if word.lower() in _EMPTY:
        return ""
    if len(word) == 1:
        return word if word in "KQRBNPkqrbnp" else _UNICODE.get(word)
    found = _PIECE.fullmatch(plain(word))
    if found is None:
        return None
    letter = _NAMES.get(found[2], found[2])
    return letter.upper() if found[1][0] == "w" else letter


def _place(one: Mapping[str, Any]) -> str | None:
    known = fields(one)
    place = next((known[n] for n in ("square", "position", "pos", "at") if n in known), None)
    return place if isinstance(place, str) else None
