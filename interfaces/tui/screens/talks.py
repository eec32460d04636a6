"""What was written with whom: the list of conversations, and the one that is open beside it."""

from __future__ import annotations

from collections.abc import Sequence

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.beside import Beside
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.world import Topic
from interfaces.tui.models import identities, talks, words
from interfaces.tui.models.talks import Thread

from .base import Desk, Screen
from .talkpane import TalkPane


class TalksScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._found: tuple[Thread, ...] = ()
        self._peer: str | None = None
        self._rows = Rows(
            desk.glyphs,
            count=lambda: max(1, len(self._found)),
            draw=self._draw,
            selectable=lambda index: index < len(self._found),
            activate=lambda index: self.use(self._found[index].peer),
            moved=lambda _: desk.refresh(),
        )
        self._talk = TalkPane(desk)
        self._sides = Beside(
            self._rows, self._talk, desk.glyphs, lambda: self._peer is not None, self._sides_changed
        )

    @property
    def widget(self) -> urwid.Widget:
        return self._sides

    def use(self, peer: str) -> None:
        """Open what was written with this peer."""
        world = self.desk.world
        self._peer = peer
        world.talks.show(peer)
        self._talk.use(world.called(peer))
        self._sides.show(True, keys=True)
        world.talks.look(True)
        self._make()

    def shown(self) -> None:
        self._make()

    def hidden(self) -> None:
        self.desk.world.talks.look(False)
        self._peer = None
        self._sides.show(False, keys=False)

    def changed(self, topic: Topic) -> None:
        if topic in (Topic.TALKS, Topic.PEOPLE, Topic.STATE):
            self._talk.changed()
            self._make()

    def title(self) -> tuple[str, str]:
        world = self.desk.world
        unread = sum(one.unread for one in self._found)
        return identities.shown(world.my_name, "Texts", len(world.persons)), f"{unread} new" if unread else ""

    def status(self) -> str:
        if self._sides.at_side:
            return f"What you write to {self._talk.name}. Tab or Esc: back to the list."
        one = self._chosen()
        return "" if one is None else f"{one.peer}{'; ' if one.news else ''}{one.news}"

    @property
    def covered(self) -> bool:
        return self._sides.covered

    def hints(self) -> Sequence[Hint]:
        if self._sides.at_side:
            return [
                Hint("enter", "send"),
                Hint("page up", "older"),
                Hint("tab", "list"),
                Hint("esc", "close", last=True),
            ]
        opens = [Hint("enter", "open")] if self._found else []
        return [
            *opens,
            Hint("n", "somebody else"),
            Hint("?", "help", last=True),
            Hint("esc", "back", last=True),
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        signs = self.desk.glyphs
        keys = [
            ("enter", "open what was written with somebody, and a line to write in"),
            ("n", "write to somebody else: w on the list of people"),
            ("tab", "from the line to the list, and back"),
            ("esc", "close, then back to the games"),
        ]
        notes = [
            f"{signs['unread']} is new. Behind a text of yours: {signs['queued']} waits, {signs['sent']} "
            f"sent, {signs['stored']} at a propagation node, {signs['delivered']} delivered, "
            f"{signs['failed']} not.",
            "A text is a plain LXMF message, which any client can read.",
        ]
        return "Texts", keys, notes

    def key(self, key: str) -> bool:
        if self._sides.at_side:
            if key in ("tab", "shift tab"):
                self._sides.show(True, keys=False)
            elif key == "esc":
                self._close()
            self.desk.refresh()
            return key in ("tab", "shift tab", "esc", "up", "down")
        if key in ("tab", "shift tab") and self._sides.open:
            self._sides.show(True, keys=True)
            self.desk.refresh()
        elif key == "esc" and self._sides.open:
            self._close()
        elif key == "n":
            self.desk.go("invite")
            self.desk.say("w writes to whom you have chosen.")
        else:
            return False
        return True

    def _close(self) -> None:
        self._peer = None
        self._sides.show(False, keys=False)
        self.desk.world.talks.look(False)
        self._make()

    def _sides_changed(self) -> None:
        # Not in the middle of drawing.
        self.desk.loop.after(0.0, self._resized)

    def _resized(self) -> None:
        self.desk.world.talks.look(self._sides.side_shown)
        self.desk.refresh()

    def _make(self) -> None:
        world, before = self.desk.world, self._chosen()
        self._found = talks.threads(world.talks.threads, world.talks.unread, world.peer_names(), world.now())
        wanted = self._peer or (before.peer if before is not None else None)
        self._rows.changed(next((at for at, one in enumerate(self._found) if one.peer == wanted), None))
        if self._peer is not None:
            self._talk.name = world.called(self._peer)
        self.desk.refresh()

    def _chosen(self) -> Thread | None:
        at = self._rows.chosen if self._found else None
        return None if at is None else self._found[at]

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        if not self._found:
            empty = "Nothing was written yet. n: to whom?" if self.desk.world.talks.known else "Loading."
            return (("text", f" {empty}"),)
        one = self._found[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        strong = "unread" if one.unread and not focus else base
        news = glyphs["unread"] if one.unread else " "
        sign = glyphs[one.state] if one.own and one.state else " "
        name = min(24, max(14, columns // 3))
        said = f"you: {one.last}" if one.own else one.last
        room = max(4, columns - name - 14)
        return (
            (base, f"{glyphs['cursor'] if focus else ' '} "),
            (strong, f"{news} {text.pad(words.who(one.name, one.peer), name, script)} "),
            (faint, f"{text.pad(said, room, script)} {sign}{one.age:>6} "),
        )
