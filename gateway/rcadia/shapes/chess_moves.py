"""One chess move in the forms in which games write it.

Texts: UCI (``e2e4``, ``e7e8q``, also ``e2-e4``, ``e7e8=Q``) and SAN (``Nf3``, ``O-O``, ``0-0``,
``exd8=N+``). Lists ``[from, to]`` and ``[from, to, promotion]``. Objects with from and to, or with a text
under uci, lan, san, move, and so on, wrapped up to three deep. Squares are names, numbers 0 to 63, or
objects of row and column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import chess

from games._chess_rules import Position

from .values import MAX_DEPTH, fields, plain, whole

FROM: Final = ("from", "origin", "source", "src", "fromsquare", "sourcesquare", "start")
TO: Final = ("to", "target", "dest", "destination", "dst", "tosquare", "targetsquare", "end")
PROMOTION: Final = ("promotion", "promo", "promoteto", "promotionpiece", "promote")
INNER: Final = ("uci", "lan", "san", "move", "action", "notation", "value", "data", "payload", "m", "params")

_UCI: Final = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])(?:=?\(?([qrbn])\)?)?[+#]?")
_CASTLE: Final = re.compile(r"[oO0]-[oO0](-[oO0])?")
_NULL: Final = frozenset(("--", "0000", "z0", "@@@@", "null"))
_PIECES: Final = {
    "q": chess.QUEEN, "r": chess.ROOK, "b": chess.BISHOP, "n": chess.KNIGHT, "queen": chess.QUEEN,
    "rook": chess.ROOK, "bishop": chess.BISHOP, "knight": chess.KNIGHT,
}  # fmt: skip
PROMOTIONS: Final = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


class Squares(Enum):
    """How squares that are no names are numbered. Names mean the same in each."""

    A8_FIRST = "a8 is 0 or row 0, column 0"
    A1_FIRST = "a1 is 0 or row 0, column 0"


def meant(position: Position, entry: Any, squares: Squares) -> tuple[str, ...] | None:
    """The legal moves that ``entry`` may mean, as they go on the wire.

    One for a move; four where a pawn is promoted and nothing says to what; () for a move that is not legal
    here; None where the entry has nothing that looks like a move.
    """
    return _meant(position, entry, squares, 0)


def _meant(position: Position, entry: Any, squares: Squares, depth: int) -> tuple[str, ...] | None:
    if isinstance(entry, str):
        return _text(position, entry)
    if isinstance(entry, list) and len(entry) in (2, 3):
        return _pair(position, entry[0], entry[1], entry[2] if len(entry) == 3 else None, squares)
    if not isinstance(entry, Mapping) or depth > MAX_DEPTH:
        return None
    known = fields(entry)
    origin, target = _first(known, FROM), _first(known, TO)
    if origin is not None and target is not None:
        return _pair(position, origin, target, _first(known, PROMOTION), squares)
    for name in INNER:
        if isinstance(known.get(name), str | list | Mapping):
            inner = _meant(position, known[name], squares, depth + 1)
            if inner is not None:
                return inner
    return None


def _text(position: Position, text: str) -> tuple[str, ...]:
    word = text.strip()
    if not word or len(word) > 12 or word.lower() in _NULL:
        return ()
    found = _UCI.fullmatch(word.lower())
    if found is not None and (word[0] not in "BNRQK" or word.isupper()):  # not the SAN B1c3
        return _legal(
            position, chess.parse_square(found[1]), chess.parse_square(found[2]), _PIECES.get(found[3])
        )
    if _CASTLE.match(word):
        word = word.replace("0", "O").replace("o", "O")
    try:
        move = position.board.parse_san(word)
    except ValueError:
        return ()
    return (position.wire(move),) if move else ()


def _pair(
    position: Position, origin: Any, target: Any, piece: Any, squares: Squares
) -> tuple[str, ...] | None:
    start, end = square(origin, squares), square(target, squares)
    if start is None or end is None:
        return None
    if piece in (None, "", False):
        return _legal(position, start, end, None)
    promotion = promoted(piece)
    # Some games put a piece, or a mere `true`, into every move.
    return _legal(position, start, end, promotion)


def _legal(position: Position, start: int, end: int, promotion: int | None) -> tuple[str, ...]:
    plain = position.normal(chess.Move(start, end))
    if position.board.is_legal(plain):
        return (position.wire(plain),)
    wanted = PROMOTIONS if promotion is None else (promotion,)
    moves = [chess.Move(start, end, piece) for piece in wanted]
    return tuple(position.wire(move) for move in moves if position.board.is_legal(move))


def promoted(value: Any) -> int | None:
    """The piece of ``q``, ``Q``, ``=Q``, ``wq``, ``queen`` or ``{"type": "q"}``; None for anything else."""
    if isinstance(value, Mapping):
        value = _first(fields(value), ("type", "piece", "kind", "role"))
    if not isinstance(value, str):
        return None
    word = value.strip().lower().lstrip("=")
    if len(word) == 2 and word[0] in "wb":
        word = word[1]
    return _PIECES.get(word)


def square(value: Any, squares: Squares) -> int | None:
    """A square by name, number, row and column, or rank and file."""
    if isinstance(value, str):
        word = value.strip().lower()
        return chess.parse_square(word) if re.fullmatch("[a-h][1-8]", word) else None
    top = squares is Squares.A8_FIRST
    if (number := whole(value)) is not None:
        return (number ^ 56 if top else number) if 0 <= number < 64 else None
    row, column = row_and_column(value)
    if row is not None and column is not None and 0 <= row < 8 and 0 <= column < 8:
        return chess.square(column, 7 - row if top else row)
    known = fields(value)
    file, rank = known.get("file"), whole(known.get("rank"))
    if isinstance(file, str) and rank is not None and re.fullmatch("[a-h]", file.lower()) and 1 <= rank <= 8:
        return chess.square("abcdefgh".index(file.lower()), rank - 1)
    name = _first(known, ("square", "name", "algebraic"))
    return square(name, squares) if isinstance(name, str) else None


def row_and_column(value: Any) -> tuple[int | None, int | None]:
    """(row, column) of ``{row, col}``, ``{r, c}``, ``{x, y}`` or ``[row, column]``."""
    if isinstance(value, list) and len(value) == 2:
        return whole(value[0]), whole(value[1])
    known = fields(value)
    for row, column in (("row", "col"), ("row", "column"), ("r", "c"), ("y", "x")):
        if row in known and column in known:
            return whole(known[row]), whole(known[column])
    return None, None


def pieces_of(entry: Any) -> frozenset[str]:
    """The letters to which an entry lets a pawn be promoted: those it lists under ``promotions``, or all."""
    known = fields(entry)
    listed = known.get("promotions")
    if isinstance(listed, list):
        return frozenset(chess.piece_symbol(piece) for one in listed if (piece := promoted(one)) is not None)
    inner = next((known[name] for name in INNER if isinstance(known.get(name), Mapping)), None)
    return frozenset("qrbn") if inner is None else pieces_of(inner)


def with_promotion(entry: Any, letter: str) -> Any:
    """An entry that does not say to what a pawn is promoted, with the letter at the place for it.

    A text becomes UCI with five letters, a list gets a third item, an object a field ``promotion``.
    """
    if isinstance(entry, str):
        return entry.strip() + letter
    if isinstance(entry, list):
        return [*entry[:2], letter]
    known = fields(entry)
    if _first(known, FROM) is not None and _first(known, TO) is not None:
        kept = {name: value for name, value in entry.items() if plain(name) not in (*PROMOTION, "promotions")}
        return {**kept, "promotion": letter}
    for name, value in entry.items():
        if plain(name) in INNER and isinstance(value, str | list | Mapping):
            return {**entry, name: with_promotion(value, letter)}
    return entry


def _first(known: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((known[name] for name in names if known.get(name) is not None), None)
