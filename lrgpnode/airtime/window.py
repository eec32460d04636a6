"""What was used in the last hour: a sliding window, exact to a second and never too low.

Amounts are whole microseconds, so that nothing drifts however long a node runs. Uses within one second
count as one, made at the time of the last of them; an hour has no more than 3600 entries. Adding and
looking are amortised O(1), ``free_at`` is a binary search over running sums.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

HOUR: Final = 3600.0
QUEUE_SECONDS: Final = 60.0
"""How long a packet may wait in the RNode until the channel is free: the law counts it when it is sent."""

SPAN: Final = HOUR + QUEUE_SECONDS
GRAIN: Final = 1.0
COARSE: Final = 60.0
"""As the window is stored: a minute in one, at its end."""

_COMPACT_AT: Final = 64


class Window:
    """Times in seconds of a clock that never goes back."""

    __slots__ = ("_began", "_gone", "_head", "_sums", "_times")

    def __init__(self) -> None:
        self._times: list[float] = []
        self._sums: list[int] = []  # of everything up to and with the entry
        self._head = 0
        self._gone = 0
        self._began = 0.0

    def add(self, at: float, amount: int) -> None:
        times, sums = self._times, self._sums
        if times and at < times[-1]:
            at = times[-1]
        if len(times) > self._head and at - self._began < GRAIN:
            times[-1] = at
            sums[-1] += amount
            return
        self._began = at
        times.append(at)
        sums.append((sums[-1] if sums else self._gone) + amount)

    def total(self, now: float) -> int:
        """What counts at ``now``. A use counts for ``SPAN`` seconds."""
        times, head = self._times, self._head
        while head < len(times) and times[head] + SPAN <= now:
            head += 1
        if head != self._head:
            self._gone, self._head = self._sums[head - 1], head
            if head == len(times):
                times.clear()
                self._sums.clear()
                self._head = 0
            elif head >= _COMPACT_AT and head * 2 >= len(times):
                del times[:head], self._sums[:head]
                self._head = 0
        return self._sums[-1] - self._gone if self._sums else 0

    def free_at(self, level: int, now: float) -> float:
        """When no more than ``level`` (or nothing, if that is below 0) counts, if nothing is added;
        ``now`` if that is so already."""
        level = max(level, 0)
        if self.total(now) <= level:
            return now
        wanted = self._sums[-1] - level
        return self._times[bisect_left(self._sums, wanted, self._head)] + SPAN

    def entries(self, now: float, grain: float = COARSE) -> list[tuple[float, int]]:
        """(age in seconds, amount) of what counts, oldest first, within ``grain`` in one and as new as the
        newest of them."""
        self.total(now)
        found: list[tuple[float, int]] = []
        before, began = self._gone, 0.0
        for n in range(self._head, len(self._times)):
            at, amount = self._times[n], self._sums[n] - before
            before = self._sums[n]
            if found and at - began < grain:
                found[-1] = (now - at, found[-1][1] + amount)
            else:
                began = at
                found.append((now - at, amount))
        return found

    def restore(self, entries: Iterable[tuple[float, int]], now: float) -> None:
        """Take over what another window had, by its ages; before anything is added."""
        for age, amount in sorted(entries, reverse=True):
            if age < SPAN:
                self.add(now - age, amount)

    def __len__(self) -> int:
        return len(self._times) - self._head
