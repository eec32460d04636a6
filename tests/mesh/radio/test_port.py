"""The port under the driver: asked without waiting, and closed also while somebody waits to write to it."""

from __future__ import annotations

import os
import threading
import tty
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from serial import Serial

from lrgpnode.mesh.radio import port

FULL = 1_000_000
"""Bytes that no terminal's buffer takes."""


@pytest.fixture
def ends() -> Iterator[tuple[int, SimpleNamespace]]:
    """The board's end of a terminal, and an interface that has the other open as the driver does."""
    master, slave = os.openpty()
    tty.setraw(slave)
    serial = Serial(os.ttyname(slave), 115200, timeout=0, write_timeout=None)
    yield master, SimpleNamespace(serial=serial, use_tcp=False, use_ble=False)
    serial.close()
    os.close(master)
    os.close(slave)


def blocked(serial: Serial) -> tuple[threading.Thread, list[object]]:
    """A thread that writes more than the board takes, and what becomes of it."""
    ended: list[object] = []

    def write() -> None:
        try:
            ended.append(serial.write(bytes(FULL)))
        except (OSError, TypeError, ValueError) as error:
            ended.append(error)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(0.5)
    assert thread.is_alive()
    return thread, ended


def test_the_questions(ends: tuple[int, SimpleNamespace]) -> None:
    master, interface = ends
    port.ask(interface)
    assert os.read(master, 100) == b"\xc0\x08\x73\xc0\xc0\x06\xff\xc0"


def test_whoever_waits_to_write_is_woken_up(ends: tuple[int, SimpleNamespace]) -> None:
    _, interface = ends
    thread, ended = blocked(interface.serial)
    port.ask(interface)  # returns, though nothing can be written
    port.close(interface)
    thread.join(10)
    assert not thread.is_alive()
    # The driver raises for either.
    assert isinstance(ended[0], Exception) or ended[0] != FULL
    assert not interface.serial.is_open


def test_a_port_that_is_closed_already() -> None:
    for serial in (SimpleNamespace(), None):
        interface = SimpleNamespace(serial=serial, use_tcp=False, use_ble=False)
        port.ask(interface)
        port.close(interface)
