"""How much time has passed for certain, by clocks that may be wrong."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from lrgpnode.mesh.floor import EXTRA_PAUSE, FLOOR, PLAUSIBLE, Floor, Medium, Moment, elapsed

NOW = PLAUSIBLE + 50_000_000.0
RADIO = Medium("RNode", slow=True, interface=None)
CABLE = Medium("TCP", slow=False, interface=None)


def test_within_a_boot_the_wall_clock_does_not_matter() -> None:
    assert elapsed(Moment(NOW, 100.0, "x"), Moment(0.0, 160.0, "x")) == 60.0
    assert elapsed(Moment(0.0, 100.0, "x"), Moment(NOW, 160.0, "x")) == 60.0


def test_over_a_reboot_a_clock_that_was_not_set_proves_nothing() -> None:
    assert elapsed(Moment(1000.0, 9000.0, "x"), Moment(NOW, 30.0, "y")) == 30.0
    assert elapsed(Moment(NOW, 9000.0, "x"), Moment(1000.0, 30.0, "y")) == 30.0
    assert elapsed(Moment(NOW, 9000.0, "x"), Moment(NOW + 7000, 30.0, "y")) == 7000.0


@given(
    st.floats(0, 1e6),
    st.floats(0, 1e6),
    st.booleans(),
    st.floats(0, 1e6),
)
def test_it_is_never_more_than_really_passed(passed: float, uptime: float, reboot: bool, back: float) -> None:
    """A second wall clock that is right or behind; the first one right or never set."""
    uptime = min(uptime, passed)
    for wall in (NOW, 1000.0):
        then = Moment(wall, 500.0, "x")
        now = Moment(NOW + passed - back, uptime, "y") if reboot else Moment(0.0, 500.0 + passed, "x")
        assert 0.0 <= elapsed(then, now) <= passed + 1e-3


class Clock:
    def __init__(self) -> None:
        self.now = Moment(NOW, 1000.0, "x")

    def __call__(self) -> Moment:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now = Moment(self.now.wall + seconds, self.now.boot + seconds, self.now.boot_id)


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
