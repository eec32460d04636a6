"""Counting, and writing numbers down for Prometheus."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, strategies as st

from lrgpnode import metrics
from lrgpnode.metrics import Counters, Family, Sample, render
from lrgpnode.vitals import count_event


def value(counters: Counters, name: str, **labels: str) -> float:
    samples = [one for family in counters.families() for one in family.samples]
    (found,) = [one.value for one in samples if one.name == name and one.labels == labels]
    return found


def series(counters: Counters) -> int:
    return sum(len(family.samples) for family in counters.families())


@given(st.lists(st.text(max_size=10), max_size=30))
def test_nothing_that_a_peer_chooses_makes_a_new_series(words: list[str]) -> None:
    counters = Counters()
    before = series(counters)
    for word in words:
        counters.add(metrics.REFUSED, word)
        fields = {"own": False, "command": word, "status": word, "code": word}
        count_event(counters, "game.applied", fields)
        count_event(counters, "game.error", fields)
        count_event(counters, word, {})
    assert series(counters) == before
    total = sum(one.value for f in counters.families() if f.name == metrics.REFUSED.name for one in f.samples)
    assert total == len(words)


def test_every_reason_has_its_own_count() -> None:
    counters = Counters()
    for reason in metrics.REFUSED.values:
        counters.add(metrics.REFUSED, reason)
    assert all(value(counters, metrics.REFUSED.name, reason=reason) == 1 for reason in metrics.REFUSED.values)
    with pytest.raises(KeyError):
        counters.add(metrics.ENDED, "no such status")


def test_games_that_end() -> None:
    counters = Counters()
    fields = {"own": True, "command": "move", "status": "completed"}
    count_event(counters, "game.applied", fields)
    count_event(counters, "game.applied", fields | {"status": "active"})
    count_event(counters, "game.expired", {})
    assert value(counters, metrics.ENDED.name, status="completed") == 1
    assert value(counters, metrics.ENDED.name, status="expired") == 1
    assert value(counters, metrics.ACTIONS.name, command="move") == 2
    assert value(counters, metrics.EVENTS.name) == 3


def test_the_histogram_is_cumulative() -> None:
    counters = Counters()
    for seconds in (0.0, 0.002, 0.03, 9.0):
        counters.wrote(seconds)
    name = f"{metrics.WRITE_SECONDS}_bucket"
    assert [value(counters, name, le=le) for le in ("0.002", "0.02", "0.05", "5", "+Inf")] == [2, 2, 3, 3, 4]
    assert value(counters, f"{metrics.WRITE_SECONDS}_sum") == pytest.approx(9.032)
    assert set(counters.last()) == {"written"}


def test_no_count_is_lost_between_threads() -> None:
    counters = Counters()

    def count() -> None:
        for _ in range(5000):
            counters.add(metrics.LOG_LINES, "info")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert value(counters, metrics.LOG_LINES.name, level="info") == 20_000


def test_the_text() -> None:
    family = Family(
        "a_total",
        "counter",
        'One\nline, a \\ and a "quote".',
        (Sample("a_total", 3.0, {"x": 'a"\\\n'}), Sample("a_total", 0.25)),
    )
    assert render([family]) == (
        '# HELP a_total One\\nline, a \\\\ and a "quote".\n'
        "# TYPE a_total counter\n"
        'a_total{x="a\\"\\\\\\n"} 3\n'
        "a_total 0.25\n"
    )
