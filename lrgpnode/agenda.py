"""What is to be done at a later time, with one timer of the loop for all of it.

Times are seconds of a clock that never jumps (``lrgpnode.node.clock.Clock.boot``). Where that clock is
moved, as tests do, ``wake`` finds what has become due.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from typing import Any, Final

SHORTEST: Final = 0.001
"""Seconds that a timer waits at least."""

FEW: Final = 64
"""Below this number of entries, cancelled ones are left to fall due."""


class Entry:
    """One thing to be done."""

    __slots__ = ("args", "call", "when")

    def __init__(self, when: float, call: Callable[..., None] | None, args: tuple[Any, ...]) -> None:
        self.when = when
        self.call = call
        self.args = args


class Agenda:
    """On the loop's thread. ``clock`` in seconds."""

    def __init__(self, clock: Callable[[], float], loop: asyncio.AbstractEventLoop) -> None:
        self.clock = clock
        self._loop = loop
        self._heap: list[tuple[float, int, Entry]] = []
        self._order = itertools.count()
        self._cancelled = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._stopped = False

    def at(self, when: float, call: Callable[..., None], *args: Any) -> Entry:
        """Do it at this time of the clock; at once, but not within this call, if that is past."""
        entry = Entry(when, call, args)
        heapq.heappush(self._heap, (when, next(self._order), entry))
        if self._timer is None or when < self._timer_at:
            self._arm()
        return entry

    def after(self, seconds: float, call: Callable[..., None], *args: Any) -> Entry:
        return self.at(self.clock() + seconds, call, *args)

    def cancel(self, entry: Entry | None) -> None:
        """Do it no more. May be said twice, and of what has been done."""
        if entry is None or entry.call is None:
            return
        entry.call, entry.args = None, ()
        self._cancelled += 1
        if self._cancelled * 2 > len(self._heap) >= FEW:
            self._heap = [item for item in self._heap if item[2].call is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def wake(self) -> None:
        """Do what is due now."""
        now = self.clock()
        due = []
        while self._heap and self._heap[0][0] <= now:
            entry = heapq.heappop(self._heap)[2]
            if entry.call is None:
                self._cancelled -= 1
            else:
                due.append(entry)
        for entry in due:
            # An earlier one may have cancelled it.
            call, args = entry.call, entry.args
            if call is not None and not self._stopped:
                entry.call, entry.args = None, ()
                call(*args)
        self._arm()

    def stop(self) -> None:
        """Nothing is done any more."""
        self._stopped = True
        self._heap.clear()
        self._arm()

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heap and not self._stopped:
            self._timer_at = self._heap[0][0]
            # Never a moment so short that the loop's clock does not go on in it.
            wait = self._timer_at - self.clock()
            self._timer = self._loop.call_later(max(SHORTEST, wait) if wait > 0 else 0.0, self._fire)

    def _fire(self) -> None:
        self._timer = None
        self.wake()
