"""Reticulum's own driver on software RNodes: what it makes of each, good and bad."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.radio.air import Air
from tests.radio.drivers import Drivers

pytestmark = pytest.mark.node

SETTINGS = ("r_frequency", "r_bandwidth", "r_txpower", "r_sf", "r_cr", "r_state", "bitrate")


def test_packets_both_ways(tmp_path: Path) -> None:
    """All bytes, one frame and two, with RSSI and SNR; and what the driver knows of the channel."""
    with (
        Air(tmp_path / "air", "alice", "bob", "--scale", "20") as air,
        Drivers(tmp_path, air.ports) as drivers,
    ):
        drivers.online("alice", "bob")
        shown = drivers.show("alice", *SETTINGS)
        assert [shown[key] for key in SETTINGS] == [868_100_000, 125_000, 14, 8, 5, 1, 3125.0]
        for sender, receiver in (("alice", "bob"), ("bob", "alice")):
            for data in (bytes(range(256))[:200], bytes(range(255, -1, -1)) + b"\xc0\xdb\xdc\xdd" * 60):
                drivers.send(sender, data)
                got = drivers.wait("received", receiver, data=data.hex())
                assert (got["rssi"], got["snr"]) == (-80, 12.0)
        # Own airtime at the sender, load at whoever hears it.
        until(lambda: drivers.events("state", "bob")[-1]["airtime"] > 1, "the report of its airtime")
        until(lambda: drivers.events("state", "alice")[-1]["load"] > 1, "the report of the load")
        physical = drivers.show("alice", "r_symbol_time_ms", "r_preamble_symbols", "r_csma_slot_time_ms")
        assert physical["r_symbol_time_ms"] == 2.048
        assert (physical["r_preamble_symbols"], physical["r_csma_slot_time_ms"]) == (18, 25)
        assert [row["parts"] for row in air.trace("frame")] == [1, 2, 2, 1, 2, 2]
        drivers.tell("alice", "detach")
        drivers.wait("detached", "alice")
        assert air.log == ""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Air, Drivers]]:
    """Devices with every fault there is, and a driver on each."""
    folder = tmp_path_factory.mktemp("faulty")
    topology = folder / "faulty.toml"
    topology.write_text(
        "scale = 10\n[nodes.good]\n[nodes.nrf]\nboard = 'rak4631'\n[nodes.avr]\nboard = 'rnode_avr'\n"
        "[nodes.silent]\nmute = true\n[nodes.wrong]\nspreading_factor = 9\n[nodes.dead]\ndead_radio = true\n"
        "[nodes.away]\nplugged = false\n[nodes.weak]\nboard = 'tbeam'\n[nodes.flappy]\n"
    )
    with (
        Air(folder / "air", "--topology", str(topology)) as air,
        Drivers(folder, air.ports, txpower=17) as drivers,
    ):
        drivers.online("good", "nrf", "avr", "weak", "flappy")
        yield air, drivers


Faulty = tuple[Air, Drivers]


@pytest.mark.slow
def test_every_board_talks_to_every_other(faulty: Faulty) -> None:
    _, drivers = faulty
    for sender in ("good", "nrf", "avr", "weak"):
        data = sender.encode() * 20
        drivers.send(sender, data)
        for receiver in {"good", "nrf", "avr", "weak"} - {sender}:
            drivers.wait("received", receiver, data=data.hex())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "order"), [("silent", "mute silent off"), ("wrong", "sf wrong off"), ("away", "plug away")]
)
def test_what_is_wrong_at_first_is_tried_again(faulty: Faulty, name: str, order: str) -> None:
    air, drivers = faulty
    assert not any(row["online"] for row in drivers.events("state", name))
    air.tell(order)
    drivers.online(name)


@pytest.mark.slow
def test_a_radio_that_does_not_start_is_never_online(faulty: Faulty) -> None:
    _, drivers = faulty
    until(lambda: "Radio initialisation failure" in drivers.log, "the driver's word for it")
    assert not any(row["online"] for row in drivers.events("state", "dead"))


@pytest.mark.slow
def test_unplugged_and_plugged_in_again(faulty: Faulty) -> None:
    """Offline at once, online some seconds after; in the middle of a frame, too; what was queued is gone."""
    air, drivers = faulty
    for _ in range(2):
        since = drivers.now
        drivers.send("flappy", bytes(400))
        air.tell("unplug flappy")
        drivers.wait("state", "flappy", since=since, online=False)
        air.tell("plug flappy")
        drivers.online("flappy", since=since)
    drivers.send("flappy", b"back again")
    drivers.wait("received", "good", data=b"back again".hex())


@pytest.mark.slow
def test_a_reset_is_noticed_on_an_esp32(faulty: Faulty) -> None:
    """And not on an nRF52, which goes on with its radio off: the driver's way, and a fault to be found."""
    air, drivers = faulty
    since = drivers.now
    air.tell("reset good")
    air.tell("reset nrf")
    drivers.wait("state", "good", since=since, online=False)
    drivers.online("good", since=since)
    assert all(row["online"] for row in drivers.events("state", "nrf")[-1:])
    drivers.send("good", b"are you there?")
    drivers.wait("received", "weak", data=b"are you there?".hex())
    assert not any(row["data"] == b"are you there?".hex() for row in drivers.events("received", "nrf"))


@pytest.mark.slow
@pytest.mark.parametrize("code", [1, 2, 3, 4])
def test_errors_take_the_driver_offline_and_it_comes_back(faulty: Faulty, code: int) -> None:
    air, drivers = faulty
    since = drivers.now
    air.tell(f"error weak {code}")
    drivers.wait("state", "weak", since=since, online=False)
    drivers.online("weak", since=since)


@pytest.mark.slow
@pytest.mark.parametrize("code", [5, 6])
def test_errors_that_are_only_noted(faulty: Faulty, code: int) -> None:
    air, drivers = faulty
    before = drivers.events("state", "good")[-1]["errors"]
    air.tell(f"error good {code}")
    until(lambda: drivers.events("state", "good")[-1]["errors"] == before + 1, "it is noted")
    assert drivers.events("state", "good")[-1]["online"]


@pytest.mark.slow
def test_a_device_that_hangs_is_not_noticed(faulty: Faulty) -> None:
    air, drivers = faulty
    air.tell("hang avr on")
    drivers.send("avr", b"into the void")
    drivers.send("nrf", bytes(10))
    assert drivers.events("state", "avr")[-1]["online"]
    air.tell("hang avr off")


@pytest.mark.slow
def test_old_firmware_ends_the_process(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text("[nodes.old]\nfirmware = '1.51'\n")
    with (
        Air(tmp_path / "air", "--topology", str(tmp_path / "old.toml")) as air,
        Drivers(tmp_path, air.ports) as drivers,
    ):
        assert drivers.process.wait(30) == 255
        assert "firmware" in drivers.log


@pytest.mark.slow
def test_more_power_than_the_board_has_is_never_online(tmp_path: Path) -> None:
    with Air(tmp_path / "air", "alice") as air, Drivers(tmp_path, air.ports, txpower=27) as drivers:
        until(lambda: "TX power mismatch" in drivers.log, "the driver's word for it", 30)
        assert not any(row["online"] for row in drivers.events("state", "alice"))


@pytest.mark.slow
def test_the_airtime_limit_of_the_configuration_holds(tmp_path: Path) -> None:
    """5 % of 15 s are 750 ms: the second packet has to wait for its time."""
    with (
        Air(tmp_path / "air", "alice", "bob", "--scale", "10") as air,
        Drivers(tmp_path, air.ports, airtime_limit_short=5) as drivers,
    ):
        drivers.online("alice", "bob")
        for number in range(3):
            drivers.send("alice", bytes([number]) * 250)
        for number in range(3):
            drivers.wait("received", "bob", data=(bytes([number]) * 250).hex())
        assert drivers.show("alice", "r_st_alock")["r_st_alock"] == 5.0
        times = [row["time"] for row in air.trace("frame")]
        # Two exceed it together; then two bins of 7.5 s must have gone by.
        assert times[2] - times[0] > 7.5


@pytest.mark.slow
def test_rnodeconf_knows_it(tmp_path: Path) -> None:
    with Air(tmp_path / "air", "alice") as air:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("rnodeconf")), "-i", air.ports["alice"]],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"HOME": str(tmp_path)},
        )
    assert done.returncode == 0
    for said in (
        "EEPROM checksum correct",
        "Heltec LoRa32 v3",
        "Firmware version   : 1.86",
        "Modem chip         : SX1262",
        "Max TX power       : 22 dBm",
        "Device mode        : Normal",
    ):
        assert said in done.stdout
