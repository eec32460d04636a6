"""What a platform gives the bridge: one seat at one table, the same for every platform and either side.

A `Platform` finds tables and takes seats; a `RemoteSeat` is one of them. What comes from a seat is a stream
of events, each with all that is known of the game (`Board`, never a difference), so that whoever has
missed some needs only the next. A seat does its own polling, pauses and repetitions; a bridge hears of
what is definite, or `Away`, while the platform cannot be reached.

Moves are the intents of ``games`` (``{"m": "e2e4"}``, ``{"i": 4}``, ``{"c": 3}``), games their LRGP app ids.
"Us" is who sits in the seat (for a seat of the gateway: the mesh player), "them" the other side.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from lrgpnode.protocol.game import Intent
from lrgpnode.protocol.value import Value

from .secret import Secret

ResumeKey = Mapping[str, Any]
"""What reopens a seat after a restart: small, JSON, without any secret."""


class Side(StrEnum):
    US = "us"
    THEM = "them"


class Winner(StrEnum):
    US = "us"
    THEM = "them"
    NONE = "none"


class Reason(StrEnum):
    """Why a game at a table is over, as far as the platform says."""

    BOARD = "board"
    """Mate, a line, a full board: what the moves themselves say."""
    RESIGNED = "resigned"
    LEFT = "left"
    TIMEOUT = "timeout"
    AGREED = "agreed"
    CLAIMED = "claimed"
    """A draw that the platform declared, by repetition or fifty moves for example."""
    HOST_LOST = "host_lost"
    ABORTED = "aborted"
    """The platform does not count the game at all."""
    OTHER = "other"


class Word(StrEnum):
    """What can be said at some tables beside moves."""

    RESIGN = "resign"
    DRAW_OFFER = "draw_offer"
    DRAW_ACCEPT = "draw_accept"
    DRAW_DECLINE = "draw_decline"
    CLAIM = "claim"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Player(Value):
    """``name`` as the platform shows it, not checked by anybody."""

    name: str
    seat: int
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Board(Value):
    """The whole state of play. At least one of the two is known once the game has begun.

    ``moves``: every move from the beginning. ``position``: in chess a FEN, else the cells from the upper
    left in the letters of ``games`` (``_XO`` or ``_AB``; X and A have the first move); "" if not known.
    """

    moves: tuple[Intent, ...] | None = None
    position: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Event(Value):
    """``board`` is None only where the game has not begun or the platform does not show it."""

    board: Board | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Joined(Event):
    """The first event, and again when something of it becomes known or the seat was reopened.

    ``first``: who has the first move (in chess: White), None until the platform has decided.
    ``begun``: the other side is there and the game goes on. ``words``: what may be said here at times.
    ``ours_to_order``: the table is ours, the other side is there, and ``HostedSeat.begin`` says who is first.
    """

    seat: int
    players: tuple[Player, ...]
    first: Side | None = None
    begun: bool = False
    ours_to_order: bool = False
    words: frozenset[Word] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class YourTurn(Event):
    """We are to move. ``legal``: what the platform takes, None if it does not say.

    ``deadline``: Unix seconds. ``turn`` tells this turn from others; ``act`` is given it back.
    """

    turn: int
    legal: tuple[Intent, ...] | None = None
    deadline: float | None = None
    strikes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TheirTurn(Event):
    """They are to move, or our move was taken and the platform has not gone on yet."""

    deadline: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OpponentMoved(Event):
    """A move of the other side. ``ply`` counts all moves from 0. A convenience: ``board`` says as much."""

    intent: Intent
    ply: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Said(Event):
    """The other side offers a draw, or declines ours (``DRAW_OFFER``, ``DRAW_DECLINE``)."""

    word: Word


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rejected(Event):
    """The platform refuses our last action after all; it is our turn as before."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Away(Event):
    """The platform or the table's host is not there; the seat goes on trying. Any other event ends it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Finished(Event):
    """The game is over. ``text``: what the platform says of it, one line. Last, or followed by `Rematch`."""

    winner: Winner
    reason: Reason
    text: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rematch(Event):
    """The other side, or the platform, wants another game. ``rematch`` takes the seat, nothing else does.

    ``until``: Unix seconds, when the invitation is void. Last.
    """

    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Lost(Event):
    """The seat is gone without a result. ``resumable``: the key may still work later. Last."""

    reason: str
    resumable: bool = False


class Outcome(StrEnum):
    """What came of an action. ``UNKNOWN``: nobody said anything in time; the next event's board tells."""

    APPLIED = "applied"
    UNKNOWN = "unknown"


class RemoteSeat(Protocol):
    """One seat. Its events are for one listener; methods are called one at a time, also while it listens.

    Leaving a loop over ``events`` leaves the seat as it is; ``close`` ends the polling and keeps the seat.
    """

    @property
    def resume_key(self) -> ResumeKey:
        """Reopens the seat (``Platform.resume``); also when it was taken a moment ago."""
        ...

    def events(self) -> AsyncIterator[Event]:
        """Begins with `Joined`, ends after `Finished` (and `Rematch`, if there is one) or `Lost`."""
        ...

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        """Make a move. Raises ``ActionRefused``, ``NotYourTurn``, ``Unreachable``, ``SeatLost``."""
        ...

    async def say(self, word: Word) -> Outcome:
        """Say what ``Joined.words`` has. Raises as ``act`` does."""
        ...

    async def leave(self) -> None:
        """Give the seat up: before the game withdraw, in a game forfeit, after it no rematch.

        Raises ``Unreachable``. A seat that is gone already is left.
        """
        ...

    async def rematch(self) -> RemoteSeat:
        """Take the seat in the next game. Raises ``Unreachable``; ``SeatLost`` where that is too late."""
        ...

    async def close(self) -> None:
        """Listen no more; the seat stays ours."""
        ...


class HostedSeat(RemoteSeat, Protocol):
    """A mesh player's seat at a table that the gateway itself hosts."""

    async def begin(self, first: Side) -> None:
        """Start the game; ``first`` has the first move. A second call changes nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RemoteTable(Value):
    """A table that somebody can sit down at. ``host``: who runs it, in the platform's word.

    ``move_seconds``: the time for a move there, None where there is no limit or nobody says it.
    """

    id: str
    app: str
    title: str
    players: int
    seats: int
    host: str = ""
    names: tuple[str, ...] = ()
    move_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Account(Value):
    """Who acts at a platform. ``own``: it is a player's own, else it is one of the pool."""

    platform: str
    name: str
    token: Secret = field(repr=False)
    own: bool = False


Note = Callable[[ResumeKey], Awaitable[None]]


class Platform(Protocol):
    """One platform at one address. ``name`` is that of its settings, e.g. ``rcadia``."""

    @property
    def name(self) -> str: ...

    @property
    def games(self) -> Collection[str]:
        """App ids of what can be played there."""
        ...

    @property
    def move_seconds(self) -> float | None:
        """The time for a move at every table; None where each table has its own, or none.

        Whoever oversteps it loses, so a link that is slower than that should get no seat.
        """
        ...

    @property
    def queue_seconds(self) -> float | None:
        """How long the platform itself waits for an opponent at a time; None where it has no such limit."""
        ...

    async def tables(self, app: str | None = None) -> Sequence[RemoteTable]:
        """Tables with a free seat that we can play at. Raises ``Unreachable``."""
        ...

    async def open_seat(
        self,
        app: str,
        table: str | None,
        account: Account,
        player: str,
        note: Note,
        avoid: Collection[str] = (),
    ) -> RemoteSeat:
        """Sit down at ``table``; None: at any but those in ``avoid``. ``player``: the name shown.

        ``note`` is awaited with a key that finds the seat again before the platform is asked for it: if we
        are killed between the two, ``resume`` with that key tells whether it was taken.
        Raises ``NoTable``, ``AccountBusy``, ``CannotPlay``, ``AccountRefused``, ``Unreachable``.
        """
        ...

    async def resume(self, key: ResumeKey, account: Account) -> RemoteSeat:
        """Reopen a seat. Raises ``SeatLost``, ``AccountRefused``, ``Unreachable``."""
        ...

    async def check(self, account: Account | None) -> None:
        """Ask the platform for something small. Raises ``Unreachable`` or ``AccountRefused``."""
        ...

    async def close(self) -> None:
        """Close connections; seats stay ours."""
        ...


class PlatformError(Exception):
    """Base: ``str()`` is one sentence for the player or the operator, without secrets."""


class Unreachable(PlatformError):
    """Try again, not before ``retry_after`` seconds have passed if the platform said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class AccountRefused(PlatformError):
    """The platform does not take the account's token, or the account may not do this."""


class NoTable(PlatformError):
    """There is no such table, or no free seat at it."""


class AccountBusy(NoTable):
    """This account cannot take another seat there now; another account could. Nothing was asked for."""


class CannotPlay(PlatformError):
    """The table speaks of its game in a way that nobody here understands; no seat was taken."""


class ActionRefused(PlatformError):
    """The platform has refused the action itself; another one can be tried."""


class NotYourTurn(PlatformError):
    """The action came at the wrong time; the next event says how the table is."""


class SeatLost(PlatformError):
    """There is no such seat any more."""
