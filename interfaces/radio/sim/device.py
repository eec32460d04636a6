"""A software RNode: what the firmware does between its serial port and the air.

It is used by ``feed`` with bytes from the host, by the ether as a ``Radio``, and by whoever plugs it in and
out. It answers through ``send``. While it transmits, and for a moment after its radio was switched on, it
does not read its serial port: what comes then waits.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from interfaces.radio.sim import csma, reports
from interfaces.radio.sim.boards import Board, Nature
from interfaces.radio.sim.books import Load
from interfaces.radio.sim.ether import Channel, Ether
from interfaces.radio.sim.faults import Faults
from interfaces.radio.sim.links import noise_floor
from interfaces.radio.sim.parameters import SETTINGS, Parameters, changed
from interfaces.radio.sim.schedule import Appointment, Schedule
from interfaces.radio.sim.serial import SerialInput
from interfaces.radio.sim.split import Joiner
from interfaces.radio.sim.trace import Tell
from interfaces.radio.sim.transmitter import Transmitter
from lrgpnode.rnode.kiss import Command, frame

RESET_QUESTION: Final = 0xF8
BLINK_SECONDS: Final = 0.6
BOOT_SECONDS: Final = 1.0
INPUT_BYTES: Final = 65_536

ERROR_RADIO: Final = 0x01
ERROR_LOCKED: Final = 0x03

ON, OFF = 0x01, 0x00


class Device:
    """``report_seconds``: the pause between channel reports. Implements ``Radio``."""

    def __init__(
        self,
        name: str,
        board: Board,
        schedule: Schedule,
        ether: Ether,
        tell: Tell,
        *,
        serial: int = 1,
        seed: int = 0,
        firmware: tuple[int, int] | None = None,
        faults: Faults | None = None,
        report_seconds: float = 1.0,
    ) -> None:
        self.name = name
        self.board = board
        self._nature = Nature(board, serial, firmware or board.firmware)
        self._faults = faults or Faults()
        self.powered = False
        self.send: Callable[[bytes], None] = _nowhere
        self.tuned_at = 0.0
        self.received = 0
        self._schedule = schedule
        self._ether = ether
        self._tell = tell
        self._rng = random.Random(f"{seed}:{name}")  # noqa: S311 - dice of a simulation
        self._report_seconds = report_seconds
        self._channel: Channel | None = None
        self._parameters = Parameters()
        self._input = SerialInput()
        self._pending = bytearray()
        self._deaf = False
        self._wake: Appointment | None = None
        self._report: Appointment | None = None
        self._joiner = Joiner()
        self._load = Load()
        self._told_band = 1
        self.transmitter = Transmitter(
            name, schedule, ether, self._rng, tell, self._packet_sent, self._transmitted
        )
        self.transmitter.frozen = self._faults.hung
        ether.join(name, self)

    @property
    def faults(self) -> Faults:
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults
        self.transmitter.frozen = faults.hung
        self.transmitter.contend()

    # --- power

    def power(self, on: bool) -> None:
        """Plug it in or out. Nothing that it was told survives."""
        if on == self.powered:
            return
        self.powered = on
        self._forget()
        if on:
            self._start_booting(tell=False)

    def reset(self) -> None:
        """It starts again by itself, its port stays there."""
        if self.powered:
            self._forget()
            self._start_booting(tell=self.board.tells_reset)

    def _forget(self) -> None:
        self._switch(None)
        self.transmitter.clear()
        if self._wake is not None:
            self._wake.cancel()
        self._parameters = self.transmitter.parameters = Parameters()
        self._input, self._pending, self._joiner = SerialInput(), bytearray(), Joiner()
        self._deaf, self._told_band = False, 1

    def _start_booting(self, *, tell: bool) -> None:
        def booted() -> None:
            if tell:
                self._answer(Command.RESET, bytes([RESET_QUESTION]))
            self._listen()

        self._deaf = True
        self._wake = self._schedule.after(BOOT_SECONDS if tell else 0.0, booted)

    # --- the host's side

    def feed(self, data: bytes) -> None:
        """Bytes from the host."""
        if not self.powered or self.faults.hung:
            return
        self._pending += data[: INPUT_BYTES - len(self._pending)]
        self._read()

    def _read(self) -> None:
        """Byte by byte, since any of them may make the device deaf for the next."""
        while self._pending and not self._deaf and not self.transmitter.sending:
            byte = self._pending.pop(0)
            for command, payload in self._input.feed(bytes([byte])):
                self._obey(command, payload)

    def _listen(self) -> None:
        self._deaf = False
        self._read()

    def _answer(self, command: Command, payload: bytes) -> None:
        self._say(frame(command, payload))

    def _say(self, data: bytes) -> None:
        if self.powered and not self.faults.mute and not self.faults.hung:
            self.send(data)

    def error(self, code: int) -> None:
        """Tell the host of an error."""
        self._answer(Command.ERROR, bytes([code]))

    def _obey(self, command: int, payload: bytes) -> None:
        match command:
            case Command.DATA:
                self.transmitter.add(payload)
            case Command.RADIO_STATE:
                self._radio_state(payload[0])
            case Command.RESET:
                if payload[0] == RESET_QUESTION:
                    self.reset()
            case Command.ROM_WRITE:
                self.error(ERROR_LOCKED)
            case _ if command in SETTINGS:
                self._set(command, payload)
            case _:
                answer = self._state(command)
                if answer is None:
                    answer = self._nature.answer(command, payload)
                if answer is not None:
                    self._answer(Command(command), answer)

    def _state(self, command: int) -> bytes | None:
        """Answers to questions about how things stand."""
        match command:
            case Command.READY:
                return bytes([ON if self.transmitter.room else OFF])
            case Command.RADIO_LOCK:
                return bytes([OFF if self._parameters.complete else ON])
            case Command.STAT_RX:
                return self.received.to_bytes(4)
            case Command.STAT_TX:
                return self.transmitter.packets.to_bytes(4)
            case Command.RANDOM:
                return self._rng.randbytes(1)
            case _:
                return None

    def _set(self, command: int, payload: bytes) -> None:
        new, answer = changed(self._parameters, command, payload, self.board.most_power)
        if command == Command.SF and self.faults.spreading_factor is not None:
            answer = bytes([self.faults.spreading_factor])
        self._parameters = self.transmitter.parameters = new
        if self._channel is not None:
            self._switch(new.channel(sx127x=self.board.sx127x))
        self._answer(Command(command), answer)

    # --- the radio

    def _radio_state(self, wanted: int) -> None:
        if wanted == ON and self._channel is None and self._parameters.complete:
            if self.faults.dead_radio:
                self.error(ERROR_RADIO)
                return
            self._switch_on()
        elif wanted == OFF:
            self._switch(None)
        self._answer(Command.RADIO_STATE, bytes([OFF if self._channel is None else ON]))

    def _switch_on(self) -> None:
        self._switch(self._parameters.channel(sx127x=self.board.sx127x))
        self._answer(Command.RADIO_STATE, bytes([ON]))
        if self.board.reports:
            for _ in range(3):
                self._say(reports.physical(self._tuned().modem))
            self._report = self._schedule.after(self._report_seconds, self._report_again)
        self._deaf = True
        self._wake = self._schedule.after(BLINK_SECONDS, self._listen)

    def _switch(self, channel: Channel | None) -> None:
        """Tune to ``channel``, or switch off."""
        if channel == self._channel:
            return
        if self._report is not None and channel is None:
            self._report.cancel()
            self._report = None
        self._channel, self.tuned_at = channel, self._schedule.now
        self.transmitter.tune(channel.modem if channel is not None else None)
        self.medium_changed()

    def _tuned(self) -> Channel:
        assert self._channel is not None, "the radio is on"
        return self._channel

    @property
    def channel(self) -> Channel | None:
        """None where nothing can be received."""
        return self._channel

    def heard(self, frame: bytes, rssi: float, snr: float) -> None:
        if self.faults.hung:
            return
        packet = self._joiner.join(frame)
        if packet is not None:
            self.received += 1
            self._tell(
                {
                    "event": "received",
                    "time": round(self._schedule.now, 6),
                    "node": self.name,
                    "bytes": len(packet),
                    "host": packet.hex(),
                }
            )
            self._say(reports.packet(packet, rssi, snr))

    def medium_changed(self) -> None:
        busy = self._channel is not None and self._ether.busy(self.name)
        self._load.busy(self._schedule.now, busy)
        self.transmitter.contend()

    # --- reports

    def _packet_sent(self, size: int) -> None:
        if self.board.reports:
            self._tell_channel()

    def _transmitted(self) -> None:
        # The input is read before the next turn on the air begins.
        self._schedule.after(0.0, self._read)

    def _report_again(self) -> None:
        self._tell_channel()
        self._report = self._schedule.after(self._report_seconds, self._report_again)

    def _tell_channel(self) -> None:
        """How the channel is, and first how it is shared, if that has become another way."""
        band = csma.band(self.transmitter.books.short(self._schedule.now))
        if band != self._told_band:
            self._told_band = self.transmitter.band = band
            self._say(reports.contention(band))
        self._say(self._channel_report())

    def _channel_report(self) -> bytes:
        now, own = self._schedule.now, self.transmitter.books
        floor = noise_floor(self._tuned().modem.bandwidth)
        strongest = self._ether.strongest(self.name)
        return reports.channel_times(
            (own.short(now), own.hour(now)),
            self._load.shares(now, own),
            floor if strongest is None else strongest,
            floor,
        )

    def statistics(self) -> dict[str, float]:
        """Own airtime as the firmware books it and channel load, in percent; packets; what waits."""
        now, own = self._schedule.now, self.transmitter.books
        return {
            "airtime_15s": round(100 * own.short(now), 3),
            "airtime_1h": round(100 * own.hour(now), 3),
            "load_7s": round(100 * self._load.shares(now, own)[0], 3),
            "waiting": self.transmitter.waiting,
            "packets_sent": self.transmitter.packets,
            "packets_received": self.received,
        }


def _nowhere(data: bytes) -> None:
    """Nobody is attached."""
