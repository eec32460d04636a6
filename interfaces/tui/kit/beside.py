"""Two boxes beside each other where there is room, else one in the place of the other.

``Beside(main, side, ...)``: ``side`` is shown while it is ``open``, and from 110 columns on always, if
``wanted`` says so at all. ``at_side`` says which of them has the keys.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import urwid

from .glyphs import Glyphs
from .segments import Lines
from .size import Size, across, down

BOTH: Final = 76
"""From so many columns on both fit."""

ALWAYS: Final = 110
LEAST: Final = 39


class Beside(urwid.Widget):
    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(
        self,
        main: urwid.Widget,
        side: urwid.Widget,
        glyphs: Glyphs,
        wanted: Callable[[], bool],
        resized: Callable[[], object],
    ) -> None:
        """``resized`` is called when the side begins or ceases to be shown, or the keys go elsewhere; perhaps
        in the middle of drawing."""
        super().__init__()
        self._main = main
        self._side = side
        self._edge = glyphs["vertical"]
        self._script = glyphs.script
        self._wanted = wanted
        self._resized = resized
        self._open = self._at_side = False
        self._columns = 80
        self._shown = False

    @property
    def open(self) -> bool:
        return self._open

    @property
    def at_side(self) -> bool:
        """Whether the keys go to the side."""
        return self._at_side and self.side_shown

    @property
    def side_shown(self) -> bool:
        return self._wanted() and (self._open or self._columns >= ALWAYS)

    @property
    def covered(self) -> bool:
        """Whether the side is in the place of the main part."""
        return self.side_shown and self._columns < BOTH

    def show(self, open: bool, *, keys: bool) -> None:
        """Open or close the side; ``keys``: to the side."""
        self._open, self._at_side = open, keys
        self.changed()

    def changed(self) -> None:
        """Whether the side is wanted may have changed."""
        self._shown = self.side_shown
        self._invalidate()

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        self._fit(size)
        rows = down(size)
        left, right = self._widths(size)
        parts = []
        if left:
            canvas = self._main.render((left, rows), focus and not self.at_side)
            parts.append((canvas, 0, not self.at_side, left))
        if left and right:
            edge = Lines([(("frame", self._edge),)] * rows, self._script)
            parts.append((edge.render((1, rows)), 1, False, 1))
        if right:
            parts.append((self._side.render((right, rows), focus and self.at_side), 2, self.at_side, right))
        return urwid.CanvasJoin(parts)

    def keypress(self, size: Size, key: str) -> str | None:
        self._fit(size)
        left, right = self._widths(size)
        if self.at_side:
            return self._side.keypress((right, down(size)), key)
        return self._main.keypress((left, down(size)), key) if left else key

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, row: int, focus: bool
    ) -> bool | None:
        self._fit(size)
        left, right = self._widths(size)
        start = left + 1 if left else 0
        if right and col >= start:
            if button == 1 and not self.at_side:
                self.show(self._open, keys=True)
                self._resized()
            return self._side.mouse_event((right, down(size)), event, button, col - start, row, focus)
        if col < left:
            if button == 1 and self.at_side:
                self.show(self._open, keys=False)
                self._resized()
            return self._main.mouse_event((left, down(size)), event, button, col, row, focus)
        return False

    def get_cursor_coords(self, size: Size) -> tuple[int, int] | None:
        left, right = self._widths(size)
        one, width, start = (
            (self._side, right, left + 1 if left else 0) if self.at_side else (self._main, left, 0)
        )
        find = getattr(one, "get_cursor_coords", None)
        found = find((width, down(size))) if find is not None and width else None
        return None if found is None else (found[0] + start, found[1])

    def _widths(self, size: Size) -> tuple[int, int]:
        """Columns of the main part and of the side; 0 for what is not shown."""
        columns = across(size)
        if not self.side_shown:
            return columns, 0
        if columns < BOTH:
            return 0, columns
        side = max(LEAST, columns // 3)
        return columns - side - 1, side

    def _fit(self, size: Size) -> None:
        self._columns = across(size)
        if self._shown is not self.side_shown:
            self._shown = self.side_shown
            self._resized()
