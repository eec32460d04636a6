"""What is kept of airtime over restarts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lrgpnode.airtime.budget import MICRO, Budget, Limits, Purpose, Record, Use
from lrgpnode.airtime.window import SPAN
from lrgpnode.backup.contents import USED_UP
from lrgpnode.mesh.airtime.ledger import Ledger, certainly_passed
from lrgpnode.mesh.floor import Moment

MOVE = Use(Purpose.MOVES, "a" * 32, "chess")


@pytest.mark.parametrize(
    ("then", "now", "passed"),
    [
        # Within one boot the wall clock does not matter.
        (Moment(100.0, 50.0, "a", True), Moment(9e9, 80.0, "a", True), 30.0),
        (Moment(100.0, 50.0, "a", True), Moment(0.0, 80.0, "a", False), 30.0),
        # Over a reboot the time since it has passed at least.
        (Moment(1000.0, 50.0, "a", True), Moment(500.0, 7.0, "b", False), 7.0),
        # A wall clock is believed if it was vouched for both times.
        (Moment(1000.0, 50.0, "a", True), Moment(2000.0, 7.0, "b", True), 1000.0),
        (Moment(1000.0, 50.0, "a", True), Moment(2000.0, 7.0, "b", False), 7.0),
        (Moment(1000.0, 50.0, "a", False), Moment(2000.0, 7.0, "b", True), 7.0),
        # A boot without a name is no other's.
        (Moment(1000.0, 50.0, "", False), Moment(2000.0, 60.0, "", False), 60.0),
    ],
)
def test_no_more_time_is_believed_than_has_passed(then: Moment, now: Moment, passed: float) -> None:
    assert certainly_passed(then, now) == passed


class Machine:
    def __init__(self, path: Path) -> None:
        self.boot = 1000.0
        self.ledger = Ledger(path, lambda: Moment(self.boot + 1e9, self.boot, "boot", True))

    def budget(self) -> Budget:
        under = Budget(Limits(seconds=36.0, peer=1.0), lambda: self.boot, cover=self.ledger.save)
        self.ledger.resume(under, 36 * MICRO)
        return under


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "airtime.json")


def test_after_an_orderly_stop_everything_is_as_it_was(machine: Machine) -> None:
    before = machine.budget()
    for _ in range(5):
        before.ask("t", MOVE, 2.0)
        before.spend(1.5, MOVE, token="t")
        machine.boot += 100.0
    machine.ledger.save(before.record())
    machine.boot += 60.0
    after = machine.budget().figures()
    assert after.used == pytest.approx(7.5)
    assert after.purposes[Purpose.MOVES] == pytest.approx(7.5)
    assert after.apps == {"chess": pytest.approx(7.5)}
    assert after.held == 0.0


def test_after_a_crash_what_was_promised_counts_as_spent(machine: Machine) -> None:
    before = machine.budget()
    before.spend(1.0, MOVE)
    before.spend(0.3, MOVE)
    after = machine.budget().figures()
    assert 1.3 <= after.used <= 36.0 / 20 + 1e-6
    machine.boot += SPAN
    assert machine.budget().figures().used <= 1.8  # at the last moment, for all that is known


def test_after_a_crash_a_message_that_is_more_than_a_part_counts_as_spent(machine: Machine) -> None:
    before = machine.budget()
    before.spend(0.5, MOVE)
    before.spend(7.0, MOVE)
    assert 7.5 <= machine.budget().figures().used <= 7.5 + 36.0 / 20


def test_the_disk_is_written_in_parts_of_the_limit_and_not_for_each_packet(machine: Machine) -> None:
    under = machine.budget()
    written: list[Record] = []
    under._cover = written.append
    for _ in range(300):
        under.spend(0.1, Use(Purpose.PROOFS))
        machine.boot += 1.0
    assert len(written) <= 30 / 1.8 + 1


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"at": [1, 2, "b", true]}',
        json.dumps({"at": [1, 2, "b", True], "record": {"promised": -1}}),
        '{"at": [1, 2, "b", true], "record": {"promised": 0, "all": [[NaN, 5]], "own": [], "purposes": {}, '
        '"peers": {}, "apps": {}}}',
    ],
)
def test_a_damaged_file_counts_as_an_hour_used_up(machine: Machine, content: str) -> None:
    machine.ledger._path.write_text(content)
    under = machine.budget()
    assert not under.ask(1, MOVE, 0.1).granted
    machine.boot += SPAN
    assert under.ask(1, MOVE, 0.1).granted


def test_a_restored_node_waits_an_hour_however_often_it_is_started(machine: Machine) -> None:
    machine.ledger._path.write_bytes(USED_UP)
    for _ in range(6):
        under = machine.budget()
        assert not under.ask(1, MOVE, 0.1).granted
        assert not under.spend(0.1, Use(Purpose.PROOFS))
        machine.boot += SPAN / 6
    assert machine.budget().ask(1, MOVE, 0.1).granted


def test_a_disk_that_is_full_stops_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    machine = Machine(tmp_path / "none" / "airtime.json")
    assert machine.budget().spend(1.0, MOVE)
    assert "could not be written" in caplog.text


def test_the_file_is_small_after_the_busiest_hour(machine: Machine) -> None:
    under = Budget(Limits(seconds=360.0), lambda: machine.boot)
    for n in range(6000):
        under.spend(0.059, Use(Purpose.MOVES, f"{n % 40:032x}", "chess"))
        machine.boot += 0.6
    machine.ledger.save(under.record())
    assert machine.ledger._path.stat().st_size < 120_000
