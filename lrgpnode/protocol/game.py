"""The contract between the node and a game (architecture §4; spec §7, §8, §12).

A game is pure: no clock, no randomness, no I/O. One instance serves all sessions. Games are found
through the entry-point group ``lrgpnode.games``; an entry point names a ``Game`` subclass that
takes no arguments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

from .session import Session, SessionKey, Status
from .value import Value

Payload = dict[str, Any]
"""What goes on the wire under ``p``: MessagePack-safe values, string keys."""

Intent = Mapping[str, Any]
"""What a local caller wants, in the concise form of the game's appendix, e.g. ``{"m": "e2e4"}``."""

Coin = Callable[[], bool]
"""A fair coin, injected; only a game that draws lots calls it."""

DEFAULT_TTL: Mapping[Status, float] = MappingProxyType({Status.PENDING: 86_400.0, Status.ACTIVE: 604_800.0})
"""Spec §10."""


class Command(StrEnum):
    """The commands of the session state machine (spec §6). A game may add its own."""

    CHALLENGE = "challenge"
    ACCEPT = "accept"
    DECLINE = "decline"
    MOVE = "move"
    RESIGN = "resign"
    DRAW_OFFER = "draw_offer"
    DRAW_ACCEPT = "draw_accept"
    DRAW_DECLINE = "draw_decline"
    ERROR = "error"


class SessionType(StrEnum):
    TURN_BASED = "turn_based"
    REAL_TIME = "real_time"
    ROUND_BASED = "round_based"
    SINGLE_ROUND = "single_round"


class Validation(StrEnum):
    """Who checks an action (spec §8). Under ``SENDER`` a receiver sends no error actions."""

    SENDER = "sender"
    RECEIVER = "receiver"
    BOTH = "both"


class Delivery(StrEnum):
    """How an action prefers to travel (spec §11)."""

    OPPORTUNISTIC = "opportunistic"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Manifest(Value):
    """What a game declares about itself (spec §12). Local; never sent in an envelope.

    ``actions`` includes ``error``. ``ttl`` is in seconds, per status. ``tag`` is the name in the
    fallback text, ``[LRGP <tag>] ...``. What ``ttl`` leaves out keeps its default.
    """

    app_id: str
    version: int
    display_name: str
    icon: str
    session_type: SessionType
    validation: Validation
    actions: tuple[str, ...]
    tag: str
    preferred_delivery: Mapping[str, Delivery] = field(default_factory=dict)
    ttl: Mapping[Status, float] = field(default_factory=dict)
    max_players: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "ttl", MappingProxyType({**DEFAULT_TTL, **self.ttl}))

    def delivery(self, command: str) -> Delivery:
        return self.preferred_delivery.get(command, Delivery.OPPORTUNISTIC)

    def as_dict(self) -> dict[str, Any]:
        """The manifest with the key names and plain values of spec §12."""
        return {
            "app_id": self.app_id,
            "version": self.version,
            "display_name": self.display_name,
            "icon": self.icon,
            "session_type": str(self.session_type),
            "max_players": self.max_players,
            "validation": str(self.validation),
            "actions": [str(action) for action in self.actions],
            "preferred_delivery": {str(c): str(d) for c, d in self.preferred_delivery.items()},
            "ttl": {str(s): int(t) if float(t).is_integer() else t for s, t in self.ttl.items()},
        }


class Reason(StrEnum):
    """Why a game ended, for people and programs (``GameView.result``)."""

    WIN = "win"
    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    INSUFFICIENT_MATERIAL = "insufficient_material"
    THREEFOLD_REPETITION = "threefold_repetition"
    FIFTY_MOVES = "fifty_moves"
    BOARD_FULL = "board_full"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    DECLINED = "declined"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    DRAW = "draw"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(Value):
    """How a game ended. ``winner`` is a participant's identity, or "" for nobody."""

    reason: Reason
    winner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LegalMove(Value):
    """One thing the viewer may do now. ``origin`` and ``target`` are (row, column) cells, if any."""

    intent: Mapping[str, Any]
    label: str
    origin: tuple[int, int] | None = None
    target: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GameView(Value):
    """Everything needed to show a session to one participant, without knowing the game.

    ``grid`` holds rows of cell tokens, top row first, "" for an empty cell; ``tokens`` names what a
    token means. ``seat`` is the viewer's part ("X", "white", ...), "" while it is open. ``history``
    holds one label per move, in order, of which ``numbered`` share a number (two in chess). ``turned``
    says that the viewer sits at the upper edge of ``grid`` and sees it from there. ``turn`` is an
    identity, or "" when nobody is to move.
    """

    app_id: str
    grid: tuple[tuple[str, ...], ...]
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    seat: str
    turn: str
    my_turn: bool
    legal: tuple[LegalMove, ...]
    last_cells: tuple[tuple[int, int], ...]
    status_line: str
    result: Result | None
    history: tuple[str, ...]
    ply: int
    tokens: Mapping[str, str] = field(default_factory=dict)
    numbered: int = 1
    turned: bool = False
    draw_offered_by: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class Notation(Value):
    """A whole game as text. ``kind`` names the notation, e.g. ``pgn``, for programs."""

    kind: str
    text: str


class Game(ABC):
    """The rules of one app. See docs/writing-a-game.md for a complete example."""

    manifest: ClassVar[Manifest]

    @abstractmethod
    def open(self, key: SessionKey, peer: str, initiator: str, now: float) -> Session:
        """The pending session of a challenge. The challenge's payload is then ``apply``-ed to it."""

    @abstractmethod
    def intend(self, session: Session, actor: str, command: str, intent: Intent, coin: Coin) -> Payload:
        """The canonical wire payload for a local intent. Raises ``Rejection``; changes nothing."""

    @abstractmethod
    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        """The session after ``actor``'s action, local or inbound alike. Raises ``Rejection``.

        Sets ``updated_at`` and ``last_action_at`` to ``now``; leaves ``unread`` alone.
        """

    @abstractmethod
    def early(self, session: Session | None, actor: str, command: str, payload: Payload) -> bool:
        """Whether the action, refused now, would be valid once a missing predecessor arrives."""

    @abstractmethod
    def normalise(self, session: Session) -> Session:
        """A stored session, repaired where the spec normalises. Raises ``Corrupt``."""

    def expire(self, session: Session, now: float) -> Session:
        """The session ended by its TTL (spec §10)."""
        return session.expired(now)

    def public(self, session: Session) -> dict[str, Any]:
        """The session's state under the words other programs know, for export and comparison."""
        return dict(session.metadata)

    @abstractmethod
    def fallback(self, before: Session, after: Session, actor: str, command: str, payload: Payload) -> str:
        """Text for clients without LRGP (spec §5), ``[LRGP <tag>] ...``."""

    @abstractmethod
    def view(self, session: Session, viewer: str) -> GameView:
        """The session as ``viewer`` sees it."""

    @abstractmethod
    def parse(self, session: Session, text: str) -> dict[str, Any]:
        """The move intent for what a person typed. Raises ``Rejection`` with a helpful message."""

    def notation(self, session: Session, names: Mapping[str, str], date: str) -> Notation | None:
        """The game so far in the notation that its players know, or None: the node lists the moves.

        ``names`` of the participants, by identity, and ``date`` (YYYY.MM.DD, UTC) are for its head.
        The same arguments must give the same text: it is part of signed records.
        """
        return None
