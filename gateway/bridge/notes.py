"""What a bridge must remember of what it did, for what cannot be seen from session and table. Pure; JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from lrgpnode.protocol.value import Value

LIMIT: Final = "limit"
"""Told: how long a move may take at the platform."""

SLOW: Final = "slow"
"""Told: no seat, as the link is too slow for that."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Notes(Value):
    """``told``: what the player was written, by key. ``swap``: the challenge was declined for one of ours.

    ``broken``: why table and game cannot go on together. ``left``: the seat was given up. ``offered``: ply at
    which the player's draw offer was passed on; ``asked``: ply at which we offered one. ``said``: the word
    with which the player's end of the game was passed on. ``until``: of an invitation, Unix seconds.
    ``limit``: what the player is told of the platform's time for a move before a seat is asked for, "" where
    there is none; ``seconds``: that time. ``insists``: he wants the seat though his link is slow.
    ``named``: he has named the platform, and wants to play there only.
    ``rematch_of``: the bridge whose table goes on with another game. ``first``: who (a `Side`) is to move
    first at a table of ours, "" where the players settle that.
    """

    told: frozenset[str] = frozenset()
    swap: bool = False
    broken: str = ""
    left: bool = False
    offered: int | None = None
    asked: int | None = None
    said: str = ""
    until: float | None = None
    rematch_of: int | None = None
    limit: str = ""
    seconds: float | None = None
    insists: bool = False
    named: bool = False
    first: str = ""

    @property
    def untold(self) -> bool:
        """Whether the player is to be told of the time for a move first, before any seat is asked for."""
        return bool(self.limit) and LIMIT not in self.told

    def with_told(self, key: str) -> Self:
        return replace(self, told=self.told | {key})

    def dump(self) -> str:
        """JSON of what differs from a beginning."""
        values: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                values[field.name] = sorted(value) if field.name == "told" else value
        return json.dumps(values, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> Notes:
        """Raises ``ValueError``."""
        values = json.loads(text)
        known = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not values.keys() <= known:
            raise ValueError("the notes of a seat are damaged")
        return cls(**{**values, "told": frozenset(values.get("told", ()))})
