"""Who was heard, and announcing oneself."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.live.world import Topic
from interfaces.tui.models import announces, words
from interfaces.tui.models.announces import Heard
from interfaces.tui.screens.base import Desk, Json
from interfaces.tui.screens.factsheet import facts_lines

from .base import Pane
from .topped import Topped

WIDE = 66


class HeardPane(Pane):
    label = "Heard"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._heard: tuple[Heard, ...] = ()
        self._held: tuple[Json, ...] = ()
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._heard),
            draw=self._draw,
            activate=lambda _: self._about(),
            moved=lambda _: desk.refresh(),
        )
        self._all = Topped(self._top, self._rows, desk.glyphs)

    @property
    def widget(self) -> urwid.Widget:
        return self._all

    def wants(self) -> Sequence[Ask]:
        return [("identity.show", {"identity": self.desk.world.me})]

    def shown(self) -> None:
        self.desk.world.people.load()

    def changed(self, topic: Topic) -> None:
        if topic in (Topic.PEOPLE, Topic.ANSWERS, Topic.STATE):
            self.make()

    def make(self) -> None:
        world = self.desk.world
        before = self._chosen()
        self._heard = announces.heard(
            world.people.peers.values(), world.now(), world.always_here, world.people.records
        )
        same = (at for at, one in enumerate(self._heard) if before is not None and one.peer == before.peer)
        self._rows.changed(next(same, None))
        self._all.changed()
        self.desk.refresh()

    def status(self) -> str:
        one = self._chosen()
        return "" if one is None else one.about

    def hints(self) -> Sequence[Hint]:
        return [Hint("a", "announce now"), Hint("enter", "details")]

    def keys(self) -> Sequence[tuple[str, str]]:
        return [
            ("a", "announce all identities now, so that others hear of you"),
            ("enter", "the whole address of a peer, and how it was heard"),
        ]

    def notes(self) -> Sequence[str]:
        return ["By radio, an identity is announced once an hour at most: what is held back goes out then."]

    def key(self, key: str) -> bool:
        if key == "a":
            self.desk.act("node.announce", {}, self._announced)
            return True
        return False

    def _announced(self, result: Json) -> None:
        self._held = tuple(result.get("held", ()))
        self.desk.say(announces.announced(result, self.desk.world.now()))
        self.desk.world.answers.ask("identity.show")
        self.make()

    def _about(self) -> None:
        one = self._chosen()
        if one is not None:
            self.desk.layers.help(words.who(one.name, one.peer), (), [one.peer, one.about])

    def _chosen(self) -> Heard | None:
        at = self._rows.chosen if self._heard else None
        return None if at is None else self._heard[at]

    def _top(self, columns: int) -> list[Line]:
        world = self.desk.world
        names = {hash: str(one["name"]) for hash, one in world.identities.items()}
        facts = announces.own(world.answers.get("identity.show"), self._held, names, world.now())
        head = f" Heard ({len(self._heard)})" if self._heard else " Nobody was heard yet."
        return [*facts_lines(facts, columns, self.desk.glyphs), (), (("heading", head),)]

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        one = self._heard[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        interface = f" {text.pad(one.interface, 24, script)}" if columns >= WIDE else ""
        tail = f"{glyphs[one.presence]} {min(one.hops, 99):>2}h {one.age:>5} "
        room = max(8, columns - 3 - text.width(interface) - len(tail))
        name = text.pad(words.who(one.name, one.peer), room, script)
        return ((base, f"{mark} {name}"), (faint, f"{interface} {tail}"))
