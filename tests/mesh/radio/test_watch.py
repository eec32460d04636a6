"""What the watch makes of what it is told, with an interface and a clock of the test."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lrgpnode.mesh.radio.ears import Report
from lrgpnode.mesh.radio.life import HUNG_AFTER
from lrgpnode.mesh.radio.watch import RadioState, RadioWatch
from lrgpnode.rnode.troubles import Attempt, Settings

SETTINGS = Settings(frequency=1, bandwidth=1, spreading_factor=8, tx_power=14)
REPORT = Report(airtime=0.0, load=0.0, rssi=-112, noise_floor=-115, interference=None)


class Interface(SimpleNamespace):
    """As much of the driver's as is looked at. ``anew``: its thread for opening the port was started."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            name="LoRa",
            port=str(path),
            use_tcp=False,
            use_ble=False,
            online=True,
            detached=False,
            reconnecting=False,
            txb=0,
            bitrate=3125.0,
            r_stat_rssi=-70,
            r_stat_snr=9.5,
            serial=SimpleNamespace(closed=0),
            anew=threading.Event(),
        )
        self.serial.close = self._close

    def _close(self) -> None:
        self.serial.closed += 1

    def reconnect_port(self) -> None:
        self.anew.set()


class Scene:
    def __init__(self, path: Path) -> None:
        self.now = 0.0
        self.told: list[RadioState] = []
        self.watch = RadioWatch(self.told.append, clock=lambda: self.now)
        self.watch.stop()  # its thread; the test looks itself
        path.touch()
        self.interface = Interface(path)
        self.watch.up(self.interface)

    def pass_(self, seconds: float) -> None:
        """Let time pass without a word of the board."""
        until = self.now + seconds
        while self.now < until:
            pause = self.watch._look(self.watch._radios[id(self.interface)])
            self.now = min(until, self.now + pause)
        self.watch._look(self.watch._radios[id(self.interface)])

    def attempt(self, **shown: Any) -> None:
        fields: dict[str, Any] = {"opened": True, "detected": False, "firmware": (0, 0), "remote": False}
        names = {"interface": "LoRa", "port": self.interface.port, "asked": SETTINGS, "answered": SETTINGS}
        self.watch.attempt(self.interface, Attempt(**names | fields | shown))

    @property
    def state(self) -> RadioState:
        state = self.watch.state(self.interface)
        assert state is not None
        return state

    @property
    def trouble(self) -> str:
        return self.state.trouble.id if self.state.trouble else ""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "tty")


def test_a_board_that_hangs_is_closed_once(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.pass_(HUNG_AFTER - 1)
    assert scene.state.up
    scene.watch.report(scene.interface, REPORT)
    scene.pass_(HUNG_AFTER - 1)
    assert scene.state.up
    with caplog.at_level(logging.INFO, "lrgpnode.radio"):
        scene.pass_(1)
        scene.pass_(3)
    assert (scene.state.up, scene.trouble, scene.state.reopened) == (False, "radio-hung", 1)
    assert scene.interface.serial.closed == 1
    assert len(caplog.records) == 1
    # While it is opened anew and stays silent, the story is still that it hung.
    scene.interface.online = False
    scene.watch.lost(scene.interface)
    for _ in range(3):
        scene.attempt()
    assert scene.trouble == "radio-hung"
    assert len(caplog.records) == 1
    scene.watch.up(scene.interface)
    assert (scene.state.up, scene.trouble) == (True, "")
    assert [(one.up, one.trouble and one.trouble.id) for one in scene.told] == [
        (True, None),
        (False, "radio-hung"),
        (True, None),
    ]


def test_a_driver_whose_reader_has_ended_is_helped(scene: Scene) -> None:
    scene.pass_(HUNG_AFTER)
    assert scene.interface.online  # it has not seen that its port was closed
    scene.watch.reading(scene.interface, True)
    scene.pass_(10)
    assert not scene.interface.anew.is_set()
    scene.watch.reading(scene.interface, False)
    scene.pass_(1)
    assert scene.interface.anew.wait(5)
    assert not scene.interface.online


def test_a_driver_that_tries_no_more_is_helped(scene: Scene) -> None:
    scene.interface.online = False
    scene.watch.lost(scene.interface)
    scene.interface.reconnecting = True
    scene.pass_(60)
    assert not scene.interface.anew.is_set()
    scene.interface.reconnecting = False
    scene.pass_(1)
    assert scene.interface.anew.wait(5)


def test_a_detached_radio_is_left_alone(scene: Scene) -> None:
    scene.interface.detached = True
    scene.pass_(100)
    assert scene.interface.serial.closed == 0


def test_unplugged_or_broken(scene: Scene) -> None:
    scene.watch.lost(scene.interface)
    assert scene.trouble == "radio-lost"
    scene.watch.up(scene.interface)
    Path(scene.interface.port).unlink()
    scene.watch.lost(scene.interface)
    assert scene.trouble == "radio-absent"


def test_switched_off(scene: Scene) -> None:
    scene.watch.switched_off(scene.interface)
    assert (scene.trouble, scene.interface.serial.closed) == ("radio-restarted", 1)
    scene.watch.switched_off(scene.interface)
    assert scene.interface.serial.closed == 1


@pytest.mark.parametrize(
    ("line", "trouble", "better"),
    [
        ("RNodeInterface[LoRa] hardware TX error (code 02)", "radio-hardware", True),
        ("RNodeInterface[LoRa] hardware initialisation error (code 01)", "radio-hardware", True),
        ("RNodeInterface[LoRa] hardware error (code 04)", "radio-hardware", True),
        ("RNodeInterface[Other] hardware error (code 04)", "", False),
        ("RNodeInterface[LoRa] hardware error (code 05): Memory exhausted", "", False),
        ("TX power mismatch", "", True),
        ("Could not open serial port for interface RNodeInterface[LoRa]", "", True),
        ("Could not open serial port for interface SerialInterface[Wire]", "", False),
        ("Error while reconnecting port, the contained exception was: /dev/other", "", False),
        ("Anything else", "", False),
    ],
)
def test_lines_of_the_driver(scene: Scene, line: str, trouble: str, better: bool) -> None:
    assert scene.watch.line(line) is better
    assert scene.trouble == trouble


def test_a_line_that_names_the_port_of_a_radio(scene: Scene) -> None:
    assert scene.watch.line(
        f"Error while reconnecting port, the contained exception was: {scene.interface.port}"
    )


@pytest.mark.parametrize(
    "line",
    [
        "A serial port error occurred, the contained exception was: [Errno 5] Input/output error",
        "Reticulum will attempt to reconnect the interface periodically.",
    ],
)
def test_lines_without_a_name_belong_to_a_radio_that_has_just_gone(scene: Scene, line: str) -> None:
    """Before the watch is told of it, and shortly after; else they are of some other serial line."""
    assert not scene.watch.line(line)
    scene.interface.online = False
    assert scene.watch.line(line)
    scene.watch.lost(scene.interface)
    scene.now += 1.0
    assert scene.watch.line(line)
    scene.now += 60.0
    assert not scene.watch.line(line)


def test_what_is_heard(scene: Scene) -> None:
    names: list[str] = []
    end = scene.watch.listen(names.append)
    scene.watch.packet(scene.interface)
    end()
    scene.watch.packet(scene.interface)
    end()
    assert names == ["LoRa"]
    heard = scene.state.heard
    assert (heard.packets, heard.rssi, heard.snr) == (2, -70, 9.5)
