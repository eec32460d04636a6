"""Whom one can challenge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.world import Topic
from interfaces.tui.models import identities, people, words
from interfaces.tui.models.people import Choice, Person, Plays
from lrgpnode.protocol.value import Value

from . import challenge
from .base import Desk, Screen
from .prompt import ask

WIDE = 66
ROOMY = 90
SCORE = 24


@dataclass(frozen=True, slots=True, repr=False)
class Heading(Value):
    text: str
    role: str = "heading"


Item = Heading | Choice | Person


class InviteScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._items: list[Item] = []
        self._search = ""
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._items),
            draw=self._draw,
            selectable=lambda index: not isinstance(self._items[index], Heading),
            activate=self._activate,
            moved=lambda _: desk.refresh(),
        )

    @property
    def widget(self) -> urwid.Widget:
        return self._rows

    def shown(self) -> None:
        self._search = ""
        self.desk.world.people.load()
        self._make()
        self._rows.changed(0)

    def changed(self, topic: Topic) -> None:
        if topic in (Topic.PEOPLE, Topic.STATE):
            self._make()

    def title(self) -> tuple[str, str]:
        persons = sum(isinstance(item, Person) for item in self._items)
        world = self.desk.world
        title = identities.shown(world.my_name, "New game", len(world.persons))
        return title, f"/{self._search}" if self._search else f"{persons} heard or known"

    def status(self) -> str:
        match self._chosen():
            case Choice():
                return "It plays at once, without any network."
            case Person() as person:
                hops = "" if person.hops is None else f", {person.hops} hop{'' if person.hops == 1 else 's'}"
                heard = person.heard if person.presence == "unknown" else f"heard {person.heard} ago{hops}"
                blocked = "; blocked" if person.blocked else ""
                ended = f"; {person.score}" if person.score else ""
                said = f"{person.name or person.peer[:8]} {person.plays.value}; {heard}{blocked}{ended}"
                return said.replace("heard now ago", "heard just now")
            case _:
                return ""

    def hints(self) -> Sequence[Hint]:
        return [
            Hint("enter", "challenge"),
            Hint("/", "search"),
            *([Hint("w", "write")] if isinstance(self._chosen(), Person) else []),
            Hint("t", "type an address"),
            Hint("?", "help", last=True),
            Hint("esc", "back", last=True),
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        signs = self.desk.glyphs
        keys = [
            ("enter", "challenge: it asks for the game, and for the level in the house"),
            ("/", "search by name or address"),
            ("w", "write a text to whom you have chosen"),
            ("t", "challenge somebody by an address that you were given"),
            ("esc", "back to the games"),
        ]
        notes = [
            f"{signs['here']} heard lately, {signs['away']} not, {signs['unknown']} never heard. The number "
            "is how many hops away somebody is.",
            "Whoever is away can be challenged as well: the challenge goes by a propagation node and waits "
            "there, or is sent as soon as they are heard. It stays open for a day or more.",
            "Who has never played and does not announce that it plays may not have a client that does.",
        ]
        return "New game", keys, notes

    def key(self, key: str) -> bool:
        if key == "/":
            ask(self.desk, "Search", "A part of the name, or the beginning of the address.", self._searched)
        elif key == "t":
            note = "The 32 characters of the address that the other player's program shows."
            ask(self.desk, "Challenge an address", note, self._typed)
        elif key == "w" and isinstance(chosen := self._chosen(), Person):
            self.desk.open_talk(chosen.peer)
        elif key == "esc" and self._search:
            self._search = ""
            self._make()
        else:
            return False
        return True

    def _searched(self, wanted: str) -> None:
        self._search = wanted
        self._make()
        self._rows.changed(0)

    def _typed(self, address: str) -> None:
        address = address.strip("<>").lower()
        if not words.is_address(address):
            self.desk.say(words.NO_ADDRESS, trouble=True)
            return
        known = next((one for one in self._persons() if one.peer == address), None)
        plain = Person(
            peer=address,
            name="",
            contact=False,
            plays=Plays.PERHAPS,
            presence="unknown",
            hops=None,
            heard="never heard",
        )
        challenge.person(self.desk, known or plain)

    def _found(self) -> people.People:
        world = self.desk.world
        return people.people(
            world.house,
            world.people.peers.values(),
            world.people.contacts.values(),
            world.now(),
            newcomer=not world.games,
            own=tuple(world.identities),
            records=world.people.records,
        )

    def _persons(self) -> list[Person]:
        wanted = self._search.casefold()
        return [
            one
            for one in self._found().persons
            if not wanted or wanted in one.name.casefold() or one.peer.startswith(wanted)
        ]

    def _make(self) -> None:
        before = self._chosen()
        found = self._found()
        persons: list[Item] = [Heading("People"), *self._persons()]
        if len(persons) == 1:
            empty = "Nobody fits." if self._search else "Nobody was heard yet."
            persons.append(Heading(f"  {empty}", "faint"))
        house: list[Item] = [Heading("The house"), *found.house] if found.house and not self._search else []
        self._items = [*house, *persons] if found.house_first else [*persons, *house]
        place = next((number for number, item in enumerate(self._items) if _same(item, before)), None)
        self._rows.changed(place)
        self.desk.refresh()

    def _chosen(self) -> Item | None:
        at = self._rows.chosen if self._items else None
        return None if at is None else self._items[at]

    def _activate(self, index: int) -> None:
        match self._items[index]:
            case Choice() as game:
                challenge.house(self.desk, game)
            case Person() as who:
                challenge.person(self.desk, who)
            case _:
                return

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        item = self._items[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        match item:
            case Heading():
                return ((item.role, f" {item.text}"),)
            case Choice():
                levels = f"{len(item.levels)} levels" if len(item.levels) > 1 else ""
                return ((base, f"{mark} {text.pad(item.name, 18, script)} "), (faint, levels))
            case Person():
                wide = columns >= WIDE
                hops = "   " if item.hops is None else f"{min(item.hops, 99):>2}h"
                tail = f"{glyphs[item.presence]} {hops} {item.heard if item.hops is not None else '':>5} "
                plays = (
                    f"{item.plays.value:<15}"
                    if wide
                    else {"plays": "+", "may play": "?"}.get(item.plays.value, "-")
                )
                # Where there is no room the row at the bottom has it.
                ended = f"{item.score:<{SCORE}} " if columns >= ROOMY else ""
                room = columns - 3 - len(ended) - len(plays) - len(tail) - 1
                name = text.pad(words.who(item.name, item.peer), max(8, room), script)
                role = base if item.can_be_challenged or focus else "faint"
                known = glyphs["chosen"] if item.contact else " "
                return ((base, mark), (faint, f"{known} "), (role, name), (faint, f" {ended}{plays}{tail}"))


def _same(item: Item, before: Item | None) -> bool:
    if isinstance(item, Person) and isinstance(before, Person):
        return item.peer == before.peer
    return item == before
