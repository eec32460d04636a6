"""One announce a clock second: when each is sent, on a clock of the test's own."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from lrgpnode.mesh.announcer import INTRODUCTION_DELAY, REPEAT_AFTER, Announcer
from lrgpnode.mesh.floor import EXTRA_PAUSE, FLOOR, REPEAT_PAUSE, Floor, Medium, Moment
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

    def announce(self, identity: str, interfaces: Sequence[Any] | None) -> None:
        where = interfaces[0] if interfaces is not None and len(interfaces) == 1 else interfaces
        self.append((int(self._time.now) - int(BEGIN), identity, where))


def make(
    interval: float = 0.0, *identities: str, media: Sequence[Medium] = (), file: Path | None = None
) -> tuple[Time, Told, Announcer]:
    time = Time()
    told = Told(time)
    announcer = Announcer(
        identities or ("a",),
        told.announce,
        cast("Worker", time),
        interval,
        floor=Floor(file, lambda: Moment(time.now, time.now, "boot", False)),
        media=lambda: media,
        clock=lambda: time.now,
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


def test_another_interval_acts_at_once() -> None:
    time, told, announcer = make(1000.0)
    announcer.start(10.0)
    time.pass_by(20.0)
    assert len(told) == 1
    announcer.every(100.0)
    time.pass_by(350.0)
    assert 3 <= len(told) - 1 <= 4
    told.clear()
    announcer.every(0.0)
    time.pass_by(5000.0)
    assert told == []
    announcer.every(100.0)
    time.pass_by(1050.0)
    assert 9 <= len(told) <= 12


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

    def fail(identity: str, interfaces: Sequence[Any] | None) -> None:
        announcer._announce = told.announce
        raise OSError("down")

    announcer._announce = fail
    with pytest.raises(OSError, match="down"):
        announcer.request()
    time.pass_by(5)
    assert [identity for _, identity, _ in told] == ["b"]


RADIO = Medium("radio", slow=True, interface="radio")
CABLE = Medium("cable", slow=False, interface="cable")


def test_by_radio_once_an_hour_whatever_asks(tmp_path: Path) -> None:
    file = tmp_path / "announced.json"
    time, told, announcer = make(900.0, media=(RADIO, CABLE), file=file)
    announcer.start(4.0)
    time.pass_by(1.9 * FLOOR)
    by_radio = [second for second, _, where in told if where != "cable"]
    # One at the start, then every 900 s, each a tenth sooner or later at most.
    assert 1 + 6 <= len([where for _, _, where in told if where != "radio"]) <= 1 + 8
    assert len(by_radio) == 2
    assert FLOOR <= by_radio[1] - by_radio[0] <= FLOOR + 10
    told.clear()
    time.now += 60
    announcer.request(interface="radio")
    announcer.connected("radio")
    time.pass_by(60)
    assert not [where for _, _, where in told if where == "radio"]


def test_a_first_announce_by_radio_comes_at_a_random_moment() -> None:
    """Neighbours hidden from each other come up together, and a third one's announce wakes them both."""
    air = Medium("radio", slow=True, interface="radio", spread=30.0)
    at_start, when_heard = set(), set()
    for _ in range(40):
        time, told, announcer = make(10_800.0, media=(air, CABLE))
        announcer.start(0.0)
        time.pass_by(60)
        assert told[0][2] == "cable"
        assert told[0][0] <= 2
        at_start.add(next(second for second, _, where in told if where != "cable"))
        time, told, announcer = make(10_800.0, media=(air,))
        announcer.connected("radio")
        announcer.heard("radio")
        time.pass_by(60)
        assert len(told) == 1
        when_heard.add(told[0][0])
    for moments in (at_start, when_heard):
        assert len(moments) > 10
        assert max(moments) <= 32


LORA = Medium("lora", slow=True, interface="lora", spread=10.0)


def test_the_first_by_radio_is_repeated_once_at_a_random_moment() -> None:
    """Nobody answers an announce: that one was lost does not show."""
    pauses = set()
    for _ in range(30):
        time, told, announcer = make(10_800.0, media=(LORA, CABLE))
        announcer.start(0.0)
        time.pass_by(3 * FLOOR)
        first, again, *later = [(second, where) for second, _, where in told if where != "cable"]
        assert again[1] == "lora"
        assert all(second > 2 * FLOOR for second, _ in later)
        pause = again[0] - first[0]
        assert REPEAT_AFTER[0] <= pause <= REPEAT_AFTER[1] + 2
        pauses.add(pause)
    assert len(pauses) > 10


def test_restarts_repeat_it_once_a_day(tmp_path: Path) -> None:
    """However often and for how long the node runs: 24 announces a day by the floor, and one more."""
    file = tmp_path / "announced.json"
    sent: list[int] = []
    now = BEGIN
    while now < BEGIN + 3 * REPEAT_PAUSE:
        time, told, announcer = make(10_800.0, media=(LORA,), file=file)
        time.now = now
        announcer.start(5.0)
        time.pass_by(1000.0)
        now = time.now
        sent += [second for second, _, _ in told]
    short = [b for a, b in itertools.pairwise(sent) if b - a < FLOOR]
    assert 3 <= len(short) <= 4
    assert all(b - a >= REPEAT_PAUSE for a, b in itertools.pairwise(short))


def test_there_is_no_repetition_where_it_does_not_fit(tmp_path: Path) -> None:
    """Without airtime for it, without the radio, without the identity, and where nothing is regular."""

    class Dry(Floor):
        def wait(
            self, identity: str, medium: Medium, *, extra: bool = False, repeated: bool = False
        ) -> float:
            return max(super().wait(identity, medium, extra=extra, repeated=repeated), self.dry)

        dry = 0.0

    media = [LORA]
    for n in range(4):
        time, told, announcer = make(0.0 if n == 3 else 10_800.0, media=media)
        floor = announcer._floor = Dry(None, lambda time=time: Moment(time.now, time.now, "boot", False))  # type: ignore[misc]
        time.pass_by(5)
        announcer.request()
        time.pass_by(20)
        assert len(told) == 1
        if n == 0:
            floor.dry = 100.0
        elif n == 1:
            media.clear()
        elif n == 2:
            media.append(LORA)
            announcer.remove("a")
        time.pass_by(FLOOR - 200)
        assert len(told) == 1, n
        media[:] = [LORA]


def test_on_another_channel_the_hour_has_not_begun(tmp_path: Path) -> None:
    """Those who are there have not heard the last announce. Back on the first one it goes on."""
    file = tmp_path / "announced.json"
    now, sent = BEGIN, []
    for channel in ("868100000/125000/8", "869525000/250000/9", "868100000/125000/8"):
        medium = Medium("lora", slow=True, interface="lora", channel=channel)
        time, told, announcer = make(10_800.0, media=(medium,), file=file)
        time.now = now
        announcer.start(2.0)
        time.pass_by(60)
        now = time.now
        sent.append(len(told))
    assert sent == [1, 1, 0]


def test_a_restart_in_a_loop_is_announced_by_radio_once(tmp_path: Path) -> None:
    file = tmp_path / "announced.json"
    sent = []
    now = BEGIN
    for _ in range(100):
        time, told, announcer = make(10_800.0, media=(RADIO,), file=file)
        time.now = now
        announcer.start(5.0)
        time.pass_by(70)
        now = time.now
        sent += told
    assert len(sent) == 2  # in two hours less a bit


def test_what_was_held_back_at_the_start_is_not_forgotten(tmp_path: Path) -> None:
    file = tmp_path / "announced.json"
    time, _, announcer = make(10_800.0, media=(RADIO,), file=file)
    time.pass_by(5)
    announcer.request()
    time.pass_by(100)
    again, told, announcer = make(10_800.0, media=(RADIO,), file=file)
    again.now = time.now
    announcer.start(5.0)
    again.pass_by(2 * FLOOR)
    assert [(second // 60, where) for second, _, where in told] == [(60, "radio")]


def test_what_is_held_back_is_said() -> None:
    time, told, announcer = make(media=(RADIO, CABLE))
    time.pass_by(5)
    (first,) = announcer.request()
    assert (first.media, first.held) == (("radio", "cable"), ())
    time.pass_by(100)
    (second,) = announcer.request()
    assert second.media == ("cable",)
    assert second.held == (("radio", FLOOR - 100),)
    time.pass_by(5)
    assert told == [(5, "a", None), (105, "a", "cable")]


def test_one_extra_before_a_first_challenge_in_ten_minutes() -> None:
    time, told, announcer = make(media=(RADIO,))
    time.pass_by(5)
    announcer.request()
    for _ in range(3):
        time.pass_by(EXTRA_PAUSE / 2)
        announcer.request(extra=True)
    assert [second for second, _, _ in told] == [5, 305, 905]


def test_a_second_announce_in_the_second_of_the_start_is_spared_by_radio() -> None:
    time, told, announcer = make(media=(RADIO,))
    announcer.request()
    time.pass_by(10)
    assert told == [(1, "a", None)]


def test_what_waits_for_an_announce_goes_after_it() -> None:
    time, told, announcer = make(media=(CABLE,))
    time.pass_by(5)
    announcer.request()
    announcer.request(extra=True)
    order: list[int] = []
    announcer.afterwards("a", lambda: order.append(len(told)))
    assert not order
    time.pass_by(1)
    announcer.afterwards("a", lambda: order.append(len(told)))
    assert order == [2, 2]


def test_identities_come_and_go() -> None:
    time, told, announcer = make(1000.0)
    time.pass_by(5)
    announcer.request("a")
    announcer.add("b")
    announcer.add("c")
    announcer.remove("c")
    time.pass_by(5)
    assert told == [(5, "a", None), (6, "b", None)]
    announcer.remove("a")
    assert announcer.request("a") == ()
    announcer.request("b")
    announcer.request("b")
    announcer.remove("b")
    time.pass_by(5)
    del told[2:]
    announcer.add("b")
    time.pass_by(5)
    assert [identity for _, identity, _ in told[2:]] == ["b"]


def test_who_is_hushed_is_never_announced() -> None:
    time, told, announcer = make(60.0, "a", "b")
    announcer.hush("b")
    announcer.start(1.0)
    announcer.add("b")
    assert announcer.request("b") == ()
    announcer.request()
    time.pass_by(200.0)
    assert {identity for _, identity, _ in told} == {"a"}
