"""One table as a house host sees it: who sits there for us, and since when what waits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gateway.seeking import HostTable

from .own_seat import OwnSeat
from .plan import TableView
from .table import Table

HOUSE: Final = "house"
MESH: Final = "mesh"


@dataclass(slots=True)
class Place:
    """``seated``: nobody (""), ``house`` or ``mesh``, from when it is decided; ``seat``: when it is taken.

    ``key`` reopens the seat. ``player``: our player's id, "" while it is not known. ``since``: when the first
    stranger was seen; ``idle``: since when nobody but the house is there; ``held``: since when a game waits
    for its order; ``vacant``: since when a seat of the mesh has nobody in it. Seconds of the host's clock, 0
    for not.
    """

    number: int
    table: Table
    opened: float
    seated: str = ""
    seat: OwnSeat | None = None
    key: Mapping[str, Any] = field(default_factory=dict)
    player: str = ""
    since: float = 0.0
    idle: float = 0.0
    held: float = 0.0
    vacant: float = 0.0
    not_before: float = 0.0

    def look(self, now: float) -> None:
        """Bring what is known in line with what the table says."""
        table, seat = self.table, self.seat
        if seat is not None and seat.seat is not None and table.game.players and seat.session == table.id:
            self.player = table.game.players[seat.seat]
        held = table.game.phase == "waiting" and bool(table.game.players)
        self.held = (self.held or now) if held else 0.0
        self.vacant = (self.vacant or now) if self.seated == MESH and seat is None else 0.0
        self.since = (self.since or now) if self.strangers and table.waiting else 0.0
        idle = table.waiting and not self.strangers and self.seated != MESH and bool(table.id)
        self.idle = (self.idle or now) if idle else 0.0

    def forsaken(self, now: float, patience: float) -> bool:
        """Whether a seat of the mesh is kept for nobody: too late for the rematch, or nobody knows of it."""
        if self.seated != MESH or not self.table.waiting:
            return False
        if self.seat is None:
            return bool(self.vacant) and now >= self.vacant + patience
        late = bool(self.player) and self.player not in self.table.players
        return late and self.seat.session != self.table.id

    def overdue(self, now: float, patience: float) -> bool:
        """Whether a game has waited too long for its order."""
        return bool(self.held) and now >= self.held + patience

    def unseat(self) -> None:
        """Nobody sits there for us any more."""
        self.seated, self.seat, self.key, self.player = "", None, {}, ""
        self.table.hold(False)

    @property
    def strangers(self) -> int:
        return sum(one != self.player for one in self.table.players)

    @property
    def view(self) -> TableView:
        return TableView(
            id=str(self.number),
            app=self.table.app,
            waiting=self.table.waiting,
            strangers=self.strangers,
            taken=bool(self.seated),
            since=self.since,
            idle=self.idle,
            not_before=self.not_before,
        )

    @property
    def shown(self) -> HostTable:
        return HostTable(
            id=self.table.id,
            app=self.table.app,
            stage=self._stage,
            round=self.table.game.round,
            players=len(self.table.players),
            seated=self.seated,
            trouble=self.table.trouble,
        )

    @property
    def _stage(self) -> str:
        table = self.table
        if not table.id:
            return "opening"
        if table.trouble:
            return "away"
        if table.game.phase == "playing":
            return "playing"
        if table.waiting:
            return "open"
        return "starting" if table.game.phase == "waiting" else "over"


def patience_ends(places: Iterable[Place], patience: float) -> list[float]:
    """When ``look`` has to be asked again although nothing happens."""
    return [time + patience for place in places for time in (place.held, place.vacant) if time]
