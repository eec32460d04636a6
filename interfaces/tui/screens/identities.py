"""The identities of this node: which one the window shows and acts as, and making another."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.world import Topic
from interfaces.tui.models import identities, settings
from interfaces.tui.models.identities import Identity

from . import identity
from .base import Desk, Json, Screen


class IdentitiesScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._found: tuple[Identity, ...] = ()
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._found),
            draw=self._draw,
            activate=lambda _: self._use(),
            moved=lambda _: desk.refresh(),
        )

    @property
    def widget(self) -> urwid.Widget:
        return self._rows

    def shown(self) -> None:
        self._make()
        self._rows.changed(next((at for at, one in enumerate(self._found) if one.shown), 0))
        # Policy and default change without an event.
        self.desk.world.load_identities()

    def changed(self, topic: Topic) -> None:
        if topic is Topic.STATE:
            self._make()

    def title(self) -> tuple[str, str]:
        return "Identities", f"shown: {self.desk.world.my_name}"

    def status(self) -> str:
        one = self._chosen()
        if one is None:
            return ""
        policy = f"; challenges from {settings.POLICIES.get(one.policy, one.policy)}" if one.policy else ""
        return f"{one.hash}{policy}"

    def hints(self) -> Sequence[Hint]:
        one = self._chosen()
        on = one is not None and one.enabled
        return [
            Hint("enter", "show"),
            Hint("c", "create"),
            Hint("r", "rename"),
            Hint("p", "policy"),
            Hint("e", "off the mesh" if on else "on the mesh"),
            Hint("d", "default"),
            Hint("k", "keep its key"),
            Hint("b", "bring in"),
            Hint("x", "delete"),
            Hint("?", "help", last=True),
            Hint("esc", "back", last=True),
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        keys = [
            ("enter", "show its games, and act as it from now on"),
            ("c", "create another one"),
            ("r", "give it another name"),
            ("p", "whose challenges it takes"),
            ("e", "take it off the mesh, or bring it back; its games stay"),
            ("d", "what is meant where a command or a new window names none"),
            ("k", "write its private key to a file, which brings it back anywhere"),
            ("b", "bring one in from such a file"),
            ("x", "delete it, with its key and its games"),
            ("esc", "back to the games"),
        ]
        notes = [
            "Each identity has an address and games of its own, and is somebody else to others. The list of "
            "games says whose they are.",
            "A copy of all, games too, is made by lrgpnode backup.",
        ]
        return "Identities", keys, notes

    def key(self, key: str) -> bool:
        one = self._chosen()
        if key == "c":
            identity.create(self.desk, lambda made: self._created(made, "made"))
        elif key == "b":
            identity.bring_in(self.desk, lambda made: self._created(made, "here"))
        elif one is None:
            return False
        elif key == "r":
            identity.rename(self.desk, one.hash, one.name)
        elif key == "p":
            identity.choose_policy(self.desk, one.hash, one.name)
        elif key == "k":
            identity.export(self.desk, one.hash, one.name)
        elif key == "x":
            identity.delete(self.desk, one.hash, one.name)
        elif key == "d":
            self.desk.act("identity.default", {"identity": one.hash}, lambda _: self._default(one.name))
        elif key == "e" and one.enabled:
            self.desk.layers.confirm(
                f"Take {one.name} off the mesh? Nobody reaches it then, and what it has to send waits.",
                lambda: self._turn("identity.disable", one),
                yes="Take it off",
                no="Leave it on",
            )
        elif key == "e":
            self._turn("identity.enable", one)
        else:
            return False
        return True

    def _use(self) -> None:
        one = self._chosen()
        if one is None:
            return
        self.desk.world.switch(one.hash)
        self.desk.go("home")
        self.desk.say(f"These are the games of {one.name}.")

    def _created(self, made: Json, what: str) -> None:
        self.desk.world.load_identities()
        self.desk.say(f"{made['name']} is {what}. Enter shows its games.")

    def _default(self, name: str) -> None:
        self.desk.world.load_identities()
        self.desk.say(f"{name} is meant where none is named.")

    def _turn(self, method: str, one: Identity) -> None:
        def done(result: Json) -> None:
            self.desk.world.load_identities()
            self.desk.say(f"{result['name']} is {'on' if result['enabled'] else 'off'} the mesh.")

        self.desk.act(method, {"identity": one.hash}, done)

    def _make(self) -> None:
        before = self._chosen()
        world = self.desk.world
        self._found = identities.identities(world.identities.values(), world.me)
        same = (at for at, one in enumerate(self._found) if before is not None and one.hash == before.hash)
        self._rows.changed(next(same, None))
        self.desk.refresh()

    def _chosen(self) -> Identity | None:
        at = self._rows.chosen if self._found else None
        return None if at is None else self._found[at]

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        one = self._found[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        sign = glyphs["chosen"] if one.shown else " "
        note = f" {one.note}"
        name = text.pad(f"{one.name} ({one.hash[:8]})", max(8, columns - 5 - text.width(note)), script)
        return ((base, f"{mark} {sign} {name}"), (faint, note))
