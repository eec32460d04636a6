"""Announces without airtime, and the routes of another program's Reticulum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.mesh.airtime.floor import AirtimeFloor
from lrgpnode.mesh.airtime.routes import KEEP_SECONDS, MAX_KNOWN, SharedRoutes
from lrgpnode.mesh.floor import FLOOR, Medium, Moment

ME, PEER = "a" * 32, "b" * 32


class Machine:
    def __init__(self) -> None:
        self.boot = 1000.0
        self.waits: dict[Any, float] = {}
        self.out: list[Any] = []

    def moment(self) -> Moment:
        return Moment(self.boot, self.boot, "boot", True)

    def announce_wait(self, interface: Any) -> float:
        return self.waits.get(interface, 0.0)

    def announced(self, interface: Any) -> None:
        self.out.append(interface)


def test_an_announce_waits_for_the_later_of_floor_and_airtime(tmp_path: Path) -> None:
    machine = Machine()
    floor = AirtimeFloor(tmp_path / "announced.json", machine.moment, lambda: machine)
    radio, wire = Medium("radio", True, "radio"), Medium("wire", False, "wire")
    assert floor.wait(ME, radio) == 0.0
    machine.waits["radio"] = 100.0
    assert floor.wait(ME, radio) == 100.0
    assert floor.wait(ME, wire) == 0.0
    floor.announced(ME, [radio, wire])
    assert machine.out == ["radio", "wire"]
    assert floor.wait(ME, radio) == FLOOR
    machine.waits["radio"] = FLOOR + 7.0
    assert floor.wait(ME, radio) == FLOOR + 7.0
    # Before a first challenge, too, for which the floor makes an exception.
    machine.boot += 700.0
    machine.waits["radio"] = 50.0
    assert floor.wait(ME, radio, extra=True) == 50.0


def test_without_a_radio_there_is_only_the_floor(tmp_path: Path) -> None:
    machine = Machine()
    floor = AirtimeFloor(tmp_path / "announced.json", machine.moment, lambda: None)
    medium = Medium("serial", True, "serial")
    floor.announced(ME, [medium])
    assert floor.wait(ME, medium) == FLOOR
    assert machine.out == []


class Jobs:
    def __init__(self) -> None:
        self.waiting: list[Callable[[], object]] = []

    def call(self, function: Callable[..., object], *args: Any) -> None:
        self.waiting.append(lambda: function(*args))

    def run(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()


class Other:
    """Another program: ``asked`` counts, ``answer`` is what it says."""

    def __init__(self) -> None:
        self.answer: str | OSError = "TCPInterface[x]"
        self.asked = 0

    def __call__(self, destination: bytes) -> str:
        self.asked += 1
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer


def test_the_other_program_is_asked_once_a_minute_and_never_waited_for() -> None:
    now, jobs, other = [0.0], Jobs(), Other()
    routes = SharedRoutes(jobs, other, lambda: now[0])  # type: ignore[arg-type]
    assert routes.by_radio(PEER)
    assert routes.by_radio(PEER)
    assert other.asked == 0
    jobs.run()
    assert other.asked == 1
    assert not routes.by_radio(PEER)
    other.answer = "RNodeInterface[Radio]"
    now[0] += KEEP_SECONDS
    assert not routes.by_radio(PEER)
    jobs.run()
    assert routes.by_radio(PEER)
    assert other.asked == 2


@pytest.mark.parametrize("answer", ["RNodeInterface[Radio]", "None", OSError("gone")])
def test_what_is_not_known_is_by_radio(answer: str | OSError) -> None:
    jobs, other = Jobs(), Other()
    other.answer = answer
    routes = SharedRoutes(jobs, other)  # type: ignore[arg-type]
    assert routes.by_radio(PEER)
    if isinstance(answer, OSError):
        with pytest.raises(OSError, match="gone"):
            jobs.run()
    else:
        jobs.run()
    assert routes.by_radio(PEER)
    # It is asked again.
    assert len(jobs.waiting) == isinstance(answer, OSError)


def test_only_so_many_are_remembered() -> None:
    jobs, other = Jobs(), Other()
    routes = SharedRoutes(jobs, other)  # type: ignore[arg-type]
    for n in range(MAX_KNOWN + 50):
        routes.by_radio(f"{n:032x}")
    jobs.run()
    assert len(routes._known) == MAX_KNOWN
