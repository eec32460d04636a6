"""A machine with boards on real terminal devices, and the commands looking at it."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.cli.radio import finding, place
from lrgpnode.cli.root import main
from lrgpnode.doctor.machine import Machine
from tests.doctor.conftest import Ward, private_key, ward

__all__ = ["Bench", "Board", "bench", "private_key", "ward"]


def rom(product: int, model: int, *, locked: bool = True, sound: bool = True) -> bytes:
    """An EEPROM of 200 bytes as rnodeconf writes it."""
    head = bytes([product, model, 1, 0, 0, 0, 7, 0x65, 0, 0, 0])
    digest = hashlib.md5(head).digest() if sound else bytes(16)
    image = bytearray(200)
    image[: 11 + 16] = head + digest
    image[0x9B] = 0x73 if locked else 0xFF
    return bytes(image)


def escaped(command: int, payload: bytes) -> bytes:
    """A KISS frame, written apart from the code that is tested."""
    body = b"".join({0xC0: b"\xdb\xdc", 0xDB: b"\xdb\xdd"}.get(byte, bytes([byte])) for byte in payload)
    return bytes([0xC0, command]) + body + b"\xc0"


@dataclass
class Board:
    """Answers as the firmware of an RNode does, question by question; keeps what it was told."""

    master: int
    version: tuple[int, int] = (1, 86)
    image: bytes = rom(0x10, 0x12)
    heard: bytes = b""
    asked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                data = os.read(self.master, 200)
            except OSError:
                return
            self.heard += data
            for frame in data.split(b"\xc0"):
                if frame:
                    self.asked.append(frame[0])
                    os.write(self.master, self._answer(frame))

    def _answer(self, frame: bytes) -> bytes:
        match frame[0]:
            case 0x08:
                return escaped(0x08, b"\x46")
            case 0x50:
                return escaped(0x50, bytes(self.version))
            case 0x48:
                return escaped(0x48, b"\x70")
            case 0x49:
                return escaped(0x49, b"\x71")
            case 0x51:
                return escaped(0x51, self.image)
        return b""


@dataclass
class Bench:
    """The ward's machine, with USB devices in a sysfs of its own."""

    ward: Ward
    capsys: pytest.CaptureFixture[str]

    @property
    def config(self) -> Path:
        return self.ward.rns / "config"

    @property
    def machine(self) -> Machine:
        return self.ward.machine

    def plug(self, name: str, by_id: str = "", usb: str = "239a:8029", title: str = "RAK4631") -> int:
        """A port of this name with a USB device behind it; the board's end of it."""
        master, _ = self.ward.pty(name, *([f"serial/by-id/{by_id}"] if by_id else []))
        device = self.machine.sys / "devices/usb1" / name
        (device / "interface").mkdir(parents=True)
        vendor, product = usb.split(":")
        (device / "idVendor").write_text(f"{vendor}\n")
        (device / "idProduct").write_text(f"{product}\n")
        (device / "product").write_text(f"{title}\n")
        self._entry(name, device / "interface")
        return master

    def uart(self, name: str, *links: str) -> int:
        """A UART of the computer."""
        master, _ = self.ward.pty(name, *links)
        device = self.machine.sys / "devices/platform" / name
        device.mkdir(parents=True)
        self._entry(name, device)
        return master

    def _entry(self, name: str, device: Path) -> None:
        entry = self.machine.sys / "class/tty" / name
        entry.mkdir(parents=True)
        (entry / "device").symlink_to(device)

    def run(self, *words: str) -> tuple[int, str, str]:
        """(exit code, stdout, stderr) of a command."""
        self.capsys.readouterr()
        code = main(["--data", str(self.ward.data), "radio", *words])
        out, err = self.capsys.readouterr()
        return code, out, err

    def json(self, *words: str) -> dict[str, Any]:
        _, out, _ = self.run(*words, "--json")
        parsed: dict[str, Any] = json.loads(out)
        return parsed


@pytest.fixture
def bench(
    ward: Ward, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Bench:
    ward.machine = replace(ward.machine, sys=tmp_path / "sys", radio_seconds=5.0)
    found: Callable[[], Machine] = lambda: ward.machine  # noqa: E731 - read at each call
    for module in (finding, place):
        monkeypatch.setattr(module, "this_machine", found)
    for name in ("ports", "probe", "setup"):
        monkeypatch.setattr(f"lrgpnode.cli.radio.{name}.this_machine", found)
    return Bench(ward, capsys)
