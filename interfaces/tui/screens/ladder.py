"""The ladder of an arcade: who stands where, and the matches, each of which opens move by move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import urwid

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Hint
from interfaces.tui.kit.rows import Rows
from interfaces.tui.kit.segments import Line
from interfaces.tui.live.answers import Ask
from interfaces.tui.live.world import Topic
from interfaces.tui.models import ladder
from interfaces.tui.models.ladder import Match, Rank
from lrgpnode.protocol.value import Value

from .base import Desk, Json, Screen
from .replaypane import KEYS, ReplayPane

WIDE: Final = 66
PAGE: Final = 20


@dataclass(frozen=True, slots=True, repr=False)
class Heading(Value):
    text: str
    role: str = "heading"


@dataclass(frozen=True, slots=True, repr=False)
class Older(Value):
    """There are matches before this number."""

    before: int


Item = Heading | Rank | Match | Older


class LadderScreen(Screen):
    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._items: list[Item] = []
        self._game: str | None = None
        self._chosen_game: str | None = None
        self._player: str | None = None
        self._older: list[Json] = []
        self._more: bool | None = None
        self._replaying = False
        self._rows = Rows(
            desk.glyphs,
            count=lambda: len(self._items),
            draw=self._draw,
            selectable=lambda index: not isinstance(self._items[index], Heading),
            activate=self._activate,
            moved=lambda _: desk.refresh(),
        )
        self._replay = ReplayPane(desk, desk.refresh)
        self._box: urwid.WidgetPlaceholder[urwid.Widget] = urwid.WidgetPlaceholder(self._rows)

    # What the interface asks

    @property
    def widget(self) -> urwid.Widget:
        return self._box

    def shown(self) -> None:
        self._ask()
        self._make()

    def hidden(self) -> None:
        self.desk.world.answers.want()

    def changed(self, topic: Topic) -> None:
        if topic in (Topic.ANSWERS, Topic.STATE):
            self._make()

    def title(self) -> tuple[str, str]:
        if self._replaying:
            return self._replay.title, ""
        found = self._ladder
        names = {str(one["game"]): str(one["name"]) for one in (found or {}).get("games", ())}
        shown = names.get(str((found or {}).get("game")), "")
        return f"Ladder: {shown}" if shown else "Ladder", str((found or {}).get("source", ""))

    def status(self) -> str:
        if self._replaying:
            return ""
        chosen = self._chosen()
        if isinstance(chosen, Rank):
            return f"{chosen.name}: {chosen.rating}; {chosen.ended}"
        if isinstance(chosen, Match):
            return f"{chosen.players}: {chosen.outcome}"
        return self.desk.world.answers.trouble

    def hints(self) -> Sequence[Hint]:
        last = [Hint("?", "help", last=True), Hint("esc", "back", last=True)]
        if self._replaying:
            return [*self._replay.hints, *last]
        opens = {Rank: "matches", Match: "replay", Older: "older ones"}.get(type(self._chosen()), "")
        return [
            *([Hint("enter", opens)] if opens else []),
            Hint("tab", "next game"),
            Hint("r", "again"),
            *last,
        ]

    def help(self) -> tuple[str, Sequence[tuple[str, str]], Sequence[str]]:
        if self._replaying:
            return "A match", KEYS, ()
        keys = [
            ("enter", "the matches of a player; a match move by move"),
            ("tab", "the ladder of the next game; the arrows left and right go there, too"),
            ("r", "ask the arcade again"),
            ("esc", "the matches of all, then back to the games"),
        ]
        notes = [
            "It is the ladder of this node's arcade, or of the one that the setting arcade.ladder_url names. "
            "Programs and people play there; everybody begins at 1500.",
            "How your own games with others have ended stands on the list of people (n), and nowhere else.",
        ]
        return "The ladder", keys, notes

    def key(self, key: str) -> bool:
        if key == "esc" and self._replaying:
            self._show(replay=False)
        elif self._replaying:
            return False
        elif key == "esc" and self._player is not None:
            self._choose(None)
        elif key in ("tab", "right", "shift tab", "left"):
            self._turn(1 if key in ("tab", "right") else -1)
        elif key == "r":
            self._ask()
        else:
            return False
        return True

    # Asking

    @property
    def _ladder(self) -> Json | None:
        return self.desk.world.answers.get("ladder.show")

    def _wants(self) -> Sequence[Ask]:
        """Which game comes first is not known before the arcade says so."""
        show: Ask = ("ladder.show", {} if self._chosen_game is None else {"game": self._chosen_game})
        if self._game is None:
            return [show]
        player = {} if self._player is None else {"player": self._player}
        return [show, ("ladder.matches", {"game": self._game, **player, "limit": PAGE})]

    def _ask(self) -> None:
        self._older, self._more = [], None
        self.desk.world.answers.want(*self._wants())

    def _turn(self, step: int) -> None:
        """The ladder of another game."""
        found = self._ladder
        if found is None:
            return
        games = [str(one["game"]) for one in found["games"]]
        at = games.index(str(found["game"])) if found["game"] in games else 0
        self._game = self._chosen_game = games[(at + step) % len(games)]
        self._player = None
        self._ask()
        self._make()
        self._rows.changed(0)

    def _choose(self, player: str | None) -> None:
        self._player = player
        self._ask()
        self._make()

    def _load_older(self, before: int) -> None:
        *_, (method, params) = self._wants()
        asked = (self._game, self._player)

        def arrived(page: Json) -> None:
            if asked == (self._game, self._player):
                self._older += page["matches"]
                self._more = bool(page["more"])
                self._make()

        self.desk.act(method, {**params, "before": before}, arrived)

    # The list

    def _make(self) -> None:
        before = self._chosen()
        if self._game is None and self._ladder is not None:
            self._game = str(self._ladder["game"])
            self.desk.world.answers.want(*self._wants())
        found, played = self._ladder, self.desk.world.answers.get("ladder.matches")
        items: list[Item] = []
        if found is None:
            trouble = self.desk.world.answers.trouble
            items.append(Heading(trouble or "Loading.", "text"))
            items += [Heading("? says where a ladder comes from.", "faint")] if trouble else []
        else:
            items.append(Heading(f"{ladder.going_on(found)}.", "faint"))
            ranked = ladder.ranks(found)
            items += [Heading("Ratings"), *(ranked or [Heading("Nobody has played a rated match.", "faint")])]
        if found is not None and played is not None:
            rows = [*played["matches"], *self._older]
            more = played["more"] if self._more is None else self._more
            shown = ladder.matches(rows, self.desk.world.now())
            title = "Matches" if self._player is None else f"Matches of {self._player}"
            items += [Heading(title), *(shown or [Heading("None was played yet.", "faint")])]
            items += [Older(int(rows[-1]["number"]))] if more and rows else []
        self._items = items
        self._rows.changed(next((at for at, one in enumerate(items) if _same(one, before)), None))
        self.desk.refresh()

    def _chosen(self) -> Item | None:
        at = self._rows.chosen if self._items else None
        return None if at is None else self._items[at]

    def _activate(self, index: int) -> None:
        match self._items[index]:
            case Rank(name=name):
                self._choose(name)
            case Match(number=number):
                self._replay.use(number)
                self._show(replay=True)
            case Older(before=before):
                self._load_older(before)
            case _:
                return

    def _show(self, *, replay: bool) -> None:
        self._replaying = replay
        self._box.original_widget = self._replay.widget if replay else self._rows
        self.desk.refresh()

    def _draw(self, index: int, columns: int, focus: bool) -> Line:
        item = self._items[index]
        glyphs, script = self.desk.glyphs, self.desk.glyphs.script
        base, faint = ("focus", "focus faint") if focus else ("row", "faint")
        mark = glyphs["cursor"] if focus else " "
        match item:
            case Heading():
                return ((item.role, f" {text.fit(item.text, columns - 2, script)}"),)
            case Rank():
                tail = f"{item.ended} " if columns >= WIDE else ""
                name = text.pad(item.name, max(8, columns - 16 - text.width(tail)), script)
                return ((base, f"{mark} {item.rank:>4}  {name} {item.rating:>5} "), (faint, tail))
            case Match():
                tail = f" {item.plies:>4} moves {item.age:>6} " if columns >= WIDE else f" {item.age:>6} "
                number = f"{item.number:>6}"
                room = max(8, columns - 4 - len(number) - len(tail))
                said = text.pad(f"{item.players}: {item.outcome}", room, script)
                role = faint if item.void else base
                return ((base, f"{mark} "), (faint, f"{number} "), (role, said), (faint, tail))
            case Older():
                return ((base, f"{mark} Older matches"),)


def _same(item: Item, before: Item | None) -> bool:
    if isinstance(item, Match) and isinstance(before, Match):
        return item.number == before.number
    return item == before and not isinstance(item, Heading)
