"""The gateway: its platforms, and the seats of players at their tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from . import words
from .facts import Fact, bad, fact

Json = Mapping[str, Any]

_STAGES: Final = {
    "invited": "is to challenge the gateway",
    "opening": "a seat is asked for",
    "waiting": "waits for the other side",
    "playing": "plays",
    "settling": "over at the table",
    "over": "over",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seat(Value):
    """``title``: who plays what where; ``note``: how far it is. ``over``: nothing goes on any more."""

    id: int
    title: str
    note: str
    trouble: bool
    over: bool


def about(status: Json | None, now: float) -> tuple[Fact, ...]:
    """The gateway, from ``gateway.status``."""
    if status is None:
        return (Fact(value="Loading."),)
    return tuple(_about(status, now))


def _about(status: Json, now: float) -> Iterator[Fact]:
    if not status["enabled"]:
        yield Fact(value="The gateway is off: the setting gateway.enabled turns it on.")
        return
    yield fact("address", words.who(str(status["name"]), str(status["identity"])))
    for platform in status["platforms"]:
        seats = f"{platform['seats']} of {words.count(int(platform['most_seats']), 'seat')} taken"
        limit = platform.get("move_seconds")
        clock = f", {limit:g} s for a move" if limit is not None else ""
        accounts = words.count(int(platform["accounts"]), "account")
        yield fact(str(platform["name"]), f"{seats}, {accounts}{clock}")
        if platform["trouble"]:
            until = platform.get("paused_until")
            again = f" (again {words.left(until - now)})" if until else ""
            yield bad(f"{platform['name']}: {platform['trouble']}{again}")
    if not status["platforms"]:
        yield bad("There is no platform: the settings rcadia.url or arcade.enabled give it one.")
    for app, platform in sorted(status["routes"].items()):
        yield fact(str(app), f"a challenge goes to {platform}")


def seats(found: Json | None, now: float) -> tuple[Seat, ...]:
    """From ``gateway.seats``; the newest first."""
    return tuple(_seat(one, now) for one in (found or {}).get("seats", ()))


def _seat(one: Json, now: float) -> Seat:
    player = words.who(str(one.get("peer_name", "")), str(one["peer"]))
    against = f" against {one['opponent']}" if one.get("opponent") else ""
    stage, over = str(one["stage"]), one["stage"] == "over"
    note = _STAGES.get(stage, stage)
    if over:
        note = f"{one.get('result') or 'over'}: {one['reason']}, {words.ago(now - one['updated_at'])}"
    elif one.get("deadline"):
        left = one["deadline"] - now
        note += f", the move is due {words.left(left)}" if left > 0 else ", the time for the move is up"
    trip = one.get("round_trip")
    if trip is not None and trip >= 1:
        note += f", {trip:.0f} s on the way there and back"
    if one.get("assisted"):
        note += ", assisted"
    if one.get("trouble"):
        note += f"; {one['trouble']}"
    return Seat(
        id=int(one["id"]),
        title=f"{player}, {one['app']} at {one['platform']}{against}",
        note=note,
        trouble=bool(one.get("trouble")),
        over=over,
    )
