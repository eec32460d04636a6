"""Who is who at a table: whose turn it is, who began, and whom a field of the state means.

The turn number says most: turn 1 is that of who has the first move (§4). Later our own turn and whose move
it is in the position say it. Fields such as ``white`` are taken where neither is known. The order of seats
says nothing for certain (chess changes colours by round), so it is not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gateway.lines import Line
from gateway.rcadia.wire import Player, Snapshot
from gateway.seat import Side

from .values import fields, levels, plain

_FIRST: Final = {
    "chess": ("white", "w", "whiteplayer", "whiteplayerid", "whiteid", "playerwhite"),
    "ttt": ("x", "xplayer", "playerx", "xplayerid", "first", "firstplayer", "startingplayer", "starter"),
    "four_in_a_row": ("first", "firstplayer", "startingplayer", "starter"),
}
_SECOND: Final = {
    "chess": ("black", "b", "blackplayer", "blackplayerid", "blackid", "playerblack"),
    "ttt": ("o", "oplayer", "playero", "oplayerid", "second", "secondplayer"),
    "four_in_a_row": ("second", "secondplayer"),
}
_MAPS: Final = ("colors", "colours", "sides", "players", "seats", "roles", "symbols", "marks")
_ROLE: Final = ("color", "colour", "side", "role", "mark", "symbol")
_OWN: Final = (
    "yourcolor",
    "yourcolour",
    "mycolor",
    "mycolour",
    "youare",
    "yourside",
    "yoursymbol",
    "yourmark",
)
_OFFER: Final = ("drawoffer", "drawofferedby", "drawofferby", "drawoffers", "pendingdraw", "pendingdrawoffer")


def on_turn(snapshot: Snapshot) -> Side | None:
    """Whose turn it is by the platform; None while it is nobody's, or unknown."""
    if snapshot.status != "active" or snapshot.turn < 1:
        return None
    if snapshot.your_turn or pending(snapshot):
        return Side.US
    return Side.THEM if snapshot.waiting_for in ("opponent", None) else None


def pending(snapshot: Snapshot) -> bool:
    """Whether an action of ours of this turn has no outcome yet."""
    last = snapshot.last_action
    return last is not None and last.status == "pending" and last.turn in (0, snapshot.turn)


def first_side(app: str, snapshot: Snapshot, line: Line | None, *, proved: bool = False) -> Side | None:
    """Who has the first move, None while nothing says it.

    ``proved``: our legal actions are the legal moves of ``line``, so that it is ours to move in it.
    """
    turn = on_turn(snapshot)
    if turn is not None and snapshot.turn == 1:
        return turn
    if proved and line is not None:
        return Side.US if line.mover == 0 else Side.THEM
    return _by_fields(app, snapshot)


def side_of(value: Any, snapshot: Snapshot) -> Side | None:
    """Whom a value means: a player's id, name, seat, or an object with an id. None for anybody else."""
    if isinstance(value, Mapping):
        known = fields(value)
        value = next(
            (known[n] for n in ("playerid", "id", "player", "seat") if known.get(n) is not None), None
        )
    for player in snapshot.players:
        if value == player.player_id or (isinstance(value, str) and value and value == player.as_name):
            return Side.US if is_us(player, snapshot) else Side.THEM
    if isinstance(value, str) and value == snapshot.player_id:
        return Side.US
    return None


def side_of_role(app: str, value: Any, first: Side | None) -> Side | None:
    """Whom ``white``, ``O`` or ``1-0`` means."""
    if not isinstance(value, str) or first is None:
        return None
    word = plain(value)
    if word in _FIRST[app] or value.strip() == "1-0":
        return first
    if word in _SECOND[app] or value.strip() == "0-1":
        return other(first)
    return None


def draw_offered_by_them(app: str, snapshot: Snapshot, first: Side | None) -> bool:
    """Whether the state says that the other side offers a draw."""
    for level in levels(snapshot.state):
        for name in _OFFER:
            value = level.get(name)
            for one in value if isinstance(value, list) else [value]:
                if Side.THEM in (side_of(one, snapshot), side_of_role(app, one, first)):
                    return True
    return False


def other(side: Side) -> Side:
    return Side.THEM if side is Side.US else Side.US


def is_us(player: Player, snapshot: Snapshot) -> bool:
    return player.player_id == snapshot.player_id


def _by_fields(app: str, snapshot: Snapshot) -> Side | None:
    found: set[Side] = set()
    for level in levels(snapshot.state):
        found |= _in_level(app, level, snapshot)
    return found.pop() if len(found) == 1 else None


def _in_level(app: str, level: Mapping[str, Any], snapshot: Snapshot) -> set[Side]:
    found: set[Side | None] = {
        *_named(level, _FIRST[app], snapshot),
        *(_other(side) for side in _named(level, _SECOND[app], snapshot)),
        *(_first_by_role(app, level.get(name), Side.US) for name in _OWN),
    }
    for name in _MAPS:
        value = level.get(name)
        if isinstance(value, Mapping):
            known = fields(value)
            found |= set(_named(known, _FIRST[app], snapshot))
            found |= {_other(side) for side in _named(known, _SECOND[app], snapshot)}
            pairs = ((who, role) for who, role in value.items() if not isinstance(role, Mapping))
            found |= {_first_by_role(app, role, side_of(who, snapshot)) for who, role in pairs}
        for entry in value if isinstance(value, list) else ():
            roles = fields(entry)
            for role in _ROLE:
                found.add(_first_by_role(app, roles.get(role), side_of(entry, snapshot)))
    return {side for side in found if side is not None}


def _named(level: Mapping[str, Any], names: Iterable[str], snapshot: Snapshot) -> list[Side | None]:
    return [side_of(level[name], snapshot) for name in names if name in level]


def _first_by_role(app: str, role: Any, side: Side | None) -> Side | None:
    """Who is first, if ``side`` has this role."""
    if side is None or not isinstance(role, str):
        return None
    word = plain(role)
    return side if word in _FIRST[app] else other(side) if word in _SECOND[app] else None


def _other(side: Side | None) -> Side | None:
    return None if side is None else other(side)
