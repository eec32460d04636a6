"""The port that a driver has open: its name, asking the board over it, closing it for the driver."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import Any, Final

from lrgpnode.rnode import kiss
from lrgpnode.rnode.kiss import Command

_QUESTION: Final = kiss.frame(Command.DETECT, bytes([kiss.DETECT_QUESTION])) + kiss.frame(
    Command.RADIO_STATE, bytes([kiss.ASK])
)


def name(interface: Any) -> str:
    """The port as it is written in the configuration."""
    if interface.use_tcp:
        return f"tcp://{interface.tcp_host or ''}"
    if interface.use_ble:
        return f"ble://{interface.ble_addr or interface.ble_name or ''}"
    return str(interface.port)


def is_remote(interface: Any) -> bool:
    """Whether it is reached by network or Bluetooth."""
    return bool(interface.use_tcp or interface.use_ble)


def ask(interface: Any) -> None:
    """Ask the board whether it is there and its radio on; the driver's reader takes the answer.

    Never blocks, and does not raise: where the question cannot be written, no answer is one, too. Over
    TCP the driver asks by itself.
    """
    with suppress(OSError, ValueError, TypeError, AttributeError):
        if interface.use_ble:
            interface.serial.write(_QUESTION)  # goes into a queue of the driver
        elif not interface.use_tcp:
            # pyserial's own write waits for as long as the board takes nothing. Its file does not block.
            os.write(interface.serial.fileno(), _QUESTION)


def close(interface: Any) -> None:
    """Close the port under the driver, whose reader then ends and opens it anew.

    A thread that waits to write is woken up first.
    """
    with suppress(OSError, TypeError, AttributeError):
        interface.serial.cancel_write()
    with suppress(OSError, AttributeError):
        # Over TCP: closing alone does not wake whoever waits for bytes.
        interface.serial.socket.shutdown(socket.SHUT_RDWR)
    with suppress(OSError, TypeError, AttributeError):
        interface.serial.close()
