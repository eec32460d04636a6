"""The values that the engine works on. They change in place; only this package changes them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gateway.rcadia.server.config import GameConfig, Mode
from gateway.rcadia.server.delivery import Queue

if TYPE_CHECKING:
    from gateway.rcadia.server.room import Room

NULL: Final = msgspec.Raw(b"null")
NOTHING: Final = msgspec.Raw(b"")

EVENTS_KEPT: Final = 200
REJECTIONS_KEPT: Final = 20


@dataclass(slots=True, eq=False)
class Action:
    """An accepted action. ``body`` is JSON until it is in the host's queue; times are Unix seconds.

    ``status`` is ``pending``, ``applied``, ``rejected`` or ``unconfirmed``. ``held``: not yet in the host's
    queue, because others of a simultaneous turn have not acted. Open is what may still get a verdict:
    pending or unconfirmed.
    """

    id: str
    turn: int
    body: msgspec.Raw
    at: float
    held: bool = False
    status: str = "pending"
    reason: str | None = None
    delivered_at: float | None = None

    @property
    def pending(self) -> bool:
        return self.status == "pending"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejection as its player sees it."""

    action_id: str
    reason: str | None
    turn: int
    at: float


@dataclass(slots=True, eq=False)
class Seat:
    """A player of one session. Its number is its place in ``Session.seats``.

    ``strikes`` since an action of this player was last applied, ``turn_strikes`` of the current turn.
    ``clock_start``: when the current turn began for this seat. ``resolved`` counts verdicts, so that a
    long-poll notices one.
    """

    session: Session
    account: str
    player_id: str
    as_name: str
    ready: bool = True
    opted_out: bool = False
    strikes: int = 0
    turn_strikes: int = 0
    clock_start: float | None = None
    legal: msgspec.Raw | None = None
    observation: msgspec.Raw | None = None
    open: list[Action] = field(default_factory=list)
    last: Action | None = None
    rejections: deque[Rejected] = field(default_factory=lambda: deque(maxlen=REJECTIONS_KEPT))
    resolved: int = 0

    @property
    def number(self) -> int:
        """0-based join order."""
        return self.session.seats.index(self)

    @property
    def pending(self) -> bool:
        return any(action.pending for action in self.open)

    def delivered(self) -> list[Action]:
        """Open actions that the host has."""
        return [action for action in self.open if action.delivered_at is not None]


@dataclass(slots=True, eq=False)
class Series:
    """Rounds with the same players; whoever comes back gets the same player id."""

    id: str
    players: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Host:
    """Who runs the game. ``kind`` as in ``/available``: ``house``, ``player`` or ``agent``."""

    account: str
    kind: str


@dataclass(frozen=True, slots=True)
class Game:
    """What a session says of its game to people."""

    id: str | None
    title: str | None
    slug: str
    config: GameConfig


@dataclass(slots=True, eq=False)
class Session:
    """One game. ``status`` is ``waiting``, ``active`` or ``finished``; times are Unix seconds.

    ``contact`` is when the host was last heard, ``polls`` how many of its polls are open, ``silent_since``
    since when it counts as not alive. ``turn_seat`` is the player of a sequential turn; ``release`` what was
    handed to the game together in a simultaneous one, None before. ``stored`` is the size in bytes of what
    the game has published, ``queued`` that of the actions that wait for the host; ``public`` the spectators'
    view as JSON, with its version; ``packet`` that view, and it as an answer of HTTP.
    """

    room: Room
    id: str
    game: Game
    host: Host
    series: Series
    created_at: float
    round: int = 1
    previous: str | None = None
    next: str | None = None
    status: str = "waiting"
    version: int = 1
    seats: list[Seat] = field(default_factory=list)

    contact: float = 0.0
    polls: int = 0
    silent_since: float | None = None

    reserved_until: float | None = None
    not_before: float = 0.0

    turn: int = 0
    turn_seat: Seat | None = None
    release: list[Action] | None = None
    published: bool = False

    state: msgspec.Raw = field(default_factory=lambda: NULL)
    result: msgspec.Raw = field(default_factory=lambda: NULL)
    reason: str | None = None
    started_at: float | None = None
    ended_at: float | None = None
    no_rematch: bool = False

    queue: Queue = field(default_factory=Queue)
    events: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    event_index: int = 0
    scheduled: float | None = None
    stored: int = 0
    queued: int = 0
    public: tuple[int, bytes] | None = None
    packet: tuple[bytes, bytes] | None = None

    @property
    def config(self) -> GameConfig:
        return self.game.config

    @property
    def mode(self) -> Mode:
        return self.game.config.mode

    @property
    def active(self) -> bool:
        return self.status == "active"

    @property
    def finished(self) -> bool:
        return self.status == "finished"

    @property
    def reserved(self) -> bool:
        return self.reserved_until is not None

    @property
    def full(self) -> bool:
        return len(self.seats) >= self.config.max_players

    @property
    def joinable(self) -> bool:
        return self.status == "waiting" and not self.reserved and not self.full

    def seat_of(self, account: str) -> Seat | None:
        """The seat of an account."""
        return next((seat for seat in self.seats if seat.account == account), None)

    def seat_named(self, player_id: str) -> Seat | None:
        """The seat with a player id."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def changed(self) -> None:
        """Raise the version; whoever waits for a change is woken."""
        self.version += 1
        # Of a session that nobody watches any more, the last view must not stay.
        self.public = None
        self.packet = None
        self.room.changed[self] = None

    def note(self, at: float, type: str, **fields: Any) -> None:
        """A line of the session's history, which is a change as well."""
        self.event_index += 1
        self.events.append({"index": self.event_index, "type": type, "at": at, **fields})
        self.changed()
