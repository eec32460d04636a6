"""A loop whose time is virtual: days pass as soon as nothing is left to do now.

Nothing may run on other threads meanwhile, so the store is written to inline.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from storage.store import Store
from storage.writer import Writer

P = ParamSpec("P")
T = TypeVar("T")


class Deadlock(Exception):
    """Everybody waits and no timer is set."""


class _Selector(selectors.SelectSelector):
    """Nothing is ever ready; waiting only moves the loop's clock."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Deadlock
        self.loop.seconds += max(timeout, 0.0)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.seconds = 1000.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.seconds


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """The result of ``main`` on a loop of its own."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(main(loop))
    finally:
        loop.close()


class InlineWriter(Writer):
    """Writes at once, on the loop's thread. ``fault`` is asked before each commit and may raise."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._path = store.path
        self.fault: Callable[[], None] = lambda: None

    def submit(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            self.fault()
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it belongs to the caller, whatever it is
            future.set_exception(self._translated(error))
        return future

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        # Others get their turn before and after, as they would while a disk is busy.
        await asyncio.sleep(0)
        result = self.submit(fn, *args, **kwargs).result()
        await asyncio.sleep(0)
        return result

    def close(self) -> None:
        """Nothing is open."""
