"""News from beside the node, shown above the keys on every screen: the demonstration tells of its air so.

Whoever starts the interface may hand one over (``Options.feed``); all of it is also shown in a box, by a key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import urwid

from interfaces.tui.kit.boxes import Framed
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.rows import Scroll
from interfaces.tui.kit.segments import Line, canvas
from interfaces.tui.kit.size import Size, across

KEY: Final = "v"


class Feed(Protocol):
    """What the interface asks of it; only on the loop's thread."""

    @property
    def title(self) -> str:
        """What it is about, in two or three words."""
        ...

    @property
    def descriptor(self) -> int:
        """Readable when there is news."""
        ...

    def take(self) -> None:
        """Take the news in: the descriptor is not readable then."""
        ...

    def short(self, columns: int) -> Sequence[Line]:
        """Always the same number of lines, in ``columns`` cells each."""
        ...

    def whole(self, columns: int) -> Sequence[Line]:
        """All of it that is kept, the oldest first."""
        ...


class Strip(urwid.Widget):
    """The short form, in rows of its own."""

    _sizing = frozenset([urwid.Sizing.FLOW])
    _selectable = False

    def __init__(self, feed: Feed, glyphs: Glyphs) -> None:
        super().__init__()
        self._feed = feed
        self._script = glyphs.script

    def changed(self) -> None:
        """There is news."""
        self._invalidate()

    def rows(self, size: Size, focus: bool = False) -> int:
        return len(self._feed.short(across(size)))

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        columns = across(size)
        return canvas(list(self._feed.short(columns)), columns, self._script)


class Box(Framed):
    """The whole, to lie over a screen; its end stays in view while it grows."""

    def __init__(self, feed: Feed, close: Callable[[], object], glyphs: Glyphs) -> None:
        self._feed = feed
        self._close = close
        self._text = Scroll(glyphs, self._lines, tail=True, ground="dialog")
        super().__init__(feed.title, self._text, glyphs)

    def changed(self) -> None:
        """There is news."""
        self._text.changed()

    def keypress(self, size: Size, key: str) -> str | None:
        if key in ("esc", "enter", "q", KEY):
            self._close()
            return None
        return super().keypress(size, key)

    def _lines(self, columns: int) -> list[Line]:
        return [[("dialog", part) for _, part in line] for line in self._feed.whole(columns)]
