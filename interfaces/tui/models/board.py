"""A board with its marks, from the view of any game.

Places are (row, column) in the view's own grid, whichever way the board is turned; only ``Board.rows`` is in
the order of the screen. A *cursor* goes over the cells. Where moves have an origin one is *chosen* first, and
the targets of the chosen piece, or of the one under the cursor, are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from .entry import Move, Place, legal

Json = Mapping[str, Any]

MOST_CELLS: Final = 1024
"""Cells of a board that is drawn; a larger one is cut."""

DIRECTIONS: Final[Mapping[str, Place]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Cell(Value):
    """``side``: whose token it is, ``first``, ``second`` or "". ``dark``: of a chequered board's squares."""

    token: str
    place: Place
    side: str = ""
    dark: bool = False
    last: bool = False
    check: bool = False
    target: bool = False
    chosen: bool = False
    cursor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Board(Value):
    """``rows`` and both labels in the order of the screen."""

    rows: tuple[tuple[Cell, ...], ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    chequered: bool
    turned: bool

    @property
    def size(self) -> Place:
        return len(self.rows), max((len(row) for row in self.rows), default=0)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pointer(Value):
    """What a person has done on the board so far. ``flipped``: turned against how it would lie."""

    cursor: Place = (0, 0)
    chosen: Place | None = None
    flipped: bool = False
    shown: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Press(Value):
    """What comes of choosing a cell: the moves that it makes (several: a choice), else the next pointer."""

    pointer: Pointer
    moves: tuple[Move, ...] = ()


def board(view: Json, pointer: Pointer, frame: Json | None = None) -> Board:
    """The board as it is to be drawn; ``frame`` (of ``game.frames``) shows it as it was."""
    position = view if frame is None else frame
    grid = _cut(position.get("grid", ()))
    turned = is_turned(view, pointer)
    moves = legal(view) if frame is None else ()
    targets = _targets(moves, pointer, _by_column(view, moves)) if pointer.shown else frozenset()
    last = {tuple(place) for place in position.get("last_cells", ())}
    check = position.get("extras", {}).get("check_cell")
    sides = _sides(view)
    chequered = _chequered(view, grid)
    rows = [
        tuple(
            Cell(
                token=token,
                place=(row, column),
                side=sides.get(token, ""),
                dark=chequered and bool((row + column) % 2),
                last=(row, column) in last,
                check=check is not None and (row, column) == tuple(check),
                target=(row, column) in targets,
                chosen=frame is None and pointer.chosen == (row, column),
                cursor=pointer.shown and frame is None and pointer.cursor == (row, column),
            )
            for column, token in enumerate(cells)
        )
        for row, cells in enumerate(grid)
    ]
    row_labels = tuple(str(label) for label in view.get("row_labels", ()))
    column_labels = tuple(str(label) for label in view.get("column_labels", ()))
    if turned:
        rows = [cells[::-1] for cells in rows[::-1]]
        row_labels, column_labels = row_labels[::-1], column_labels[::-1]
    return Board(
        rows=tuple(rows),
        row_labels=row_labels,
        column_labels=column_labels,
        chequered=chequered,
        turned=turned,
    )


def is_turned(view: Json, pointer: Pointer) -> bool:
    """Whether the board lies the other way round: for its second player, unless flipped by hand."""
    return bool(view.get("turned")) != pointer.flipped


def start(view: Json) -> Pointer:
    """Where the cursor is at first: at a legal target near the middle, else in the middle."""
    grid = _cut(view.get("grid", ()))
    rows, columns = len(grid), max((len(row) for row in grid), default=0)
    middle = (rows // 2, columns // 2)
    moves = legal(view)
    if moves and all(move.origin is None for move in moves):
        places = [move.target for move in moves if move.target is not None]
        if places:
            return Pointer(cursor=min(places, key=lambda place: (_distance(place, middle), place)))
    if any(move.origin is not None for move in moves):
        # A piece that can move, on the side of the board where the player sits.
        own = {move.origin for move in moves if move.origin is not None}
        return Pointer(cursor=min(own, key=lambda place: (_distance(place, middle), place)))
    return Pointer(cursor=middle)


def settled(view: Json, pointer: Pointer) -> Pointer:
    """The pointer after the game has changed: what cannot be chosen any more is not."""
    rows, columns = _size(view)
    row, column = pointer.cursor
    cursor = (min(row, max(0, rows - 1)), min(column, max(0, columns - 1)))
    chosen = pointer.chosen
    if chosen is not None and all(move.origin != chosen for move in legal(view)):
        chosen = None
    return Pointer(cursor=cursor, chosen=chosen, flipped=pointer.flipped, shown=pointer.shown)


def moved(view: Json, pointer: Pointer, direction: str) -> Pointer:
    """The cursor one cell on, as seen on the screen; it stops at the edge."""
    rows, columns = _size(view)
    down, right = DIRECTIONS[direction]
    if is_turned(view, pointer):
        down, right = -down, -right
    row = min(max(pointer.cursor[0] + down, 0), max(0, rows - 1))
    column = min(max(pointer.cursor[1] + right, 0), max(0, columns - 1))
    return _at(pointer, (row, column), pointer.chosen)


def press(view: Json, pointer: Pointer, place: Place | None = None) -> Press:
    """Enter on the cursor's cell, or a click on ``place``."""
    place = pointer.cursor if place is None else place
    moves = legal(view)
    here = _at(pointer, place, pointer.chosen)
    if pointer.chosen is not None:
        made = tuple(move for move in moves if (move.origin, move.target) == (pointer.chosen, place))
        if made:
            return Press(pointer=_at(pointer, place, None), moves=made)
        if place == pointer.chosen or all(move.origin != place for move in moves):
            return Press(pointer=_at(pointer, place, None))
    if any(move.origin == place for move in moves):
        return Press(pointer=_at(pointer, place, place))
    dropped = tuple(move for move in moves if move.origin is None and move.target == place)
    if not dropped and _by_column(view, moves):
        # The token falls: any cell of its column will do.
        dropped = tuple(move for move in moves if move.target is not None and move.target[1] == place[1])
    return Press(pointer=here, moves=dropped)


def digits(view: Json) -> Mapping[str, Move]:
    """The moves that one digit names, where every legal move has one: they can be played by that key."""
    moves = legal(view)
    named = {move.label: move for move in moves}
    fit = bool(moves) and all(len(label) == 1 and label in "123456789" for label in named)
    return named if fit else {}


def _at(pointer: Pointer, cursor: Place, chosen: Place | None) -> Pointer:
    return Pointer(cursor=cursor, chosen=chosen, flipped=pointer.flipped, shown=True)


def _targets(moves: Iterable[Move], pointer: Pointer, falls: bool) -> frozenset[Place]:
    """Of the chosen piece, or the one under the cursor; where tokens fall, in the cursor's column."""
    origin = pointer.chosen or pointer.cursor
    column = pointer.cursor[1]
    return frozenset(
        move.target
        for move in moves
        if move.target is not None
        and (move.origin == origin or (move.origin is None and move.target[1] == column and falls))
    )


def _by_column(view: Json, moves: Iterable[Move]) -> bool:
    """Whether moves are named by columns alone, as where tokens fall."""
    columns = {str(label) for label in view.get("column_labels", ())}
    return bool(columns) and all(
        move.origin is None and move.target is not None and move.label in columns for move in moves
    )


def _sides(view: Json) -> dict[str, str]:
    """Whose each token is: games name those of the first side first."""
    tokens = list(view.get("tokens", {}))
    half = (len(tokens) + 1) // 2
    return {token: "first" if number < half else "second" for number, token in enumerate(tokens)}


def _chequered(view: Json, grid: tuple[tuple[str, ...], ...]) -> bool:
    """Squares of two colours help where pieces go from cell to cell over a board of some size."""
    tokens = view.get("tokens", {})
    return len(grid) >= 6 and all(len(row) == len(grid) for row in grid) and len(tokens) > 2


def _size(view: Json) -> Place:
    grid = _cut(view.get("grid", ()))
    return len(grid), max((len(row) for row in grid), default=0)


def _cut(grid: Any) -> tuple[tuple[str, ...], ...]:
    rows: list[tuple[str, ...]] = []
    room = MOST_CELLS
    for row in grid:
        cells = tuple(str(token) for token in row)[:room]
        room -= len(cells)
        rows.append(cells)
        if room <= 0:
            break
    return tuple(rows)


def _distance(place: Place, middle: Place) -> int:
    return abs(place[0] - middle[0]) + abs(place[1] - middle[1])
