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

from . import text
from .bars import name_of
from .glyphs import Glyphs
from .rows import Scroll
from .segments import Line, canvas, width
from .size import Size, across, down

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
            return _help(keys, notes, columns, self._glyphs)

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
        """As large as needed, at most 60 columns."""
        script = self._glyphs.script
        options = (text.width(_option(option, script)) + 2 for option in self._options)
        question = text.width(text.line(self._question, script))
        wide = min(columns, 60, max(24, question + 4, *options) + 2)
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


def _help(keys: Sequence[tuple[str, str]], notes: Sequence[str], columns: int, glyphs: Glyphs) -> list[Line]:
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
