"""Boards of tic-tac-toe and four in a row in the forms in which games show them.

Rows of cells (lists or texts), all cells in one list or text, an object from numbers to cells; for four in
a row also columns, of six cells or as high as their stones. Rows may begin at the top or at the bottom.
What stands in a cell (``X``, ``1``, ``red``, a player's id) need not be known: two boards are alike if the
stones of each side stand where they should and look alike among themselves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from .values import fields, named, whole

BOARDS: Final = (
    "board",
    "grid",
    "cells",
    "squares",
    "field",
    "position",
    "tiles",
    "columns",
    "rows",
    "slots",
)
OWNER: Final = (
    "player",
    "owner",
    "mark",
    "symbol",
    "piece",
    "color",
    "colour",
    "value",
    "token",
    "playerid",
    "by",
)

_EMPTY: Final = frozenset(
    (None, False, 0, -1, "", ".", "-", "_", "0", "·", "e", "empty", "none", "null", " ")
)
_NOTHING: Final = frozenset((None, ""))
_FIRST: Final = frozenset(("x", 1, "1", "a", "p1", "player1", "first"))
"""What the stones of the side that began mostly look like."""

SIZES: Final = {"ttt": (3, 3), "four_in_a_row": (6, 7)}
_SEPARATORS: Final = "/|\n;, "

Cells = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Seen(Value):
    """What one field shows. ``cells``: in reading order from the upper left, in each way it may be meant."""

    cells: tuple[Cells, ...]

    def shows(self, board: str) -> int:
        """How well this fits a board of ``games``: 0 not, 1 it may, 2 the stones also look as usual."""
        return max((_alike(cells, board) for cells in self.cells), default=0)


def seen(app: str, state: Any) -> list[Seen]:
    """Every board in a state."""
    found = []
    for value in (state, *named(state, BOARDS)):
        cells = tuple(dict.fromkeys(_readings(value, *SIZES[app])))
        if cells:
            found.append(Seen(cells))
    return found


def _alike(cells: Cells, board: str) -> int:
    first: set[Hashable] = set()
    second: set[Hashable] = set()
    empty: set[Hashable] = set()
    for cell, stone in zip(cells, board, strict=True):
        (empty if stone == "_" else first if stone in "XA" else second).add(cell)
    if len(first) > 1 or len(second) > 1 or first & second or not empty <= _EMPTY:
        return 0
    if len(empty) > 1 and not empty <= _NOTHING:
        return 0  # 0 or -1 beside null: one of them is a stone
    stones = first | second
    if stones & empty or stones & {None, ""}:
        return 0
    return 2 if first <= _FIRST and not second & _FIRST else 1


def _readings(value: Any, rows: int, columns: int) -> Iterator[Cells]:
    if isinstance(value, str):
        yield from _of_text(value, rows, columns)
    elif isinstance(value, Mapping):
        yield from _of_object(value, rows, columns)
    elif isinstance(value, list):
        yield from _of_list(value, rows, columns)


def _of_text(text: str, rows: int, columns: int) -> Iterator[Cells]:
    if len(text) > 200:
        return
    if len(text) == rows * columns:
        yield from _of_list([*text], rows, columns)
        return
    for separator in _SEPARATORS:
        parts = [part for part in text.split(separator) if part]
        if len(parts) == rows and all(len(part) == columns for part in parts):
            yield from _of_list([list(part) for part in parts], rows, columns)
            return


def _of_object(value: Mapping[str, Any], rows: int, columns: int) -> Iterator[Cells]:
    """Numbers to cells; a cell that is missing is empty."""
    known = {whole(name): cell for name, cell in value.items() if isinstance(name, str)}
    if len(known) != len(value) or not known or None in known:
        return
    numbers = [number for number in known if number is not None]
    for base in (0, 1):
        if all(0 <= number - base < rows * columns for number in numbers):
            yield from _of_list([known.get(at + base) for at in range(rows * columns)], rows, columns)


def _of_list(value: list[Any], rows: int, columns: int) -> Iterator[Cells]:
    if len(value) == rows * columns:
        yield from _turned(_cells(value), rows, columns)
        return
    if len(value) not in (rows, columns) or not all(isinstance(part, list | str) for part in value):
        return
    parts = [_cells([*part]) for part in value]
    if len(parts) == rows and all(part is not None and len(part) == columns for part in parts):
        yield from _turned(tuple(cell for part in parts if part for cell in part), rows, columns)
    if rows != columns and len(parts) == columns:
        yield from _of_columns(parts, rows)


def _turned(cells: Cells | None, rows: int, columns: int) -> Iterator[Cells]:
    """Rows from the top; from the bottom, too, where gravity tells them apart."""
    if cells is None:
        return
    yield cells
    if rows != columns:
        upside = [cells[row * columns : (row + 1) * columns] for row in range(rows - 1, -1, -1)]
        yield tuple(cell for row in upside for cell in row)


def _of_columns(parts: list[Cells | None], rows: int) -> Iterator[Cells]:
    stacks = [part for part in parts if part is not None and len(part) <= rows]
    if len(stacks) != len(parts):
        return
    if all(len(stack) == rows for stack in stacks):
        yield tuple(stack[row] for row in range(rows) for stack in stacks)
    grown = [(*stack, *(None,) * (rows - len(stack))) for stack in stacks]
    yield tuple(stack[row] for row in range(rows - 1, -1, -1) for stack in grown)


def _cells(values: list[Any]) -> Cells | None:
    """What stands in the cells, comparable; None where something else than a cell is among them."""
    cells = []
    for value in values:
        if isinstance(value, Mapping):
            known = fields(value)
            value = next((known[name] for name in OWNER if known.get(name) is not None), None)  # noqa: PLW2901
        if isinstance(value, list | Mapping):
            return None
        cells.append(value.strip().lower() if isinstance(value, str) else value)
    return tuple(cells)
