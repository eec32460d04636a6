"""What lies over a screen: questions, choices, help.

    root = Layers(body, glyphs)
    root.confirm("Resign this game?", lambda: act("resign"), yes="Resign", no="Play on")
    root.choose("Promote to", [("q", "Queen"), ("r", "Rook")], lambda key: ...)
    root.help("Keys", [("enter", "play the move"), ...])
    root.open(box) / root.close()        # any box widget with ``size_in(columns, rows)``
    root.body = another

The topmost layer has all keys; Esc closes it. Nothing dangerous is ever the answer of Enter alone: the
safe one is chosen at first. On a screen that is too small a layer takes all of it and scrolls. What is pasted
where there is no field does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import urwid

from .boxes import Choice, Framed, Text, help_lines
from .glyphs import Glyphs
from .segments import Line
from .size import Size, across, down

__all__ = ["Choice", "Framed", "Layer", "Layers", "Text"]

_ALWAYS: Final = ("ctrl l", "ctrl c")
"""Keys that mean the same everywhere: draw again, and away from here."""


class Layer(Protocol):
    """A box that knows how large it would like to be."""

    def size_in(self, columns: int, rows: int) -> tuple[int, int]:
        """Columns and rows, at most the given ones."""
        ...


class Layers(urwid.Widget):
    """A body and what lies over it."""

    _sizing = frozenset([urwid.Sizing.BOX])
    _selectable = True

    def __init__(self, body: urwid.Widget, glyphs: Glyphs) -> None:
        super().__init__()
        self._body = body
        self._glyphs = glyphs
        self._over: list[urwid.Widget] = []
        self._unwanted = False

    @property
    def body(self) -> urwid.Widget:
        return self._body

    @body.setter
    def body(self, body: urwid.Widget) -> None:
        self._body = body
        self._invalidate()

    @property
    def top(self) -> urwid.Widget | None:
        """The topmost layer, if there is one."""
        return self._over[-1] if self._over else None

    def open(self, layer: urwid.Widget) -> None:
        """Put a layer on top."""
        self._over.append(layer)
        self._invalidate()

    def close(self, layer: urwid.Widget | None = None) -> None:
        """Take away a layer, or the topmost."""
        if layer is None and self._over:
            layer = self._over[-1]
        if layer in self._over:
            self._over.remove(layer)
            self._invalidate()

    def confirm(self, question: str, then: Callable[[], object], yes: str = "Yes", no: str = "No") -> None:
        """Ask; ``then`` only after yes."""
        options = [("n", no), ("y", yes)]
        self.choose(question, options, lambda key: then() if key == "y" else None)

    def choose(
        self, question: str, options: Sequence[tuple[str, str]], then: Callable[[str], object]
    ) -> None:
        """Ask for one of several, each with its key; ``then`` gets the key. Esc asks no further."""
        box: Choice

        def answered(key: str | None) -> None:
            self.close(box)
            if key is not None:
                then(key)

        box = Choice(question, options, answered, self._glyphs)
        self.open(box)

    def help(self, title: str, keys: Sequence[tuple[str, str]], notes: Sequence[str] = ()) -> None:
        """Keys and what they do, and paragraphs below."""
        box: Text

        def make(columns: int) -> list[Line]:
            return help_lines(keys, notes, columns, self._glyphs)

        box = Text(title, make, lambda: self.close(box), self._glyphs)
        self.open(box)

    def keypress(self, size: Size, key: str) -> str | None:
        if self._unwanted and key not in _ALWAYS:
            # Pasted text is no command. Esc is there for a terminal that never tells the end.
            self._unwanted = key not in ("end paste", "esc")
            return None
        left = self._pressed(size, key)
        if key == "begin paste" and left is not None:
            self._unwanted = True
            return None
        return left

    def _pressed(self, size: Size, key: str) -> str | None:
        if self._over:
            layer = self._over[-1]
            columns, rows, _, _ = self._place(layer, size)
            left = layer.keypress((columns, rows), key)
            if left == "esc":
                self.close(layer)
                return None
            # What no layer wants does nothing: it is not for what is covered.
            return left if left in (*_ALWAYS, "begin paste") else None
        return self._body.keypress(size, key) if self._body.selectable() else key

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, row: int, focus: bool
    ) -> bool | None:
        if not self._over:
            return bool(self._body.mouse_event(size, event, button, col, row, focus))
        layer = self._over[-1]
        columns, rows, left, top = self._place(layer, size)
        if left <= col < left + columns and top <= row < top + rows:
            return bool(layer.mouse_event((columns, rows), event, button, col - left, row - top, focus))
        return False

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        shown: urwid.Canvas = self._body.render(size, focus=focus)
        if self._over and shown.cursor is not None:
            # What is chosen stays marked below a layer, but nobody types there.
            shown = self._body.render(size, focus=False)
        for layer in self._over:
            columns, rows, left, top = self._place(layer, size)
            over = layer.render((columns, rows), focus=focus and layer is self._over[-1])
            shown = urwid.CanvasOverlay(over, shown, left, top)
        return urwid.CompositeCanvas(shown)

    def _place(self, layer: urwid.Widget, size: Size) -> tuple[int, int, int, int]:
        """Columns, rows, and from the left and the top."""
        columns, rows = layer.size_in(across(size), down(size))  # type: ignore[attr-defined]  # a Layer
        return columns, rows, (across(size) - columns) // 2, (down(size) - rows) // 2
