"""One move of tic-tac-toe or four in a row in the forms in which games write it.

A number, or a text with one; objects with a number under cell, index, column and the like, or with row and
column; lists ``[row, column]``; wrapped up to three deep. Whether counting begins at 0 or at 1 is for
others to find out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from gateway.lines import Move

from .chess_moves import row_and_column
from .values import MAX_DEPTH, fields, whole

CELL: Final = ("cell", "index", "idx", "i", "position", "pos", "square", "space", "slot", "location", "field")
COLUMN: Final = ("column", "col", "c", "x", "index", "idx", "slot", "columnindex")
INNER: Final = ("move", "action", "value", "data", "payload", "params", "place", "drop", "m")

BASES: Final = (0, 1)

Raw: TypeAlias = int | tuple[int, int]
"""A number, or (row, column), as the game counts."""


def raw(app: str, entry: Any, depth: int = 0) -> Raw | None:
    """The coordinates in an entry; None where it has none."""
    if (number := whole(entry)) is not None:
        return number
    if isinstance(entry, list):
        return _pair(app, entry)
    if isinstance(entry, str):
        parts = entry.split(",")
        return _pair(app, [whole(part) for part in parts]) if len(parts) == 2 else None
    if not isinstance(entry, Mapping) or depth > MAX_DEPTH:
        return None
    known = fields(entry)
    pair = _pair(app, entry)
    if pair is not None:
        return pair
    for name in (*(CELL if app == "ttt" else COLUMN), *INNER):
        if known.get(name) is not None:
            found = raw(app, known[name], depth + 1)
            if found is not None:
                return found
    return None


def move(app: str, where: Raw, base: int) -> Move | None:
    """The move at these coordinates if the game counts from ``base``; None off the board."""
    if app == "four_in_a_row":
        column = where - base if isinstance(where, int) else where[1] - base
        return column if 0 <= column < 7 else None
    if isinstance(where, int):
        return where - base if 0 <= where - base < 9 else None
    row, column = where[0] - base, where[1] - base
    return 3 * row + column if 0 <= row < 3 and 0 <= column < 3 else None


def moves(app: str, entries: list[Any], base: int) -> list[Move] | None:
    """A list of moves counted from ``base``; None where one of them is none."""
    found = []
    for entry in entries:
        where = raw(app, entry)
        one = None if where is None else move(app, where, base)
        if one is None:
            return None
        found.append(one)
    return found


def _pair(app: str, entry: Any) -> tuple[int, int] | None:
    row, column = row_and_column(entry)
    if row is None and app == "four_in_a_row" and isinstance(entry, Mapping):
        return None
    return None if row is None or column is None else (row, column)
