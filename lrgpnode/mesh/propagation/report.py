"""What is told about propagation: status on request, and news on the loop's thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lrgpnode.protocol.value import Value


class SyncState(StrEnum):
    """How far one identity's sync with one node has come."""

    WAITING = "waiting"
    CONNECTING = "connecting"
    ASKING = "asking"
    RECEIVING = "receiving"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SyncNews(Value):
    """A sync has moved on. ``progress`` is 0 to 1, ``received`` counts messages kept so far and
    ``left`` those too large to be fetched. ``last``: nothing more is tried for this identity."""

    identity: str
    node: str
    state: SyncState
    progress: float = 0.0
    received: int = 0
    left: int = 0
    reason: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StampNews(Value):
    """The proof of work for a message takes long: told once a while it lasts, and when it is made.

    ``expected`` is how many seconds it may take in all, by the speed so far; 0 where not known.
    """

    ref: int
    identity: str
    peer: str
    node: str
    cost: int
    seconds: float
    expected: float
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NodeNews(Value):
    """Another propagation node is used from now on ("" for none), and why."""

    node: str
    name: str
    reason: str


News = SyncNews | StampNews | NodeNews


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NodeStatus(Value):
    """One node of the list. ``source``: settings, added or heard. ``hops`` and costs are None for a
    node never heard; ``heard_at`` is then 0. ``failures`` in a row, the last one for ``reason``."""

    hash: str
    name: str
    source: str
    current: bool
    enabled: bool | None
    hops: int | None
    stamp_cost: int | None
    message_kb: int | None
    heard_at: float
    failures: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class IdentityStatus(Value):
    """``synced_at`` is when all mail was last fetched, 0 for never; ``reason`` why it last failed."""

    identity: str
    synced_at: float
    node: str
    received: int
    state: SyncState | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PeerStatus(Value):
    """A node that ours exchanges mail with. ``waiting`` messages are still to be given to it."""

    hash: str
    name: str
    static: bool
    alive: bool
    heard_at: float
    waiting: int
    sent: int
    received: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostStatus(Value):
    """Our own propagation node; sizes in bytes."""

    hash: str
    messages: int
    bytes: int
    limit: int
    stamp_cost: int
    taken: int
    given: int
    peers: tuple[PeerStatus, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PropagationStatus(Value):
    """``uploads`` are messages on their way to a node; ``next_sync`` is None where none is planned."""

    current: str
    auto: bool
    nodes: tuple[NodeStatus, ...]
    identities: tuple[IdentityStatus, ...]
    uploads: int
    next_sync: float | None
    host: HostStatus | None
