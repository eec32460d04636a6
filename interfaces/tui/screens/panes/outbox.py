"""What of ours is on its way."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.models import outbox
from interfaces.tui.models.outbox import Sending
from interfaces.tui.screens.base import Desk, Json

from .base import Pane
from .topped import Topped

MOST = 50


class OutboxPane(Pane):
    label = "Outbox"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._sending: tuple[Sending, ...] = ()
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._sending),
            draw=self._draw,
            activate=lambda _: self._about(),
            moved=lambda _: desk.refresh(),
            high=2,
        )
        self._all = Topped(self._top, self._rows, desk.glyphs)

    @property
    def widget(self) -> urwid.Widget:
        return self._all

    def wants(self) -> Sequence[Ask]:
        return [("outbox.list", {"limit": MOST})]

    def make(self) -> None:
        world = self.desk.world
        before = self._chosen()
        self._sending = outbox.sending(world.answers.get("outbox.list"), world.now())
        same = (
            at
            for at, one in enumerate(self._sending)
            if before is not None and one.outbox_id == before.outbox_id
        )
        self._rows.changed(next(same, None))
        self._all.changed()
        self.desk.refresh()

    def status(self) -> str:
        one = self._chosen()
        return "" if one is None else one.about

    def hints(self) -> Sequence[Hint]:
        if self._chosen() is None:
            return []
        return [Hint("r", "resend"), Hint("x", "cancel"), Hint("g", "game")]

    def keys(self) -> Sequence[tuple[str, str]]:
        return [
            ("enter", "all that is known of it"),
            ("r", "send it again now, and what follows it in its game"),
            ("x", "cancel it: it is not sent any more"),
            ("g", "the game it belongs to"),
        ]

    def notes(self) -> Sequence[str]:
        return [
            "Nothing needs to be done here: what did not arrive is sent again by itself. What is cancelled "
            "and has not arrived leaves its game out of sync.",
        ]

    def key(self, key: str) -> bool:
        one = self._chosen()
        if one is None or key not in ("r", "x", "g"):
            return False
        if key == "r":
            self.desk.act("outbox.resend", {"outbox_id": one.outbox_id}, self._resent)
        elif key == "x":
            self.desk.layers.confirm(
                f"Cancel your {one.what} to {one.peer}? If it has not arrived, the game is out of sync then.",
                lambda: self.desk.act("outbox.cancel", {"outbox_id": one.outbox_id}, self._cancelled),
                yes="Cancel it",
                no="Leave it",
            )
        elif one.identity == self.desk.world.me:
            self.desk.open_game((one.identity, one.session))
        else:
            self.desk.say("That is a game of another identity: switch to it first.", trouble=True)
        return True

    def _resent(self, result: Json) -> None:
        count = len(result["messages"])
        self.desk.say(f"Sending {count} again." if count else "There is nothing to be sent again.")
        self.desk.world.answers.ask("outbox.list")

    def _cancelled(self, result: Json) -> None:
        self.desk.say("It is not sent any more.")
        self.desk.world.answers.ask("outbox.list")

    def _about(self) -> None:
        one = self._chosen()
        if one is not None:
            self.desk.layers.help(f"Message {one.outbox_id}", (), [f"{one.about}."])

    def _chosen(self) -> Sending | None:
        at = self._rows.chosen if self._sending else None
        return None if at is None else self._sending[at]

    def _top(self, columns: int) -> list[Line]:
        if self.desk.world.answers.get("outbox.list") is None:
            return [(("text", " Loading."),)]
        script = self.desk.glyphs.script
        said = outbox.summary(self._sending)
        return [(("heading", f" {line}"),) for line in text.wrap(said, columns - 1, script)]

    def _draw(self, index: int, columns: int, focus: bool) -> Sequence[Line]:
        one = self._sending[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        whose = str(self.desk.world.identities.get(one.identity, {}).get("name", ""))
        by = f"; {whose}" if len(self.desk.world.persons) > 1 else ""
        name = text.pad(f"{one.what} to {one.peer}", max(8, columns - 11), script)
        role = "bad" if one.trouble and not focus else faint
        return [
            ((base, f"{mark} "), (role, glyphs[one.state]), (base, f" {name}"), (faint, f"{one.age:>5} ")),
            ((role, text.pad(f"    {one.short}{by}", columns - 1, script)),),
        ]
