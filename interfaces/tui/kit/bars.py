"""The rows at the edges: what can be done now, and what is going on.

    footer = Footer(glyphs, press=root.press)
    footer.show([Hint("enter", "play"), Hint("n", "new game"), Hint("q", "quit", last=True)])

Hints are in the order of their worth: what does not fit is left out from the end, but never what is marked
``last``, which is shown at the right. A click on a hint presses its key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import urwid

from . import text
from .glyphs import Glyphs
from .segments import Line, canvas
from .size import Size, across
from .text import Script

_MOST: Final = 3
"""Rows of what is said."""


class Hint(NamedTuple):
    """A key, what it does, in a word or two, and whether it is always shown, at the end."""

    key: str
    label: str
    last: bool = False


_SHORT = {
    "enter": "Enter",
    "esc": "Esc",
    "tab": "Tab",
    "page up": "PgUp",
    "page down": "PgDn",
    "space": "Space",
}


def name_of(key: str) -> str:
    """A key as it is printed on a keyboard."""
    modifier, _, rest = key.partition(" ")
    if modifier in ("ctrl", "meta") and rest:
        return f"{'C' if modifier == 'ctrl' else 'M'}-{rest}"
    return _SHORT.get(key, key)


def fitting(hints: Sequence[Hint], columns: int, script: Script) -> tuple[list[Hint], list[Hint]]:
    """Those that fit into a row: at its left, and at its right."""
    right = [hint for hint in hints if hint.last]
    room = columns - sum(map(_cells, right))
    left: list[Hint] = []
    for hint in hints:
        if hint.last:
            continue
        if _cells(hint) > room:
            break
        left.append(hint)
        room -= _cells(hint)
    while right and sum(map(_cells, right)) > columns:
        right.pop(0)
    return left, right


def _cells(hint: Hint) -> int:
    return text.width(name_of(hint.key)) + text.width(hint.label) + 3


class Footer(urwid.Widget):
    """One row of hints."""

    _sizing = frozenset([urwid.Sizing.FLOW])
    _selectable = False

    def __init__(self, glyphs: Glyphs, press: Callable[[str], object] | None = None) -> None:
        super().__init__()
        self._script = glyphs.script
        self._press = press
        self._hints: list[Hint] = []

    def show(self, hints: Sequence[Hint]) -> None:
        """What can be done now."""
        if list(hints) != self._hints:
            self._hints = list(hints)
            self._invalidate()

    def rows(self, _size: Size, focus: bool = False) -> int:
        return 1

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        line = [part for _, parts in self._laid(across(size)) for part in parts]
        return canvas([line], across(size), self._script, "bar")

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, _row: int, _focus: bool
    ) -> bool | None:
        if button != 1 or not urwid.util.is_mouse_press(event) or self._press is None:
            return False
        for key, parts in self._laid(across(size)):
            cells = sum(text.width(part) for _, part in parts)
            if col < cells:
                if key:
                    self._press(key)
                return bool(key)
            col -= cells
        return False

    def _laid(self, columns: int) -> list[tuple[str, Line]]:
        """The row in pieces: the key each belongs to, and how it is shown."""
        left, right = fitting(self._hints, columns, self._script)
        between = columns - sum(map(_cells, (*left, *right)))
        return [
            *((hint.key, _shown(hint)) for hint in left),
            ("", [("bar", " " * between)]),
            *((hint.key, _shown(hint)) for hint in right),
        ]


def _shown(hint: Hint) -> Line:
    return [("key", f" {name_of(hint.key)}"), ("key label", f" {hint.label} ")]


class Status(urwid.Widget):
    """One row that says what is going on: a text at the left, and a short one at the right. With ``wraps`` as
    many rows as the left text needs, up to three."""

    _sizing = frozenset([urwid.Sizing.FLOW])
    _selectable = False

    def __init__(self, glyphs: Glyphs, left: str = "", right: str = "", role: str = "status") -> None:
        super().__init__()
        self._script = glyphs.script
        self._shown = (left, right, role)
        self._wraps = False

    def show(self, left: str, right: str = "", role: str = "status", *, wraps: bool = False) -> None:
        """``role`` is ``status``, ``status bad`` or ``bar strong``. The right text goes first to be whole."""
        if (left, right, role, wraps) != (*self._shown, self._wraps):
            self._shown, self._wraps = (left, right, role), wraps
            self._invalidate()

    def rows(self, size: Size, focus: bool = False) -> int:
        return len(self._wrapped(across(size))) if self._wraps else 1

    def _wrapped(self, columns: int) -> list[str]:
        """The left text in rows; what is too much for them ends in the sign for that."""
        first, *more = text.wrap(self._shown[0], max(1, columns - 2), self._script)
        return [first, *more[: _MOST - 2], *([" ".join(more[_MOST - 2 :])] if more[_MOST - 2 :] else [])]

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        left, right, role = self._shown
        columns = across(size)
        if self._wraps:
            room = max(0, columns - 2)
            rows = [[(role, f" {text.pad(row, room, self._script)} ")] for row in self._wrapped(columns)]
            return canvas(rows, columns, self._script, role)
        right = text.fit(right, max(0, columns // 2), self._script)
        room = max(0, columns - text.width(right) - (3 if right else 2))
        line = f" {text.pad(left, room, self._script)} {right}{' ' if right else ''}"
        return canvas([[(role, line)]], columns, self._script, role)
