"""A list with lines above it, which leave it at least half of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import urwid

from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line, canvas
from interfaces.tui.kit.size import Size, across, down


class Topped(urwid.Widget):
    """``make`` gives the lines for a width."""

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(self, make: Callable[[int], Sequence[Line]], rows: Rows, glyphs: Glyphs) -> None:
        super().__init__()
        self._make = make
        self._rows = rows
        self._glyphs = glyphs

    def changed(self) -> None:
        """The lines have changed."""
        self._invalidate()

    def keypress(self, size: Size, key: str) -> str | None:
        left = self._rows.keypress(self._below(size)[1], key)
        self._invalidate()
        return left

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, row: int, focus: bool
    ) -> bool | None:
        lines, inner = self._below(size)
        if row < len(lines) and button not in (4, 5):
            return False
        self._invalidate()
        return self._rows.mouse_event(inner, event, button, col, max(0, row - len(lines)), focus)

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        lines, inner = self._below(size)
        top = canvas(lines, across(size), self._glyphs.script)
        return (
            urwid.CanvasCombine([(top, None, False), (self._rows.render(inner, focus=focus), None, focus)])
            if lines
            else self._rows.render(inner, focus=focus)
        )

    def _below(self, size: Size) -> tuple[list[Line], tuple[int, int]]:
        """The lines that there is room for, and the size of the list. The last line is its title."""
        columns, rows = across(size), down(size)
        lines = list(self._make(max(1, columns - 1)))
        most = rows // 2
        if len(lines) > most:
            lines = [*lines[: max(0, most - 1)], *lines[-1:]] if most else []
        return lines, (columns, rows - len(lines))
