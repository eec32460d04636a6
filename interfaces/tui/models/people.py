"""Whom one can challenge, and to what.

The opponent in the house comes first for a newcomer, who has no game yet, with its levels. Then come contacts
and peers that were heard, those first that are known to play, then those heard last. Who is known not to play
is shown and cannot be challenged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lrgpnode.control.text import score
from lrgpnode.protocol.value import Value

from . import words

Json = Mapping[str, Any]

_NOBODY: Final[Mapping[str, Json]] = {}


class Plays(Enum):
    """What is known of a peer's games."""

    YES = "plays"
    PERHAPS = "may play"
    NO = "does not play"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Person(Value):
    """Somebody to challenge. ``hops`` is None for who was not heard; ``heard`` is how long ago in words.

    ``score``: how games with them have ended, "" where none has.
    """

    peer: str
    name: str
    contact: bool
    plays: Plays
    presence: str
    hops: int | None
    heard: str
    blocked: bool = False
    score: str = ""

    @property
    def can_be_challenged(self) -> bool:
        return self.plays is not Plays.NO and not self.blocked


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Level(Value):
    number: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Choice(Value):
    """A game to challenge to. ``levels`` only against the house."""

    app: str
    name: str
    levels: tuple[Level, ...] = ()
    usual: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class People(Value):
    """``house`` has the games of the opponent in the house, empty where it is closed."""

    house: tuple[Choice, ...]
    house_first: bool
    persons: tuple[Person, ...]


def people(
    house: Json | None,
    peers: Iterable[Json],
    contacts: Iterable[Json],
    now: float,
    *,
    newcomer: bool,
    own: Sequence[str] = (),
    records: Mapping[str, Json] = _NOBODY,
) -> People:
    """From ``house.show``, ``peer.list`` and ``contact.list``; identities in ``own`` are left out.

    ``records`` are of ``contact.record``, by peer.
    """
    heard = {peer["peer"]: peer for peer in peers}
    book = {contact["peer"]: contact for contact in contacts}
    hidden = {*own, str(house.get("identity", "")) if house else ""}
    persons = [
        _person(peer, heard.get(peer), book.get(peer), records.get(peer), now)
        for peer in {*heard, *book}
        if peer not in hidden
    ]
    return People(
        house=_house(house),
        house_first=newcomer,
        persons=tuple(sorted(persons, key=lambda one: _rank(one, heard.get(one.peer)))),
    )


def _person(peer: str, heard: Json | None, contact: Json | None, record: Json | None, now: float) -> Person:
    at = None if heard is None else float(heard["heard_at"])
    name = (contact or {}).get("name") or (heard or {}).get("contact") or (heard or {}).get("name") or ""
    return Person(
        peer=peer,
        name=str(name),
        contact=contact is not None,
        plays=_plays(heard),
        presence=words.presence(at, now),
        hops=None if heard is None else int(heard["hops"]),
        heard="never heard" if at is None else words.age(now - at),
        blocked=bool(heard and heard.get("blocked")),
        score=score(record) if record else "",
    )


def _plays(heard: Json | None) -> Plays:
    if heard is None:
        return Plays.PERHAPS
    if heard.get("games") or heard.get("played"):
        return Plays.YES
    return Plays.PERHAPS if heard.get("games") is None else Plays.NO


def _rank(person: Person, heard: Json | None) -> tuple[int, int, float, str]:
    order = (Plays.YES, Plays.PERHAPS, Plays.NO).index(person.plays)
    return (
        0 if person.contact and person.can_be_challenged else 1,
        order,
        -float(heard["heard_at"]) if heard is not None else 0.0,
        person.peer,
    )


def _house(house: Json | None) -> tuple[Choice, ...]:
    if not house or not house.get("enabled"):
        return ()
    return tuple(
        Choice(
            app=str(game["app"]),
            name=str(game["name"]),
            levels=tuple(Level(number=one["number"], name=str(one["name"])) for one in game["levels"]),
            usual=int(game["usual"]),
        )
        for game in house["games"]
    )


def choices(games: Iterable[Json]) -> tuple[Choice, ...]:
    """Every installed game, as ``node.status`` lists them: menus show only what can be played."""
    return tuple(Choice(app=str(game["app"]), name=str(game["name"])) for game in games)


def warning(person: Person, game: str, propagation: bool) -> str:
    """What is to be known before somebody is challenged, "" if nothing. ``propagation``: a node is in use."""
    name = person.name or person.peer[:8]
    if person.presence == "here":
        return f"Nobody knows whether {name} can play {game}." if person.plays is Plays.PERHAPS else ""
    when = "was never heard" if person.presence == "unknown" else f"was last heard {person.heard} ago"
    way = (
        "The challenge goes by the propagation node and waits there."
        if propagation
        else "The challenge is sent when it is heard, or by a propagation node once one is known."
    )
    return f"{name} {when}. {way}"
