"""What is typed into a line, without a terminal: ``key("ctrl w")`` edits ``text`` at ``at``."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Final

from . import text
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
        after = self.text[self.at :]
        while len(whole := self._fit((before := self.text[: self.at] + value) + after)) > self.most and value:
            value = value[:-1]  # What stands for a character may be longer than it: "AE" in ASCII.
        self.text = whole
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
        action = ACTIONS.get(key)
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


ACTIONS: Final[dict[str, Callable[[Line], object]]] = {
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
ACTIONS.update({key: ACTIONS[same] for key, same in _ALSO.items()})
