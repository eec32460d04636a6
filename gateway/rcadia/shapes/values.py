"""Looking into JSON whose form nobody promised: names without regard to case and underscores, bounded
depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

MAX_DEPTH: Final = 3
"""How far wrappers such as ``{"type": "move", "data": {...}}`` are opened."""

MAX_ITEMS: Final = 2000
"""Longest list that is looked at: more than the moves of any game."""

_CONTAINERS: Final = (
    "state",
    "game",
    "gamestate",
    "data",
    "view",
    "observation",
    "public",
    "position",
    "board",
)


def plain(name: str) -> str:
    """A field's name as names are compared: ``lastMove``, ``last_move`` and ``last-move`` are one."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def fields(value: Any) -> dict[str, Any]:
    """The fields of an object by their plain names, {} for anything else."""
    if not isinstance(value, Mapping) or len(value) > MAX_ITEMS:
        return {}
    return {plain(name): field for name, field in value.items() if isinstance(name, str)}


def levels(state: Any) -> Iterator[dict[str, Any]]:
    """The fields of a state, and of the objects that it wraps a state in, from outside to inside."""
    waiting = [(state, 0)]
    while waiting:
        value, depth = waiting.pop(0)
        known = fields(value)
        if known:
            yield known
        if depth < MAX_DEPTH:
            waiting += [
                (known[name], depth + 1) for name in _CONTAINERS if isinstance(known.get(name), Mapping)
            ]


def named(state: Any, names: Iterable[str]) -> Iterator[Any]:
    """What a state has under these plain names, at any level, in the order of ``names``."""
    wanted = tuple(names)
    for level in levels(state):
        for name in wanted:
            if level.get(name) is not None:
                yield level[name]


def whole(value: Any) -> int | None:
    """A whole number, also as a text or with .0; None for anything else (a bool is none)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value.strip()) <= 3 and value.strip().isdecimal():
        return int(value)
    return None
