"""One thread that does everything that may block in Reticulum and LXMF: sending and announcing.

LXMF's calls sleep and take locks, so they must run neither on the node's loop nor in LXMF's own
callbacks. Work is handed over through a queue; what has a time is kept here too, so that nothing
polls. All state of what runs on the worker belongs to the worker and needs no lock.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)

Job = tuple[Callable[..., object], tuple[Any, ...]]


class Worker:
    """Runs jobs in the order given; a job that raises is logged and does not end the thread."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._timed: list[tuple[float, int, Job]] = []
        self._number = itertools.count()
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def call(self, function: Callable[..., object], *args: Any) -> None:
        """Run as soon as possible. From any thread."""
        self._jobs.put((function, args))

    def ask(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run as soon as possible; what comes of it. From any thread.

        A worker that is stopped first leaves the future without a result for ever.
        """
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def job() -> None:
            try:
                result = function(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
                future.set_exception(error)
            else:
                future.set_result(result)

        self._jobs.put((job, ()))
        return future

    def later(self, delay: float, function: Callable[..., object], *args: Any) -> None:
        """Run after ``delay`` seconds. From jobs of this worker, or before it is started."""
        due = time.monotonic() + delay
        heapq.heappush(self._timed, (due, next(self._number), (function, args)))

    def stop(self, timeout: float) -> None:
        """End after the current job; what is still waiting is dropped."""
        self._jobs.put(None)
        if self._thread.is_alive() and current_thread() is not self._thread:
            self._thread.join(timeout)

    def _run(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=self._pause())
            except Empty:
                job = heapq.heappop(self._timed)[2]
            if job is None:
                return
            function, args = job
            try:
                function(*args)
            except Exception:  # noqa: BLE001 - one bad message must not stop all sending
                _log.exception("%s: a job failed", self._thread.name)

    def _pause(self) -> float | None:
        if not self._timed:
            return None
        return max(0.0, self._timed[0][0] - time.monotonic())
