"""Sessions: acting in them, looking at them, and what happens in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from lrgpnode.protocol.game import GameView
from lrgpnode.protocol.session import Status
from storage.model import OutboxState

from .base import PAGE, AppRef, IdentityRef, Limit, Method, Model, Nothing, PeerRef, SessionRef, Text
from .contacts import AppRecord

ACTIONS_PAGE: Final = 500
"""Most actions of one page of a journal."""


class ChallengeParams(Model, frozen=True, kw_only=True):
    """``intent`` is what the game wants to know for a challenge; mostly nothing.

    ``level``: how strong the house shall play, from 1; only for a challenge of the house (`house.show`).
    """

    peer: PeerRef
    app: AppRef
    identity: IdentityRef | None = None
    intent: dict[str, Any] | None = None
    level: Annotated[int, Meta(ge=1, le=99)] | None = None


class SessionParams(Model, frozen=True, kw_only=True):
    id: SessionRef
    identity: IdentityRef | None = None


class MoveParams(Model, frozen=True, kw_only=True):
    """Exactly one of ``move`` (what a person types, e.g. `Nf3`) and ``intent`` (e.g. `{"m": "g1f3"}`)."""

    id: SessionRef
    identity: IdentityRef | None = None
    move: Text | None = None
    intent: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if (self.move is None) == (self.intent is None):
            raise ValueError("exactly one of `move` and `intent` is needed")


class ActParams(Model, frozen=True, kw_only=True):
    """Any command of the game, also one of its own. ``text`` is what a person types for it."""

    id: SessionRef
    command: Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,16}\Z")]
    identity: IdentityRef | None = None
    text: Text | None = None
    intent: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.text is not None and self.intent is not None:
            raise ValueError("`text` and `intent` exclude each other")


class DrawParams(Model, frozen=True, kw_only=True):
    """``claim`` ends the game by rule, e.g. a threefold repetition."""

    id: SessionRef
    what: Literal["offer", "accept", "decline", "claim"]
    identity: IdentityRef | None = None


class ActionResult(Model, frozen=True, kw_only=True):
    """An action of ours, committed. Its delivery is reported by `game.delivery` events."""

    id: str
    app: str
    action_num: int
    outbox_id: int
    status: Status
    ply: int
    command: str


class GameListParams(Model, frozen=True, kw_only=True):
    """``live`` is pending or active. ``cursor`` comes from the page before."""

    identity: IdentityRef | None = None
    filter: Literal["all", "live", "ended", "pending", "your_turn"] = "all"
    limit: Limit = PAGE
    cursor: Text | None = None


class OwnAction(Model, frozen=True, kw_only=True):
    """What became of our last action in a session: its outbox row."""

    outbox_id: int
    command: str
    state: OutboxState
    reason: str = ""
    action_num: int | None = None
    attempts: int = 0
    next_attempt_at: float | None = None


class GameSummary(Model, frozen=True, kw_only=True):
    """A session in a list. ``your_turn`` is null where that is not known without loading the game.

    ``request``: no session yet but a stranger's challenge, which waits to be let in. ``winner``: who has
    won a completed game, "" where nobody has; null where it is not over or the game does not say.
    ``flags`` are the remarks of `game.show`, without their reasons; ``peer_heard_at`` is when the peer was
    last heard.
    """

    id: str
    identity: str
    app: str
    app_version: int
    peer: str
    initiator: str
    status: Status
    unread: int
    created_at: float
    updated_at: float
    last_action_at: float
    peer_name: str = ""
    your_turn: bool | None = None
    request: bool = False
    winner: str | None = None
    last_own: OwnAction | None = None
    flags: tuple[str, ...] = ()
    peer_heard_at: float | None = None


class GamePage(Model, frozen=True, kw_only=True):
    """Sessions, newest action first. ``cursor`` is null on the last page.

    The first page begins with the challenges of strangers, beside the ``limit``.
    """

    games: tuple[GameSummary, ...]
    cursor: str | None = None


class Draw(Model, frozen=True, kw_only=True):
    """A draw offer that has just been turned down: by ``declined`` in words, or by a move instead."""

    offered_by: str
    declined: bool


class GameDetail(Model, frozen=True, kw_only=True):
    """One session. ``view`` is the game as this identity sees it; ``flags`` maps a remark to its reason.

    ``refused_draw``: what became of a draw offer, until the next action. ``record``: how games of this app
    with this peer have ended, null if none is counted.
    """

    id: str
    identity: str
    app: str
    app_version: int
    peer: str
    initiator: str
    status: Status
    unread: int
    created_at: float
    updated_at: float
    last_action_at: float
    view: dict[str, Any]
    peer_name: str = ""
    expires_at: float | None = None
    last_own: OwnAction | None = None
    refused_draw: Draw | None = None
    record: AppRecord | None = None
    flags: dict[str, str] = msgspec.field(default_factory=dict)


class ActionRow(Model, frozen=True, kw_only=True):
    """One row of the journal. Binary in ``payload`` is `{"$bin": hex}`, a float `{"$float": x}`."""

    action_num: int
    command: str
    payload: Any
    sender: str
    timestamp: float
    nonce: str | None = None
    envelope: str | None = None


class ActionListParams(Model, frozen=True, kw_only=True):
    """``after``: the number of the last action seen; -1 for the beginning, as some journals begin with 0."""

    id: SessionRef
    identity: IdentityRef | None = None
    after: Annotated[int, Meta(ge=-1)] = -1
    limit: Annotated[int, Meta(ge=1, le=ACTIONS_PAGE)] = ACTIONS_PAGE


class ActionList(Model, frozen=True, kw_only=True):
    """The journal of a session, oldest action first. ``more``: there are later ones."""

    id: str
    identity: str
    app: str
    actions: tuple[ActionRow, ...]
    more: bool = False


class FramesParams(Model, frozen=True, kw_only=True):
    """The positions after ``first`` moves and later ones; 0 is the first position."""

    id: SessionRef
    identity: IdentityRef | None = None
    first: Annotated[int, Meta(ge=0)] = 0
    limit: Limit = PAGE


class Frame(Model, frozen=True, kw_only=True):
    """The board after ``moves`` moves, as this identity sees it; fields as those of a view."""

    moves: int
    grid: tuple[tuple[str, ...], ...]
    last_cells: tuple[tuple[int, ...], ...] = ()
    extras: dict[str, Any] = msgspec.field(default_factory=dict)


class Frames(Model, frozen=True, kw_only=True):
    """Positions of a game in order. ``more``: there are later ones."""

    id: str
    identity: str
    app: str
    frames: tuple[Frame, ...]
    more: bool = False


class AboutGame(Model, frozen=True, kw_only=True):
    """What every event about a session says first: which one, and who plays it."""

    id: str
    identity: str
    peer: str
    app: str


class Challenged(AboutGame, frozen=True, kw_only=True):
    """A peer challenges us."""

    peer_name: str = ""


class Applied(AboutGame, frozen=True, kw_only=True):
    """An action changed a session: ours (``own``), or the peer's. ``actor`` is the identity that acted."""

    command: str
    actor: str
    own: bool
    action_num: int
    status: Status
    ply: int


class DeliveryChanged(Model, frozen=True, kw_only=True):
    """The delivery of an action of ours went on, or failed for ``reason``."""

    id: str
    identity: str
    outbox_id: int
    command: str
    state: OutboxState
    reason: str = ""


class RemoteError(Model, frozen=True, kw_only=True):
    """The peer answered with an error. ``ref`` names the command it refused."""

    id: str
    identity: str
    code: str
    msg: str
    ref: str = ""


class RejectedAction(Model, frozen=True, kw_only=True):
    """We refused an action of the peer; ``code`` is what it was told, if anything."""

    id: str
    identity: str
    peer: str
    code: str
    msg: str
    command: str = ""


class Expired(AboutGame, frozen=True, kw_only=True):
    """A session ended by its time limit."""


class OutOfSync(AboutGame, frozen=True, kw_only=True):
    """Both sides see this game differently, for ``reason``. It can be played on, sent again or abandoned."""

    reason: str


class InSync(AboutGame, frozen=True, kw_only=True):
    """A game that was out of sync goes on: an action of the peer was accepted."""


class UnknownGame(AboutGame, frozen=True, kw_only=True):
    """A peer sent something of a game that is not installed here, in this version. ``text`` is what it
    says to people; it is not kept."""

    app_version: int
    command: str
    text: str
    peer_name: str = ""


class Deleted(AboutGame, frozen=True, kw_only=True):
    """A session was deleted by hand."""


def view_json(view: GameView) -> dict[str, Any]:
    """A game's view as JSON-safe data, with the field names of ``GameView``."""
    data: dict[str, Any] = msgspec.to_builtins(view, enc_hook=_plain)
    return data


def _plain(value: Any) -> Any:
    """Read-only mappings, which games hand out and msgspec does not know, as plain dicts."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


METHODS: Final = (
    Method("game.challenge", ChallengeParams, ActionResult, "Challenge a peer to a game."),
    Method("game.list", GameListParams, GamePage, "A page of sessions."),
    Method("game.show", SessionParams, GameDetail, "One session with its board."),
    Method("game.read", SessionParams, Nothing, "Mark a session as seen by a person."),
    Method("game.accept", SessionParams, ActionResult, "Accept a challenge."),
    Method("game.decline", SessionParams, ActionResult, "Decline a challenge, or take back one's own."),
    Method("game.resign", SessionParams, ActionResult, "Give up a game."),
    Method("game.move", MoveParams, ActionResult, "Make a move."),
    Method("game.act", ActParams, ActionResult, "Carry out any command of a game, also one of its own."),
    Method("game.draw", DrawParams, ActionResult, "Offer a draw, answer an offer, or claim a draw by rule."),
    Method("game.actions", ActionListParams, ActionList, "A page of the journal of a session."),
    Method("game.frames", FramesParams, Frames, "The positions of a game, one after each move."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "game.challenged": Challenged,
    "game.applied": Applied,
    "game.delivery": DeliveryChanged,
    "game.error": RemoteError,
    "game.rejected": RejectedAction,
    "game.expired": Expired,
    "game.out_of_sync": OutOfSync,
    "game.in_sync": InSync,
    "game.unknown": UnknownGame,
    "game.deleted": Deleted,
}
