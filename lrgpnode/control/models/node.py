"""The node itself: status, announces, events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from .base import IdentityRef, Method, Model, Nothing
from .radio import TroubleInfo


class GameInfo(Model, frozen=True, kw_only=True):
    """A game this node can play. ``actions`` are the commands it knows."""

    app: str
    version: int
    name: str
    icon: str = ""
    actions: tuple[str, ...] = ()


class InterfaceInfo(Model, frozen=True, kw_only=True):
    """A Reticulum interface of this node. ``trouble``: why a radio is not online."""

    name: str
    online: bool
    kind: str = ""
    trouble: TroubleInfo | None = None


class ActivityInfo(Model, frozen=True, kw_only=True):
    """When something was last done, since the node started: a peer heard, a message received, sent,
    proved by its peer, the database written."""

    heard_at: float | None = None
    received_at: float | None = None
    sent_at: float | None = None
    delivered_at: float | None = None
    written_at: float | None = None


class AirtimeBrief(Model, frozen=True, kw_only=True):
    """Seconds of airtime of a radio within the hour; ``limit`` and ``left`` are null without a limit."""

    radio: str
    used: float
    limit: float | None = None
    left: float | None = None


class NodeStatus(Model, frozen=True, kw_only=True):
    """The node. ``seq`` numbers the last event, ``problems`` are sentences for a person.

    ``unsent`` of our envelopes have not arrived, the oldest of which was committed at
    ``oldest_unsent_at``; ``open_outbox`` has those as well that arrived and are not settled.
    ``inbox_entries`` are packets that are kept and not handled yet.
    ``mail_fetched_at`` is when all identities had last fetched their mail from a propagation node.
    While ``clock_trusted`` is false, for ``clock_reason``, nothing expires.
    """

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
    unsent: int = 0
    oldest_unsent_at: float | None = None
    inbox_entries: int = 0
    activity: ActivityInfo = ActivityInfo()
    shared_instance: bool | None = None
    propagation_node: str = ""
    mail_fetched_at: float | None = None
    interfaces: tuple[InterfaceInfo, ...] = ()
    games: tuple[GameInfo, ...] = ()
    airtime: tuple[AirtimeBrief, ...] = ()
    problems: tuple[str, ...] = ()
    clock_trusted: bool = True
    clock_reason: str = ""


class AnnounceParams(Model, frozen=True, kw_only=True):
    """Announce one identity, or all of them."""

    identity: IdentityRef | None = None


class HeldAnnounce(Model, frozen=True, kw_only=True):
    """A slow interface on which an identity is not announced again before ``until``."""

    identity: str
    interface: str
    until: float


class AnnounceResult(Model, frozen=True, kw_only=True):
    """Hashes of the identities that are announced, on every interface that is not in ``held``."""

    identities: tuple[str, ...]
    held: tuple[HeldAnnounce, ...] = ()


class SubscribeParams(Model, frozen=True, kw_only=True):
    """``after``: the last event seen; later ones are sent again. Without it only new ones are sent."""

    after: Annotated[int, Meta(ge=0)] | None = None


class Subscribed(Model, frozen=True, kw_only=True):
    """``seq`` is the number of the last event so far. ``missed``: some after ``after`` are lost."""

    seq: int
    missed: bool


class NodeStarted(Model, frozen=True, kw_only=True):
    """The node is up."""

    name: str
    version: str


class NodeStopping(Model, frozen=True, kw_only=True):
    """The node goes down."""

    reason: str = ""


class ClockChanged(Model, frozen=True, kw_only=True):
    """The wall clock was corrected, or is ``trusted`` again or no more, for ``reason``.

    While it is not, nothing expires.
    """

    trusted: bool
    reason: str = ""


METHODS: Final = (
    Method("node.status", Nothing, NodeStatus, "The state of the node."),
    Method("node.stop", Nothing, Nothing, "Stop the node; answered before it stops."),
    Method("node.announce", AnnounceParams, AnnounceResult, "Make identities known on the mesh now."),
    Method("events.subscribe", SubscribeParams, Subscribed, "Receive events on this connection from now on."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "node.started": NodeStarted,
    "node.stopping": NodeStopping,
    "node.clock": ClockChanged,
}
