"""``radio list`` and ``radio probe``: real terminal devices, a sysfs of our own, real processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.radio.conftest import Bench, Board, rom
from tests.doctor.conftest import DIALOUT, NOBODY, as_root
from tests.doctor.test_serial import HOLD


def test_the_likeliest_radio_comes_first(bench: Bench) -> None:
    bench.uart("ttyAMA0", "serial0")
    bench.plug("ttyUSB1", "usb-Printer", usb="04b8:0202", title="Printer")
    bench.plug("ttyACM1", usb="239a:8029")
    bench.plug("ttyACM2", "usb-Boot", usb="239a:0029", title="RAK bootloader")
    bench.plug("ttyUSB0", "usb-Silicon_Labs_CP2102", usb="10c4:ea60", title="CP2102")
    bench.plug("ttyACM0", "usb-RAK", usb="239a:8029")
    boot = bench.machine.boot[0]
    boot.mkdir()
    (boot / "cmdline.txt").write_text("console=serial0,115200 root=/dev/mmcblk0p2\n")
    ports = bench.json("list")["ports"]
    assert [(port["port"], port["kind"]) for port in ports] == [
        ("/dev/serial/by-id/usb-RAK", "radio"),
        ("/dev/serial/by-id/usb-Silicon_Labs_CP2102", "radio"),
        ("/dev/ttyACM1", "radio"),  # has no lasting name
        ("/dev/serial/by-id/usb-Boot", "bootloader"),
        ("/dev/serial/by-id/usb-Printer", "usb"),
        ("/dev/ttyAMA0", "uart"),
    ]
    assert ports[0]["usb"] == "239a:8029"
    assert "RAK4631" in ports[0]["boards"]
    assert "Heltec LoRa32 v3" in ports[1]["boards"]
    assert [bool(port["console"]) for port in ports] == [False] * 5 + [True]
    code, out, _ = bench.run("list")
    assert code == 0
    assert "serial console active: console=serial0" in out
    assert "now at    /dev/ttyACM0" in out


def test_by_path_where_two_boards_say_the_same_of_themselves(bench: Bench) -> None:
    for number in (0, 1):
        bench.plug(f"ttyUSB{number}", usb="10c4:ea60")
        link = bench.machine.dev / f"serial/by-path/pci-usb-0:{number}"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to((bench.machine.dev / f"ttyUSB{number}").resolve())
    (bench.machine.dev / "serial/by-id").mkdir()
    (bench.machine.dev / "serial/by-id/usb-CP").symlink_to((bench.machine.dev / "ttyUSB1").resolve())
    ports = [port["port"] for port in bench.json("list")["ports"]]
    assert ports == ["/dev/serial/by-path/pci-usb-0:0", "/dev/serial/by-id/usb-CP"]


def test_no_port_at_all_and_uarts_that_are_not_there(bench: Bench) -> None:
    assert "no serial port" in bench.run("list")[1]
    bench.uart("ttyS3")
    (bench.machine.sys / "class/tty/ttyS3/type").write_text("0\n")
    (bench.machine.sys / "class/tty/tty7").mkdir()
    assert bench.json("list")["ports"] == []
    (bench.machine.sys / "class/tty/ttyS3/type").write_text("4\n")
    assert [port["kind"] for port in bench.json("list")["ports"]] == ["uart"]


def test_what_a_device_says_of_itself_cannot_write_on_the_screen(bench: Bench) -> None:
    bench.plug("ttyACM0", "usb-X", title="\x1b[2JRNode\u202e")
    assert "\x1b" not in bench.run("list")[1]


@as_root
def test_whose_it_is(bench: Bench) -> None:
    bench.plug("ttyACM0", "usb-RAK")
    device = (bench.machine.dev / "ttyACM0").resolve()
    os.chown(device, 0, DIALOUT)
    device.chmod(0o660)
    for folder in bench.machine.dev.parents:
        if "pytest" in str(folder):
            folder.chmod(0o755)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        (port,) = bench.json("list")["ports"]
        code, _, err = bench.run("probe")
    finally:
        os.seteuid(0)
        os.setegid(0)
    assert (port["user"], port["group"], port["allowed"]) == ("root", "dialout", False)
    assert code == 1
    assert "belongs to the group dialout" in err
    assert "sudo usermod -aG dialout $USER" in err


def test_probe(bench: Bench) -> None:
    board = Board(bench.plug("ttyACM0", "usb-RAK"), version=(1, 86))
    found = bench.json("probe", "/dev/ttyACM0")
    assert found["board"] == {
        "name": "RAK4631",
        "chip": "sx126x",
        "low_hz": 779_000_000,
        "high_hz": 928_000_000,
        "max_tx_dbm": 22,
        "notes": found["board"]["notes"],
    }
    assert (found["firmware"], found["accepted"], found["provisioned"]) == ("1.86", True, True)
    assert (found["platform"], found["mcu"]) == ("nRF52", "nRF52840")
    assert found["port"] == "/dev/serial/by-id/usb-RAK"
    # Nothing was sent that changes anything: only questions.
    assert set(board.asked) == {0x08, 0x50, 0x48, 0x49, 0x51}
    assert board.heard.startswith(b"\xc0\x08\x73\xc0")


@pytest.mark.parametrize("name", ["/dev/serial/by-id/usb-RAK", "ttyACM0", None])
def test_every_name_of_a_port_will_do(bench: Bench, name: str | None) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"))
    code, out, _ = bench.run("probe", *([name] if name else []))
    assert code == 0
    assert "board     RAK4631" in out
    assert "1.86: Reticulum works with it" in out


def test_a_port_that_is_no_known_one(bench: Bench) -> None:
    """A simulated radio is behind a terminal of its own, with a link to it anywhere."""
    master, device = bench.ward.pty()
    Board(master)
    link = bench.ward.data / "radio-a"
    link.symlink_to(device)
    assert bench.json("probe", str(link))["board"]["name"] == "RAK4631"


@pytest.mark.parametrize(
    ("version", "image", "said"),
    [
        ((1, 51), rom(0x10, 0x12), "1.51: Reticulum needs 1.52 or newer"),
        ((1, 86), rom(0x10, 0x12, sound=False), "not written or damaged"),
        ((1, 86), rom(0x10, 0x12, locked=False), "not written or damaged"),
    ],
)
def test_a_board_that_reticulum_could_not_use(
    bench: Bench, version: tuple[int, int], image: bytes, said: str
) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"), version=version, image=image)
    code, out, _ = bench.run("probe")
    assert code == 1
    assert said in out
    assert "Fix: rnodeconf" in out


def test_a_board_of_tomorrow(bench: Bench) -> None:
    Board(bench.plug("ttyACM0", "usb-RAK"), image=rom(0x77, 0xC0))
    code, out, _ = bench.run("probe")
    assert code == 0
    assert "not known to this version (product 0x77, model 0xc0)" in out


def test_a_silent_port_a_boot_loader_and_no_port(bench: Bench) -> None:
    from dataclasses import replace

    bench.ward.machine = replace(bench.machine, radio_seconds=0.1)
    bench.plug("ttyACM0", "usb-RAK")
    assert "no RNode answers" in bench.run("probe")[2]
    bench.plug("ttyACM1", "usb-Boot", usb="239a:0029")
    assert "boot loader" in bench.run("probe", "ttyACM1")[2]
    code, _, err = bench.run("probe", "/dev/ttyUSB9")
    assert code == 1
    assert "There is no port /dev/ttyUSB9" in err
    assert "no serial port" in bench.run("probe", str(bench.config))[2]


def test_without_a_name_there_must_be_one(bench: Bench) -> None:
    assert bench.run("probe")[0] == 2
    bench.plug("ttyACM0", "usb-A")
    bench.plug("ttyACM1", "usb-B")
    code, _, err = bench.run("probe")
    assert code == 2
    assert "several ports" in err


def test_a_port_in_use_is_left_alone(bench: Bench) -> None:
    board = Board(bench.plug("ttyACM0", "usb-RAK"))
    process = bench.ward.process(HOLD, (bench.machine.dev / "ttyACM0").resolve())
    code, _, err = bench.run("probe")
    assert code == 1
    assert f"(process {process.pid}) has /dev/serial/by-id/usb-RAK open" in err
    assert board.heard == b""
    assert f"(process {process.pid})" in bench.json("list")["ports"][0]["holder"]


def test_the_console_is_left_alone(bench: Bench) -> None:
    board = Board(bench.uart("ttyAMA0"))
    unit = bench.machine.etc / "systemd/system/getty.target.wants/serial-getty@ttyAMA0.service"
    unit.parent.mkdir(parents=True)
    unit.symlink_to(Path("/usr/lib/systemd/system/serial-getty@.service"))
    code, _, err = bench.run("probe", "ttyAMA0")
    assert code == 1
    assert "login console" in err
    assert board.heard == b""
