"""The one thread that writes to the database.

Work is handed over through a ``SimpleQueue`` and runs in the order it was submitted, one piece at a
time, so commits of all identities are strictly serial. What was submitted runs even if nobody waits for
it any more: whoever cancels a wait does not take back a move. ``close`` lets the queue run empty.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

from . import errors
from .errors import translate
from .store import Store

P = ParamSpec("P")
T = TypeVar("T")


class Writer:
    """Owns the store's write connection: ``writer.submit(store.commit, unit)``.

    ``observe`` is told, in the thread, how many seconds each piece of work took.

    Whatever the function raises arrives at the caller, faults of ``sqlite3`` as ``StorageError``.
    """

    def __init__(
        self,
        store: Store,
        *,
        name: str = "lrgpnode-writer",
        observe: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._path = store.path
        self._observe = observe
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        # A daemon: a program that forgets close() still ends, and what was committed is on the disk.
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run ``fn`` on the writer thread; from any thread. Raises ``Closed`` after ``close``."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # it can no longer be cancelled

        def item() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
                future.set_exception(self._translated(error))
            else:
                future.set_result(result)

        self._put(item)
        return future

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As ``submit``, awaited on the running loop. Cancelling the wait does not stop the work."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def item() -> None:
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
                _post(loop, future, future.set_exception, self._translated(error))
            else:
                _post(loop, future, future.set_result, result)

        self._put(item)
        return await future

    def close(self) -> None:
        """Finish what was submitted, then end the thread. The store stays open. May be called twice."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _put(self, item: Callable[[], None]) -> None:
        # The lock keeps work from slipping in behind the end mark, where it would never run.
        with self._lock:
            if self._closed:
                raise errors.closed(self._path)
            self._queue.put(item)

    def _translated(self, error: BaseException) -> BaseException:
        return translate(self._path, error) if isinstance(error, sqlite3.Error) else error

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            began = time.monotonic()
            item()
            self._observe(time.monotonic() - began)
            del item  # not kept alive while waiting for the next


def _post(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[T], settle: Callable[[Any], None], value: object
) -> None:
    def on_loop() -> None:
        if not future.cancelled():
            settle(value)

    with suppress(RuntimeError):  # the loop has ended; nobody waits
        loop.call_soon_threadsafe(on_loop)
