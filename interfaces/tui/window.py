"""The frame around every screen: title, body, what is going on, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import urwid

from interfaces.tui import feed
from interfaces.tui.feed import Feed, Strip
from interfaces.tui.kit.bars import Footer, Hint, Status
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.layers import Layers
from interfaces.tui.kit.size import Size


class _Root(Layers):
    """Tells of every key before it is handled."""

    def __init__(self, body: urwid.Widget, glyphs: Glyphs, typed: Callable[[], object]) -> None:
        super().__init__(body, glyphs)
        self._typed = typed

    def keypress(self, size: Size, key: str) -> str | None:
        self._typed()
        return super().keypress(size, key)


class Window:
    """All widgets that have their signs from ``glyphs``, but for the screens. ``pressed`` gets the key of a
    hint that was clicked, ``typed`` is called at every key."""

    def __init__(
        self,
        glyphs: Glyphs,
        shown: Feed | None,
        pressed: Callable[[str], object],
        typed: Callable[[], object],
    ) -> None:
        self._glyphs = glyphs
        self._feed = shown
        self._bar = Status(glyphs, role="bar strong")
        self._status = Status(glyphs)
        self._footer = Footer(glyphs, pressed)
        self._body: urwid.WidgetPlaceholder[urwid.Widget] = urwid.WidgetPlaceholder(urwid.SolidFill(" "))
        pile = urwid.Pile(
            [
                ("pack", self._bar),
                ("weight", 1, self._body),
                ("pack", self._status),
                ("pack", self._footer),
            ],
            focus_item=1,
        )
        self._strip: Strip | None = None
        self._box: feed.Box | None = None
        if shown is not None:
            self._strip = Strip(shown, glyphs)
            pile.contents.insert(2, (self._strip, pile.options("pack")))
        self.layers: Layers = _Root(pile, glyphs, typed)

    def show(self, widget: urwid.Widget) -> None:
        """Another screen."""
        self._body.original_widget = widget

    def tell(
        self, title: tuple[str, str], status: str, hints: Sequence[Hint], *, trouble: bool, said: bool
    ) -> None:
        """What stands around it. ``said``: the status is news, which is shown as a whole."""
        self._bar.show(*title, "bar strong")
        self._status.show(status, "", "status bad" if trouble else "status", wraps=said)
        if self._feed is not None:
            hints = [*hints[:1], Hint(feed.KEY, self._feed.title.lower()), *hints[1:]]
        self._footer.show(hints)

    def fed(self) -> None:
        """There is news from beside the node."""
        for one in (self._strip, self._box):
            if one is not None:
                one.changed()

    def open_feed(self) -> bool:
        """All of that news, over the screen; False where there is none."""
        if self._feed is None:
            return False
        box = feed.Box(self._feed, lambda: self.layers.close(box), self._glyphs)
        self._box = box
        self.layers.open(box)
        return True
