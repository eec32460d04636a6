"""The list of games: first those that ask for something of the person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lrgpnode.protocol.value import Value

from . import words
from .words import Delivery

Json = Mapping[str, Any]


class Section(Enum):
    """In the order of the list. The value is its title."""

    YOUR_TURN = "Your turn"
    WAITING = "Waiting for the other player"
    INVITATIONS = "Invitations"
    FINISHED = "Finished"


SIGNS: Final[Mapping[Section, str]] = {
    Section.YOUR_TURN: "your turn",
    Section.WAITING: "waiting",
    Section.INVITATIONS: "invitation",
    Section.FINISHED: "finished",
}
"""The glyph of each section."""

_STATES: Final = {"completed": "over", "declined": "declined", "expired": "time is up"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Row(Value):
    """One game. ``state`` is what it waits for; ``presence`` names a glyph; ``flag`` a remark, or "".

    ``stranger``: the challenge waits to be let in, there is no session yet.
    """

    id: str
    identity: str
    section: Section
    game: str
    peer: str
    peer_name: str
    state: str
    age: str
    presence: str
    unread: bool = False
    stranger: bool = False
    delivery: Delivery | None = None
    flag: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.identity, self.id


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Home(Value):
    """``sections`` has those with a game, in order."""

    sections: tuple[tuple[Section, tuple[Row, ...]], ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for _, rows in self.sections for row in rows)

    def count(self, section: Section) -> int:
        return sum(len(rows) for found, rows in self.sections if found is section)


def arrange(
    games: Iterable[Json], names: Mapping[str, str], now: float, present: Collection[str] = ()
) -> Home:
    """``games`` are the entries of ``game.list``; ``names`` what games are called, by app id;
    ``present`` are peers that are always there, as the house is.

    Within a section what happened last comes first, in that of one's own turn what waits longest.
    """
    found: dict[Section, list[tuple[float, Row]]] = {section: [] for section in Section}
    for game in games:
        row = _row(game, names, now, game["peer"] in present)
        found[row.section].append((float(game["last_action_at"]), row))
    sections = []
    for section, rows in found.items():
        rows.sort(key=lambda pair: pair[0], reverse=section is not Section.YOUR_TURN)
        if rows:
            sections.append((section, tuple(row for _, row in rows)))
    return Home(sections=tuple(sections))


def section(game: Json) -> Section:
    """Where a game belongs."""
    status = game["status"]
    if status == "pending":
        return Section.WAITING if game["initiator"] == game["identity"] else Section.INVITATIONS
    if status == "active":
        return Section.YOUR_TURN if game.get("your_turn") else Section.WAITING
    return Section.FINISHED


def _row(game: Json, names: Mapping[str, str], now: float, present: bool) -> Row:
    flags = game.get("flags") or ()
    app = str(game["app"])
    installed = app in names or not names
    return Row(
        id=game["id"],
        identity=game["identity"],
        section=section(game),
        game=names.get(app, app),
        peer=game["peer"],
        peer_name=game.get("peer_name", ""),
        state=_state(game) if installed else "not installed here",
        age=words.age(now - float(game["last_action_at"])),
        presence="here" if present else words.presence(game.get("peer_heard_at"), now),
        unread=bool(game.get("unread")),
        stranger=bool(game.get("request")),
        delivery=words.delivery(game.get("last_own")),
        flag="out of sync" if "out_of_sync" in flags else "in doubt" if "doubt" in flags else "",
    )


def _state(game: Json) -> str:
    if game.get("request"):
        return "a stranger asks"
    match section(game):
        case Section.YOUR_TURN:
            return "your move"
        case Section.INVITATIONS:
            return "challenges you"
        case Section.WAITING:
            return "not answered" if game["status"] == "pending" else "their move"
        case _:
            return _ending(game)


def _ending(game: Json) -> str:
    winner = game.get("winner")
    if game["status"] != "completed" or winner is None:
        return _STATES.get(str(game["status"]), str(game["status"]))
    return "draw" if not winner else "won" if winner == game["identity"] else "lost"
