"""The upper part of a game's screen: the board and what is written beside it."""

from __future__ import annotations

from collections.abc import Callable

import urwid

from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.segments import canvas
from interfaces.tui.kit.size import Size, across, down
from interfaces.tui.models.entry import Place
from interfaces.tui.models.sheet import Sheet

Make = Callable[[int, int], Sheet]


class BoardPane(urwid.Widget):
    """``make`` gives the sheet for columns and rows, ``hit`` the cell under a place of the picture.

    Keys go to ``pressed``, which says whether it took one; a click on a cell to ``clicked``.
    """

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(
        self,
        glyphs: Glyphs,
        make: Make,
        hit: Callable[[int, int], Place | None],
        pressed: Callable[[str], bool],
        clicked: Callable[[Place], object],
    ) -> None:
        super().__init__()
        self._script = glyphs.script
        self._make = make
        self._hit = hit
        self._pressed = pressed
        self._clicked = clicked

    def changed(self) -> None:
        """What is shown has changed."""
        self._invalidate()

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns, rows = across(size), down(size)
        lines = list(self._make(columns, rows).lines[:rows])
        return canvas([*lines, *[()] * (rows - len(lines))], columns, self._script)

    def keypress(self, _size: Size, key: str) -> str | None:
        return None if self._pressed(key) else key

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, row: int, _focus: bool
    ) -> bool | None:
        if button != 1 or not urwid.util.is_mouse_press(event):
            return False
        top, left = self._make(across(size), down(size)).board
        place = self._hit(row - top, col - left)
        if place is None:
            return False
        self._clicked(place)
        return True
