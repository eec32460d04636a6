"""What a house host does next, from how things are: a pure function of tables, queue, settings and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from gateway.seeking import Seek
from lrgpnode.protocol.value import Value

IDLE_SECONDS: Final = 60.0
"""After which an open table that is one too many is closed: somebody may be about to sit down."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostSettings(Value):
    """``games``: app ids. ``min_open``, ``max_tables``: tables of each game.

    ``house``: whether the house sits down with somebody who has waited for ``house_after`` seconds.
    ``level``: how strong it plays. ``turn_timeout``: seconds for a move, 0 for no clock; ``strikes``: how
    often it may run out. ``rematch``: whether the same players go on. ``seek_seconds``: how long somebody
    stays in the queue, in which ``most_seeks`` find a place. ``order_seconds``: how long a game may wait for
    a player of the mesh to accept.
    """

    games: tuple[str, ...] = ("chess",)
    min_open: int = 1
    max_tables: int = 4
    house: bool = True
    house_after: float = 30.0
    level: int = 2
    turn_timeout: int = 600
    strikes: int = 2
    rematch: bool = True
    seek_seconds: float = 3600.0
    most_seeks: int = 32
    order_seconds: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TableView(Value):
    """``waiting``: nobody plays yet. ``strangers``: how many came by themselves. ``taken``: by one of
    ours, who sits there or is about to. ``since``: when the first stranger came; ``idle``: since when nobody
    but the house is there; ``not_before``: when a seat may be tried again that was refused. Seconds of one
    clock, 0 for not.
    """

    id: str
    app: str
    waiting: bool
    strangers: int = 0
    taken: bool = False
    since: float = 0.0
    idle: float = 0.0
    not_before: float = 0.0

    @property
    def open(self) -> bool:
        """Whether a stranger can still sit down."""
        return self.waiting and self.strangers + self.taken < 2

    def wanting(self, now: float) -> bool:
        """Whether a stranger waits here alone, and a seat may be tried."""
        return self.open and self.strangers == 1 and self.not_before <= now


@dataclass(frozen=True, slots=True, repr=False)
class OpenTable(Value):
    app: str


@dataclass(frozen=True, slots=True, repr=False)
class CloseTable(Value):
    """More tables are open than are needed."""

    table: str


@dataclass(frozen=True, slots=True, repr=False)
class SeatPlayer(Value):
    """``seek``'s player takes the free seat at the table."""

    table: str
    seek: Seek


@dataclass(frozen=True, slots=True, repr=False)
class SeatHouse(Value):
    table: str


@dataclass(frozen=True, slots=True, repr=False)
class GiveUp(Value):
    """Nobody has come for the player in time."""

    seek: Seek


Deed: TypeAlias = OpenTable | CloseTable | SeatPlayer | SeatHouse | GiveUp


def plan(
    settings: HostSettings, tables: Iterable[TableView], seeks: Sequence[Seek], *, now: float, wall: float
) -> tuple[Deed, ...]:
    """What is to be done now. ``now``: the clock of the tables; ``wall``: Unix seconds, for the queue.

    ``seeks`` are in the order in which they came.
    """
    deeds: list[Deed] = [GiveUp(seek) for seek in seeks if seek.until <= wall]
    queue = [seek for seek in seeks if seek.until > wall]
    views = tuple(tables)
    for view in views:
        if not view.wanting(now):
            continue
        seek = next((one for one in queue if one.app == view.app), None)
        if seek is not None:
            queue = [one for one in queue if one.peer != seek.peer]
            deeds.append(SeatPlayer(view.id, seek))
        elif settings.house and now >= view.since + settings.house_after:
            deeds.append(SeatHouse(view.id))
    busy = {deed.table for deed in deeds if isinstance(deed, SeatPlayer | SeatHouse)}
    for app in settings.games:
        ours = [view for view in views if view.app == app]
        free = sum(view.open and view.id not in busy for view in ours)
        missing = min(settings.min_open - free, settings.max_tables - len(ours))
        deeds += [OpenTable(app)] * missing
        idle = sorted((view for view in ours if view.idle), key=lambda view: view.idle)
        surplus = [
            view for view in idle[: max(0, free - settings.min_open)] if now >= view.idle + IDLE_SECONDS
        ]
        deeds += [CloseTable(view.id) for view in surplus]
    return tuple(deeds)


def due(
    settings: HostSettings, tables: Iterable[TableView], seeks: Iterable[Seek], *, now: float, wall: float
) -> float | None:
    """Seconds until the plan may be another one by the mere passing of time; None for never."""
    waits = [seek.until - wall for seek in seeks]
    tables = tuple(tables)
    waits += [view.idle + IDLE_SECONDS - now for view in tables if view.idle]
    for view in tables:
        if view.open and view.strangers == 1:
            house = view.since + settings.house_after if settings.house else view.not_before
            waits.append(max(house, view.not_before) - now)
            waits.append(view.not_before - now)
    later = [wait for wait in waits if wait > 0]
    return min(later) if later else None
