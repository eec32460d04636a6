"""The end of the node's log."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Scroll
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.tail import Tail
from interfaces.tui.live.world import State, Topic
from interfaces.tui.models import log
from interfaces.tui.screens.base import Desk, Json

from .base import Pane

LOG_SECONDS = 3.0
"""How often the node is asked for new lines, of which no event tells."""

WIDE = 60
"""From so many columns on times have seconds."""


class LogPane(Pane):
    label = "Log"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._tail = Tail(desk.world.call, self.make)
        self._scroll = Scroll(desk.glyphs, self._lines, tail=True)

    @property
    def widget(self) -> urwid.Widget:
        return self._scroll

    @property
    def every(self) -> float:
        return LOG_SECONDS

    def shown(self) -> None:
        self._tail.begin()

    def make(self) -> None:
        self._scroll.changed()
        self.desk.refresh()

    def changed(self, topic: Topic) -> None:
        if topic is Topic.STATE and self.desk.world.state is State.READY:
            self._tail.begin()

    def tick(self) -> None:
        if self.desk.world.state is State.READY:
            self._tail.more()

    def status(self) -> str:
        logged = f"; the node logs {self._tail.logged} and above" if self._tail.logged else ""
        return f"Lines of level {self._tail.level} and above{logged}."

    def hints(self) -> Sequence[Hint]:
        return [Hint("l", "level")]

    def keys(self) -> Sequence[tuple[str, str]]:
        return [("l", "which lines are shown, and how much the node logs"), ("end", "the newest lines")]

    def notes(self) -> Sequence[str]:
        return [f"New lines are asked for every {LOG_SECONDS:.0f} seconds while this is open, at its end."]

    def key(self, key: str) -> bool:
        if key != "l":
            return False
        shown = [(level[0], f"Show {level} and above") for level in log.LEVELS]
        more = [("m", "Log more: debug, until the node stops"), ("u", "Log as usual: info")]
        self.desk.layers.choose("The log", [*shown, *more], self._level)
        return True

    def _level(self, key: str) -> None:
        if key in ("m", "u"):
            level = "debug" if key == "m" else "info"
            self.desk.act("node.log_level", {"level": level}, self._logged)
            return
        self._tail.begin(next(level for level in log.LEVELS if level[0] == key))
        self.make()

    def _logged(self, result: Json) -> None:
        self.desk.say(f"The node logs {result['level']} and above until it stops.")
        self._tail.begin(str(result["level"]))
        self.make()

    def _lines(self, columns: int) -> list[Line]:
        script = self.desk.glyphs.script
        if self._tail.trouble:
            return [(("bad", f" {line}"),) for line in text.wrap(self._tail.trouble, columns - 1, script)]
        lines: list[Line] = []
        wide = columns >= WIDE
        margin = 12 if wide else 9
        for role, head, said in log.lines(self._tail.lines, seconds=wide):
            first, *more = text.wrap(said, columns - margin, script)
            lines.append((("label", text.pad(f" {head}", margin, script)), (role, first)))
            lines += [(("label", " " * margin), (role, line)) for line in more]
        empty = " There is no such line." if self._tail.logged else " Loading."
        return lines or [(("faint", empty),)]
