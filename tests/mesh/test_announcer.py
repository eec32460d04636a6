"""One announce a clock second: when each is sent, on a clock of the test's own."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any, cast

import pytest

from lrgpnode.mesh.announcer import INTRODUCTION_DELAY, Announcer
from lrgpnode.mesh.worker import Worker

BEGIN = 1_000_000.3


class Time:
    """A clock and the worker that goes by it."""

    def __init__(self) -> None:
        self.now = BEGIN
        self._number = itertools.count()
        self._timed: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []

    def call(self, function: Callable[..., None], *args: Any) -> None:
        function(*args)

    def later(self, delay: float, function: Callable[..., None], *args: Any) -> None:
        heapq.heappush(self._timed, (self.now + delay, next(self._number), function, args))

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while self._timed and self._timed[0][0] <= end:
            self.now, _, function, args = heapq.heappop(self._timed)
            function(*args)
        self.now = end


class Told(list[tuple[int, str, Any]]):
    """(clock second, identity, interface) of each announce."""

    def __init__(self, time: Time) -> None:
        self._time = time

    def announce(self, identity: str, interface: Any) -> None:
        self.append((int(self._time.now) - int(BEGIN), identity, interface))


def make(interval: float = 0.0, *identities: str) -> tuple[Time, Told, Announcer]:
    time = Time()
    told = Told(time)
    announcer = Announcer(
        identities or ("a",), told.announce, cast("Worker", time), interval, clock=lambda: time.now
    )
    return time, told, announcer


def test_what_is_sent_in_the_second_of_the_start_is_sent_again() -> None:
    time, told, announcer = make()
    announcer.request()
    time.pass_by(10)
    assert told == [(0, "a", None), (1, "a", None)]


def test_requests_within_a_second_are_one_announce_in_the_next() -> None:
    time, told, announcer = make()
    time.pass_by(5)
    for _ in range(3):
        announcer.request()
        time.pass_by(0.1)
    assert told == [(5, "a", None)]
    time.pass_by(0.5)
    assert told == [(5, "a", None), (6, "a", None)]
    time.pass_by(10)
    assert len(told) == 2


def test_several_identities_take_turns() -> None:
    time, told, announcer = make(0.0, "a", "b", "c")
    time.pass_by(5)
    announcer.request()
    announcer.request("b")
    time.pass_by(10)
    assert told == [(5, "a", None), (6, "b", None), (7, "c", None)]


def test_one_interface_or_all() -> None:
    time, told, announcer = make(3600.0)
    time.pass_by(5)
    announcer.request()
    announcer.request(interface="tcp")
    time.pass_by(1)
    announcer.request(interface="tcp")
    announcer.request(interface="other")
    time.pass_by(5)
    assert told == [(5, "a", None), (6, "a", "tcp"), (7, "a", None)]


def test_a_new_connection_is_announced_on_once() -> None:
    time, told, announcer = make(3600.0)
    time.pass_by(5)
    announcer.connected("quiet")
    announcer.connected("lively")
    time.pass_by(0.5)
    announcer.heard("lively")
    announcer.heard("lively")
    announcer.heard("old")
    assert told == [(5, "a", "lively")]
    time.pass_by(INTRODUCTION_DELAY + 5)
    assert told == [(5, "a", "lively"), (7, "a", "quiet")]


def test_without_an_interval_only_on_request() -> None:
    time, told, announcer = make()
    announcer.start(1.0)
    announcer.connected("tcp")
    announcer.heard("tcp")
    time.pass_by(100_000)
    assert told == []


def test_at_start_and_then_regularly() -> None:
    time, told, announcer = make(1000.0)
    announcer.start(4.0)
    time.pass_by(4500)
    seconds = [second for second, _, _ in told]
    assert len(seconds) == 5
    assert 2 <= seconds[0] <= 6
    gaps = [after - before for before, after in itertools.pairwise(seconds)]
    assert all(899 <= gap <= 1101 for gap in gaps)


def test_a_failed_announce_does_not_stop_the_others() -> None:
    time, told, announcer = make(0.0, "a", "b")
    time.pass_by(5)

    def fail(identity: str, interface: Any) -> None:
        announcer._announce = told.announce
        raise OSError("down")

    announcer._announce = fail
    with pytest.raises(OSError, match="down"):
        announcer.request()
    time.pass_by(5)
    assert [identity for _, identity, _ in told] == ["b"]
