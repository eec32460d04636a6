"""The sliding window against a list that is summed up."""

from __future__ import annotations

import random

from hypothesis import given, strategies as st

from lrgpnode.airtime.window import GRAIN, SPAN, Window

STEPS = st.lists(st.tuples(st.floats(0, 900), st.integers(1, 5_000_000)), min_size=1, max_size=120)


def counted(uses: list[tuple[float, int]], now: float) -> int:
    return sum(amount for at, amount in uses if at + SPAN > now)


@given(STEPS)
def test_the_total_is_never_too_low_and_exact_to_a_second(steps: list[tuple[float, int]]) -> None:
    window, uses, now = Window(), [], 1000.0
    for pause, amount in steps:
        now += pause
        uses.append((now, amount))
        window.add(now, amount)
        total = window.total(now)
        assert counted(uses, now) <= total <= counted(uses, now - GRAIN)


@given(STEPS, st.integers(0, 20_000_000))
def test_free_at_is_the_first_moment_at_which_no_more_than_that_counts(
    steps: list[tuple[float, int]], level: int
) -> None:
    window, now = Window(), 1000.0
    for pause, amount in steps:
        now += pause
        window.add(now, amount)
    at = window.free_at(level, now)
    entries = window.entries(now, 0.0)
    if at > now:
        assert sum(amount for age, amount in entries if now - age + SPAN > at - 0.001) > level
    assert sum(amount for age, amount in entries if now - age + SPAN > at + 0.001) <= level
    assert window.total(at) <= level


def test_a_month_of_packets_takes_the_memory_of_an_hour() -> None:
    window, chance, now, most = Window(), random.Random(1), 0.0, 0
    for _ in range(200_000):
        now += chance.uniform(0.0, 0.2)
        window.add(now, 50_000)
        if chance.random() < 0.01:
            window.total(now)
        most = max(most, len(window._times))
    assert len(window) <= SPAN / GRAIN + 1
    assert most <= 2 * (SPAN / GRAIN + 100)


@given(STEPS, st.floats(0, 2000))
def test_what_is_stored_and_restored_is_never_less(steps: list[tuple[float, int]], passed: float) -> None:
    window, now = Window(), 1000.0
    for pause, amount in steps:
        now += pause
        window.add(now, amount)
    other, later = Window(), 77.0
    other.restore([(age + passed, amount) for age, amount in window.entries(now)], later)
    exact = window.total(now + passed)
    assert other.total(later) >= exact
    assert len(window.entries(now)) <= SPAN / 60 + 2


def test_what_is_put_together_counts_as_long_as_its_newest() -> None:
    window = Window()
    for at in (0.0, 0.5, 0.9):
        window.add(at, 10)
    assert [window.total(SPAN + late) for late in (0.0, 0.5, 0.89, 0.91)] == [30, 30, 30, 0]


def test_what_is_stored_together_is_as_new_as_its_newest() -> None:
    window = Window()
    for at in (0.0, 30.0, 59.0, 61.0):
        window.add(at, 10)
    assert window.entries(100.0) == [(41.0, 30), (39.0, 10)]
