"""The ladder of an arcade, its matches, and one of them to look at, from ``ladder.*`` of the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.control.text import score
from lrgpnode.protocol.value import Value

from . import words
from .game import Page

Json = Mapping[str, Any]

_REASONS: Final[Mapping[str, str]] = {
    "forfeit: illegal move": "by an illegal move",
    "forfeit: move timeout": "on time",
    "forfeit: connection closed": "because one left",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rank(Value):
    """Somebody's place on the ladder. ``ended``: how the matches have."""

    rank: int
    name: str
    rating: str
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Match(Value):
    """``players`` and ``outcome`` are texts for a row; ``void``: it counts for nothing."""

    number: int
    players: str
    outcome: str
    plies: int
    age: str
    void: bool


def ranks(ladder: Json | None) -> tuple[Rank, ...]:
    """From ``ladder.show``."""
    return tuple(
        Rank(
            rank=int(row["rank"]),
            name=str(row["name"]),
            rating=f"{float(row['rating']):.0f}",
            ended=score(row),
        )
        for row in (ladder or {}).get("rows", ())
    )


def matches(found: Iterable[Json], now: float) -> tuple[Match, ...]:
    """From ``ladder.matches``."""
    return tuple(
        Match(
            number=int(one["number"]),
            players=" - ".join(map(str, one["players"])),
            outcome=outcome(one),
            plies=int(one["plies"]),
            age=words.age(max(0.0, now - float(one["started_at"]))),
            void=bool(one["void"]),
        )
        for one in found
    )


def outcome(match: Json) -> str:
    """How a match ended, in some words."""
    if match["void"]:
        return "void"
    reason = str(match.get("reason") or "")
    why = f" {_REASONS.get(reason, f'({reason})')}" if reason else ""
    winner = match["winner"]
    return f"{match['players'][winner]} won{why}" if winner in (0, 1) else f"a draw{why}"


def going_on(ladder: Json | None) -> str:
    """Who waits in the game that is shown, and how much is played there."""
    for game in (ladder or {}).get("games", ()):
        if game["game"] == (ladder or {})["game"]:
            waits = f"{game['waiting']} waits for an opponent" if game["waiting"] else "Nobody waits"
            playing = int(game["playing"])
            return f"{waits}; {playing or 'no'} match{'' if playing == 1 else 'es'} going on"
    return ""


def page(replay: Json) -> Page:
    """What is written beside the board of a match, from ``ladder.replay``."""
    match = replay["match"]
    before, after = match.get("before"), match.get("after")
    remarks = [("faint", f"{words.count(int(match['plies']), 'move')}.")]
    if before and after:
        for seat, name in enumerate(match["players"]):
            remarks.append(("faint", f"{name}: {float(before[seat]):.0f}, then {float(after[seat]):.0f}"))
    ended = outcome(match)
    return Page(
        title=f"{match['name']}, match {match['number']}",
        opponent=f"{match['players'][0]} against {match['players'][1]}",
        presence="",
        status="Void: it counts for nothing." if match["void"] else f"{ended[:1].upper()}{ended[1:]}.",
        my_turn=False,
        ended=True,
        delivery=None,
        remarks=tuple(remarks),
        offers=(),
        own_commands=(),
    )
