"""Interfaces and radios."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Scroll
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.models.facts import Fact, Part
from interfaces.tui.models.links import links
from interfaces.tui.screens.base import Desk
from interfaces.tui.screens.factsheet import parts_lines

from .base import Pane

RADIO_SECONDS = 5.0
"""How often a radio is asked for its figures, of which no event tells."""

LINK_SECONDS = 30.0
"""The same where there is no radio: whether an interface is online is told by no event, either."""


class LinksPane(Pane):
    label = "Links"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._scroll = Scroll(desk.glyphs, self._lines)

    @property
    def widget(self) -> urwid.Widget:
        return self._scroll

    @property
    def every(self) -> float:
        known = self.desk.world.answers.get("radio.status") is not None
        return LINK_SECONDS if known and not self._has_radio() else RADIO_SECONDS

    def wants(self) -> Sequence[Ask]:
        return [("node.status", {}), ("radio.status", {}), ("radio.airtime", {})]

    def make(self) -> None:
        self._scroll.changed()

    def tick(self) -> None:
        if self._has_radio():
            self.desk.world.answers.ask("radio.status", "radio.airtime")
        else:
            self.desk.world.answers.ask("node.status")

    def hints(self) -> Sequence[Hint]:
        return [Hint("r", "read again")]

    def keys(self) -> Sequence[tuple[str, str]]:
        return [("r", "read everything again")]

    def notes(self) -> Sequence[str]:
        return [
            "Airtime is what this node has used of each hour, against the limit that the law sets. Channel "
            "load is how much of the time anybody is on the air, as the board measures it.",
            f"A radio is asked for its figures every {RADIO_SECONDS:.0f} seconds while this is open.",
        ]

    def key(self, key: str) -> bool:
        if key == "r":
            self.desk.world.answers.reload()
            self.desk.say("Read again.")
            return True
        return False

    def _has_radio(self) -> bool:
        radio, airtime = (self.desk.world.answers.get(name) for name in ("radio.status", "radio.airtime"))
        return bool((radio or {}).get("radios") or (airtime or {}).get("radios"))

    def _lines(self, columns: int) -> list[Line]:
        answers = self.desk.world.answers
        status, radio, airtime = (answers.get(method) for method, _ in self.wants())
        parts = links(status, radio, airtime, self.desk.world.now())
        if answers.trouble:
            parts = (Part(title="", facts=(Fact(value=answers.trouble, role="bad"),)), *parts)
        return parts_lines(parts, columns, self.desk.glyphs)
