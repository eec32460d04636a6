"""The proof of work that propagation nodes ask for, on a thread that exists once it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from LXMF import LXStamper

from .. import stamps
from ..worker import Worker

NOTICE_AFTER: Final = 3.0
"""Seconds after which a person is told that a stamp takes its time."""

Done = Callable[[bytes | None], None]


class StampWork:
    """One stamp in the making. ``tries`` are those so far."""

    def __init__(self, transient_id: bytes, cost: int) -> None:
        self.cost = cost
        self.tries = 0
        self.started = 0.0
        self.finished = False
        self.noticed = False
        self._transient_id = transient_id
        self._cancelled = False

    def cancel(self) -> None:
        """Stop within milliseconds. From any thread."""
        self._cancelled = True

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started if self.started else 0.0

    @property
    def expected(self) -> float:
        """How many seconds the whole may take at the speed so far: it can be less, and much more."""
        return self.seconds * 2.0**self.cost / self.tries if self.tries else 0.0

    def run(self) -> bytes | None:
        if self._cancelled:
            return None
        self.started = time.monotonic()
        workblock = LXStamper.stamp_workblock(
            self._transient_id, expand_rounds=LXStamper.WORKBLOCK_EXPAND_ROUNDS_PN
        )
        stamp, self.tries = stamps.search(self.cost, workblock, self._go_on)
        return stamp

    def _go_on(self, tries: int) -> bool:
        self.tries = tries
        return not self._cancelled


class StampMaker:
    """Makes one stamp after the other. ``notice`` is told of one that takes long, and of its end.

    Everything is called on ``worker``, the mesh's; only the search itself has its own thread.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._thread: Worker | None = None
        self._works: set[StampWork] = set()

    def make(
        self, transient_id: bytes, cost: int, done: Done, notice: Callable[[StampWork], None]
    ) -> StampWork:
        """Begin. ``done`` gets the stamp, or None where the work was cancelled."""
        work = StampWork(transient_id, cost)
        self._works.add(work)
        self._on_thread(self._run, work, done, notice)
        self._worker.later(NOTICE_AFTER, self._still, work, notice)
        return work

    def pack(self, pack: Callable[[], None], done: Callable[[], None]) -> None:
        """Run ``pack``, which may make a stamp for the receiver of a message, on the same thread."""

        def packed() -> None:
            try:
                pack()
            finally:
                self._worker.call(done)

        self._on_thread(packed)

    def stop(self) -> None:
        """Cancel everything. From any thread."""
        for work in tuple(self._works):
            work.cancel()
        if self._thread is not None:
            self._thread.stop(timeout=0.3)

    def _on_thread(self, function: Callable[..., None], *args: Any) -> None:
        if self._thread is None:
            self._thread = Worker("mesh-stamp")
            self._thread.start()
        self._thread.call(function, *args)

    def _run(self, work: StampWork, done: Done, notice: Callable[[StampWork], None]) -> None:
        self._worker.call(self._made, work, work.run(), done, notice)

    def _made(
        self, work: StampWork, stamp: bytes | None, done: Done, notice: Callable[[StampWork], None]
    ) -> None:
        self._works.discard(work)
        work.finished = True
        if work.noticed:
            notice(work)
        done(stamp)

    def _still(self, work: StampWork, notice: Callable[[StampWork], None]) -> None:
        if work.finished:
            return
        if work.tries:
            work.noticed = True
            notice(work)
        else:
            # It waits behind another one: nothing can be said about its length yet.
            self._worker.later(NOTICE_AFTER, self._still, work, notice)
