"""RNode's KISS: frames of one command byte and a payload between FEND bytes, and what the commands mean.

Numbers of several bytes are big-endian. The same command carries a question to the device and its answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

FEND: Final = 0xC0
FESC: Final = 0xDB
TFEND: Final = 0xDC
TFESC: Final = 0xDD

DETECT_QUESTION: Final = 0x73
DETECT_ANSWER: Final = 0x46
ASK: Final = 0xFF
"""The payload that asks for a one-byte value; for frequency and bandwidth it is four zero bytes."""

OLDEST_FIRMWARE: Final = (1, 52)
"""Reticulum ends its process when it meets an older one."""

MAX_FRAME: Final = 2048


class Command(IntEnum):
    DATA = 0x00
    FREQUENCY = 0x01
    BANDWIDTH = 0x02
    TXPOWER = 0x03
    SF = 0x04
    CR = 0x05
    RADIO_STATE = 0x06
    RADIO_LOCK = 0x07
    DETECT = 0x08
    LEAVE = 0x0A
    ST_ALOCK = 0x0B
    LT_ALOCK = 0x0C
    READY = 0x0F
    STAT_RX = 0x21
    STAT_TX = 0x22
    STAT_RSSI = 0x23
    STAT_SNR = 0x24
    STAT_CHTM = 0x25
    STAT_PHYPRM = 0x26
    STAT_BAT = 0x27
    STAT_CSMA = 0x28
    STAT_TEMP = 0x29
    RANDOM = 0x40
    FB_EXT = 0x41
    FB_READ = 0x42
    BOARD = 0x47
    PLATFORM = 0x48
    MCU = 0x49
    FW_VERSION = 0x50
    ROM_READ = 0x51
    ROM_WRITE = 0x52
    RESET = 0x55
    DEV_HASH = 0x56
    HASHES = 0x60
    DISP_READ = 0x66
    CFG_READ = 0x6D
    ERROR = 0x90


def escape(payload: bytes) -> bytes:
    return payload.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")


def unescape(payload: bytes) -> bytes:
    return payload.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")


def frame(command: int, payload: bytes = b"") -> bytes:
    """One whole frame."""
    return bytes([FEND, command]) + escape(payload) + bytes([FEND])


class Decoder:
    """Takes a stream of bytes apart into (command, payload); noise between frames is dropped."""

    def __init__(self) -> None:
        self._open: bytearray | None = None

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The frames that ``data`` completes. One FEND may end a frame and begin the next."""
        for byte in data:
            if byte == FEND:
                if self._open:
                    yield self._open[0], unescape(bytes(self._open[1:]))
                self._open = bytearray()
            elif self._open is not None:
                self._open.append(byte)
                if len(self._open) > MAX_FRAME:
                    self._open = None
