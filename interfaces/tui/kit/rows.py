"""Lists to choose from, and texts to scroll.

``Rows`` asks for a row only when it is shown, so ten thousand cost as much as ten:

    rows = Rows(glyphs, count=lambda: len(games), draw=lambda index, columns, focus: [("row", name(index))],
                selectable=lambda index: not heading(index), activate=open_game, high=1)
    rows.changed(at=3)       # the data have changed; the chosen row stays where it was if not said

``Scroll`` shows lines that are made for the width: ``Scroll(glyphs, lambda columns: [...], tail=True)``.
Both show at the right edge whether there is more above and below, and work with keys, wheel and clicks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import urwid

from .glyphs import Glyphs
from .segments import GROUND, Line, canvas, fill
from .size import Size, across, down

_WHEEL = 3


class _Edged(urwid.Widget):
    """What both have: a window of lines with marks at its right edge."""

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(self, glyphs: Glyphs, ground: str) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._ground = ground
        self._top = 0

    def _window(self, lines: list[Line], size: Size, above: bool, below: bool) -> urwid.Canvas:
        columns, rows = across(size), down(size)
        lines = [*lines[:rows], *[()] * (rows - len(lines))]
        for row, more, sign in ((0, above, "more above"), (rows - 1, below, "more below")):
            if more and columns > 1:
                line = fill(lines[row], columns - 1, self._glyphs.script, self._ground)
                lines[row] = [*line, ("faint", self._glyphs[sign])]
        return canvas(lines, columns, self._glyphs.script, self._ground)


class Rows(_Edged):
    """A list with one chosen row. Each row is ``high`` lines; ``draw`` returns that many, or the one line."""

    def __init__(
        self,
        glyphs: Glyphs,
        count: Callable[[], int],
        draw: Callable[[int, int, bool], Sequence[Line] | Line],
        *,
        selectable: Callable[[int], bool] = lambda _: True,
        activate: Callable[[int], object] | None = None,
        moved: Callable[[int], object] | None = None,
        high: int = 1,
        ground: str = GROUND,
    ) -> None:
        super().__init__(glyphs, ground)
        self._count = count
        self._draw = draw
        self._choosable = selectable
        self._activate = activate
        self._moved = moved
        self.high = high
        self.at = 0
        self._settle(1)

    def changed(self, at: int | None = None) -> None:
        """The data have changed. The chosen row is ``at``, or the nearest to where it was."""
        if at is not None:
            self.at = at
        self._settle(1)
        self._invalidate()

    @property
    def chosen(self) -> int | None:
        """The chosen row; None if there is none that can be."""
        return self.at if 0 <= self.at < self._count() and self._choosable(self.at) else None

    def keypress(self, size: Size, key: str) -> str | None:
        page = max(1, down(size) // self.high - 1)
        last = self._count() - 1
        to = {
            "up": self.at - 1,
            "down": self.at + 1,
            "page up": self.at - page,
            "page down": self.at + page,
            "home": 0,
            "end": last,
        }.get(key)
        if to is not None:
            # At an edge up and down go to whoever is around.
            moved = self._go(to, -1 if key in ("up", "page up", "end") else 1)
            return None if moved or key not in ("up", "down") else key
        if key == "enter" and self._activate is not None and self.chosen is not None:
            self._activate(self.at)
            return None
        return key

    def mouse_event(
        self, size: Size, event: str, button: int, _col: int, row: int, _focus: bool
    ) -> bool | None:
        if not urwid.util.is_mouse_press(event):
            return False
        if button in (4, 5):
            self._go(self.at + (_WHEEL if button == 5 else -_WHEEL), 1 if button == 5 else -1)
            return True
        index = self._top + row // self.high
        if button != 1 or index >= self._count() or not self._choosable(index):
            return False
        if index == self.at and self._activate is not None:
            self._activate(index)
        else:
            self._go(index, 1)
        return True

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns, fits = across(size), max(1, down(size) // self.high)
        count = self._count()
        # A heading is shown with the row below it.
        first = self.at
        while first > 0 and not self._choosable(first - 1) and self.at - first < fits - 1:
            first -= 1
        self._top = max(0, min(self._top, first, count - fits))
        self._top = max(self._top, self.at - fits + 1)
        lines: list[Line] = []
        for index in range(self._top, min(count, self._top + fits)):
            drawn = self._draw(index, columns, focus and index == self.at)
            block: list[Line] = [drawn] if _is_line(drawn) else list(drawn)  # type: ignore[list-item,arg-type]
            lines += [*block[: self.high], *[()] * (self.high - len(block))]
        return self._window(lines, size, self._top > 0, self._top + fits < count)

    def _go(self, to: int, step: int) -> bool:
        """Choose a row, or the next in the direction; whether another one is chosen now."""
        before = self.at
        self.at = to
        self._settle(step)
        if not self._choosable_at(self.at):
            self.at = before
        if self.at == before:
            return False
        self._invalidate()
        if self._moved is not None:
            self._moved(self.at)
        return True

    def _settle(self, step: int) -> None:
        """The nearest row that can be chosen, first in the direction of ``step``."""
        count = self._count()
        start = max(0, min(self.at, count - 1))
        for way in (step, -step):
            at = start
            while 0 <= at < count:
                if self._choosable(at):
                    self.at = at
                    return
                at += way
        self.at = start

    def _choosable_at(self, index: int) -> bool:
        return 0 <= index < self._count() and self._choosable(index)


class Scroll(_Edged):
    """Lines longer than the screen. With ``tail`` the end is shown, and stays shown while lines are added."""

    def __init__(
        self,
        glyphs: Glyphs,
        make: Callable[[int], Sequence[Line]],
        *,
        tail: bool = False,
        ground: str = GROUND,
    ) -> None:
        super().__init__(glyphs, ground)
        self._make = make
        self._tail = tail
        self._at_end = tail
        self._made: tuple[int, list[Line]] | None = None

    def changed(self) -> None:
        """The lines have changed."""
        self._made = None
        self._invalidate()

    def to_end(self) -> None:
        """Show the end from now on."""
        self._at_end = True
        self._invalidate()

    def keypress(self, size: Size, key: str) -> str | None:
        page = max(1, down(size) - 1)
        steps = {"up": -1, "down": 1, "page up": -page, "page down": page, " ": page}.get(key)
        if key in ("home", "end"):
            steps = (-1 if key == "home" else 1) * len(self._lines(across(size)))
        if steps is None or not self._by(steps, size):
            return key
        return None

    def mouse_event(
        self, size: Size, event: str, button: int, _col: int, _row: int, _focus: bool
    ) -> bool | None:
        if not urwid.util.is_mouse_press(event) or button not in (4, 5):
            return False
        self._by(_WHEEL if button == 5 else -_WHEEL, size)
        return True

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        lines, rows = self._lines(across(size)), down(size)
        last = max(0, len(lines) - rows)
        self._top = last if self._at_end else min(self._top, last)
        return self._window(lines[self._top : self._top + rows], size, self._top > 0, self._top < last)

    def _by(self, steps: int, size: Size) -> bool:
        last = max(0, len(self._lines(across(size))) - down(size))
        now = last if self._at_end else min(self._top, last)
        self._top = max(0, min(now + steps, last))
        self._at_end = self._tail and self._top == last
        if self._top != now:
            self._invalidate()
        return self._top != now

    def _lines(self, columns: int) -> list[Line]:
        if self._made is None or self._made[0] != columns:
            # A cell is left for the marks at the edge.
            self._made = (columns, list(self._make(max(1, columns - 1))))
        return self._made[1]


def _is_line(drawn: Sequence[Line] | Line) -> bool:
    """One line, ``(role, text)`` after ``(role, text)``, rather than several."""
    return bool(drawn) and isinstance(drawn[0], tuple) and len(drawn[0]) == 2 and isinstance(drawn[0][0], str)
