"""One line of input with the keys of readline.

``Field`` is the widget around a ``Line``:

    field = Field(script, most=32, label="Name: ", history=names, submit=done, changed=preview)

C-a C-e Home End, C-b C-f, M-b M-f and C-Left C-Right, C-h Backspace, C-d Delete, C-w M-Backspace, M-d,
C-k, C-u, C-y, C-t; Up Down C-p C-n for the history. ``enter`` calls ``submit`` with the text. What is pasted
goes in as one line and never submits. All other keys are left to whoever is around.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence

import urwid

from . import text
from .line import Line
from .size import Size, across
from .text import Script


class Field(urwid.Widget):
    """A line with a label, one row high, scrolled sideways so that the place is seen.

    What may not be shown cannot be typed or pasted: it is replaced as in the texts of strangers.
    """

    _sizing = frozenset([urwid.Sizing.FLOW])
    _selectable = True

    def __init__(
        self,
        script: Script,
        *,
        most: int = 200,
        label: str = "",
        value: str = "",
        history: MutableSequence[str] | None = None,
        submit: Callable[[str], object] | None = None,
        changed: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__()
        self.line = Line(script, most, history)
        self.line.set(value)
        self.label = label
        self._script = script
        self._submit = submit
        self._changed = changed
        self._pasted: list[str] | None = None
        self._from = 0

    @property
    def value(self) -> str:
        return self.line.text

    @value.setter
    def value(self, value: str) -> None:
        self._edit(lambda: self.line.set(text.line(value, self._script, self.line.most)))

    def clear(self, remember: bool = False) -> None:
        """Empty it; with ``remember`` what was in it goes into the history."""
        self._edit(self.line.remember if remember else lambda: self.line.set(""))

    def rows(self, _size: Size, focus: bool = False) -> int:
        return 1

    def keypress(self, _size: Size, key: str) -> str | None:
        if key == "begin paste":
            self._pasted = []
        elif key == "end paste" or (key == "esc" and self._pasted is not None):
            pasted, self._pasted = "".join(self._pasted or ()), None
            self._edit(lambda: self.line.insert(pasted))
        elif self._pasted is not None:
            if len(self._pasted) < 4 * self.line.most:
                self._pasted.append(key if len(key) == 1 else " " if key in ("enter", "tab") else "")
        elif key == "enter":
            if self._submit is None:
                return key
            self._submit(self.line.text)
        else:
            known: list[bool] = []
            self._edit(lambda: known.append(self.line.key(key)))
            return None if known[0] else key
        return None

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, _row: int, _focus: bool
    ) -> bool | None:
        """Put the place where it is pressed."""
        if button != 1 or not urwid.util.is_mouse_press(event):
            return False
        label, start, _ = self._seen(across(size))
        used = at = 0
        for cluster, cells in text.clusters(self.line.text[start:]):
            if used + cells > col - text.width(label):
                break
            used, at = used + cells, at + len(cluster)
        self.line.go(start + at)
        self._invalidate()
        return True

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns = across(size)
        label, start, place = self._seen(columns)
        room = columns - text.width(label)
        shown = text.pad(_clip(self.line.text[start:], room), room, self._script)
        role = "field focus" if focus else "field"
        widget = urwid.Text([("label", label), (role, shown)], wrap="clip")
        canvas = urwid.CompositeCanvas(widget.render((columns,)))
        if focus:
            canvas.cursor = (min(text.width(label) + place, columns - 1), 0)
        return canvas

    def get_cursor_coords(self, size: Size) -> tuple[int, int]:
        label, _, place = self._seen(across(size))
        return min(text.width(label) + place, across(size) - 1), 0

    def _seen(self, columns: int) -> tuple[str, int, int]:
        """The label as far as it fits, the first character shown, and the cells from it to the place."""
        label = text.fit(self.label, max(0, columns - 8), self._script)
        room = columns - text.width(label)
        # Nearest start that shows the place, and a cell for the cursor behind the end.
        start = min(self._from, self.line.at)
        while text.width(self.line.text[start : self.line.at]) > room - 1:
            start += 1
        if text.width(self.line.text) < room:
            start = 0
        self._from = start
        return label, start, text.width(self.line.text[start : self.line.at])

    def _edit(self, action: Callable[[], object]) -> None:
        before = self.line.text
        action()
        self._invalidate()
        if self._changed is not None and self.line.text != before:
            self._changed(self.line.text)


def _clip(value: str, cells: int) -> str:
    """As much as fits, without an ellipsis."""
    shown = ""
    for cluster, size in text.clusters(value):
        if size > cells:
            break
        shown, cells = shown + cluster, cells - size
    return shown
