"""Every message of the RCADIA Agent Protocol v2 as a typed model, shared by clients and the server.

Two kinds. *Requests* (``Request``) are what a server takes in: types and bounds are strict, unknown fields
are ignored. *Answers* (``Answer``) are what a client reads: no bounds, unknown fields are ignored, and every
field that a deployed server might leave out has a default. ``UNSET`` fields are absent, which is not the
same as null. Times are ISO 8601 texts in UTC with milliseconds (``format_time``, ``parse_time``).

Section numbers (§) are those of the protocol's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

MAX_WAIT: Final = 25
"""Seconds; the longest long-poll (§3, §5)."""

MAX_OPS: Final = 100
"""Most ops of one batch (§3)."""

MAX_PLAYERS: Final = 64
"""Most seats of a table here; the protocol names no number."""

SYSTEM_PLAYER: Final = "__system__"
GAME_START_TYPE: Final = "__game_start__"
TIMEOUT_TYPE: Final = "__timeout__"
RESERVED_PREFIX: Final = "__"

Status: TypeAlias = Literal["waiting", "active", "finished"]
Outcome: TypeAlias = Literal["pending", "applied", "rejected", "unconfirmed"]
HostKind: TypeAlias = Literal["house", "player", "agent"]
WaitingFor: TypeAlias = Literal["players", "opponent", "host"]

Time: TypeAlias = str | int | float
"""An ISO text; some servers may send a number (seconds, or milliseconds) instead."""

PlayerId = Annotated[str, Meta(min_length=1, max_length=64)]
Reason = Annotated[str, Meta(max_length=2000)]
Label = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(max_length=200)]
Seats = Annotated[int, Meta(ge=1, le=MAX_PLAYERS)]


class Request(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of what a server takes in."""


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of what a client reads."""


# Configuration (§2, §3)


class ConfigRequest(Request, frozen=True, kw_only=True):
    """What a game says of itself; null and absent mean the platform's default.

    Without ``sdk_version`` the session is one of v1 (§9). ``turn_timeout`` is in seconds, 0 for no clock.
    """

    min_players: Seats | None = None
    max_players: Seats | None = None
    turn_based: bool | None = None
    simultaneous: bool | None = None
    game_type: Label | None = None
    sdk_version: Annotated[str, Meta(max_length=40)] | None = None
    turn_timeout: Annotated[float, Meta(ge=0, le=604_800)] | None = None
    max_turn_timeouts: Annotated[int, Meta(ge=1, le=1000)] | None = None
    forfeit_on_timeout: bool | None = None
    auto_rematch: bool | None = None


class Config(Answer, frozen=True, kw_only=True):
    """The configuration of a session with defaults filled in. Fields of the game's own are not kept here."""

    min_players: int = 2
    max_players: int = 2
    turn_based: bool = True
    simultaneous: bool = False
    game_type: str | None = None
    sdk_version: str | None = None
    turn_timeout: float = 300
    max_turn_timeouts: int = 2
    forfeit_on_timeout: bool = True
    auto_rematch: bool = False


class CreateRequest(Request, frozen=True, kw_only=True):
    """``POST /bridge/sessions``. Unknown fields of the configuration are kept and answered."""

    # Read with ``read_config``.
    config: dict[str, Any]
    game_id: Label | None = None
    game_title: Label | None = None


# Ops (§3)


class StateOp(Request, frozen=True, kw_only=True, tag_field="op", tag="state"):
    """The public state; spectators see it."""

    state: Any


class ObservationOp(Request, frozen=True, kw_only=True, tag_field="op", tag="observation"):
    """What one player sees instead of the public state."""

    player_id: PlayerId
    observation: Any


class LegalActionsOp(Request, frozen=True, kw_only=True, tag_field="op", tag="legal_actions"):
    """What one player may do now."""

    player_id: PlayerId
    actions: list[Any]


class RejectOp(Request, frozen=True, kw_only=True, tag_field="op", tag="reject"):
    """The game refuses an action; without ``action_id`` the latest one that was delivered."""

    player_id: PlayerId
    reason: Reason
    action_id: Annotated[str, Meta(max_length=64)] | None = None


class EndOp(Request, frozen=True, kw_only=True, tag_field="op", tag="end"):
    """The game is over; with the reason ``host_left`` there is no rematch."""

    result: Any
    reason: Reason | None = None


Op: TypeAlias = StateOp | ObservationOp | LegalActionsOp | RejectOp | EndOp


class OpsRequest(Request, frozen=True, kw_only=True):
    """``POST /bridge/sessions/:id/ops``: applied in order, all or none."""

    ops: Annotated[list[Op], Meta(max_length=MAX_OPS)]


# Agents' requests (§5)


class JoinRequest(Request, frozen=True, kw_only=True):
    """``POST /:id/join``."""

    as_name: Name | None = None


class ActionRequest(Request, frozen=True, kw_only=True):
    """``POST /:id/action``; ``turn`` is the one the agent believes it is."""

    action: Any
    turn: Annotated[int, Meta(ge=-(2**53), le=2**53)] | None = None


# Parts of answers


class Player(Answer, frozen=True, kw_only=True):
    """A seat. ``you`` is there in snapshots only."""

    player_id: str
    seat: int = 0
    as_name: str | None = None
    you: bool | UnsetType = UNSET
    ready: bool = True


PlayerRef: TypeAlias = Player | str
"""In lists of players a server may send whole seats or bare ids; ``player_ids`` reads both."""


class LastAction(Answer, frozen=True, kw_only=True):
    """The latest accepted action of the reader; ``at`` is when it was accepted."""

    action_id: str
    turn: int = 0
    status: str = "pending"
    reason: str | None = None
    at: Time | None = None


class Rejection(Answer, frozen=True, kw_only=True):
    """A rejection addressed to the reader during the current turn."""

    player_id: str | None = None
    action_id: str | None = None
    reason: str | None = None
    turn: int = 0
    at: Time | None = None


class Entry(Answer, frozen=True, kw_only=True):
    """What a host is told (§3), numbered by ``seq``.

    ``type`` ``action``: player_id, action, action_id. ``timeout``: player_id, strike, max_strikes, final.
    ``system`` with ``event`` ``game_start``: players, round; with ``session_end``: result, reason.
    """

    seq: int
    type: str
    player_id: str | UnsetType = UNSET
    action: Any = UNSET
    action_id: str | UnsetType | None = UNSET
    strike: int | UnsetType = UNSET
    max_strikes: int | UnsetType | None = UNSET
    final: bool | UnsetType = UNSET
    event: str | UnsetType = UNSET
    players: list[PlayerRef] | UnsetType = UNSET
    round: int | UnsetType = UNSET
    result: Any = UNSET
    reason: str | UnsetType | None = UNSET


class Event(Answer, frozen=True, kw_only=True):
    """One line of a session's history (§5 ``/events``); never what was in an action."""

    index: int
    type: str
    at: Time | None = None
    player_id: str | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    action_id: str | UnsetType = UNSET
    status: str | UnsetType = UNSET
    strike: int | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET
    session_id: str | UnsetType = UNSET


# Answers to hosts (§3)


class CreateAnswer(Answer, frozen=True, kw_only=True):
    """``config`` is what was given, with defaults filled in."""

    session_id: str
    # Typed by ``read_answered_config``.
    config: dict[str, Any] = {}
    skill_url: str | None = None
    round: int = 1
    series_id: str | None = None
    players: list[PlayerRef] = []


class OpsAnswer(Answer, frozen=True, kw_only=True):
    ok: bool = True
    status: str = "active"
    version: int = 0
    round: int = 1
    next_session_id: str | None = None
    players: list[PlayerRef] = []


class PendingAnswer(Answer, frozen=True, kw_only=True):
    """Answer to ``pending-actions``."""

    actions: list[Entry] = []
    status: str = "active"
    round: int = 1
    next_session_id: str | None = None
    players: list[PlayerRef] = []
    result: Any = None


class RematchAnswer(Answer, frozen=True, kw_only=True):
    session_id: str
    round: int = 1
    series_id: str | None = None
    players: list[PlayerRef] = []


class OkAnswer(Answer, frozen=True, kw_only=True):
    """Answer to the endpoints of v1; ``next_session_id`` to ``/end`` only."""

    ok: bool = True
    next_session_id: str | UnsetType | None = UNSET


# Answers to agents and spectators (§5, §7)


class Snapshot(Answer, frozen=True, kw_only=True):
    """What one player knows of a session."""

    session_id: str
    player_id: str
    seat: int = 0
    status: str = "waiting"
    round: int = 1
    series_id: str | None = None
    previous_session_id: str | None = None
    next_session_id: str | None = None
    your_turn: bool = False
    turn: int = 0
    deadline: Time | None = None
    strikes: int = 0
    max_strikes: int | None = None
    waiting_for: str | None = None
    state: Any = None
    legal_actions: list[Any] | None = None
    last_action: LastAction | None = None
    rejections: list[Rejection] = []
    players: list[Player] = []
    result: Any = None
    skill_url: str | None = None
    version: int = 0


class ActionAnswer(Answer, frozen=True, kw_only=True):
    accepted: bool = True
    action_id: str | None = None
    turn: int = 0
    outcome: str = "pending"
    reason: str | UnsetType | None = UNSET
    snapshot: Snapshot | UnsetType | None = UNSET


class LeaveAnswer(Answer, frozen=True, kw_only=True):
    ok: bool = True
    session_id: str | None = None
    status: str | None = None
    result: Any = None


class EventsAnswer(Answer, frozen=True, kw_only=True):
    """``last_index`` is what to send as ``since`` next time."""

    events: list[Event] = []
    last_index: int = 0
    status: str = "active"
    version: int = 0


class PublicView(Answer, frozen=True, kw_only=True):
    """What everybody may see of a session."""

    session_id: str
    game_id: str | None = None
    game_title: str | None = None
    status: str = "waiting"
    round: int = 1
    series_id: str | None = None
    turn: int = 0
    deadline: Time | None = None
    on_turn_seats: list[int] = []
    players: list[PlayerRef] = []
    state: Any = None
    result: Any = None
    version: int = 0
    next_session_id: str | None = None
    previous_session_id: str | None = None


class Table(Answer, frozen=True, kw_only=True):
    """One entry of ``/available``."""

    session_id: str
    game_id: str | None = None
    game_title: str | None = None
    game_slug: str | None = None
    skill_url: str | None = None
    status: str = "waiting"
    joinable: bool = False
    reserved: bool = False
    current_players: int = 0
    min_players: int = 2
    max_players: int = 2
    round: int = 1
    host: str = "agent"
    created_at: Time | None = None
    config: dict[str, Any] = {}


class AvailableAnswer(Answer, frozen=True, kw_only=True):
    sessions: list[Table] = []


class ErrorAnswer(Answer, frozen=True, kw_only=True):
    """Every error (§7); refused actions (409) carry a snapshot."""

    error: str = ""
    code: str | UnsetType = UNSET
    snapshot: Snapshot | UnsetType | None = UNSET


# Reading and writing

SESSION_ID: Final = re.compile(r"ses_[0-9a-f]{12}\Z")


def boot_tag(session_id: str) -> str | None:
    """The four digits that tell one start of a server from another; None where it is no session id (§1)."""
    return session_id[4:8] if SESSION_ID.match(session_id) else None


def read_config(given: Mapping[str, Any]) -> ConfigRequest:
    """The known fields of a configuration. Raises ``msgspec.ValidationError``."""
    return msgspec.convert(given, ConfigRequest)


def read_answered_config(given: Mapping[str, Any]) -> Config:
    """The configuration of a session as a server answers it; what is missing or null is the default.

    Raises ``msgspec.ValidationError``.
    """
    return msgspec.convert({key: value for key, value in given.items() if value is not None}, Config)


def read_tables(body: bytes) -> list[Table]:
    """The answer of ``/available``, also where it is a bare list.

    Raises ``msgspec.ValidationError`` or ``msgspec.DecodeError``.
    """
    decoded = msgspec.json.decode(body, type=AvailableAnswer | list[Table])
    return decoded if isinstance(decoded, list) else decoded.sessions


def player_ids(players: Iterable[PlayerRef]) -> tuple[str, ...]:
    """The ids of a list of players, in its order, which is that of the seats."""
    return tuple(one if isinstance(one, str) else one.player_id for one in players)


def is_reserved(action: Any) -> bool:
    """Whether an action has a type that only the platform may send (§5)."""
    kind = action.get("type") if isinstance(action, Mapping) else action
    return isinstance(kind, str) and kind.startswith(RESERVED_PREFIX)


def format_time(seconds: float) -> str:
    """Unix seconds as an ISO 8601 text in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(time: Time | None) -> float | None:
    """Unix seconds; None where there is no time or it cannot be read."""
    if isinstance(time, int | float):
        # What would be beyond the year 5000 in seconds is in milliseconds.
        return time / 1000 if time > 1e11 else float(time)
    if time is None:
        return None
    try:
        parsed = datetime.fromisoformat(time)
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
