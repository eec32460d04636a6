"""A box that asks for one line of text."""

from __future__ import annotations

from collections.abc import Callable

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.layers import Framed
from interfaces.tui.kit.segments import Line, Lines

from .base import Desk


class Prompt(Framed):
    """Enter answers, Esc closes. ``note`` is a paragraph under the field."""

    def __init__(
        self,
        desk: Desk,
        title: str,
        note: str,
        answered: Callable[[str], object],
        value: str = "",
        most: int = 64,
    ) -> None:
        self._desk = desk
        self._note = note
        self._then = answered
        self.field = Field(desk.glyphs.script, most=most, value=value, submit=self._submit)
        self._lines = Lines((), desk.glyphs.script, "dialog")
        pile = urwid.Pile([("pack", self.field), ("weight", 1, self._lines)])
        super().__init__(title, pile, desk.glyphs)

    def size_in(self, columns: int, rows: int) -> tuple[int, int]:
        """As wide as the note reads well."""
        wide = min(columns, 60)
        lines: list[Line] = [
            (("dialog", line),) for line in text.wrap(self._note, wide - 4, self._desk.glyphs.script)
        ]
        self._lines.show([(), *lines])
        return wide, min(rows, len(lines) + 4)

    def _submit(self, value: str) -> None:
        if value.strip():
            self._desk.layers.close(self)
            self._then(value.strip())


def ask(
    desk: Desk, title: str, note: str, then: Callable[[str], object], value: str = "", most: int = 64
) -> None:
    """Open a ``Prompt`` over the screen."""
    desk.layers.open(Prompt(desk, title, note, then, value, most))
