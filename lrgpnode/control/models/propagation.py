"""Mail by way of propagation nodes: which nodes, fetching, our own node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from .base import IdentityRef, Method, Model, Nothing

NodeHash = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{32}\Z", description="Address of a propagation node, 32 hex characters.")
]
NodeRef = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=128,
        description="A propagation node: its address, a unique prefix of it, or its name.",
    ),
]
SyncState = Literal["waiting", "connecting", "asking", "receiving", "done", "failed"]


class PropagationNode(Model, frozen=True, kw_only=True):
    """A propagation node, in the order in which they are tried.

    ``source``: from the settings, added by hand, heard on the mesh, or this node's own. What is null
    is not known: the node has not been heard. ``failures`` in a row, and why it failed last.
    """

    hash: str
    name: str
    source: Literal["settings", "added", "heard", "own"]
    current: bool
    enabled: bool | None = None
    hops: int | None = None
    stamp_cost: int | None = None
    message_kb: int | None = None
    heard_at: float | None = None
    failures: int = 0
    reason: str = ""


class MailOfIdentity(Model, frozen=True, kw_only=True):
    """``fetched_at``: when all mail was last fetched, from ``node``, and how many messages it was.

    ``state`` is that of the sync that goes on or was the last, ``reason`` what failed in it.
    """

    identity: str
    fetched_at: float | None = None
    node: str = ""
    received: int = 0
    state: SyncState | None = None
    reason: str = ""


class HostPeer(Model, frozen=True, kw_only=True):
    """A node that ours exchanges mail with. ``waiting``: messages still to be given to it."""

    hash: str
    name: str
    static: bool
    alive: bool
    waiting: int
    sent: int
    received: int
    heard_at: float | None = None


class HostInfo(Model, frozen=True, kw_only=True):
    """This node's own propagation node; sizes in bytes. ``taken`` and ``given`` since it was first on."""

    hash: str
    messages: int
    bytes: int
    limit: int
    stamp_cost: int
    taken: int
    given: int
    peers: tuple[HostPeer, ...] = ()


class PropagationStatus(Model, frozen=True, kw_only=True):
    """``current`` is empty where there is no node. ``auto``: nodes heard on the mesh are used, too.

    ``uploads`` are messages on their way to a node. ``next_sync`` is null where none is planned.
    """

    current: str
    auto: bool
    nodes: tuple[PropagationNode, ...]
    identities: tuple[MailOfIdentity, ...]
    uploads: int
    next_sync: float | None = None
    host: HostInfo | None = None


class AddNodeParams(Model, frozen=True, kw_only=True):
    """At the end of the list, after those of the settings."""

    node: NodeHash


class RemoveNodeParams(Model, frozen=True, kw_only=True):
    """Only what was added or chosen; what is in the settings is taken out there."""

    node: NodeRef


class UseNodeParams(Model, frozen=True, kw_only=True):
    """Before all others from now on. Without ``node``: none in particular."""

    node: NodeRef | None = None


class NodeList(Model, frozen=True, kw_only=True):
    """All propagation nodes, as they are tried from now on."""

    current: str
    nodes: tuple[PropagationNode, ...]


class SyncParams(Model, frozen=True, kw_only=True):
    """One identity, or all."""

    identity: IdentityRef | None = None


class SyncStarted(Model, frozen=True, kw_only=True):
    """Events ``propagation.sync`` tell how it goes; the one with ``last`` ends it for an identity."""

    identities: tuple[str, ...]


class MailSync(Model, frozen=True, kw_only=True):
    """An identity fetches its mail. ``progress`` is 0 to 1, ``received`` counts messages kept so far.

    ``left``: messages too large to be fetched. ``last``: that was all for this time.
    """

    identity: str
    node: str
    state: SyncState
    progress: float
    received: int
    left: int
    reason: str
    last: bool


class StampWork(Model, frozen=True, kw_only=True):
    """The proof of work for a message takes long. ``expected`` is in seconds, for the whole of it."""

    identity: str
    peer: str
    node: str
    cost: int
    seconds: float
    expected: float
    finished: bool


class NodeChosen(Model, frozen=True, kw_only=True):
    """Another propagation node is used from now on, none where ``node`` is empty."""

    node: str
    name: str
    reason: str


METHODS: Final = (
    Method(
        "propagation.status", Nothing, PropagationStatus, "Propagation nodes, and mail fetched from them."
    ),
    Method("propagation.add", AddNodeParams, NodeList, "Put a propagation node into the list."),
    Method("propagation.remove", RemoveNodeParams, NodeList, "Take a propagation node out of the list."),
    Method("propagation.use", UseNodeParams, NodeList, "Use one propagation node before all others."),
    Method("propagation.sync", SyncParams, SyncStarted, "Fetch mail from propagation nodes now."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "propagation.sync": MailSync,
    "propagation.stamp": StampWork,
    "propagation.node": NodeChosen,
}
