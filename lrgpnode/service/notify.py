"""What systemd wants to hear of a service, over the socket it gives it (sd_notify(3))."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping
from typing import Final

log = logging.getLogger("lrgpnode.service")

_SEND_SECONDS: Final = 1.0


class Notifier:
    """Does nothing where systemd did not ask to be told.

    ``watchdog`` is the time in seconds within which it wants a sign of life each time; None for none.
    """

    def __init__(self, environ: MutableMapping[str, str] = os.environ) -> None:
        # Taken out, so that processes which we start do not speak in our name.
        path = environ.pop("NOTIFY_SOCKET", "")
        self._address = "\0" + path[1:] if path.startswith("@") else path
        self.watchdog = _watchdog(environ)
        self._status = ""

    @property
    def wanted(self) -> bool:
        """Whether somebody listens."""
        return bool(self._address)

    def ready(self, status: str) -> None:
        """The node is up."""
        self._status = status
        self._send(f"READY=1\nSTATUS={_line(status)}\nMAINPID={os.getpid()}")

    def status(self, text: str) -> None:
        """One line for ``systemctl status``; sent when it has changed."""
        if text != self._status:
            self._status = text
            self._send(f"STATUS={_line(text)}")

    def alive(self) -> None:
        """A sign of life."""
        self._send("WATCHDOG=1")

    def stopping(self, reason: str) -> None:
        """The node goes down."""
        self._send(f"STOPPING=1\nSTATUS={_line(reason)}")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.settimeout(_SEND_SECONDS)
                sender.connect(self._address)
                sender.send(message.encode())
        except OSError as error:
            log.warning("systemd cannot be told %s: %s", message.partition("=")[0], error)


def _line(text: str) -> str:
    """A line break would begin another message."""
    return " ".join(text.split())[:500]


def _watchdog(environ: MutableMapping[str, str]) -> float | None:
    microseconds, process = environ.pop("WATCHDOG_USEC", ""), environ.pop("WATCHDOG_PID", "")
    if not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    if process and process != str(os.getpid()):
        return None
    return int(microseconds) / 1_000_000
