"""Boxes to lie over a screen, which know how large they would like to be: a frame, a text, a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import urwid

from . import text
from .bars import name_of
from .glyphs import Glyphs
from .rows import Scroll
from .segments import Line, canvas, width
from .size import Size, across, down

_WIDEST: Final = 76
"""Columns of a question, at most: longer lines are hard to read."""


class Framed(urwid.Widget):
    """A box with a frame and a title around what a subclass shows."""

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(self, title: str, inner: urwid.Widget, glyphs: Glyphs) -> None:
        super().__init__()
        self._title = title
        self._inner = inner
        self._glyphs = glyphs

    def size_in(self, columns: int, rows: int) -> tuple[int, int]:
        """All there is, less a margin where there is room for it."""
        return min(columns, max(columns - 8, 40)), min(rows, max(rows - 4, 12))

    def keypress(self, size: Size, key: str) -> str | None:
        return self._inner.keypress(self._within(size), key)

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, row: int, focus: bool
    ) -> bool | None:
        inner = self._within(size)
        if inner == size:
            return bool(self._inner.mouse_event(size, event, button, col, row, focus))
        if not (2 <= col < 2 + inner[0] and 1 <= row < 1 + inner[1]):
            return False
        return bool(self._inner.mouse_event(inner, event, button, col - 2, row - 1, focus))

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns, rows = across(size), down(size)
        signs, script = self._glyphs, self._glyphs.script
        inner = self._within(size)
        if inner == (columns, rows):
            return self._inner.render(size, focus=focus)
        title = text.fit(self._title, max(0, columns - 6), script)
        bar = signs["horizontal"]
        rest, line = columns - inner[0] - 2, max(0, columns - 5 - text.width(title))
        upper = [
            ("dialog frame", f"{signs['top left']}{bar} "),
            ("dialog strong", title),
            ("dialog frame", f" {bar * line}{signs['top right']}"),
        ]
        lower = [("dialog frame", signs["bottom left"] + bar * (columns - 2) + signs["bottom right"])]
        side = [[("dialog frame", signs["vertical"]), ("dialog", " ")]] * inner[1]
        other = [[("dialog", " "), ("dialog frame", signs["vertical"])]] * inner[1]
        middle = urwid.CanvasJoin(
            [
                (canvas(side, 2, script, "dialog"), None, False, 2),
                (self._inner.render(inner, focus=focus), None, focus, inner[0]),
                (canvas(other, rest, script, "dialog"), None, False, rest),
            ]
        )
        top, bottom = canvas([upper], columns, script, "dialog"), canvas([lower], columns, script, "dialog")
        return urwid.CanvasCombine([(top, None, False), (middle, None, focus), (bottom, None, False)])

    def _within(self, size: Size) -> tuple[int, int]:
        """What is left inside of the frame; where that is nothing there is no frame."""
        if across(size) < 8 or down(size) < 3:
            return across(size), down(size)
        return across(size) - 4, down(size) - 2


class Text(Framed):
    """Lines to read; Esc, Enter, ``q`` and ``?`` close it."""

    def __init__(
        self, title: str, make: Callable[[int], Sequence[Line]], close: Callable[[], object], glyphs: Glyphs
    ) -> None:
        super().__init__(title, Scroll(glyphs, make, ground="dialog"), glyphs)
        self._make = make
        self._close = close

    def size_in(self, columns: int, rows: int) -> tuple[int, int]:
        """As large as the text."""
        most_columns, most_rows = super().size_in(columns, rows)
        lines = self._make(max(1, most_columns - 5))
        across_text = max((width(line) for line in lines), default=0) + 5
        title = text.width(text.fit(self._title, columns, self._glyphs.script)) + 6
        wide = min(most_columns, max(across_text, title, 24))
        return wide, min(most_rows, len(self._make(max(1, wide - 5))) + 2)

    def keypress(self, size: Size, key: str) -> str | None:
        if key in ("esc", "enter", "q", "?"):
            self._close()
            return None
        return super().keypress(size, key)


class Choice(urwid.Widget):
    """A question and its answers, one chosen. ``answered`` gets the key of an answer, or None for Esc."""

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(
        self,
        question: str,
        options: Sequence[tuple[str, str]],
        answered: Callable[[str | None], object],
        glyphs: Glyphs,
    ) -> None:
        super().__init__()
        self._question = question
        self._options = list(options)
        self._answered = answered
        self._glyphs = glyphs
        self.at = 0

    def size_in(self, columns: int, rows: int) -> tuple[int, int]:
        """As large as needed."""
        script = self._glyphs.script
        options = (text.width(_option(option, script)) + 3 for option in self._options)
        question = text.width(text.line(self._question, script))
        wide = min(columns, _WIDEST, max(24, question + 4, *options) + 2)
        return wide, min(rows, len(self._lines(wide, focus=False)) + 2)

    def keypress(self, _size: Size, key: str) -> str | None:
        steps = {"up": -1, "left": -1, "shift tab": -1, "down": 1, "right": 1, "tab": 1}
        if key in steps:
            self.at = (self.at + steps[key]) % len(self._options)
            self._invalidate()
        elif key == "esc":
            self._answered(None)
        elif key == "enter":
            self._answered(self._options[self.at][0])
        elif key in (option for option, _ in self._options):
            self._answered(key)
        else:
            return key
        return None

    def mouse_event(
        self, size: Size, event: str, button: int, _col: int, row: int, _focus: bool
    ) -> bool | None:
        if button != 1 or not urwid.util.is_mouse_press(event):
            return False
        index = row - (down(size) - 1 - len(self._options))
        if not 0 <= index < len(self._options):
            return False
        self._answered(self._options[index][0])
        return True

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns, rows = across(size), down(size)
        signs, script = self._glyphs, self._glyphs.script
        bar, side = signs["horizontal"] * (columns - 2), ("dialog frame", signs["vertical"])
        inner = [
            [side, *line, ("dialog", " " * (columns - 2 - width(line))), side]
            for line in self._lines(columns, focus)
        ]
        # Too high: the answers are what is needed.
        inner = inner[max(0, len(inner) - (rows - 2)) :]
        upper = [("dialog frame", signs["top left"] + bar + signs["top right"])]
        lower = [("dialog frame", signs["bottom left"] + bar + signs["bottom right"])]
        return canvas([upper, *inner, lower][:rows], columns, script, "dialog")

    def _lines(self, columns: int, focus: bool) -> list[Line]:
        script, room = self._glyphs.script, max(2, columns - 4)
        lines: list[Line] = [
            [("dialog strong", f" {line}")] for line in text.wrap(self._question, room, script)
        ]
        lines.append([])
        for number, option in enumerate(self._options):
            chosen = number == self.at
            mark = self._glyphs["cursor"] if chosen else " "
            shown = text.pad(f"{mark} {_option(option, script)}", max(2, columns - 3), script)
            lines.append([("focus" if chosen and focus else "dialog", f" {shown}"[: columns - 2])])
        return lines


def _option(option: tuple[str, str], script: text.Script) -> str:
    key, label = option
    return f"{name_of(key)}  {text.line(label, script)}"


def help_lines(
    keys: Sequence[tuple[str, str]], notes: Sequence[str], columns: int, glyphs: Glyphs
) -> list[Line]:
    """Keys and what they do, and paragraphs below, for a box of ``columns``."""
    script = glyphs.script
    margin = min(max((text.width(name_of(key)) for key, _ in keys), default=0) + 2, columns // 2)
    lines: list[Line] = []
    for key, what in keys:
        first, *more = text.wrap(what, columns - margin, script)
        lines.append([("dialog strong", text.pad(name_of(key), margin, script)), ("dialog", first)])
        lines += [[("dialog", " " * margin + line)] for line in more]
    for note in notes:
        lines += [[], *([("dialog", line)] for line in text.wrap(note, columns, script))]
    return lines
