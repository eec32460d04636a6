"""How much time has passed for certain, by clocks that may be wrong."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from lrgpnode.mesh.floor import EXTRA_PAUSE, FLOOR, Floor, Medium, Moment, elapsed, is_slow_way

NOW = 1_750_000_000.0
RADIO = Medium("RNode", slow=True, interface=None)
CABLE = Medium("TCP", slow=False, interface=None)


def test_within_a_boot_the_wall_clock_does_not_matter() -> None:
    assert elapsed(Moment(NOW, 100.0, "x", True), Moment(0.0, 160.0, "x", False)) == 60.0
    assert elapsed(Moment(0.0, 100.0, "x", False), Moment(NOW, 160.0, "x", True)) == 60.0


def test_over_a_reboot_a_clock_that_was_put_right_proves_nothing() -> None:
    assert elapsed(Moment(1000.0, 9000.0, "x", False), Moment(NOW, 30.0, "y", True)) == 30.0
    assert elapsed(Moment(NOW, 9000.0, "x", True), Moment(1000.0, 30.0, "y", False)) == 30.0
    assert elapsed(Moment(NOW, 9000.0, "x", True), Moment(NOW + 7000, 30.0, "y", True)) == 7000.0
    assert elapsed(Moment(NOW, 9000.0, "x", True), Moment(NOW + 7000, 30.0, "y", False)) == 7000.0
    assert elapsed(Moment(NOW, 9000.0, "x", False), Moment(NOW + 7000, 30.0, "y", False)) == 30.0


@pytest.mark.parametrize(
    ("bitrate", "slowest", "slow"),
    [
        (10_000_000, 10_000_000, False),
        (10_000_000, 3_125, False),
        (3_125, 3_125, True),
        (None, 3_125, True),
        (None, 21_875, True),
        (None, 10_000_000, False),
        (None, 500_000, False),
        (0, 10_000_000, False),
    ],
)
def test_a_way_is_as_slow_as_what_is_known_of_it(bitrate: int | None, slowest: int, slow: bool) -> None:
    assert is_slow_way(bitrate, 2 * 500 * 8 / slowest) is slow


class Machine:
    """A computer over the years. ``battery``: its clock goes on while it is off, else it stands still."""

    def __init__(self, battery: bool) -> None:
        self.real = NOW
        self._battery = battery
        self._behind = 0.0
        self._booted = self.real
        self._boots = 0
        self._synchronised = False

    def moment(self) -> Moment:
        wall = self.real - self._behind
        return Moment(wall, self.real - self._booted, str(self._boots), self._synchronised)

    def reboot(self, off: float) -> None:
        self.real += off
        self._behind += 0.0 if self._battery else off
        self._booted = self.real
        self._boots += 1
        self._synchronised = False

    def synchronise(self) -> None:
        self._behind = 0.0
        self._synchronised = True


SECONDS = st.one_of(st.floats(0, 60), st.floats(0, 2 * FLOOR), st.floats(0, 1e6))
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), SECONDS),
        st.tuples(st.just("reboot"), SECONDS),
        st.tuples(st.sampled_from(["restart", "synchronise", "announce", "extra"]), st.just(0.0)),
    ),
    min_size=5,
    max_size=60,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@example(
    False, [("reboot", 3600.0), ("announce", 0.0), ("synchronise", 0.0), ("reboot", 0.0), ("announce", 0.0)]
)
@given(st.booleans(), EVENTS)
def test_the_hour_holds_whatever_happens_to_machine_and_clock(
    tmp_path: Path, battery: bool, events: list[tuple[str, float]]
) -> None:
    machine, path = Machine(battery), tmp_path / "announced.json"
    path.unlink(missing_ok=True)
    floor = Floor(path, machine.moment)
    last = last_extra = -math.inf
    for event, seconds in events:
        if event == "pass":
            machine.real += seconds
        elif event == "reboot":
            machine.reboot(seconds)
        elif event == "synchronise":
            machine.synchronise()
        if event in ("restart", "reboot"):
            floor = Floor(path, machine.moment)
        if event in ("announce", "extra"):
            extra = event == "extra"
            if floor.wait("a", RADIO, extra=extra) == 0:
                hour_over = machine.real - last >= FLOOR - 1e-3
                assert hour_over or (extra and machine.real - last_extra >= EXTRA_PAUSE - 1e-3)
                last = machine.real
                last_extra = machine.real if extra else last_extra
                floor.announced("a", [RADIO], extra=extra)


class Clock:
    def __init__(self) -> None:
        self.now = Moment(NOW, 1000.0, "x", False)

    def __call__(self) -> Moment:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now = Moment(self.now.wall + seconds, self.now.boot + seconds, self.now.boot_id, False)


def test_it_is_kept_for_each_identity_and_medium(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "announced.json"
    floor = Floor(path, clock)
    floor.announced("a", [RADIO, CABLE])
    clock.pass_by(600)
    again = Floor(path, clock)
    assert again.wait("a", RADIO) == FLOOR - 600
    assert again.wait("b", RADIO) == 0.0
    assert again.wait("a", CABLE) == 0.0
    assert again.wait("a", RADIO, extra=True) == 0.0
    again.announced("a", [RADIO], extra=True)
    assert Floor(path, clock).wait("a", RADIO, extra=True) == EXTRA_PAUSE


def test_the_file_is_written_only_for_slow_media_and_does_not_grow(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "announced.json"
    floor = Floor(path, clock)
    floor.announced("a", [CABLE], extra=True)
    assert not path.exists()
    sizes = []
    for number in range(20):
        floor.announced(f"{number:032x}", [RADIO])
        sizes.append(path.stat().st_size)
        clock.pass_by(FLOOR + 1)
    assert max(sizes) < 300


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "announced.json"
    for content in (b"", b"[]", b'{"last": [[1]], "extra": []}', b"\xff\xfe", b'{"last": 5}'):
        path.write_bytes(content)
        floor = Floor(path, Clock())
        assert floor.wait("a", RADIO) == 0.0
        floor.announced("a", [RADIO])
        assert Floor(path, Clock()).wait("a", RADIO) == FLOOR
