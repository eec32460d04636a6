"""Storing messages at a propagation node, one after the other; runs on the mesh's worker.

A message gets the stamp that the node asks for, then goes over a link, which is kept for a while in
case more follow. A failure counts against the node; the message is tried again, at the node that is
then the current one, until it has been tried twice at each of the first few.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ..worker import Worker
from .connection import Connection
from .stamps import StampMaker, StampWork

MAX_TRIES: Final = 6
MAX_TRIES_EACH: Final = 2
MAX_WAITING: Final = 256
LINGER: Final = 10.0
"""Seconds that a link stays open without work: opening one costs four packets."""

VERDICT: Final = 1.0
"""LXMF's nodes prove a transfer first and look at its stamp then; one that is refused costs the link.
So a message counts as stored when the link has lived on for so many seconds and a few round trips."""

NO_NODE: Final = "no propagation node known"
NO_PATH: Final = "no path to the propagation node"
REFUSED: Final = "the propagation node refused the stamp of the message"

_log = logging.getLogger(__name__)


class Nodes(Protocol):
    """What uploading needs to know of the nodes."""

    def node(self) -> str:
        """The node to use now, or ""."""
        ...

    def terms(self, node: str) -> tuple[int, int] | None:
        """(stamp cost, largest message in kB) of a node, as far as known."""
        ...

    def max_cost(self) -> int: ...

    def worked(self, node: str) -> None: ...

    def failed(self, node: str, reason: str) -> None: ...

    def find(self, node: str, found: Callable[[bool], None]) -> None:
        """Ask the network for the node, unless there is a path."""
        ...

    def connect(
        self,
        node: str,
        opened: Callable[[Connection], None],
        lost: Callable[[str], None],
        *,
        rests: bool = False,
    ) -> None:
        """Open a link; ``lost`` is called where that fails, and later when it breaks."""
        ...

    def is_own(self, node: str) -> bool: ...

    def keep(self, data: bytes) -> bool:
        """Store a message at our own node; whether that worked."""
        ...


class Parcel(Protocol):
    """A message as it goes to a propagation node."""

    ref: int
    identity: str
    peer: str

    @property
    def packed(self) -> bool: ...

    def pack(self) -> None:
        """Encrypt and sign, and make the stamp that the receiver asks for. May take long."""
        ...

    def transient_id(self) -> bytes: ...

    def stamped(self, stamp: bytes) -> bytes:
        """What the node gets, with this stamp."""
        ...

    def tell_sent(self) -> None:
        """It is about to leave."""
        ...


@dataclass(slots=True, eq=False)
class _Job:
    parcel: Parcel
    node: str = ""
    tries: Counter[str] = field(default_factory=Counter)
    work: StampWork | None = None
    stamp: bytes = b""
    cost: int = -1
    on_link: bool = False
    over: bool = False


class Uploads:
    """``stored(parcel)`` or ``failed(parcel, reason)`` is told of each, once."""

    def __init__(
        self,
        worker: Worker,
        nodes: Nodes,
        stamps: StampMaker,
        *,
        stored: Callable[[Any], None],
        failed: Callable[[Any, str], None],
        slow_stamp: Callable[[Any, str, StampWork], None],
    ) -> None:
        self._worker = worker
        self._nodes = nodes
        self._stamps = stamps
        self._stored = stored
        self._failed = failed
        self._slow_stamp = slow_stamp
        self._waiting: deque[_Job] = deque()
        self._job: _Job | None = None
        self._connection: Connection | None = None
        self._verdicts: list[_Job] = []
        self._quiet = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._verdicts) + (self._job is not None)

    def add(self, parcel: Parcel) -> None:
        if len(self._waiting) >= MAX_WAITING:
            self._failed(parcel, f"{MAX_WAITING} messages wait for the propagation node already")
            return
        self._waiting.append(_Job(parcel))
        self._next()

    def cancel(self, ref: int) -> None:
        """Drop a message that has not been transferred yet."""
        for parcel in self._drop(lambda parcel: parcel.ref == ref):
            self._failed(parcel, "cancelled")

    def leave(self, identity: str) -> None:
        """Forget what is of an identity that leaves the mesh, without a report."""
        self._drop(lambda parcel: parcel.identity == identity)

    def _drop(self, which: Callable[[Parcel], bool]) -> list[Parcel]:
        dropped = [job for job in self._waiting if which(job.parcel)]
        for waiting in dropped:
            self._waiting.remove(waiting)
        job = self._job
        if job is not None and which(job.parcel):
            if job.work is not None:
                job.work.cancel()
            if job.on_link:
                self._hang_up()
            self._end(job)
            dropped.append(job)
            self._worker.call(self._next)
        return [job.parcel for job in dropped]

    # --- one message

    def _next(self) -> None:
        if self._job is None and self._waiting:
            self._job = self._waiting.popleft()
            self._try(self._job)

    def _try(self, job: _Job) -> None:
        node = self._nodes.node()
        if not node:
            self._give_up(job, NO_NODE)
            return
        job.node = node
        job.tries[node] += 1
        if self._connection is not None and self._connection.node != node:
            self._hang_up()
        if self._connection is not None or self._nodes.is_own(node):
            self._stamp(job)
        else:
            self._nodes.find(node, lambda found: self._on_found(job, found))

    def _on_found(self, job: _Job, found: bool) -> None:
        if job.over:
            return
        if found:
            self._stamp(job)
        else:
            self._retry(job, NO_PATH)

    def _stamp(self, job: _Job) -> None:
        if not job.parcel.packed:
            self._stamps.pack(job.parcel.pack, lambda: self._on_packed(job))
            return
        terms = self._nodes.terms(job.node)
        if terms is None:
            self._retry(job, "the propagation node has not said which stamps it asks for")
            return
        cost, most = terms
        if cost > self._nodes.max_cost():
            self._retry(
                job,
                f"the propagation node asks for a stamp of cost {cost}; {self._nodes.max_cost()} is the most",
            )
        elif len(job.parcel.stamped(b"")) > most * 1000:
            self._give_up(job, f"the message is larger than the {most} kB that the propagation node takes")
        elif job.cost >= cost:
            self._transfer(job)
        else:
            node = job.node
            job.work = self._stamps.make(
                job.parcel.transient_id(),
                cost,
                lambda stamp: self._on_stamp(job, cost, stamp),
                lambda work: self._slow_stamp(job.parcel, node, work),
            )

    def _on_packed(self, job: _Job) -> None:
        if job.over:
            return
        if job.parcel.packed:
            self._stamp(job)
        else:
            self._give_up(job, "the message could not be made")

    def _on_stamp(self, job: _Job, cost: int, stamp: bytes | None) -> None:
        job.work = None
        if job.over or stamp is None:
            return
        job.stamp, job.cost = stamp, cost
        self._transfer(job)

    def _transfer(self, job: _Job) -> None:
        if self._nodes.is_own(job.node):
            job.parcel.tell_sent()
            if self._nodes.keep(job.parcel.stamped(job.stamp)):
                self._settle(job)
            else:
                self._retry(job, "our own propagation node could not store the message")
            return
        job.on_link = True
        if self._connection is not None and self._connection.open:
            self._send(job, self._connection)
            return
        node = job.node
        self._nodes.connect(
            node,
            lambda connection: self._on_open(job, connection),
            lambda reason: self._on_lost(node, reason),
            rests=True,
        )

    def _on_open(self, job: _Job, connection: Connection) -> None:
        if job.over:
            connection.close()
            return
        self._connection = connection
        self._send(job, connection)

    def _send(self, job: _Job, connection: Connection) -> None:
        job.parcel.tell_sent()
        connection.send(
            job.parcel.stamped(job.stamp), lambda: self._on_transferred(job, connection.round_trip)
        )

    def _on_transferred(self, job: _Job, round_trip: float) -> None:
        if job.over:
            return
        self._end(job)
        self._verdicts.append(job)
        self._worker.later(VERDICT + 2 * round_trip, self._on_verdict, job)
        self._next()

    def _on_verdict(self, job: _Job) -> None:
        if job in self._verdicts:
            self._verdicts.remove(job)
            self._settle(job)
            self._quiet += 1
            self._worker.later(LINGER, self._when_quiet, self._quiet)

    def _settle(self, job: _Job) -> None:
        self._nodes.worked(job.node)
        self._stored(job.parcel)
        self._end(job)
        self._next()

    def _on_lost(self, node: str, reason: str) -> None:
        """The link could not be opened, or broke."""
        self._connection = None
        refused, self._verdicts = self._verdicts, []
        for verdict in refused:
            self._nodes.failed(node, REFUSED)
            self._failed(verdict.parcel, REFUSED)
        job = self._job
        if job is not None and job.node == node and job.on_link:
            self._retry(job, reason)

    def _retry(self, job: _Job, reason: str) -> None:
        self._nodes.failed(job.node, reason)
        _log.info("storing a message at propagation node %s failed: %s", job.node, reason)
        job.on_link = False
        following = self._nodes.node()
        if not following or job.tries[following] >= MAX_TRIES_EACH or job.tries.total() >= MAX_TRIES:
            self._give_up(job, reason)
        else:
            self._try(job)

    def _give_up(self, job: _Job, reason: str) -> None:
        self._end(job)
        self._failed(job.parcel, reason)
        # Not at once: those that wait would fail each inside the other.
        self._worker.call(self._next)

    def _end(self, job: _Job) -> None:
        job.over = True
        if self._job is job:
            self._job = None

    def _when_quiet(self, quiet: int) -> None:
        if quiet == self._quiet and self._job is None and not self._verdicts:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
