"""A serial port with an RNode on it: opened raw and without a lock, frames out, frames in.

No lock is taken because Reticulum takes none: whoever opens a port must first have looked who has it open.
"""

from __future__ import annotations

import os
import select
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from .kiss import Decoder

_READ: Final = 4096


class Line:
    """An open port at 115200 baud, to be used with ``with``. Opening raises ``OSError``."""

    def __init__(self, port: Path) -> None:
        self._decoder = Decoder()
        self._handle = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _prepare(self._handle)
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)

    def send(self, data: bytes) -> None:
        """Hand bytes to the port, as many as it takes at once; a question is asked again anyway."""
        os.write(self._handle, data)

    def frames(self, until: float) -> Iterator[tuple[int, bytes]]:
        """(command, payload) as they come, until a moment of the monotonic clock.

        Raises ``OSError`` where the device is unplugged meanwhile.
        """
        while (left := until - time.monotonic()) > 0:
            if not select.select([self._handle], [], [], left)[0]:
                return
            data = os.read(self._handle, _READ)
            if not data:
                raise OSError("the device was unplugged")
            yield from self._decoder.feed(data)


def _prepare(handle: int) -> None:
    try:
        tty.setraw(handle)
        settings = termios.tcgetattr(handle)
        settings[2] |= termios.CLOCAL | termios.CREAD
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(handle, termios.TCSANOW, settings)
    except termios.error as error:
        raise OSError(*error.args) from error
