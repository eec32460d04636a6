"""The protocol check against devices in virtual time; tests/radio/test_simulator.py has it on a real port."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from interfaces.radio.sim.boards import BOARDS
from interfaces.radio.sim.faults import Faults
from interfaces.radio.sim.topology import NodeSpec
from tests.radio import protocol
from tests.radio.protocol import ON, Wire, settings
from tests.radio.scene import Scene


@pytest.mark.parametrize("check", protocol.ALL)
def test_the_protocol(check: Callable[[Wire], None]) -> None:
    check(Scene("alice").wire("alice"))


@pytest.mark.parametrize(
    ("board", "firmware", "platform", "mcu", "power"),
    [
        ("rak4631", "0156", "70", "71", 22),
        ("tbeam", "0156", "80", "81", 17),
        ("rnode_avr", "0134", "90", "91", 17),
    ],
)
def test_boards(board: str, firmware: str, platform: str, mcu: str, power: int) -> None:
    scene = Scene(NodeSpec("alice", BOARDS[board]))
    protocol.check_detection(scene.wire("alice"), firmware, platform, mcu)
    protocol.check_settings(scene.wire("alice"), power)
    protocol.check_memory(scene.wire("alice"))


def test_an_avr_reports_nothing_and_is_silent_about_its_reset() -> None:
    scene = Scene(NodeSpec("alice", BOARDS["rnode_avr"])).on()
    scene.run(10)
    scene.world.devices["alice"].reset()
    scene.run(10)
    assert {command for command, _ in scene.hosts["alice"].frames} <= {1, 2, 3, 4, 5, 6}


def test_reports_of_the_channel() -> None:
    """Own airtime 15 s and an hour, load 7.5 s and an hour, RSSI, noise floor, no interference."""
    scene = Scene("alice", "bob").on()
    assert scene.hosts["bob"].all(0x25)[-1] == bytes(8) + bytes.fromhex("2828ff")  # -117 dBm
    scene.send("alice", bytes(200))
    scene.run(1.2)
    (sent,) = scene.frames("alice")
    report = scene.hosts["alice"].all(0x25)[-1]
    share = int.from_bytes(report[:2]) / 10_000
    assert 0.9 < share * 15_000 / sent["airtime_ms"] < 1.0  # it books less than it sends
    heard = scene.hosts["bob"].all(0x25)[-1]
    assert heard[:2] == bytes(2)
    assert int.from_bytes(heard[4:6]) / 10_000 * 7_500 == pytest.approx(sent["airtime_ms"], rel=0.1)
    assert len(scene.hosts["alice"].all(0x25)) >= 3  # each second, and after the packet


def test_rssi_and_snr_come_before_the_packet() -> None:
    scene = Scene("alice", "bob").on()
    scene.hosts["bob"].clear()
    scene.send("alice", b"\xc0\xdb\xdc\xdd" * 20)
    scene.run(2)
    said = [frame for frame in scene.hosts["bob"].frames if frame[0] != 0x25]
    assert said == [(0x23, bytes([157 - 80])), (0x24, bytes([12 * 4])), (0x00, b"\xc0\xdb\xdc\xdd" * 20)]


def test_wrong_echo() -> None:
    scene = Scene(NodeSpec("alice", faults=Faults(spreading_factor=9)))
    assert (0x04, b"\x09") in scene.wire("alice").ask(settings())


def test_a_radio_that_does_not_start() -> None:
    scene = Scene(NodeSpec("alice", faults=Faults(dead_radio=True)))
    assert scene.wire("alice").ask(settings(), ON)[-1] == (0x90, b"\x01")


def test_mute_hung_and_without_power() -> None:
    for faults in (Faults(mute=True), Faults(hung=True)):
        assert Scene(NodeSpec("alice", faults=faults)).wire("alice").ask(protocol.DETECT) == []
    assert Scene(NodeSpec("alice", plugged=False)).wire("alice").ask(protocol.DETECT) == []


def test_a_mute_device_works_and_a_hung_one_does_not() -> None:
    scene = Scene("alice", "bob").on()
    scene.world.change_faults("alice", mute=True)
    scene.send("alice", b"one")
    scene.run(2)
    scene.world.change_faults("alice", mute=False, hung=True)
    scene.send("alice", b"two")
    scene.send("bob", b"three")
    scene.run(2)
    assert scene.got("bob") == [b"one"]
    assert scene.got("alice") == []
    scene.world.change_faults("alice", hung=False)
    scene.send("alice", b"four")
    scene.run(2)
    assert scene.got("bob") == [b"one", b"four"]


@given(st.lists(st.binary(max_size=40), max_size=8), st.data())
def test_any_bytes_in_any_pieces(pieces: list[bytes], data: st.DataObject) -> None:
    """Nothing from a host breaks a device, and how its bytes are cut does not matter."""
    whole = b"".join(pieces)
    answers = []
    for cuts in ([], data.draw(st.lists(st.integers(0, len(whole)), max_size=5))):
        scene = Scene("alice")
        start = 0
        for cut in [*sorted(cuts), len(whole)]:
            scene.world.devices["alice"].feed(whole[start:cut])
            start = cut
        scene.run(5)
        answers.append(scene.hosts["alice"].frames)
        # Whatever it was in the middle of, it still answers.
        scene.world.devices["alice"].feed(bytes.fromhex("c0c0"))
        assert (0x48, b"\x80") in scene.wire("alice").ask("c04800c0")
    assert answers[0] == answers[1]
