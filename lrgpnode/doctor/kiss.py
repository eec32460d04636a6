"""Asking a board on a serial port whether it is an RNode, and for its firmware. Nothing else is sent."""

from __future__ import annotations

import os
import select
import termios
import time
import tty
from pathlib import Path
from typing import Final

_FEND: Final = 0xC0
_DETECT, _DETECT_REQUEST, _DETECT_ANSWER = 0x08, 0x73, 0x46
_FIRMWARE: Final = 0x50
_QUESTION: Final = bytes([_FEND, _DETECT, _DETECT_REQUEST, _FEND, _FIRMWARE, 0x00, _FEND])
"""As RNodeInterface.detect of Reticulum 1.5 begins."""

_AGAIN: Final = 0.5
_MOST: Final = 4096


def firmware(port: Path, seconds: float) -> tuple[int, int] | None:
    """Major and minor version of the RNode on a port; None if none answers. Raises ``OSError``."""
    handle = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _prepare(handle)
        return _converse(handle, time.monotonic() + seconds)
    finally:
        os.close(handle)


def _prepare(handle: int) -> None:
    try:
        tty.setraw(handle)
        settings = termios.tcgetattr(handle)
    except termios.error as error:
        raise OSError(*error.args) from error
    settings[2] |= termios.CLOCAL | termios.CREAD
    settings[4] = settings[5] = termios.B115200
    termios.tcsetattr(handle, termios.TCSANOW, settings)


def _converse(handle: int, end: float) -> tuple[int, int] | None:
    heard = bytearray()
    while (now := time.monotonic()) < end:
        os.write(handle, _QUESTION)
        until = min(end, now + _AGAIN)
        while (left := until - time.monotonic()) > 0 and select.select([handle], [], [], left)[0]:
            data = os.read(handle, _MOST)
            if not data:
                return None  # unplugged
            heard += data
            found = parse(bytes(heard))
            if found is not None:
                return found
            del heard[:-_MOST]
    return None


def parse(heard: bytes) -> tuple[int, int] | None:
    """The firmware version in what a board has said, once it has also said that it is an RNode."""
    frames = [_unescaped(frame) for frame in heard.split(bytes([_FEND]))[1:]]
    if not any(frame[:2] == bytes([_DETECT, _DETECT_ANSWER]) for frame in frames):
        return None
    version = next((frame for frame in frames if frame[:1] == bytes([_FIRMWARE]) and len(frame) >= 3), None)
    return None if version is None else (version[1], version[2])


def _unescaped(frame: bytes) -> bytes:
    return frame.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")
