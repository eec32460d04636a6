"""What the tables of the gateway take and give."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lrgpnode.protocol.value import Value


class SeatStage(StrEnum):
    """How far a seat is: `invited` (the player is to challenge us), `opening` (the platform is asked),
    `waiting` (for the other side, or for the player to accept), `playing`, `settling` (over at the table,
    not yet in the game of the player), `over`."""

    INVITED = "invited"
    OPENING = "opening"
    WAITING = "waiting"
    PLAYING = "playing"
    SETTLING = "settling"
    OVER = "over"


class SeatResult(StrEnum):
    """How a seat ended, for its player. `none`: there was no game, or nobody counts it."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    NONE = "none"


class Cap(StrEnum):
    """Which limit a slot would have passed."""

    PLATFORM = "platform"
    PLAYER = "player"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Caps(Value):
    """Most seats at the platform, of one player at a time, and of one player in 24 hours."""

    platform: int
    player: int
    day: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewBridge(Value):
    """A seat to begin. ``identity`` is the gateway's. ``session``: id of the game, None while there is none.

    ``caps``: with a slot of the platform, which is reserved in the same transaction or fails it; None for one
    that needs none yet. ``of_action``: its game is the one whose action is committed with it.
    """

    identity: str
    peer: str
    app: str
    platform: str
    stage: SeatStage
    at: float
    session: str | None = None
    account: str = ""
    table: str = ""
    seat: str = ""
    notes: str = "{}"
    hosted: bool = False
    caps: Caps | None = None
    of_action: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Bridge(Value):
    """A stored seat. ``seat``: JSON, what reopens it; ``notes``: JSON of the bridge's own."""

    id: int
    identity: str
    peer: str
    app: str
    platform: str
    account: str
    table: str
    stage: SeatStage
    session: str | None
    seat: str
    notes: str
    hosted: bool
    result: SeatResult | None
    reason: str
    created_at: float
    updated_at: float
    ended_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BridgeChange(Value):
    """What changes of a bridge; None leaves a column as it is.

    ``takes``: reserve its slot with these caps. ``accepts``: the game begins, for which it must hold its
    slot. ``frees``: the slot is free again. Stage `over` frees it as well. ``of_action`` as in ``NewBridge``.
    """

    id: int
    at: float
    stage: SeatStage | None = None
    session: str | None = None
    account: str | None = None
    table: str | None = None
    seat: str | None = None
    notes: str | None = None
    result: SeatResult | None = None
    reason: str | None = None
    takes: Caps | None = None
    accepts: bool = False
    frees: bool = False
    of_action: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Pause(Value):
    """No request of an account at a platform before ``until``, Unix seconds; ``failures`` in a row."""

    platform: str
    account: str
    until: float
    failures: int
    reason: str
