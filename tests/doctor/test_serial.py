"""Serial ports: real terminal devices with real owners, held by real processes."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lrgpnode.doctor.checks import radio, serial as serial_checks
from tests.doctor.conftest import DIALOUT, NOBODY, Ward, as_root

HOLD = """
import os, sys
os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def only_these(ward: Ward) -> None:
    ward.checks = (*serial_checks.CHECKS, *radio.CHECKS)


def serial(ward: Ward) -> set[str]:
    return {id for id in ward.examine() if id.startswith("serial")}


def test_a_good_port(ward: Ward) -> None:
    ward.pty("ttyACM0", "serial/by-id/usb-RAK")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    assert serial(ward) == set()


def test_an_absent_one_and_what_is_there_instead(ward: Ward) -> None:
    ward.pty("ttyACM1", "serial/by-id/usb-RAK-if00")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-gone"))
    finding = ward.examine()["serial-absent"]
    assert "/dev/serial/by-id/usb-gone of the interface Radio" in finding.cause
    assert "`port = /dev/serial/by-id/usb-RAK-if00`" in finding.fix
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-gone"), ward.rnode("/dev/ttyACM1", name="Other"))
    assert "none is plugged in" in ward.examine()["serial-absent"].fix


def test_a_disabled_or_distant_radio_needs_no_port(ward: Ward) -> None:
    ward.interfaces(
        ward.rnode("/dev/ttyUSB7").replace("enabled = Yes", "enabled = No"),
        ward.rnode("tcp://radio.local", name="Wifi"),
        ward.rnode("ble://", name="Bluetooth"),
    )
    assert serial(ward) == set()


def test_a_name_that_moves(ward: Ward) -> None:
    ward.pty("ttyACM0", "serial/by-id/usb-RAK")
    ward.pty("ttyUSB0")
    ward.interfaces(ward.rnode("/dev/ttyACM0"))
    finding = ward.examine()["serial-name"]
    assert finding.severity.value == "warning"
    assert "`port = /dev/serial/by-id/usb-RAK`" in finding.fix
    ward.interfaces(ward.rnode("/dev/ttyUSB0"))
    assert "/dev/serial/by-id/..." in ward.examine()["serial-name"].fix


@as_root
def test_another_group(ward: Ward) -> None:
    _, device = ward.pty("serial/by-id/usb-RAK")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    os.chown(device, 0, DIALOUT)
    device.chmod(0o660)
    os.chown(ward.data, NOBODY, NOBODY)
    finding = ward.examine()["serial-group"]
    assert "The user nobody may not open" in finding.cause
    assert finding.cause.endswith("the group dialout.")
    assert "sudo usermod -aG dialout nobody" in finding.fix
    os.chown(device, 0, NOBODY)
    assert "serial-group" not in ward.examine()
    # Nothing is to be had from the group of root, or of a group that may not write.
    for gid, mode in ((0, 0o660), (DIALOUT, 0o640)):
        os.chown(device, 0, gid)
        device.chmod(mode)
        finding = ward.examine()["serial-mode"]
        assert f"mode {mode:04o}" in finding.cause
        assert 'GROUP="dialout"' in finding.fix


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_a_closed_port_of_ones_own(ward: Ward) -> None:
    _, device = ward.pty("serial/by-id/usb-RAK")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    device.chmod(0)
    assert "serial-mode" in ward.examine()


def test_held_by_another_program(ward: Ward) -> None:
    _, device = ward.pty("serial/by-id/usb-RAK")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    process = ward.process(HOLD, device)
    assert (
        f"(process {process.pid}) has /dev/serial/by-id/usb-RAK open" in ward.examine()["serial-busy"].cause
    )
    process.kill()
    process.wait()
    assert "serial-busy" not in ward.examine()


def test_the_console_on_the_uart(ward: Ward) -> None:
    ward.pty("ttyAMA0", "serial0")
    ward.pty("serial/by-id/usb-RAK")
    boot = ward.machine.boot[0]
    boot.mkdir()
    (boot / "cmdline.txt").write_text("console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n")
    ward.interfaces(ward.rnode("/dev/ttyAMA0"))
    finding = ward.examine()["serial-console"]
    assert f"console=serial0 in {boot / 'cmdline.txt'}" in finding.cause
    assert "do_serial_cons 1" in finding.fix
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    assert "serial-console" not in ward.examine()
    (boot / "cmdline.txt").write_text("console=tty1 root=PARTUUID=1-02\n")
    ward.interfaces(ward.rnode("/dev/serial0"))
    assert "serial-console" not in ward.examine()
    unit = ward.machine.etc / "systemd/system/getty.target.wants/serial-getty@ttyAMA0.service"
    unit.parent.mkdir(parents=True)
    unit.symlink_to("/usr/lib/systemd/system/serial-getty@.service")
    assert "serial-getty@ttyAMA0.service is enabled" in ward.examine()["serial-console"].cause


# Radios


class Board:
    """Answers as the firmware of an RNode does; keeps what it was told."""

    def __init__(self, master: int, version: tuple[int, int], echo: bytes = b"") -> None:
        self.heard = b""
        self._master, self._version, self._echo = master, version, echo
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            try:
                data = os.read(self._master, 100)
            except OSError:
                return
            self.heard += data
            answer = bytes([0xC0, 0x08, 0x46, 0xC0, 0xC0, 0x50, *self._version, 0xC0])
            for piece in (self._echo, answer[:4], answer[4:]):
                os.write(self._master, piece)


@pytest.mark.parametrize(
    ("version", "old"),
    [((1, 51), True), ((1, 52), False), ((1, 86), False), ((2, 0), False), ((0, 99), True)],
)
def test_firmware(ward: Ward, version: tuple[int, int], old: bool) -> None:
    ward.machine = replace(ward.machine, radio_seconds=5.0)  # it ends with the answer
    master, _ = ward.pty("serial/by-id/usb-RAK")
    board = Board(master, version, echo=b"boot messages\r\n\xc0\x25\xdb\xdc\x00")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    found = ward.examine()
    assert board.heard.startswith(b"\xc0\x08\x73")
    assert ("radio-firmware" in found) == old
    assert "radio-silent" not in found
    if old:
        finding = found["radio-firmware"]
        assert f"has firmware {version[0]}.{version[1]:02d}; Reticulum needs 1.52" in finding.cause
        assert "rnodeconf /dev/serial/by-id/usb-RAK --update" in finding.fix


def test_no_rnode_on_the_port(ward: Ward) -> None:
    ward.pty("serial/by-id/usb-RAK")
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    assert "radio-silent" in ward.examine()


def test_a_board_that_another_program_uses_is_left_alone(ward: Ward) -> None:
    master, device = ward.pty("serial/by-id/usb-RAK")
    board = Board(master, (1, 40))
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    ward.process(HOLD, device)
    assert not {"radio-firmware", "radio-silent"} & set(ward.examine())
    assert board.heard == b""


@as_root
def test_a_board_that_a_program_of_another_user_may_use_is_left_alone(ward: Ward, tmp_path: Path) -> None:
    """Only root can see what others have open; who is not root does not speak over an rnsd."""
    ward.machine = replace(ward.machine, radio_seconds=5.0)
    master, device = ward.pty("serial/by-id/usb-RAK")
    board = Board(master, (1, 40))
    device.chmod(0o666)
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    script = tmp_path / "rnsd"
    script.write_text("import sys; print('up', flush=True); sys.stdin.read()")
    ward.process(f"import runpy, sys; sys.argv[1:] = []; runpy.run_path({str(script)!r})", script)
    for folder in (ward.data, ward.rns, *ward.rns.parents[:-2]):
        folder.chmod(0o755)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        found = ward.examine()
    finally:
        os.seteuid(0)
        os.setegid(0)
    # Named is the first such program; a machine that runs tests may have others.
    assert re.search(r"\(process \d+\) may have it open", found["not-looked"].cause)
    assert board.heard == b""


@pytest.mark.parametrize(
    ("frequency", "limit", "percent"),
    [
        (867_200_000, "", "1"),
        (868_000_000, "airtime_limit_long = 25", "1"),
        (869_525_000, "airtime_limit_short = 5", "10"),
        (869_525_000, "airtime_limit_long = 10", None),
        (868_100_000, "airtime_limit_long = 0.5", None),
        (868_900_000, "airtime_limit_long = 1", "0.1"),
        (868_900_000, "airtime_limit_long = 0", "0.1"),
        (862_999_999, "", None),
        (915_000_000, "", None),
        (433_775_000, "", None),
    ],
)
def test_duty_cycle(ward: Ward, frequency: int, limit: str, percent: str | None) -> None:
    ward.interfaces(ward.rnode("/dev/null0", f"frequency = {frequency}\n{limit}"))
    finding = ward.examine().get("radio-duty")
    assert (finding is None) == (percent is None)
    if finding is not None:
        assert f"`airtime_limit_long = {percent}`" in finding.fix


def test_duty_cycle_of_a_part(ward: Ward) -> None:
    ward.interfaces(
        "[[Multi]]\ntype = RNodeMultiInterface\nenabled = Yes\nport = /dev/null0\n"
        "[[[High]]]\nfrequency = 2400000000\n[[[Low]]]\nfrequency = 868000000\n"
    )
    assert "The interface Multi/Low sends" in ward.examine()["radio-duty"].cause


@pytest.mark.parametrize(
    ("frequency", "bandwidth", "limit", "found"),
    [
        (869_525_000, 250_000, 10, set()),
        (869_525_000, 500_000, 10, {"radio-band"}),
        (868_000_000, 125_000, 1, {"radio-band"}),  # across the edge of two bands
        (868_000_000, 125_000, 2, {"radio-band", "radio-duty"}),
        (868_650_000, 62_500, 0.1, {"radio-band"}),  # alarms
        (868_650_000, 62_500, 1, {"radio-band", "radio-duty"}),
        (915_000_000, 500_000, 50, set()),
    ],
)
def test_a_channel_that_no_band_has(
    ward: Ward, frequency: int, bandwidth: int, limit: float, found: set[str]
) -> None:
    ward.interfaces(
        ward.rnode(
            "/dev/null0",
            f"frequency = {frequency}\nbandwidth = {bandwidth}\nairtime_limit_long = {limit}\n"
            "spreadingfactor = 8\ncodingrate = 5\n",
        )
    )
    assert {id for id in ward.examine() if id.startswith("radio")} == found


@pytest.mark.parametrize(
    ("region", "options", "found"),
    [
        # The same radio under another law, which has no duty cycle there.
        ("NZ865", "frequency = 866500000\nbandwidth = 250000", set()),
        ("EU868", "frequency = 866500000\nbandwidth = 250000", {"radio-duty"}),
        ("", "frequency = 866500000\nbandwidth = 250000", {"radio-duty"}),
        # Far away from every band of the region that is named.
        ("EU868", "frequency = 915000000\nbandwidth = 500000\nairtime_limit_long = 0.1", {"radio-band"}),
        ("us915", "frequency = 915000000\nbandwidth = 500000", set()),
        ("us915", "frequency = 915000000\nbandwidth = 125000", {"radio-duty"}),
        ("AS923-1", "frequency = 923200000\nbandwidth = 125000\nairtime_limit_long = 1", set()),
        ("Mars", "frequency = 915000000\nbandwidth = 125000", set()),
    ],
)
def test_the_law_of_the_region_that_is_set(ward: Ward, region: str, options: str, found: set[str]) -> None:
    ward.interfaces(ward.rnode("/dev/null0", options))
    settings = ward.data / "lrgpnode.toml"
    settings.write_text(settings.read_text() + f'[airtime]\nregion = "{region}"\n')
    findings = {id: item for id, item in ward.examine().items() if id in ("radio-duty", "radio-band")}
    assert set(findings) == found
    for finding in findings.values():
        assert (region or "EU868").upper() in finding.cause
        assert "config set airtime.region NAME" in finding.fix
