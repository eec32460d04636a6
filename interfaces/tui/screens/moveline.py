"""The row below the board: what to do there, or a field for a move as text with what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import urwid

from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.segments import Lines
from interfaces.tui.models import entry
from interfaces.tui.models.entry import Entry, Fit

from .base import Desk, Json

MOVE_LENGTH = 32
FIELD = 22

_ROLES = {Fit.ONE: "good", Fit.CHOICE: "good", Fit.SEVERAL: "text", Fit.NONE: "warn"}


class MoveLine(urwid.WidgetPlaceholder[urwid.Widget]):
    """``submit`` gets what was typed, ``changed`` is called while it is typed."""

    def __init__(self, desk: Desk, submit: Callable[[str], object], changed: Callable[[], object]) -> None:
        script = desk.glyphs.script
        typed: list[str] = []
        self._field = Field(
            script,
            most=MOVE_LENGTH,
            label=" Move: ",
            history=typed,
            submit=submit,
            changed=lambda _: changed(),
        )
        self._words = Lines([()], script)
        self._advice = Lines([()], script)
        self._line = urwid.Columns([(FIELD, self._field), self._words], focus_column=0)
        super().__init__(self._advice)

    @property
    def open(self) -> bool:
        """Whether a move is typed."""
        return self.original_widget is self._line

    def show(self, open: bool) -> None:
        """The field, or what to do on the board."""
        self.original_widget = self._line if open else self._advice

    def forget(self) -> None:
        """Another game: what was typed is for no other."""
        self._field.value = ""

    def made(self) -> None:
        """What was typed has been played."""
        self._field.clear(remember=True)

    def advise(self, words: str) -> None:
        """Say what to do on the board."""
        self._advice.show([(("faint", f" {words}"),)])

    def preview(self, view: Json, chequered: bool) -> None:
        """Say what is typed would do."""
        found = entry.read(view, self._field.value)
        said = found.preview or ("Nf3, e2e4 or O-O" if chequered else "type the move")
        if not view.get("legal"):
            said, found = "Enter sends what you typed", Entry(fit=Fit.EMPTY)
        self._words.show([((_ROLES.get(found.fit, "faint"), said),)])


def advice(digits: Sequence[str], *, chequered: bool, legal: bool) -> str:
    """How a move is made on a board whose moves have these digits, if any."""
    if digits:
        return f"Press {_span(sorted(digits))}, or use the arrows and Enter."
    if chequered:
        return "Tab: type a move, such as Nf3."
    return "Tab: type a move." if legal else "Tab: type what the game asks for."


def _span(digits: Sequence[str]) -> str:
    """``1 to 9`` where they follow each other, else all of them."""
    whole = digits == [str(number) for number in range(int(digits[0]), int(digits[-1]) + 1)]
    return f"{digits[0]} to {digits[-1]}" if whole and len(digits) > 2 else " ".join(digits)
