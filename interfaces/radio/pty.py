"""A serial port for a software RNode: a pseudo-terminal under a name that stays.

The slave side is raw before anybody opens it, and this process keeps it open as well, so that it stays raw
and the master does not fail between two users. If nobody reads, what the device says is dropped; but never
half a frame.
"""

from __future__ import annotations

import errno
import os
import tty
from pathlib import Path
from typing import Final

CHUNK: Final = 4096


class Port:
    """One plugged-in port. ``link`` is replaced in one step, if it is a link. Raises ``OSError``."""

    def __init__(self, link: Path) -> None:
        if link.exists() and not link.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(link))
        self.link = link
        self.master, self._slave = os.openpty()
        try:
            tty.setraw(self._slave)
            os.set_blocking(self.master, False)
            self._device = os.ttyname(self._slave)
            partial = link.with_name(f".{link.name}.new")
            partial.unlink(missing_ok=True)
            partial.symlink_to(self._device)
            partial.replace(link)
        except OSError:
            os.close(self.master)
            os.close(self._slave)
            raise
        self._rest = b""

    def read(self) -> bytes:
        """What the host has written; empty if that is nothing."""
        try:
            return os.read(self.master, CHUNK)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Say something to the host, in one piece if there is room, else not at all."""
        if self._rest:
            self._rest = self._rest[self._put(self._rest) :]
        if not self._rest:
            written = self._put(data)
            # The host has the beginning of it: the end goes before anything else.
            self._rest = data[written:] if written else b""

    def close(self) -> None:
        """Unplug: whoever has the port open gets an error."""
        os.close(self.master)
        os.close(self._slave)
        if self.link.is_symlink() and str(self.link.readlink()) == self._device:
            self.link.unlink()

    def _put(self, data: bytes) -> int:
        try:
            return os.write(self.master, data)
        except BlockingIOError:
            return 0
