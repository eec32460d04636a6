"""Seats of players of the mesh at tables elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.models import gateway
from interfaces.tui.models.gateway import Seat
from interfaces.tui.screens.base import Desk
from interfaces.tui.screens.factsheet import facts_lines

from .base import Pane
from .topped import Topped


class SeatsPane(Pane):
    label = "Seats"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._seats: tuple[Seat, ...] = ()
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._seats),
            draw=self._draw,
            activate=lambda _: None,
            moved=lambda _: desk.refresh(),
            high=2,
        )
        self._all = Topped(self._top, self._rows, desk.glyphs)

    @property
    def widget(self) -> urwid.Widget:
        return self._all

    def wants(self) -> Sequence[Ask]:
        return [("gateway.status", {}), ("gateway.seats", {"ended": True})]

    def make(self) -> None:
        before = self._chosen()
        world = self.desk.world
        status = world.answers.get("gateway.status")
        found = world.answers.get("gateway.seats") if status is not None and status["enabled"] else None
        self._seats = gateway.seats(found, world.now())
        same = (at for at, seat in enumerate(self._seats) if before is not None and seat.id == before.id)
        self._rows.changed(next(same, None))
        self._all.changed()
        self.desk.refresh()

    def status(self) -> str:
        seat = self._chosen()
        return f"Seat {seat.id}: {seat.note}" if seat is not None else ""

    def hints(self) -> Sequence[Hint]:
        seat = self._chosen()
        return [Hint("x", "give up")] if seat is not None and not seat.over else []

    def keys(self) -> Sequence[tuple[str, str]]:
        return [("x", "give the seat up; a game at it is lost")]

    def notes(self) -> Sequence[str]:
        return ["Players of the mesh challenge the gateway, and play somebody at a table of a platform."]

    def key(self, key: str) -> bool:
        seat = self._chosen()
        if key != "x" or seat is None or seat.over:
            return False
        self.desk.layers.confirm(
            f"Give up the seat of {seat.title}? Its game is lost then.",
            lambda: self.desk.act("gateway.leave", {"id": seat.id}, lambda _: self._after()),
            yes="Give it up",
            no="Keep it",
        )
        return True

    def _after(self) -> None:
        self.desk.say("The seat is given up.")
        self.desk.world.answers.ask("gateway.seats")

    def _chosen(self) -> Seat | None:
        at = self._rows.chosen if self._seats else None
        return None if at is None else self._seats[at]

    def _top(self, columns: int) -> list[Line]:
        world = self.desk.world
        status = world.answers.get("gateway.status")
        lines = facts_lines(gateway.about(status, world.now()), columns, self.desk.glyphs)
        return [*lines, (), (("heading", f" Seats ({len(self._seats)}), the newest first"),)]

    def _draw(self, index: int, columns: int, focus: bool) -> Sequence[Line]:
        seat = self._seats[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("faint" if seat.over else "row", "faint")
        mark = glyphs["cursor"] if focus else " "
        sign = glyphs["failed"] if seat.trouble else " " if seat.over else glyphs["chosen"]
        title = text.pad(seat.title, columns - 5, script)
        note = text.pad(f"    {seat.note}", columns - 1, script)
        return [
            ((base, f"{mark} {sign} {title}"),),
            (("bad" if seat.trouble and not focus else faint, note),),
        ]
