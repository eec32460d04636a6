"""How often somebody may do something: buckets of tokens that fill up with time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

MAX_BUCKETS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rate(Value):
    """``burst`` at once, and ``per_second`` in the long run."""

    per_second: float
    burst: float


class Limiter:
    """One bucket for each name. Full ones are forgotten."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, name: str, now: float) -> float:
        """0 if it may be done, which it then counts as; else the seconds until it may."""
        rate = self.rate
        left, at = self._buckets.get(name, (rate.burst, now))
        left = min(rate.burst, left + (now - at) * rate.per_second)
        if left < 1.0:
            self._buckets[name] = (left, now)
            return (1.0 - left) / rate.per_second
        if len(self._buckets) >= MAX_BUCKETS and name not in self._buckets:
            self._forget_full(now)
        self._buckets[name] = (left - 1.0, now)
        return 0.0

    def wait(self, name: str, now: float) -> float:
        """As ``take``, without counting."""
        rate = self.rate
        left, at = self._buckets.get(name, (rate.burst, now))
        left = min(rate.burst, left + (now - at) * rate.per_second)
        return 0.0 if left >= 1.0 else (1.0 - left) / rate.per_second

    def _forget_full(self, now: float) -> None:
        rate = self.rate
        self._buckets = {
            name: (left, at)
            for name, (left, at) in self._buckets.items()
            if left + (now - at) * rate.per_second < rate.burst
        }
        while len(self._buckets) >= MAX_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
