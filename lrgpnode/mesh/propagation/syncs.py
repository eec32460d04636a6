"""When which identity fetches its mail from which nodes; runs on the mesh's worker.

One sync goes on at a time: a radio carries one thing at a time anyway. Mail lies where its sender put
it, so every node that is listed is asked; of those merely heard only the current one, and the next
when that fails. Nothing polls: a sync begins by a timer, on request, or when the first node is heard.
"""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from ..lxmf import NodeRouter
from ..receiver import Receiver
from ..worker import Worker
from .book import NodeBook
from .connection import Connection
from .fetch import Fetch, Fetched
from .report import IdentityStatus, SyncNews, SyncState
from .state import Synced
from .upload import NO_NODE, NO_PATH

JITTER: Final = 0.1
AFTER_FAILURE: Final = 600.0
"""Seconds after which a sync that failed is tried again, unless the schedule is denser."""

NO_AIRTIME: Final = "there is no airtime left for fetching mail"

MAX_TRIES: Final = 6
MAX_TRIES_EACH: Final = 2

Tell = Callable[[SyncNews], None]


class Reach(Protocol):
    """How to get at a node; see ``upload.Nodes``."""

    def find(self, node: str, found: Callable[[bool], None]) -> None: ...
    def connect(
        self, node: str, opened: Callable[[Connection], None], lost: Callable[[str], None]
    ) -> None: ...
    def is_own(self, node: str) -> bool: ...
    def collect(self, router: NodeRouter) -> int: ...
    def worked(self, node: str) -> None: ...
    def failed(self, node: str, reason: str) -> None: ...


class Airtime(Protocol):
    """Who counts what goes out by radio."""

    def may_sync(self, identity: str, node: str) -> bool:
        """Whether there is airtime for it; then it is held until ``synced``."""
        ...

    def synced(self, identity: str) -> None: ...


@dataclass(slots=True, eq=False)
class _Run:
    """The sync of one identity. ``nodes`` are still to be asked."""

    identity: str
    nodes: list[str] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)
    received: int = 0
    left: int = 0
    good: str = ""
    reason: str = ""


class Syncs:
    def __init__(
        self,
        worker: Worker,
        book: NodeBook,
        reach: Reach,
        routers: Mapping[str, NodeRouter],
        with_mail: Callable[[], tuple[str, ...]],
        receiver: Receiver,
        interval: float,
        tell: Tell,
        airtime: Airtime | None = None,
    ) -> None:
        self._worker = worker
        self._book = book
        self._reach = reach
        self._routers = routers
        self._with_mail = with_mail
        self._receiver = receiver
        self._interval = interval
        self._tell = tell
        self._airtime = airtime
        self._waiting: deque[str] = deque()
        self._run: _Run | None = None
        self._states: dict[str, SyncState] = {}
        self._reasons: dict[str, str] = {}
        self._timer = 0
        self._owed = False
        self.next_at: float | None = None

    def start(self, delay: float) -> None:
        """Sync all after about ``delay`` seconds, and then regularly. Before the worker is started."""
        if self._interval > 0:
            self._plan(delay * random.uniform(1.0, 1.5))  # noqa: S311 - no secret

    def request(self, identities: tuple[str, ...]) -> None:
        """Sync these identities as soon as may be, all if none is named."""
        possible = self._with_mail()
        for identity in identities or possible:
            running = self._run is not None and self._run.identity == identity
            if identity in possible and identity not in self._waiting and not running:
                self._waiting.append(identity)
                self._told(SyncNews(identity=identity, node="", state=SyncState.WAITING))
        self._next()

    def node_found(self) -> None:
        """There is a node to ask, after there was none."""
        if self._owed:
            self._owed = False
            self._regularly(self._timer)

    def status(self) -> tuple[IdentityStatus, ...]:
        found = []
        for identity in self._with_mail():
            record = self._book.synced(identity) or Synced(at=0.0, node="", received=0)
            found.append(
                IdentityStatus(
                    identity=identity,
                    synced_at=record.at,
                    node=record.node,
                    received=record.received,
                    state=self._states.get(identity),
                    reason=self._reasons.get(identity, ""),
                )
            )
        return tuple(found)

    # --- when

    def _plan(self, delay: float) -> None:
        self._timer += 1
        self.next_at = time.time() + delay
        self._worker.later(delay, self._regularly, self._timer)

    def _regularly(self, timer: int) -> None:
        if timer != self._timer:
            return
        self._plan(self._interval * random.uniform(1 - JITTER, 1 + JITTER))  # noqa: S311 - no secret
        if self._book.current(time.time()):
            self.request(())
        else:
            # Without a node there is nothing to report every hour.
            self._owed = True
            self._reasons |= dict.fromkeys(self._with_mail(), NO_NODE)

    def _sooner(self) -> None:
        if self.next_at is not None and self.next_at > time.time() + AFTER_FAILURE:
            self._plan(AFTER_FAILURE * random.uniform(1.0, 1.2))  # noqa: S311 - no secret

    # --- one identity after the other, one node after the other

    def _next(self) -> None:
        if self._run is None and self._waiting:
            run = self._run = _Run(self._waiting.popleft())
            usable = self._book.candidates(time.time())
            run.nodes = [node for node in self._book.pinned() if node in usable]
            if not run.nodes:
                current = self._book.current(time.time())
                run.nodes = [current] if current else []
            if run.nodes:
                self._try(run)
            else:
                run.reason = NO_NODE
                self._finish(run)

    def _try(self, run: _Run) -> None:
        node = run.nodes[0]
        router = self._routers.get(run.identity)
        if router is None:
            self._finish(run)
            return
        if self._airtime is not None and not self._airtime.may_sync(run.identity, node):
            run.reason = NO_AIRTIME
            self._finish(run)
            return
        run.tries[node] += 1
        self._report(run, SyncState.CONNECTING)
        if self._reach.is_own(node):
            self._on_done(run, node, Fetched(self._reach.collect(router)))
        else:
            self._reach.find(node, lambda found: self._on_found(run, node, router, found))

    def _on_found(self, run: _Run, node: str, router: NodeRouter, found: bool) -> None:
        if not found:
            self._on_done(run, node, Fetched(reason=NO_PATH))
            return

        fetch = Fetch(
            router,
            self._receiver,
            lambda state, progress, received: self._report(run, state, progress, received),
            lambda fetched: self._on_done(run, node, fetched),
        )
        self._reach.connect(node, fetch.start, fetch.lost)

    def _on_done(self, run: _Run, node: str, fetched: Fetched) -> None:
        run.received += fetched.received
        if fetched.ours:
            # No other node would help.
            run.reason = fetched.reason
            run.nodes.clear()
            self._finish(run)
            return
        if not fetched.reason:
            run.left += fetched.left
            run.good = run.good or node
            run.nodes.remove(node)
            self._reach.worked(node)
        else:
            run.reason = fetched.reason
            self._reach.failed(node, fetched.reason)
            if run.tries[node] >= MAX_TRIES_EACH:
                run.nodes.remove(node)
        if not run.nodes and not run.good:
            self._look_further(run)
        if run.nodes:
            # Not at once: a node that is not found at once would be tried inside its own failure.
            self._worker.call(self._try, run)
        else:
            self._finish(run)

    def _look_further(self, run: _Run) -> None:
        """All nodes have failed: the one that is current now, if it has not been tried."""
        node = self._book.current(time.time())
        if node and run.tries[node] < MAX_TRIES_EACH and run.tries.total() < MAX_TRIES:
            run.nodes.append(node)

    def _finish(self, run: _Run) -> None:
        self._run = None
        if self._airtime is not None:
            self._airtime.synced(run.identity)
        if run.good:
            record = Synced(at=time.time(), node=run.good, received=run.received)
            self._book.note_synced(run.identity, record)
            self._reasons[run.identity] = run.reason
        else:
            self._reasons[run.identity] = run.reason or NO_NODE
            self._sooner()
        state = SyncState.DONE if run.good else SyncState.FAILED
        self._told(
            SyncNews(
                identity=run.identity,
                node=run.good,
                state=state,
                progress=1.0 if run.good else 0.0,
                received=run.received,
                left=run.left,
                reason=run.reason,
                last=True,
            )
        )
        self._next()

    def _report(self, run: _Run, state: SyncState, progress: float = 0.0, received: int = 0) -> None:
        news = SyncNews(
            identity=run.identity,
            node=run.nodes[0],
            state=state,
            progress=progress,
            received=run.received + received,
        )
        self._told(news)

    def _told(self, news: SyncNews) -> None:
        self._states[news.identity] = news.state
        self._tell(news)
