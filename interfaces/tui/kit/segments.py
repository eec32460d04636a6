"""Lines of coloured text, and canvases made of them: what all widgets of the kit, and boards, are drawn with.

A line is a sequence of ``(role, text)``. ``canvas(lines, columns, script)`` makes each line safe and exactly
``columns`` wide. ``Lines`` is a widget that shows lines as they are; ``lines.show(...)`` changes them.

    Lines([[("strong", "Ana"), ("faint", " 3 min")]], script)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import urwid

from . import text
from .size import Size, across, down
from .text import Script

Line = Sequence[tuple[str, str]]

GROUND: Final = "text"
"""What the rest of a line is filled with, if not said otherwise."""


def width(line: Line) -> int:
    """Cells of a line whose texts are safe."""
    return sum(text.width(part) for _, part in line)


def fill(line: Line, columns: int, script: Script, ground: str = GROUND) -> list[tuple[str, str]]:
    """A line of exactly ``columns`` cells: filled with ``ground``, or cut with an ellipsis."""
    shown: list[tuple[str, str]] = []
    room = columns
    for role, part in line:
        safe = text.fit(part, 4 * columns + 8, script)
        if text.width(safe) > room:
            safe = text.fit(safe, room, script) if safe.strip() else safe[:room]
        if safe:
            shown.append((role, safe))
            room -= text.width(safe)
    return [*shown, (ground, " " * room)] if room > 0 else shown


def canvas(
    lines: Sequence[Line],
    columns: int,
    script: Script,
    ground: str = GROUND,
    cursor: tuple[int, int] | None = None,
) -> urwid.TextCanvas:
    """Lines as a canvas."""
    texts: list[bytes] = []
    attributes: list[list[tuple[Hashable, int]]] = []
    for line in lines:
        parts = [(role, part.encode()) for role, part in fill(line, columns, script, ground)]
        texts.append(b"".join(part for _, part in parts))
        attributes.append([(role, len(part)) for role, part in parts])
    return urwid.TextCanvas(texts, attributes, maxcol=columns, cursor=cursor)


class Lines(urwid.Widget):
    """Lines as they are: as high as there are lines (one at least), or cut and filled to a box.

    ``pressed``, if given, is called with column and row of a click.
    """

    _sizing = frozenset([urwid.Sizing.FLOW, urwid.Sizing.BOX])
    _selectable = False

    def __init__(
        self,
        lines: Sequence[Line],
        script: Script,
        ground: str = GROUND,
        pressed: Callable[[int, int], object] | None = None,
    ) -> None:
        super().__init__()
        self._lines = list(lines)
        self._script = script
        self._ground = ground
        self._pressed = pressed

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines; nothing happens if they are the same."""
        if list(lines) != self._lines:
            self._lines = list(lines)
            self._invalidate()

    def rows(self, _size: Size, focus: bool = False) -> int:
        return max(1, len(self._lines))

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        rows = down(size) or self.rows(size)
        lines = [*self._lines[:rows], *[()] * (rows - len(self._lines))]
        return canvas(lines, across(size), self._script, self._ground)

    def mouse_event(
        self, _size: Size, event: str, button: int, col: int, row: int, _focus: bool
    ) -> bool | None:
        if self._pressed is None or button != 1 or not urwid.util.is_mouse_press(event):
            return False
        self._pressed(col, row)
        return True
