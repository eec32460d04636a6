"""The list of games."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.live.needs import Cancel
from interfaces.tui.live.world import State, Topic
from interfaces.tui.models import home, people, talks
from interfaces.tui.models.home import Home, Row, Section
from interfaces.tui.models.notices import Unplayable
from interfaces.tui.models.people import Choice
from interfaces.tui.models.talks import Thread

from . import challenge, homerows
from .base import Desk, Screen
from .homerows import Heading, Item, More
from .registry import BY_KEY

AGES_SECONDS = 30.0
"""How often ages are made anew."""


class HomeScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._home = Home(sections=())
        self._items: list[Item] = []
        self._timer: Cancel | None = None
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._items),
            draw=lambda index, columns, focus: homerows.draw(self._items[index], columns, focus, desk.glyphs),
            selectable=lambda index: not isinstance(self._items[index], Heading),
            activate=self._activate,
            moved=self._moved,
        )

    @property
    def widget(self) -> urwid.Widget:
        return self._rows

    def shown(self) -> None:
        self.desk.world.show(None)
        self._make()
        self._tick()

    def hidden(self) -> None:
        if self._timer is not None:
            self._timer()
            self._timer = None

    def changed(self, topic: Topic) -> None:
        if topic in (Topic.GAMES, Topic.STATE, Topic.TALKS):
            self._make()

    def title(self) -> tuple[str, str]:
        world = self.desk.world
        turns = self._home.count(Section.YOUR_TURN)
        asked = self._home.count(Section.INVITATIONS)
        left = f"Games of {world.my_name}" if world.my_name else "Games"
        right = ", ".join(
            part
            for part in (f"{turns} your turn" if turns else "", f"{asked} invite you" if asked else "")
            if part
        )
        return left, right

    def status(self) -> str:
        chosen = self._chosen()
        match chosen:
            case Row():
                return self._about(chosen)
            case Unplayable():
                return chosen.text or chosen.title
            case Thread():
                return f"{chosen.who}: {chosen.last}"
            case Choice():
                return "It plays at once, without any network."
            case More():
                return "Older games that are over."
            case _:
                return ""

    def _about(self, row: Row) -> str:
        presence = {
            "here": "heard lately",
            "away": "not heard lately",
            "unknown": "never heard",
        }[row.presence]
        parts = [
            homerows.texts(row),
            row.state,
            row.flag,
            row.delivery.text if row.delivery else "",
            presence,
        ]
        if self._house(row):
            parts.pop()
        return f"{row.peer_name or row.peer[:8]}: {'; '.join(part for part in parts if part)}"

    def _house(self, row: Row) -> bool:
        return row.peer in self.desk.world.always_here

    def hints(self) -> Sequence[Hint]:
        chosen = self._chosen()
        hints = []
        if isinstance(chosen, Row):
            if chosen.section is Section.INVITATIONS:
                hints += [Hint("a", "accept"), Hint("x", "forget" if chosen.stranger else "decline")]
            if not chosen.stranger:
                hints.insert(0, Hint("enter", "open"))
        elif isinstance(chosen, Choice):
            hints.append(Hint("enter", "play"))
        elif isinstance(chosen, Thread):
            hints.append(Hint("enter", "read"))
        elif isinstance(chosen, Unplayable):
            hints += [Hint("enter", "read"), Hint("x", "forget")]
        unread = sum(self.desk.world.talks.unread.values())
        labels = {"talks": f"texts ({unread} new)"} if unread else {}
        hints += [Hint(entry.key, labels.get(entry.name, entry.label)) for entry in BY_KEY.values()]
        return [*hints, Hint("?", "help", last=True), Hint("q", "quit", last=True)]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        signs = self.desk.glyphs
        keys = [
            ("enter", "open the game, or play the one that is offered"),
            ("a", "accept the invitation"),
            ("x", "decline it; a stranger is told nothing"),
            *((entry.key, entry.what) for entry in BY_KEY.values()),
            ("q", "quit"),
        ]
        notes = [
            f"{signs['unread']} something is new. Behind the name: {signs['queued']} waits, "
            f"{signs['sent']} sent, {signs['stored']} at a propagation node, {signs['delivered']} delivered, "
            f"{signs['failed']} failed; {signs['here']} heard lately, {signs['away']} not, "
            f"{signs['unknown']} never.",
            "A move that could not be delivered is sent again by itself as soon as the other side is heard.",
        ]
        return "Your games", keys, notes

    def key(self, key: str) -> bool:
        chosen = self._chosen()
        if key in BY_KEY:
            self.desk.go(BY_KEY[key].name)
        elif key == "x" and isinstance(chosen, Unplayable):
            self.desk.world.dismiss(chosen)
        elif isinstance(chosen, Row) and chosen.section is Section.INVITATIONS and key in ("a", "x"):
            self._answer(chosen, accept=key == "a")
        else:
            return False
        return True

    # The list

    def _make(self) -> None:
        world = self.desk.world
        before = self._chosen()
        now = world.now()
        self._home = home.arrange(
            world.games.values(), world.names, now, world.always_here, world.talks.unread
        )
        items: list[Item] = []
        if world.unplayable:
            items += [Heading("Not playable here"), *reversed(world.unplayable)]
        found = talks.threads(world.talks.threads, world.talks.unread, world.peer_names(), now)
        letters = talks.without_game(found, world.games.values())
        if letters:
            items += [Heading("New texts"), *letters]
        live = False
        for section, rows in self._home.sections:
            if section is Section.FINISHED:
                items += self._offered(live)
            else:
                live = True
            items += [Heading(f"{section.value} ({len(rows)})"), *rows]
        if not any(section is Section.FINISHED for section, _ in self._home.sections):
            items += self._offered(live)
        if world.more is not None:
            items.append(More())
        if not items:
            items = [Heading(world.words or "Loading.", "text")]
        self._items = items
        # Where "older games" stood is the first of them now.
        self._rows.changed(None if isinstance(before, More) else homerows.place(items, before))
        self.desk.refresh()

    def _offered(self, live: bool) -> list[Item]:
        """For whoever has no game that goes on: what can be played at once."""
        world = self.desk.world
        if live or world.state is State.CONNECTING:
            return []
        games = people.people(world.house, (), (), world.now(), newcomer=True).house
        if not games:
            return [Heading("No game goes on. n challenges somebody.", "text")]
        return [Heading("Play at once, against the house"), *games]

    def _chosen(self) -> Item | None:
        at = self._rows.chosen if self._items else None
        return None if at is None else self._items[at]

    def _moved(self, _index: int) -> None:
        if isinstance(self._chosen(), More):
            self.desk.world.load_more()
        self.desk.refresh()

    def _activate(self, index: int) -> None:
        item = self._items[index]
        match item:
            case Row() if item.stranger:
                self._stranger(item)
            case Row():
                self.desk.open_game(item.key)
            case Thread():
                self.desk.open_talk(item.peer)
            case Choice():
                challenge.house(self.desk, item)
            case More():
                self.desk.world.load_more()
            case Unplayable():
                self.desk.layers.help(
                    item.title, (), [item.text or "It came without a text.", "x forgets it."]
                )
            case _:
                return

    def _stranger(self, row: Row) -> None:
        name = row.peer_name or row.peer[:8]
        self.desk.layers.choose(
            f"{name}, whom you do not know, would like to play {row.game}.",
            [
                ("l", "Later"),
                ("a", "Accept: the game begins"),
                ("x", "Forget it: nobody is told"),
                ("b", "Block"),
            ],
            lambda key: self._stranger_answered(row, key),
        )

    def _stranger_answered(self, row: Row, key: str) -> None:
        if key in ("a", "x"):
            self._answer(row, accept=key == "a")
        elif key == "b":
            world = self.desk.world
            self.desk.act("contact.block", {"peer": row.peer}, lambda _: world.load_requests())

    def _answer(self, row: Row, *, accept: bool) -> None:
        where = {"id": row.id, "identity": row.identity}
        if accept:
            self.desk.act("game.accept", where, lambda _: self.desk.open_game(row.key))
        elif row.stranger:
            world = self.desk.world
            self.desk.act("request.decline", where, lambda _: world.load_requests())
        else:
            self.desk.layers.confirm(
                f"Decline {row.game} with {row.peer_name or row.peer[:8]}?",
                lambda: self.desk.act("game.decline", where),
                yes="Decline",
                no="Not yet",
            )

    def _tick(self) -> None:
        self._make()
        self._timer = self.desk.loop.after(AGES_SECONDS, self._tick)
