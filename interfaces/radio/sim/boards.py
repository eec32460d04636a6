"""The boards that a device can be, and the EEPROM of one that was set up properly."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value
from lrgpnode.rnode.kiss import DETECT_ANSWER, DETECT_QUESTION, Command

NEWEST_FIRMWARE: Final = (1, 86)

EEPROM_BYTES: Final = 200
CONFIG_BYTES: Final = 256
FRAMEBUFFER_BYTES: Final = 512
DISPLAY_BYTES: Final = 1024
LOCKED: Final = 0x73
_LOCK_AT: Final = 0x9B
_CHECKSUM_AT: Final = 0x0B
_MADE: Final = 1_700_000_000


@dataclass(frozen=True, slots=True, repr=False)
class Board(Value):
    """Numbers as RNode's tools know them. ``most_power`` in dBm.

    ``reports``: whether it tells its host of the channel without being asked.
    """

    name: str
    platform: int
    mcu: int
    board: int
    product: int
    model: int
    most_power: int
    sx127x: bool = False
    reports: bool = True
    firmware: tuple[int, int] = NEWEST_FIRMWARE

    @property
    def tells_reset(self) -> bool:
        return self.platform != AVR


ESP32: Final = 0x80
NRF52: Final = 0x70
AVR: Final = 0x90

BOARDS: Final = {
    board.name: board
    for board in (
        Board("heltec_v3", ESP32, 0x81, 0x3A, 0xC1, 0xCA, 22),
        Board("rak4631", NRF52, 0x71, 0x51, 0x10, 0x12, 22),
        Board("tbeam", ESP32, 0x81, 0x33, 0xE0, 0xE9, 17, sx127x=True),
        Board("rnode_avr", AVR, 0x91, 0x31, 0x03, 0xA9, 17, sx127x=True, reports=False, firmware=(1, 52)),
    )
}
DEFAULT_BOARD: Final = "heltec_v3"


def eeprom(board: Board, serial: int) -> bytes:
    """Product, model, revision, serial number, date; their checksum; nobody's signature; the lock."""
    identity = bytes([board.product, board.model, 1]) + serial.to_bytes(4) + _MADE.to_bytes(4)
    image = bytearray(b"\xff" * EEPROM_BYTES)
    image[: len(identity)] = identity
    checksum = hashlib.md5(identity, usedforsecurity=False).digest()
    image[_CHECKSUM_AT : _CHECKSUM_AT + len(checksum)] = checksum
    image[_LOCK_AT] = LOCKED
    return bytes(image)


def device_hash(board: Board, serial: int) -> bytes:
    return hashlib.sha256(eeprom(board, serial)).digest()


def firmware_hash(version: tuple[int, int]) -> bytes:
    """Of an image that does not exist."""
    return hashlib.sha256(b"software RNode %d.%d" % version).digest()


@dataclass(frozen=True, slots=True, repr=False)
class Nature(Value):
    """What a device is and always says of itself."""

    board: Board
    serial: int
    firmware: tuple[int, int]

    def answer(self, command: int, payload: bytes) -> bytes | None:
        """The answer to a question that changes nothing; None where there is none."""
        fixed = self._fixed().get(command)
        if fixed is not None:
            return fixed
        match command:
            case Command.DETECT if payload[0] == DETECT_QUESTION:
                return bytes([DETECT_ANSWER])
            case Command.FB_EXT:
                return payload
            case Command.HASHES if payload[0] in {1, 2, 3, 4}:
                return payload + firmware_hash(self.firmware)
            case _:
                return None

    def _fixed(self) -> dict[int, bytes]:
        return {
            Command.FW_VERSION: bytes(self.firmware),
            Command.PLATFORM: bytes([self.board.platform]),
            Command.MCU: bytes([self.board.mcu]),
            Command.BOARD: bytes([self.board.board]),
            Command.FB_READ: bytes(FRAMEBUFFER_BYTES),
            Command.DISP_READ: bytes(DISPLAY_BYTES),
            Command.ROM_READ: eeprom(self.board, self.serial),
            Command.CFG_READ: b"\xff" * CONFIG_BYTES,
            Command.DEV_HASH: device_hash(self.board, self.serial),
        }
