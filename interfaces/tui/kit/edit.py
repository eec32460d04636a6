"""One line of input with the keys of readline.

``Line`` is what is typed, without a terminal: ``line.key("ctrl w")`` edits and says whether the key was its
own; ``line.text``, ``line.at``. ``Field`` is the widget around it:

    field = Field(script, most=32, label="Name: ", history=names, submit=done, changed=preview)

C-a C-e Home End, C-b C-f, M-b M-f and C-Left C-Right, C-h Backspace, C-d Delete, C-w M-Backspace, M-d,
C-k, C-u, C-y, C-t; Up Down C-p C-n for the history. ``enter`` calls ``submit`` with the text. What is pasted
goes in as one line and never submits. All other keys are left to whoever is around.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Final

import urwid

from . import text
from .size import Size, across
from .text import Script

_HISTORY: Final = 100


class Line:
    """Text with a place in it, cut and history. At most ``most`` characters, all fit to be shown.

    The place is never between a letter and its marks.
    """

    def __init__(self, script: Script, most: int = 200, history: MutableSequence[str] | None = None) -> None:
        self.most = most
        self.text = ""
        self.at = 0
        self.cut = ""
        self._script = script
        self._history = history if history is not None else []
        self._back = 0
        self._draft = ""

    def set(self, value: str) -> None:
        """Replace the text; the place is at its end."""
        self.text, self.at = "", 0
        self.insert(value)

    def insert(self, value: str) -> None:
        """Put in as much as there is room for."""
        value = value[: max(0, self.most - len(self.text))]
        before, after = self.text[: self.at] + value, self.text[self.at :]
        self.text = self._fit(before + after)
        self.go(len(self._fit(before)))

    def remember(self) -> None:
        """Keep the text in the history, and begin anew."""
        if self.text and (not self._history or self._history[-1] != self.text):
            self._history.append(self.text)
            del self._history[:-_HISTORY]
        self.set("")
        self._back = 0

    def key(self, key: str) -> bool:
        """Do what a key does; False if it is none of the line's."""
        if len(key) == 1:
            self.insert(key)
            return True
        action = _ACTIONS.get(key)
        if action is None:
            return False
        action(self)
        return True

    def left(self, at: int | None = None) -> int:
        """One character back."""
        at = (self.at if at is None else at) - 1
        while at > 0 and not text.width(self.text[at]):
            at -= 1
        return max(0, at)

    def right(self) -> int:
        """One character on."""
        at = self.at + 1
        while at < len(self.text) and not text.width(self.text[at]):
            at += 1
        return min(at, len(self.text))

    def word_left(self) -> int:
        """Where the word before the place begins."""
        at = self.at
        while at and not _wordy(self.text[at - 1]):
            at -= 1
        while at and _wordy(self.text[at - 1]):
            at -= 1
        return at

    def word_right(self) -> int:
        """Where the word after the place ends."""
        at = self.at
        while at < len(self.text) and not _wordy(self.text[at]):
            at += 1
        while at < len(self.text) and _wordy(self.text[at]):
            at += 1
        return at

    def blank_left(self) -> int:
        """Where what is between blanks before the place begins."""
        at = self.at
        while at and self.text[at - 1] == " ":
            at -= 1
        while at and self.text[at - 1] != " ":
            at -= 1
        return at

    def go(self, at: int) -> None:
        at = max(0, min(at, len(self.text)))
        while at < len(self.text) and not text.width(self.text[at]):
            at += 1
        self.at = at

    def take(self, start: int, end: int, keep: bool = True) -> None:
        """Remove a range; it can be yanked if ``keep``."""
        if start >= end:
            return
        if keep:
            self.cut = self.text[start:end]
        before = self.text[:start]
        self.text = self._fit(before + self.text[end:])
        self.go(len(before))

    def swap(self) -> None:
        """Exchange the characters around the place; at the end the last two."""
        end = self.right() if self.at < len(self.text) else self.at
        middle = self.left(end)
        start = self.left(middle)
        if start < middle:
            swapped = self.text[middle:end] + self.text[start:middle]
            self.text = self._fit(self.text[:start] + swapped + self.text[end:])
            self.go(end)

    def older(self, steps: int) -> None:
        """Go back in the history; what was being typed is at its near end."""
        back = max(0, min(self._back + steps, len(self._history)))
        if back == self._back:
            return
        if self._back == 0:
            self._draft = self.text
        self._back = back
        self.set(self._history[-back] if back else self._draft)

    def _fit(self, value: str) -> str:
        return text.fit(value, 2 * self.most, self._script)


def _wordy(char: str) -> bool:
    return char.isalnum() or not text.width(char)


_ACTIONS: Final[dict[str, Callable[[Line], object]]] = {
    "ctrl a": lambda line: line.go(0),
    "ctrl e": lambda line: line.go(len(line.text)),
    "ctrl b": lambda line: line.go(line.left()),
    "ctrl f": lambda line: line.go(line.right()),
    "meta b": lambda line: line.go(line.word_left()),
    "meta f": lambda line: line.go(line.word_right()),
    "backspace": lambda line: line.take(line.left(), line.at, keep=False),
    "delete": lambda line: line.take(line.at, line.right(), keep=False),
    "ctrl w": lambda line: line.take(line.blank_left(), line.at),
    "meta backspace": lambda line: line.take(line.word_left(), line.at),
    "meta d": lambda line: line.take(line.at, line.word_right()),
    "ctrl k": lambda line: line.take(line.at, len(line.text)),
    "ctrl u": lambda line: line.take(0, line.at),
    "ctrl y": lambda line: line.insert(line.cut),
    "ctrl t": lambda line: line.swap(),
    "up": lambda line: line.older(1),
    "down": lambda line: line.older(-1),
}
_ALSO: Final = {
    "home": "ctrl a",
    "end": "ctrl e",
    "left": "ctrl b",
    "right": "ctrl f",
    "ctrl left": "meta b",
    "ctrl right": "meta f",
    "ctrl h": "backspace",
    "ctrl d": "delete",
    "ctrl p": "up",
    "ctrl n": "down",
}
_ACTIONS.update({key: _ACTIONS[same] for key, same in _ALSO.items()})


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
