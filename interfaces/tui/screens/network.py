"""The network: links, mail, who was heard, the outbox, the log, seats. Each is a pane with its tab."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.segments import Line, canvas, width
from interfaces.tui.kit.size import Size, across
from interfaces.tui.live.needs import Cancel
from interfaces.tui.live.world import Topic

from .base import Desk, Screen
from .panes.base import Pane
from .panes.heard import HeardPane
from .panes.links import LinksPane
from .panes.log import LogPane
from .panes.mail import MailPane
from .panes.outbox import OutboxPane
from .panes.seats import SeatsPane

PANES = (LinksPane, MailPane, HeardPane, OutboxPane, LogPane, SeatsPane)


class NetworkScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._panes: list[Pane] = [kind(desk) for kind in PANES]
        self._at = 0
        self._open = False
        self._timer: Cancel | None = None
        self._tabs = Tabs([pane.label for pane in self._panes], desk.glyphs, self._go)
        self._box: urwid.WidgetPlaceholder[urwid.Widget] = urwid.WidgetPlaceholder(self._pane.widget)
        self._pile = urwid.Pile([("pack", self._tabs), ("weight", 1, self._box)], focus_item=1)

    @property
    def widget(self) -> urwid.Widget:
        return self._pile

    @property
    def _pane(self) -> Pane:
        return self._panes[self._at]

    def shown(self) -> None:
        self._open = True
        self._go(self._at)

    def hidden(self) -> None:
        self._open = False
        self._stop()
        self.desk.world.answers.want()

    def changed(self, topic: Topic) -> None:
        if self._open:
            self._pane.changed(topic)

    def title(self) -> tuple[str, str]:
        return "Network", str(self.desk.world.status.get("name", ""))

    def status(self) -> str:
        return self.desk.world.answers.trouble or self._pane.status()

    def hints(self) -> Sequence[Hint]:
        # Where there is room for two, the way to the other parts is one of them.
        own = list(self._pane.hints())
        return [
            *own[:1],
            Hint("tab", "next"),
            *own[1:],
            Hint("?", "help", last=True),
            Hint("esc", "back", last=True),
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        keys = [
            *self._pane.keys(),
            ("tab", "the next part; 1 to 6 and the arrows left and right go there, too"),
            ("esc", "back to the games"),
        ]
        return f"Network: {self._pane.label}", keys, self._pane.notes()

    def key(self, key: str) -> bool:
        count = len(self._panes)
        if self._pane.key(key):
            return True
        if key in ("tab", "right"):
            self._go((self._at + 1) % count)
        elif key in ("shift tab", "left"):
            self._go((self._at - 1) % count)
        elif key.isdecimal() and 1 <= int(key) <= count:
            self._go(int(key) - 1)
        else:
            return False
        return True

    def _go(self, at: int) -> None:
        self._stop()
        self._at = at
        self._tabs.show(at)
        self._box.original_widget = self._pane.widget
        self.desk.world.answers.want(*self._pane.wants())
        self._pane.shown()
        self._pane.make()
        self._wait()
        self.desk.refresh()

    def _wait(self) -> None:
        self._timer = self.desk.loop.after(self._pane.every, self._tick)

    def _tick(self) -> None:
        self._pane.tick()
        self._wait()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer()
            self._timer = None


class Tabs(urwid.Widget):
    """One row with the names of the parts; the one that is shown stands in brackets."""

    _sizing = frozenset([urwid.Sizing.FLOW])
    _selectable = False

    def __init__(self, labels: Sequence[str], glyphs: Glyphs, pressed: object) -> None:
        super().__init__()
        self._labels = list(labels)
        self._glyphs = glyphs
        self._pressed = pressed
        self._at = 0

    def show(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self._invalidate()

    def rows(self, _size: Size, focus: bool = False) -> int:
        return 1

    def render(self, size: Size, focus: bool = False) -> urwid.Canvas:
        line = [part for tab in self._laid(across(size)) for part in tab]
        return canvas([line], across(size), self._glyphs.script)

    def mouse_event(
        self, size: Size, event: str, button: int, col: int, _row: int, _focus: bool
    ) -> bool | None:
        if button != 1 or not urwid.util.is_mouse_press(event) or not callable(self._pressed):
            return False
        for number, tab in enumerate(self._laid(across(size))):
            if col < width(tab):
                self._pressed(number)
                return True
            col -= width(tab)
        return False

    def _laid(self, columns: int) -> list[Line]:
        numbered = sum(len(label) + 4 for label in self._labels) <= columns
        tabs: list[Line] = []
        for number, label in enumerate(self._labels):
            shown = f"{number + 1} {label}" if numbered else label
            chosen = number == self._at
            before, after = (
                (self._glyphs["open bracket"], self._glyphs["close bracket"]) if chosen else (" ", " ")
            )
            tabs.append((("strong" if chosen else "faint", f"{before}{shown}{after}"),))
        return tabs
