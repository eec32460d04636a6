"""Propagation nodes and mail."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.models import mail, words
from interfaces.tui.models.mail import Node
from interfaces.tui.screens.base import Desk
from interfaces.tui.screens.factsheet import facts_lines
from interfaces.tui.screens.prompt import ask

from .base import Pane
from .topped import Topped


class MailPane(Pane):
    label = "Mail"

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._nodes: tuple[Node, ...] = ()
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._nodes),
            draw=self._draw,
            activate=lambda _: self._use(),
            moved=lambda _: desk.refresh(),
            high=2,
        )
        self._all = Topped(self._top, self._rows, desk.glyphs)

    @property
    def widget(self) -> urwid.Widget:
        return self._all

    def wants(self) -> Sequence[Ask]:
        return [("propagation.status", {})]

    def make(self) -> None:
        world = self.desk.world
        before = self._chosen()
        self._nodes = mail.nodes(world.answers.get("propagation.status"), world.now())
        same = (at for at, node in enumerate(self._nodes) if before is not None and node.hash == before.hash)
        self._rows.changed(next(same, None))
        self._all.changed()
        self.desk.refresh()

    def status(self) -> str:
        node = self._chosen()
        return f"{node.hash}: {node.note}" if node is not None else ""

    def hints(self) -> Sequence[Hint]:
        found = [Hint("s", "sync now"), Hint("a", "add")]
        return [Hint("enter", "use"), *found, Hint("x", "remove")] if self._chosen() is not None else found

    def keys(self) -> Sequence[tuple[str, str]]:
        return [
            ("s", "fetch the mail of all identities now"),
            ("enter", "use this propagation node before all others"),
            ("n", "prefer none: the first that works"),
            ("a", "add a node by its address"),
            ("x", "take out a node that was added or chosen"),
        ]

    def notes(self) -> Sequence[str]:
        return [
            "A propagation node keeps mail for whoever is away. They are tried in this order; "
            f"{self.desk.glyphs['chosen']} is in use."
        ]

    def key(self, key: str) -> bool:
        node = self._chosen()
        if key == "s":
            self.desk.act("propagation.sync", {}, self._syncing)
        elif key == "a":
            note = "The 32 characters of the address of a propagation node."
            ask(self.desk, "Add a propagation node", note, self._add)
        elif key == "n":
            self.desk.act("propagation.use", {}, lambda _: self._after("No node is preferred."))
        elif key == "x" and node is not None:
            self.desk.layers.confirm(
                f"Take out the propagation node {words.who(node.name, node.hash)}?",
                lambda: self.desk.act(
                    "propagation.remove", {"node": node.hash}, lambda _: self._after("It is taken out.")
                ),
                yes="Take it out",
                no="Keep it",
            )
        else:
            return False
        return True

    def _use(self) -> None:
        node = self._chosen()
        if node is not None:
            name = words.who(node.name, node.hash)
            done = f"{name} is used before all others."
            self.desk.act("propagation.use", {"node": node.hash}, lambda _: self._after(done))

    def _add(self, address: str) -> None:
        address = address.strip("<>").lower()
        if not words.is_address(address):
            self.desk.say(words.NO_ADDRESS, trouble=True)
            return
        self.desk.act("propagation.add", {"node": address}, lambda _: self._after("It is added."))

    def _after(self, said: str) -> None:
        self.desk.say(said)
        self.desk.world.answers.ask("propagation.status")

    def _syncing(self, result: object) -> None:
        node = self.desk.world.answers.get("propagation.status")
        if node is not None and not node["nodes"]:
            self.desk.say("There is no propagation node to fetch mail from.", trouble=True)
        else:
            self._after("Fetching the mail.")

    def _chosen(self) -> Node | None:
        at = self._rows.chosen if self._nodes else None
        return None if at is None else self._nodes[at]

    def _top(self, columns: int) -> list[Line]:
        world = self.desk.world
        names = {hash: str(one["name"]) for hash, one in world.identities.items()}
        status = world.answers.get("propagation.status")
        lines = facts_lines(mail.about(status, names, world.now()), columns, self.desk.glyphs)
        head = f" Propagation nodes ({len(self._nodes)}), as they are tried"
        return [*lines, (), (("heading", head),)]

    def _draw(self, index: int, columns: int, focus: bool) -> Sequence[Line]:
        node = self._nodes[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        sign = glyphs["chosen"] if node.current else glyphs["failed"] if node.trouble else " "
        source = f" {node.source} "
        name = text.pad(words.who(node.name, node.hash), max(8, columns - 4 - len(source)), script)
        note = text.pad(f"    {node.note}", columns - 1, script)
        return [
            ((base, f"{mark} {sign} {name}"), (faint, source)),
            (("bad" if node.trouble and not focus else faint, note),),
        ]
