"""A board as lines of text with the role of each piece of text, and back from the screen to a cell.

Nothing is told by colour alone. ``[ ]`` is the cursor, ``( )`` the chosen piece, ``'`` the last move, a dot
or ``*`` a legal target, ``x`` one that captures, ``!`` a king in check. Without colours dark squares have a
pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.theme import square
from lrgpnode.protocol.value import Value

from .board import Board, Cell
from .entry import Place

Span = tuple[str, str]
Line = tuple[Span, ...]

TOKEN: Final = 8
"""Most cells of a token of a third party's game."""

LABEL: Final = 12
"""Most cells of a row's label."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Picture(Value):
    """``cells`` maps places of the screen (line, first column, one behind the last) to cells of the grid."""

    lines: tuple[Line, ...]
    cells: Mapping[tuple[int, int, int], Place]
    columns: int

    def hit(self, line: int, column: int) -> Place | None:
        """The cell under a place of the screen."""
        for (row, first, behind), place in self.cells.items():
            if row == line and first <= column < behind:
                return place
        return None


def draw(board: Board, glyphs: Glyphs, *, colours: bool, columns: int, hints: Mapping[Place, str]) -> Picture:
    """``colours``: there are any. ``columns``: how wide it may be. ``hints`` stand in empty cells."""
    if board.chequered:
        return _chequered(board, glyphs, colours)
    return _plain(board, glyphs, columns, hints)


def _chequered(board: Board, glyphs: Glyphs, colours: bool) -> Picture:
    margin = max((text.width(_label(label, glyphs)) for label in board.row_labels), default=0) + 1
    lines: list[Line] = []
    cells: dict[tuple[int, int, int], Place] = {}
    for number, row in enumerate(board.rows):
        label = board.row_labels[number] if number < len(board.row_labels) else ""
        spans: list[Span] = [("label", text.pad(_label(label, glyphs), margin, glyphs.script))]
        for column, cell in enumerate(row):
            spans.append((_square_role(cell), _square(cell, glyphs, colours)))
            cells[len(lines), margin + 3 * column, margin + 3 * column + 3] = cell.place
        lines.append(tuple(spans))
    names = "".join(text.pad(label, 3, glyphs.script, "center") for label in board.column_labels)
    lines.append((("label", " " * margin + names),))
    return Picture(lines=tuple(lines), cells=cells, columns=margin + 3 * board.size[1])


def _square_role(cell: Cell) -> str:
    if cell.cursor:
        kind = "cursor"
    elif cell.chosen:
        kind = "chosen"
    elif cell.check:
        kind = "check"
    elif cell.last:
        kind = "last"
    else:
        kind = "dark" if cell.dark else "light"
    return square(kind, cell.side or "mark")


def _square(cell: Cell, glyphs: Glyphs, colours: bool) -> str:
    fill = glyphs["dark square"] if cell.dark and not colours else " "
    empty = glyphs["target"] if cell.target else fill
    middle = glyphs.piece(cell.token) if cell.token else empty
    left = right = fill
    if cell.last:
        left = glyphs["last move"]
    if cell.check:
        right = "!"
    if cell.target and cell.token:
        left = glyphs["capture"]
    if cell.chosen:
        left, right = "(", ")"
    if cell.cursor:
        left = "(" if cell.chosen else glyphs["open bracket"]
        right = ")" if cell.chosen else glyphs["close bracket"]
        if cell.target and cell.token:
            left = glyphs["capture"]
    return left + middle + right


def _plain(board: Board, glyphs: Glyphs, columns: int, hints: Mapping[Place, str]) -> Picture:
    script = glyphs.script
    shown = [
        [text.fit(cell.token or hints.get(cell.place, ""), TOKEN, script) for cell in row]
        for row in board.rows
    ]
    labels = [_label(label, glyphs) for label in board.row_labels]
    margin = max((text.width(label) for label in labels), default=0)
    margin += 1 if margin else 0
    count = max(1, board.size[1])
    widest = max((text.width(found) for row in shown for found in row), default=1)
    widest = max(widest, 1, *(text.width(text.fit(label, TOKEN, script)) for label in board.column_labels))
    cell = widest + 2
    gap, pad = glyphs["vertical"], 1
    if margin + count * (cell + 1) > columns:
        cell, gap, pad = widest, " ", 0
    spread = board.size[0] <= 4 and pad == 1
    if spread and margin + count * (cell + 3) <= min(columns, 36):
        cell, pad = cell + 2, 2
    lines: list[Line] = []
    cells: dict[tuple[int, int, int], Place] = {}
    if any(board.column_labels):
        names = (" " * len(gap)).join(
            text.pad(label, cell, script, "center") for label in board.column_labels
        )
        lines.append((("label", (" " * margin + names).rstrip()),))
    rule = glyphs["cross"].join(glyphs["horizontal"] * cell for _ in range(count))
    for number, row in enumerate(board.rows):
        label = labels[number] if number < len(labels) else ""
        spans: list[Span] = [("label", text.pad(label, margin, script))] if margin else []
        for column, found in enumerate(row):
            if column:
                spans.append(("frame", gap))
            first = margin + column * (cell + len(gap))
            cells[len(lines), first, first + cell] = found.place
            spans.append((_cell_role(found), _cell(found, shown[number][column], glyphs, cell, pad)))
        lines.append(tuple(spans))
        if spread and number + 1 < len(board.rows):
            lines.append((("frame", " " * margin + rule),))
    return Picture(lines=tuple(lines), cells=cells, columns=margin + count * (cell + len(gap)))


def _cell_role(cell: Cell) -> str:
    if cell.cursor:
        return "focus"
    if not cell.token:
        return "accent" if cell.target else "faint"
    if cell.last:
        return "unread"
    return {"first": "strong", "second": "accent"}.get(cell.side, "text")


def _cell(cell: Cell, shown: str, glyphs: Glyphs, cells: int, pad: int) -> str:
    if not shown:
        shown = glyphs["target"] if cell.target else glyphs["empty"]
    middle = text.pad(shown, cells - 2 * pad if pad else cells, glyphs.script, "center")
    if not pad:
        return middle
    left = right = " "
    if cell.last and cell.token:
        left = glyphs["last move"]
    if cell.cursor:
        left, right = glyphs["open bracket"], glyphs["close bracket"]
    if cell.chosen:
        left, right = "(", ")"
    around = " " * (pad - 1)
    return around + left + middle + right + around


def _label(label: str, glyphs: Glyphs) -> str:
    return text.fit(label, LABEL, glyphs.script)


def hints(view: Mapping[str, Any]) -> dict[Place, str]:
    """What to type for an empty cell, where moves are named by something that the labels do not say."""
    found: dict[Place, str] = {}
    columns = {str(label) for label in view.get("column_labels", ())}
    for move in view.get("legal", ()):
        target, label = move.get("target"), str(move["label"])
        if move.get("origin") is None and target is not None and len(label) <= 2 and label not in columns:
            found[int(target[0]), int(target[1])] = label
    return found
