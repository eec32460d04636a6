"""A board in plain characters, from the view of any game. Pure.

Most clients show texts in a proportional font, so every cell is one character and a blank, and empty cells
are a character about as wide as a letter. What decides is also said in words beside it.
"""

from __future__ import annotations

from typing import Final

from lrgpnode.control.text import clean
from lrgpnode.protocol.game import GameView

EMPTY: Final = "-"
MOST_ROWS: Final = 19
MOST_COLUMNS: Final = 19


def draw(view: GameView) -> tuple[str, ...]:
    """The lines of the board as the viewer sees it from his side; () where there is none to show.

    A board that is too large is left out as a whole: half of one misleads.
    """
    rows = [list(row) for row in view.grid]
    width = max((len(row) for row in rows), default=0)
    if not rows or not width or len(rows) > MOST_ROWS or width > MOST_COLUMNS:
        return ()
    labels = [_label(label) for label in view.row_labels[: len(rows)]]
    columns = [_label(label) for label in view.column_labels[:width]]
    columns += [""] * (width - len(columns))
    rows = [row + [""] * (width - len(row)) for row in rows]
    if view.turned:
        rows = [row[::-1] for row in rows[::-1]]
        labels = ([""] * (len(rows) - len(labels)) + labels[::-1]) if any(labels) else []
        columns = columns[::-1]
    typed = _typed(view)
    if typed is not None:
        labels, columns = [], []
    labels += [""] * (len(rows) - len(labels))
    margin = max(map(len, labels), default=0)
    size = max(len(_cell(cell)) for row in rows for cell in row)
    size = max(size, max(map(len, columns), default=0))
    shown = []
    for number, (label, row) in enumerate(zip(labels, rows, strict=True)):
        free = [(typed or {}).get((number, place), EMPTY) for place in range(width)]
        cells = [_cell(cell) if cell else free[place] for place, cell in enumerate(row)]
        shown.append(_line(label, margin, [cell.ljust(size) for cell in cells]))
    if any(columns):
        shown.append(_line("", margin, [label.ljust(size) for label in columns]))
    return tuple(shown)


def _typed(view: GameView) -> dict[tuple[int, int], str] | None:
    """On a small board the free cells show what to type for them, where that is one character, in place of
    labels at the edge. None for a board with labels."""
    free = sum(not cell for row in view.grid for cell in row)
    if len(view.grid) > 3 or view.turned:
        return None
    if not view.my_turn:
        return {}
    found = {move.target: move.label for move in view.legal if move.target and len(move.label) == 1}
    return found if len(found) == free else None


def _line(label: str, margin: int, cells: list[str]) -> str:
    head = [label.ljust(margin)] if margin else []
    return " ".join((*head, *cells)).rstrip()


def _cell(token: str) -> str:
    return clean(token, 3).replace(" ", "_") or EMPTY


def _label(label: str) -> str:
    return clean(label, 3).replace(" ", "_")
