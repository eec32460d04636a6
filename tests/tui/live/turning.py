"""A loop for the live part, without a terminal."""

from __future__ import annotations

import heapq
import select
import time
from collections.abc import Callable
from itertools import count

from interfaces.tui.live.needs import Cancel


class TurningLoop:
    """Watches and timers in real time; ``until`` turns it."""

    def __init__(self) -> None:
        self._watched: dict[int, Callable[[], object]] = {}
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._cancelled: set[int] = set()
        self._numbers = count()

    def watch(self, descriptor: int, ready: Callable[[], object]) -> Cancel:
        self._watched[descriptor] = ready
        return lambda: self._unwatch(descriptor, ready)

    def _unwatch(self, descriptor: int, ready: Callable[[], object]) -> None:
        if self._watched.get(descriptor) is ready:
            del self._watched[descriptor]

    def after(self, seconds: float, then: Callable[[], object]) -> Cancel:
        number = next(self._numbers)
        heapq.heappush(self._timers, (time.monotonic() + seconds, number, then))
        return lambda: self._cancelled.add(number)

    @property
    def timers(self) -> int:
        return sum(number not in self._cancelled for _, number, _ in self._timers)

    def until(self, condition: Callable[[], object], what: str, deadline: float = 10.0) -> None:
        end = time.monotonic() + deadline
        while not condition():
            now = time.monotonic()
            assert now < end, f"not within {deadline:g} s: {what}"
            due = min([end, *(at for at, number, _ in self._timers if number not in self._cancelled)])
            ready = select.select(list(self._watched), [], [], max(0.0, due - now))[0]
            for descriptor in ready:
                if descriptor in self._watched:
                    self._watched[descriptor]()
            while self._timers and self._timers[0][0] <= time.monotonic():
                _, number, then = heapq.heappop(self._timers)
                if number not in self._cancelled:
                    then()
