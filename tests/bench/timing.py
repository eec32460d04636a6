"""Measuring two things against each other in one run.

The two take turns in short bursts, so that whatever else the machine does hits both, and the best
burst of either counts: noise only ever adds time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: ``value`` against ``baseline`` in ``unit``, with the limit it is judged by.

    ``limit`` bounds ``value / baseline`` where ``slack`` is None, else ``value - baseline``.
    """

    name: str
    value: float
    baseline: float
    unit: str
    limit: float
    slack: bool = False

    @property
    def figure(self) -> float:
        return self.value - self.baseline if self.slack else self.value / self.baseline

    @property
    def kept(self) -> bool:
        return self.figure <= self.limit

    def as_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "value": round(self.value, 4),
            "baseline": round(self.baseline, 4),
            "unit": self.unit,
            "figure": round(self.figure, 3),
            "kind": "difference" if self.slack else "ratio",
            "limit": self.limit,
            "kept": self.kept,
        }


def best_of(works: dict[str, Work], *, calls: int, rounds: int = 15) -> dict[str, float]:
    """Microseconds for one call of each work, the best of ``rounds`` interleaved bursts."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            began = time.perf_counter_ns()
            for _ in range(calls):
                work()
            best[name] = min(best[name], (time.perf_counter_ns() - began) / calls / 1000)
    return best
