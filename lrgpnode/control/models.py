"""Parameters, results and events of the control API (architecture §8).

Unknown fields are refused. Times are Unix seconds, hashes and bytes are lower-case hex. From the
tables ``METHODS`` and ``EVENTS`` docs/control-api.md is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from lrgpnode.protocol.game import GameView
from lrgpnode.protocol.session import Status
from storage.model import OutboxState

PAGE: Final = 50
"""Most entries of one page of a list."""

Text = Annotated[str, Meta(min_length=1, max_length=256)]
SessionRef = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{1,16}\Z", description="Session id, or a unique prefix of one.")
]
IdentityRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=256,
        description="Name or unique hash prefix of a local identity; needed only where there are several.",
    ),
]
PeerRef = Annotated[
    str,
    Meta(min_length=1, max_length=256, description="A peer: its hash, a unique prefix of it, or its name."),
]
AppRef = Annotated[str, Meta(min_length=1, max_length=64, description="App id of a game, e.g. `chess`.")]
Limit = Annotated[int, Meta(ge=1, le=PAGE, description="Most entries to return.")]


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of everything that crosses the socket."""


class Nothing(Model, frozen=True, kw_only=True):
    """No fields."""


class GameInfo(Model, frozen=True, kw_only=True):
    """A game this node can play. ``actions`` are the commands it knows."""

    app: str
    version: int
    name: str
    icon: str = ""
    actions: tuple[str, ...] = ()


class InterfaceInfo(Model, frozen=True, kw_only=True):
    """A Reticulum interface of this node."""

    name: str
    online: bool
    kind: str = ""


class NodeStatus(Model, frozen=True, kw_only=True):
    """The node. ``seq`` numbers the last event, ``problems`` are sentences for a person."""

    name: str
    version: str
    pid: int
    started_at: float
    data: str
    socket: str
    seq: int
    live_games: int
    open_outbox: int
    identities: int
    shared_instance: bool | None = None
    interfaces: tuple[InterfaceInfo, ...] = ()
    games: tuple[GameInfo, ...] = ()
    problems: tuple[str, ...] = ()


class AnnounceParams(Model, frozen=True, kw_only=True):
    """Announce one identity, or all of them."""

    identity: IdentityRef | None = None


class AnnounceResult(Model, frozen=True, kw_only=True):
    """Hashes of the identities that were announced."""

    identities: tuple[str, ...]


class IdentityInfo(Model, frozen=True, kw_only=True):
    """A local identity; ``hash`` is its LXMF delivery hash."""

    hash: str
    name: str
    created_at: float
    enabled: bool


class IdentityList(Model, frozen=True, kw_only=True):
    identities: tuple[IdentityInfo, ...]


class IdentityParams(Model, frozen=True, kw_only=True):
    identity: IdentityRef | None = None


class IdentityDetail(Model, frozen=True, kw_only=True):
    """One identity with its public key, 64 bytes."""

    hash: str
    name: str
    created_at: float
    enabled: bool
    public_key: str = ""
    key_file: str = ""
    announced_at: float | None = None


class PeerListParams(Model, frozen=True, kw_only=True):
    limit: Limit = PAGE


class PeerInfo(Model, frozen=True, kw_only=True):
    """A peer as last heard. ``games`` is null where its announce does not say whether it plays."""

    peer: str
    name: str
    hops: int
    interface: str
    heard_at: float
    games: bool | None = None


class PeerList(Model, frozen=True, kw_only=True):
    """Peers, the one heard last first."""

    peers: tuple[PeerInfo, ...]


class ChallengeParams(Model, frozen=True, kw_only=True):
    """``intent`` is what the game wants to know for a challenge; mostly nothing."""

    peer: PeerRef
    app: AppRef
    identity: IdentityRef | None = None
    intent: dict[str, Any] | None = None


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


class GameSummary(Model, frozen=True, kw_only=True):
    """A session in a list. ``your_turn`` is null where that is not known without loading the game."""

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


class GamePage(Model, frozen=True, kw_only=True):
    """Sessions, newest action first. ``cursor`` is null on the last page."""

    games: tuple[GameSummary, ...]
    cursor: str | None = None


class OwnAction(Model, frozen=True, kw_only=True):
    """What became of our last action in a session: its outbox row."""

    outbox_id: int
    command: str
    state: OutboxState
    reason: str = ""
    action_num: int | None = None
    attempts: int = 0
    next_attempt_at: float | None = None


class GameDetail(Model, frozen=True, kw_only=True):
    """One session. ``view`` is the game as this identity sees it; ``flags`` maps a remark to its reason."""

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
    flags: dict[str, str] = {}


class ActionRow(Model, frozen=True, kw_only=True):
    """One row of the journal. Binary in ``payload`` is `{"$bin": hex}`, a float `{"$float": x}`."""

    action_num: int
    command: str
    payload: Any
    sender: str
    timestamp: float
    nonce: str | None = None
    envelope: str | None = None


class ActionList(Model, frozen=True, kw_only=True):
    """The journal of a session, oldest action first."""

    id: str
    identity: str
    app: str
    actions: tuple[ActionRow, ...]


class SubscribeParams(Model, frozen=True, kw_only=True):
    """``after``: the last event seen; later ones are sent again. Without it only new ones are sent."""

    after: Annotated[int, Meta(ge=0)] | None = None


class Subscribed(Model, frozen=True, kw_only=True):
    """``seq`` is the number of the last event so far. ``missed``: some after ``after`` are lost."""

    seq: int
    missed: bool


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table of methods. ``help`` is one sentence."""

    name: str
    params: type[Model]
    result: type[Model]
    help: str


_TABLE: Final = (
    Method("node.status", Nothing, NodeStatus, "The state of the node."),
    Method("node.stop", Nothing, Nothing, "Stop the node; answered before it stops."),
    Method("node.announce", AnnounceParams, AnnounceResult, "Make identities known on the mesh now."),
    Method("identity.list", Nothing, IdentityList, "All local identities."),
    Method("identity.show", IdentityParams, IdentityDetail, "One local identity."),
    Method("peer.list", PeerListParams, PeerList, "Peers heard on the mesh."),
    Method("game.challenge", ChallengeParams, ActionResult, "Challenge a peer to a game."),
    Method("game.list", GameListParams, GamePage, "A page of sessions."),
    Method("game.show", SessionParams, GameDetail, "One session with its board."),
    Method("game.accept", SessionParams, ActionResult, "Accept a challenge."),
    Method("game.decline", SessionParams, ActionResult, "Decline a challenge, or take back one's own."),
    Method("game.resign", SessionParams, ActionResult, "Give up a game."),
    Method("game.move", MoveParams, ActionResult, "Make a move."),
    Method("game.draw", DrawParams, ActionResult, "Offer a draw, answer an offer, or claim a draw by rule."),
    Method("game.actions", SessionParams, ActionList, "The journal of a session."),
    Method("events.subscribe", SubscribeParams, Subscribed, "Receive events on this connection from now on."),
)

METHODS: Final[Mapping[str, Method]] = {method.name: method for method in _TABLE}
"""Every method of the API by name."""


class Challenged(Model, frozen=True, kw_only=True):
    """A peer challenges us."""

    id: str
    identity: str
    peer: str
    app: str
    peer_name: str = ""


class Applied(Model, frozen=True, kw_only=True):
    """An action changed a session: ours (``own``), or the peer's. ``actor`` is the identity that acted."""

    id: str
    identity: str
    peer: str
    app: str
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


class Expired(Model, frozen=True, kw_only=True):
    """A session ended by its time limit."""

    id: str
    identity: str
    peer: str
    app: str


class PeerHeard(Model, frozen=True, kw_only=True):
    """An announce of a peer arrived."""

    peer: str
    name: str
    hops: int
    interface: str
    games: bool | None = None


class NodeStarted(Model, frozen=True, kw_only=True):
    """The node is up."""

    name: str
    version: str


class NodeStopping(Model, frozen=True, kw_only=True):
    """The node goes down."""

    reason: str = ""


EVENTS: Final[Mapping[str, type[Model]]] = {
    "game.challenged": Challenged,
    "game.applied": Applied,
    "game.delivery": DeliveryChanged,
    "game.error": RemoteError,
    "game.rejected": RejectedAction,
    "game.expired": Expired,
    "peer.heard": PeerHeard,
    "node.started": NodeStarted,
    "node.stopping": NodeStopping,
}
"""Every event of the API by its type."""


def view_json(view: GameView) -> dict[str, Any]:
    """A game's view as JSON-safe data, with the field names of ``GameView``."""
    data: dict[str, Any] = msgspec.to_builtins(view, enc_hook=_plain)
    return data


def _plain(value: Any) -> Any:
    """Read-only mappings, which games hand out and msgspec does not know, as plain dicts."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
