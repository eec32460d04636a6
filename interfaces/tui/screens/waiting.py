"""Before there is a node: looking for one, starting one, or saying why there is none."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.segments import Line, Lines

from .base import Desk, Screen

NAME_LENGTH = 32
WELCOME = (
    "Welcome.",
    "",
    "This plays board games with people on a mesh network, and with an opponent of its own. "
    "How shall others call you? Anybody who hears your node sees this name.",
)


class WaitingScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        script = desk.glyphs.script
        self.words = "Looking for the node."
        """What is shown."""
        self._then: Callable[[str | None], object] | None = None
        self._again: Callable[[], object] | None = None
        self._field = Field(script, most=NAME_LENGTH, label=" Your name: ", submit=self._named)
        self._box: urwid.WidgetPlaceholder[urwid.Widget] = urwid.WidgetPlaceholder(urwid.SolidFill(" "))
        self._show([self.words])

    @property
    def widget(self) -> urwid.Widget:
        return self._box

    def title(self) -> tuple[str, str]:
        return "lrgpnode", ""

    def hints(self) -> Sequence[Hint]:
        last = [Hint("ctrl c", "quit", last=True)]
        if self._then is not None:
            return [Hint("enter", "begin"), *last]
        return [Hint("s", "try again"), *last] if self._again is not None else last

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        return "No node yet", [("ctrl c", "quit")], [self.words]

    def key(self, key: str) -> bool:
        if key == "s" and self._again is not None:
            again, self._again = self._again, None
            again()
            return True
        # A name is being typed.
        return self._then is not None and len(key) == 1

    def welcome(self, then: Callable[[str | None], object]) -> None:
        """Ask for the name of the identity that the first run makes."""
        self._then = then
        self._field.value = _login()
        self._show(WELCOME, field=True)
        self.desk.refresh()

    def starting(self) -> None:
        """A node is on its way."""
        self._then = None
        self._show(["Starting the node.", "", "This takes a few seconds, on a small computer some more."])

    def explain(self, words: str, again: Callable[[], object] | None = None) -> None:
        """Why there is no node."""
        self._then, self._again = None, again
        self._show([words])
        self.desk.refresh()

    def _named(self, name: str) -> None:
        if name.strip() and self._then is not None:
            then, self._then = self._then, None
            then(name.strip())

    def _show(self, paragraphs: Sequence[str], *, field: bool = False) -> None:
        self.words = " ".join(paragraphs)
        wrapped = _Wrapped(paragraphs, self.desk)
        top, nothing = urwid.Divider(), urwid.SolidFill(" ")
        if field:
            parts = urwid.Pile(
                [("pack", top), ("pack", wrapped), ("pack", urwid.Divider()), ("pack", self._field), nothing],
                focus_item=3,
            )
        else:
            parts = urwid.Pile([("pack", top), ("pack", wrapped), nothing])
        self._box.original_widget = parts


class _Wrapped(Lines):
    """Paragraphs, wrapped to the width there is."""

    def __init__(self, paragraphs: Sequence[str], desk: Desk) -> None:
        super().__init__((), desk.glyphs.script)
        self._paragraphs = paragraphs
        self._glyphs = desk.glyphs

    def rows(self, size: tuple[()] | tuple[int] | tuple[int, int], focus: bool = False) -> int:
        self._wrap(size)
        return super().rows(size, focus)

    def render(self, size: tuple[()] | tuple[int] | tuple[int, int], focus: bool = False) -> urwid.Canvas:
        self._wrap(size)
        return super().render(size, focus)

    def _wrap(self, size: tuple[()] | tuple[int] | tuple[int, int]) -> None:
        columns = size[0] if size else 40
        lines: list[Line] = [
            (("text", f" {line}"),)
            for paragraph in self._paragraphs
            for line in text.wrap(paragraph, max(10, min(columns - 2, 72)), self._glyphs.script)
        ]
        self._lines = lines


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
