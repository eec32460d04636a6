"""The sending half of a device: its queue, its turn on the air, its airtime limits.

Nothing is polled: each change of medium, queue or time asks ``contend`` again, which sets one appointment.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Final

from interfaces.radio.sim import csma
from interfaces.radio.sim.books import Books, booked_seconds, next_bin
from interfaces.radio.sim.ether import Ether, Transmission
from interfaces.radio.sim.parameters import Parameters
from interfaces.radio.sim.schedule import Appointment, Schedule
from interfaces.radio.sim.split import to_frames
from interfaces.radio.sim.trace import Tell, frame_event
from lrgpnode.airtime.modem import PACKET_BYTES, Modem
from lrgpnode.protocol.value import Value

QUEUE_PACKETS: Final = 200
QUEUE_BYTES: Final = 6144


@dataclass(frozen=True, slots=True, repr=False)
class Queued(Value):
    number: int
    content: bytes


class Transmitter:
    """``sent`` is called after each packet, ``idle`` when the device has sent what it was to send."""

    def __init__(
        self,
        name: str,
        schedule: Schedule,
        ether: Ether,
        rng: random.Random,
        tell: Tell,
        sent: Callable[[int], None],
        idle: Callable[[], None],
    ) -> None:
        self.books = Books()
        self.parameters = Parameters()
        self.modem: Modem | None = None
        self.frozen = False
        self.sending = False
        self.band = 1
        self.packets = 0
        self._name = name
        self._schedule = schedule
        self._ether = ether
        self._rng = rng
        self._tell = tell
        self._sent = sent
        self._idle = idle
        self._queue: deque[Queued] = deque()
        self._burst: deque[Queued] = deque()
        self._numbers = count(1)
        self._turn: Appointment | None = None
        self._since = 0.0
        self._left: float | None = None

    @property
    def on(self) -> bool:
        return self.modem is not None and not self.frozen

    @property
    def waiting(self) -> int:
        return len(self._queue) + len(self._burst)

    @property
    def room(self) -> bool:
        return self.waiting < QUEUE_PACKETS and self._bytes() < QUEUE_BYTES

    def add(self, content: bytes) -> None:
        """A packet from the host. What does not fit is dropped without a word to it."""
        number = next(self._numbers)
        reason = self._refusal(content)
        self._tell(
            {
                "event": "packet",
                "time": round(self._schedule.now, 6),
                "node": self._name,
                "packet": number,
                "bytes": len(content),
                "dropped": reason,
                "host": content.hex(),
            }
        )
        if not reason:
            self._queue.append(Queued(number, content))
            self.contend()

    def clear(self) -> None:
        """The power has gone, or the firmware starts again: nothing waits, nothing is on the air."""
        self._queue.clear()
        self._burst.clear()
        self.tune(None)
        self.band = 1

    def tune(self, modem: Modem | None) -> None:
        """The radio was switched off, or to another channel: what is on the air ends in the middle."""
        self._stop_waiting()
        self._ether.cut(self._name)
        self._put_back()
        self.modem, self._left = modem, None

    def contend(self) -> None:
        """See whether it may be our turn, and when."""
        if not self.on or self.sending or not self._queue:
            self._stop_waiting()
        elif self._locked():
            self._stop_waiting()
            self._turn = self._schedule.at(next_bin(self._schedule.now), self._again)
        elif self._ether.busy(self._name):
            self._stop_waiting()
        elif self._turn is None:
            modem = self._modem()
            self.band = csma.band(self.books.short(self._schedule.now))
            if self._left is None:
                slots = self._rng.randint(*csma.BANDS[self.band - 1])
                self._left = slots * csma.slot_seconds(modem)
            self._since = self._schedule.now + csma.difs_seconds(modem)
            self._turn = self._schedule.at(self._since + self._left, self._win)

    def _again(self) -> None:
        self._turn = None
        self.contend()

    def _stop_waiting(self) -> None:
        """What has passed of the window remains passed."""
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
            if self._left is not None:
                self._left = max(0.0, self._left - max(0.0, self._schedule.now - self._since))

    def _win(self) -> None:
        self._turn, self._left = None, None
        whole = self._modem().bitrate <= csma.FLUSH_BITRATE
        self._burst = deque(self._queue if whole else [self._queue[0]])
        for _ in self._burst:
            self._queue.popleft()
        self.sending = True
        self._next_packet()

    def _next_packet(self) -> None:
        if not self._burst or not self.on or self._locked():
            self._put_back()
            self._idle()
            self.contend()
            return
        packet = self._burst.popleft()
        self._send(packet, to_frames(packet.content, self._rng.randrange(16)), 0)

    def _put_back(self) -> None:
        self._queue.extendleft(reversed(self._burst))
        self._burst.clear()
        self.sending = False

    def _send(self, packet: Queued, frames: tuple[bytes, ...], part: int) -> None:
        power = self.parameters.power

        def done(sent: Transmission) -> None:
            self._tell(
                frame_event(
                    sent,
                    packet=packet.content,
                    number=packet.number,
                    part=part + 1,
                    parts=len(frames),
                    power=power,
                )
            )
            if sent.cut:
                return
            if part + 1 < len(frames):
                self._send(packet, frames, part + 1)
                return
            self.packets += 1
            self._sent(len(packet.content))
            self._next_packet()

        self.books.add(self._schedule.now, booked_seconds(self._modem(), len(frames[part])))
        self._ether.transmit(self._name, frames[part], done)

    def _locked(self) -> bool:
        """The firmware's own limiter."""
        now, limits = self._schedule.now, self.parameters
        short = limits.short_limit and self.books.short(now) >= limits.short_limit
        return bool(short or (limits.long_limit and self.books.hour(now) >= limits.long_limit))

    def _modem(self) -> Modem:
        assert self.modem is not None, "a radio that is on has a modem"
        return self.modem

    def _bytes(self) -> int:
        return sum(len(packet.content) for packet in (*self._queue, *self._burst))

    def _refusal(self, content: bytes) -> str:
        if not content:
            return "empty"
        if len(content) > PACKET_BYTES:
            return "too long"
        full = self.waiting >= QUEUE_PACKETS or self._bytes() + len(content) > QUEUE_BYTES
        return "queue full" if full else ""
