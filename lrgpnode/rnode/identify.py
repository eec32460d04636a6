"""Asking a board on a serial port whether it is an RNode, and which. Nothing in it is changed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from hashlib import md5
from pathlib import Path
from typing import Final

from lrgpnode.protocol.value import Value

from .kiss import DETECT_ANSWER, DETECT_QUESTION, OLDEST_FIRMWARE, Command, frame
from .line import Line

DETECT: Final = frame(Command.DETECT, bytes([DETECT_QUESTION])) + frame(Command.FW_VERSION, b"\0")
"""As Reticulum begins; a board says nothing of itself before it is asked so."""

_DETAILS: Final = frame(Command.PLATFORM, b"\0") + frame(Command.MCU, b"\0") + frame(Command.ROM_READ, b"\0")
_AGAIN: Final = 0.5
_DETAIL_SECONDS: Final = 1.0
"""How long a board that has answered is given for the rest, which old firmware does not know."""

_CHECKED: Final = 11
"""So many bytes of the EEPROM does the checksum behind them cover."""

_LOCKED: Final = 0x73

PLATFORMS: Final = {0x70: "nRF52", 0x80: "ESP32", 0x90: "AVR"}
CONTROLLERS: Final = {0x71: "nRF52840", 0x81: "ESP32", 0x91: "ATmega1284P", 0x92: "ATmega2560"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Identified(Value):
    """What an RNode said. ``None`` is what it did not say.

    ``product`` and ``model`` are from its EEPROM, and only if that is ``provisioned``: written, with a
    checksum that fits, and locked. Without that the firmware keeps its radio off.
    """

    firmware: tuple[int, int]
    platform: int | None = None
    controller: int | None = None
    product: int | None = None
    model: int | None = None
    provisioned: bool | None = None

    @property
    def version(self) -> str:
        return version_text(self.firmware)

    @property
    def platform_name(self) -> str:
        return PLATFORMS.get(self.platform or 0, "unknown")

    @property
    def controller_name(self) -> str:
        return CONTROLLERS.get(self.controller or 0, "unknown")

    @property
    def accepted(self) -> bool:
        """Whether Reticulum works with this firmware. It ends its process over one that is older."""
        return self.firmware >= OLDEST_FIRMWARE


def version_text(pair: tuple[int, int]) -> str:
    """As the makers write it: 1.52, 1.05."""
    return f"{pair[0]}.{pair[1]:02d}"


def firmware(port: Path, seconds: float) -> tuple[int, int] | None:
    """Major and minor version of the RNode on a port; None if none answers. Raises ``OSError``."""
    with Line(port) as line:
        return _detect(line, time.monotonic() + seconds)


def identify(port: Path, seconds: float) -> Identified | None:
    """What the RNode on a port says of itself; None if none answers. Raises ``OSError``."""
    with Line(port) as line:
        found = _detect(line, time.monotonic() + seconds)
        if found is None:
            return None
        identified = Identified(firmware=found)
        line.send(_DETAILS)
        for command, payload in line.frames(time.monotonic() + _DETAIL_SECONDS):
            if command == Command.PLATFORM and payload:
                identified = replace(identified, platform=payload[0])
            elif command == Command.MCU and payload:
                identified = replace(identified, controller=payload[0])
            elif command == Command.ROM_READ:
                return _with_rom(identified, payload)
        return identified


class Detection:
    """Takes the frames of a board, until both answers are there: that it is an RNode, and its version."""

    def __init__(self) -> None:
        self._is_rnode = False
        self._version: tuple[int, int] | None = None

    def take(self, command: int, payload: bytes) -> tuple[int, int] | None:
        """The firmware version, once it is certain that an RNode said it."""
        if command == Command.DETECT and payload == bytes([DETECT_ANSWER]):
            self._is_rnode = True
        elif command == Command.FW_VERSION and len(payload) >= 2:
            self._version = payload[0], payload[1]
        return self._version if self._is_rnode else None


def _detect(line: Line, end: float) -> tuple[int, int] | None:
    detection = Detection()
    while (now := time.monotonic()) < end:
        line.send(DETECT)
        for command, payload in line.frames(min(end, now + _AGAIN)):
            version = detection.take(command, payload)
            if version is not None:
                return version
    return None


def _with_rom(identified: Identified, rom: bytes) -> Identified:
    if len(rom) < 156:
        return identified
    sound = md5(rom[:_CHECKED], usedforsecurity=False).digest() == rom[_CHECKED : _CHECKED + 16]
    if not sound or rom[0x9B] != _LOCKED:
        return replace(identified, provisioned=False)
    return replace(identified, product=rom[0], model=rom[1], provisioned=True)
