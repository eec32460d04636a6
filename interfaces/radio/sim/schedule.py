"""Virtual time: what is to happen when, and nothing happens by itself."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any


class Appointment:
    """Something that is to happen at ``time``, unless it is called off before."""

    __slots__ = ("call", "time")

    def __init__(self, time: float, call: Callable[[], Any]) -> None:
        self.time = time
        self.call: Callable[[], Any] | None = call

    def cancel(self) -> None:
        self.call = None


class Schedule:
    """``now`` in seconds. What is due at the same time happens in the order in which it was made."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Appointment]] = []
        self._numbers = count()

    def at(self, time: float, call: Callable[[], Any]) -> Appointment:
        """``call`` at ``time``; at once when that has passed."""
        appointment = Appointment(max(time, self.now), call)
        heapq.heappush(self._due, (appointment.time, next(self._numbers), appointment))
        return appointment

    def after(self, seconds: float, call: Callable[[], Any]) -> Appointment:
        return self.at(self.now + seconds, call)

    def next(self) -> float | None:
        """When the next thing happens, or None if nothing is to happen."""
        while self._due and self._due[0][2].call is None:
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def run_until(self, time: float) -> None:
        """Let everything happen that is due until ``time``, each at its own time."""
        while (due := self.next()) is not None and due <= time:
            appointment = heapq.heappop(self._due)[2]
            self.now = due
            call = appointment.call
            assert call is not None
            call()
        self.now = max(self.now, time)
