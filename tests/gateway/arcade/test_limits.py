"""Buckets of tokens."""

from __future__ import annotations

import pytest

from gateway.arcade import limits
from gateway.arcade.limits import Limiter, Rate


def test_a_burst_and_then_the_rate() -> None:
    limiter = Limiter(Rate(per_second=2, burst=3))
    assert [limiter.take("a", 10.0) for _ in range(4)] == [0, 0, 0, 0.5]
    assert limiter.take("b", 10.0) == 0
    assert limiter.take("a", 10.4) == pytest.approx(0.1)
    assert limiter.take("a", 10.5) == 0
    assert limiter.take("a", 10.5) == 0.5
    assert [limiter.take("a", 1000.0) for _ in range(4)] == [0, 0, 0, 0.5]


def test_buckets_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BUCKETS", 10)
    limiter = Limiter(Rate(per_second=1, burst=1))
    for number in range(100):
        limiter.take(f"a{number}", 0.0)
    assert len(limiter._buckets) <= 10
    assert limiter.take("a99", 0.0) == 1
