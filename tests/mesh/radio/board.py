"""A scripted board on a pseudo-terminal: answers the driver as the firmware does, with knobs for faults.

Boards that are joined pass packets to each other at once. There is no airtime and no loss: the software
RNode of interfaces/radio has all that; this one is for faults that it would be in the way of.
"""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from lrgpnode.rnode import kiss
from lrgpnode.rnode.kiss import Command, Decoder, frame

ESP32, NRF52, AVR = 0x80, 0x70, 0x90
CLAMP = 17


class Board:
    """Change an attribute at any time; it counts from then on."""

    def __init__(self, link: Path, *, plugged: bool = True) -> None:
        self.link = link
        self.firmware = (1, 86)
        self.platform = NRF52
        self.echo: dict[int, bytes] = {}
        """Answers that differ from what was asked, by command."""
        self.mute = False
        """Hears, and says nothing."""
        self.hung = False
        """Does not even read."""
        self.statistics = True
        self.signal = -110
        """RSSI at the moment, dBm."""
        self.interference: int | None = None
        self.load = 0.0
        """Channel load, percent."""
        self.power_limit = CLAMP
        self.radio_on = False
        self.peers: list[Board] = []
        self.asked: list[tuple[int, bytes]] = []
        """Everything that came over the port."""
        self._master = self._slave = -1
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        if plugged:
            self.plug()
        self._thread.start()

    def join(self, other: Board) -> None:
        self.peers.append(other)
        other.peers.append(self)

    def plug(self) -> None:
        with self._lock:
            self._master, self._slave = os.openpty()
            tty.setraw(self._slave)
            os.set_blocking(self._master, False)
            self.radio_on = False
            partial = self.link.with_suffix(".new")
            partial.symlink_to(os.ttyname(self._slave))
            partial.replace(self.link)

    def unplug(self) -> None:
        with self._lock:
            if self._master >= 0:
                self.link.unlink(missing_ok=True)
                os.close(self._master)
                os.close(self._slave)
                self._master = self._slave = -1

    def restart(self) -> None:
        """As after a dip of its supply: the port stays, the radio is off, nothing is said."""
        with self._lock:
            self.radio_on = False

    def say(self, command: int, payload: bytes) -> None:
        self._write(frame(command, payload))

    def receive(self, packet: bytes, *, rssi: int = -70, snr: float = 9.5) -> None:
        """A packet from the air."""
        if self.radio_on and not self.mute and not self.hung:
            self._write(
                frame(Command.STAT_RSSI, bytes([rssi + 157]))
                + frame(Command.STAT_SNR, bytes([int(snr * 4) & 0xFF]))
                + frame(Command.DATA, packet)
            )

    def report(self) -> None:
        """The statistics of this second."""
        numbers = b"".join(int(value * 100).to_bytes(2, "big") for value in (0.0, 0.25, self.load, 1.5))
        infr = 0xFF if self.interference is None else self.interference + 157
        self.say(Command.STAT_CHTM, numbers + bytes([self.signal + 157, -115 + 157, infr]))

    def close(self) -> None:
        self._ended.set()
        self._thread.join(5)
        self.unplug()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, data: bytes) -> None:
        with self._lock, suppress(BlockingIOError, OSError):
            if self._master >= 0:
                os.write(self._master, data)

    def _run(self) -> None:
        decoder = Decoder()
        reported = time.monotonic()
        while not self._ended.is_set():
            with self._lock:
                master = self._master
            if master < 0 or self.hung:
                self._ended.wait(0.02)
                continue
            with suppress(OSError, ValueError):
                if select.select([master], [], [], 0.05)[0]:
                    for command, payload in decoder.feed(os.read(master, 4096)):
                        self._heard(command, payload)
            if time.monotonic() - reported > 1.0:
                reported = time.monotonic()
                if self.statistics and self.radio_on and not self.mute:
                    self.report()

    def _heard(self, command: int, payload: bytes) -> None:
        self.asked.append((command, payload))
        if command == Command.DATA:
            for peer in self.peers:
                peer.receive(payload)
        elif not self.mute and (answer := self._answer(command, payload)) is not None:
            self.say(command, self.echo.get(command, answer))

    def _answer(self, command: int, payload: bytes) -> bytes | None:
        match command:
            case Command.DETECT:
                return bytes([kiss.DETECT_ANSWER])
            case Command.FW_VERSION:
                return bytes(self.firmware)
            case Command.PLATFORM:
                return bytes([self.platform])
            case Command.MCU:
                return bytes([0x71])
            case Command.TXPOWER:
                return bytes([min(payload[0], self.power_limit)])
            case Command.RADIO_STATE:
                if payload[0] != kiss.ASK:
                    self.radio_on = payload == b"\1"
                return bytes([self.radio_on])
            case Command.FREQUENCY | Command.BANDWIDTH | Command.SF | Command.CR:
                return payload
            case Command.ST_ALOCK | Command.LT_ALOCK:
                return payload
            case _:
                return None
