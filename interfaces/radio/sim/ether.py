"""The air: who transmits, what that does to everybody in range, and what each receiver gets of it.

A frame is judged at each receiver when it ends. Its critical part begins when five symbols of the preamble
are left, which a receiver needs to lock on to it: what overlaps earlier does no harm. A signal is noticed
by carrier sense four symbols after its start. Only signals of the same spreading factor and bandwidth
whose bands overlap know of each other; LoRa's others are taken for noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from interfaces.radio.sim.links import SNR_LIMITS, Link, fate
from interfaces.radio.sim.schedule import Appointment, Schedule
from lrgpnode.airtime.modem import Modem
from lrgpnode.protocol.value import Value

LOCK_SYMBOLS: Final = 5
SENSE_SYMBOLS: Final = 4

OFFSET_SHARE: Final = 0.25
"""By which part of the bandwidth two radios may differ in frequency and still understand each other."""


class Outcome(StrEnum):
    """What became of a frame at one receiver in range."""

    RECEIVED = "received"
    LOST = "lost"
    COLLISION = "collision"
    HALF_DUPLEX = "half_duplex"
    WEAK = "weak"
    OTHER_CHANNEL = "other_channel"
    OFF = "off"
    CUT = "cut"


@dataclass(frozen=True, slots=True, repr=False)
class Channel(Value):
    """``frequency`` in Hz."""

    frequency: int
    modem: Modem

    def understands(self, other: Channel) -> bool:
        near = abs(self.frequency - other.frequency) <= OFFSET_SHARE * self.modem.bandwidth
        return near and self.same_chirps(other)

    def disturbs(self, other: Channel) -> bool:
        return abs(self.frequency - other.frequency) < self.modem.bandwidth and self.same_chirps(other)

    def same_chirps(self, other: Channel) -> bool:
        mine, theirs = self.modem, other.modem
        return (mine.spreading_factor, mine.bandwidth) == (theirs.spreading_factor, theirs.bandwidth)


class Radio(Protocol):
    """What the ether knows of a device. ``tuned_at``: since when the channel is what it is."""

    @property
    def channel(self) -> Channel | None: ...

    @property
    def tuned_at(self) -> float: ...

    def heard(self, frame: bytes, rssi: float, snr: float) -> None:
        """A frame has arrived."""

    def medium_changed(self) -> None:
        """What carrier sense says may be another now."""


@dataclass(frozen=True, slots=True, repr=False)
class Reception(Value):
    outcome: Outcome
    rssi: float
    snr: float


@dataclass(slots=True)
class Transmission:
    """``start``, ``critical`` and ``end`` in seconds of virtual time."""

    sender: str
    channel: Channel
    frame: bytes
    start: float
    critical: float
    sensed: float
    end: float
    done: Callable[[Transmission], None]
    cut: bool = False
    judged: bool = False
    numbers: dict[str, int] = field(default_factory=dict)
    receptions: dict[str, Reception] = field(default_factory=dict)
    appointments: list[Appointment] = field(default_factory=list)

    def overlaps(self, other: Transmission) -> bool:
        """Whether ``other`` is on the air in this one's critical part."""
        return other.start < self.end and other.end > self.critical


class Ether:
    """``links`` by (sender, receiver). ``capture``: how many dB stronger a frame must be than each other one
    to survive; None: every overlap of the critical part destroys it."""

    def __init__(
        self,
        schedule: Schedule,
        links: Mapping[tuple[str, str], Link],
        *,
        seed: int = 0,
        capture: float | None = None,
    ) -> None:
        self._schedule = schedule
        self._links = dict(links)
        self._seed = seed
        self._capture = capture
        self._radios: dict[str, Radio] = {}
        self._recent: list[Transmission] = []
        self._count: Counter[tuple[str, str]] = Counter()

    def join(self, name: str, radio: Radio) -> None:
        self._radios[name] = radio

    def link(self, sender: str, receiver: str) -> Link:
        """How ``receiver`` hears ``sender``; a link that is down where it does not."""
        return self._links.get((sender, receiver), Link(up=False))

    def set_link(self, sender: str, receiver: str, link: Link) -> None:
        self._links[sender, receiver] = link
        self._radios[receiver].medium_changed()

    def busy(self, name: str) -> bool:
        """Carrier sense at a receiver."""
        return self.strongest(name) is not None

    def strongest(self, name: str) -> float | None:
        """RSSI in dBm of the strongest signal that a receiver notices now, if any."""
        now, channel = self._schedule.now, self._radios[name].channel
        if channel is None:
            return None
        return max(
            (
                self.link(sent.sender, name).rssi
                for sent in self._recent
                if sent.sensed <= now < sent.end
                and self._audible(sent.sender, name)
                and channel.disturbs(sent.channel)
            ),
            default=None,
        )

    def transmit(self, sender: str, frame: bytes, done: Callable[[Transmission], None]) -> Transmission:
        """Begin to send a LoRa frame; ``done`` is called at its end, just before its receivers get it."""
        channel = self._radios[sender].channel
        assert channel is not None, "a radio that is off sends nothing"
        now, modem = self._schedule.now, channel.modem
        end = now + modem.frame_seconds(len(frame))
        lock = max(0.0, modem.preamble_symbols - LOCK_SYMBOLS) * modem.symbol_seconds
        sensed = now + SENSE_SYMBOLS * modem.symbol_seconds
        sent = Transmission(sender, channel, frame, now, now + lock, sensed, end, done)
        for receiver in self._radios:
            if receiver != sender and self._audible(sender, receiver):
                self._count[sender, receiver] += 1
                sent.numbers[receiver] = self._count[sender, receiver]
        self._recent.append(sent)
        sent.appointments = [
            self._schedule.at(sensed, lambda: self._tell(sent)),
            self._schedule.at(end, lambda: self._end(sent)),
        ]
        return sent

    def cut(self, sender: str) -> None:
        """A transmitter has lost its power: what it was sending ends here and reaches nobody."""
        for sent in [sent for sent in self._recent if sent.sender == sender]:
            if sent.end > self._schedule.now:
                for appointment in sent.appointments:
                    appointment.cancel()
                sent.cut, sent.end = True, self._schedule.now
                self._end(sent)

    def _audible(self, sender: str, receiver: str) -> bool:
        return sender != receiver and self.link(sender, receiver).up

    def _tell(self, sent: Transmission) -> None:
        for receiver in sent.numbers:
            self._radios[receiver].medium_changed()

    def _end(self, sent: Transmission) -> None:
        sent.receptions = {name: self._judge(sent, name, number) for name, number in sent.numbers.items()}
        sent.judged = True
        sent.done(sent)
        for name, reception in sent.receptions.items():
            if reception.outcome is Outcome.RECEIVED:
                self._radios[name].heard(sent.frame, reception.rssi, reception.snr)
        self._tell(sent)
        self._forget()

    def _judge(self, sent: Transmission, name: str, number: int) -> Reception:
        link = self.link(sent.sender, name)
        modem = sent.channel.modem
        reception = Reception(Outcome.RECEIVED, link.rssi, link.snr_at(modem.bandwidth))
        return replace(reception, outcome=self._outcome(sent, name, number, link, reception.snr))

    def _outcome(self, sent: Transmission, name: str, number: int, link: Link, snr: float) -> Outcome:
        radio = self._radios[name]
        channel = radio.channel
        if sent.cut:
            return Outcome.CUT
        if channel is None or radio.tuned_at > sent.critical:
            return Outcome.OFF
        if not channel.understands(sent.channel):
            return Outcome.OTHER_CHANNEL
        others = [other for other in self._recent if other is not sent and sent.overlaps(other)]
        if any(other.sender == name for other in others):
            return Outcome.HALF_DUPLEX
        if snr < SNR_LIMITS[sent.channel.modem.spreading_factor]:
            return Outcome.WEAK
        if any(self._destroys(other, sent, name, link) for other in others):
            return Outcome.COLLISION
        lost = fate(self._seed, sent.sender, name, number) < link.loss
        return Outcome.LOST if lost else Outcome.RECEIVED

    def _destroys(self, other: Transmission, sent: Transmission, name: str, link: Link) -> bool:
        if not self._audible(other.sender, name) or not other.channel.disturbs(sent.channel):
            return False
        return self._capture is None or link.rssi < self.link(other.sender, name).rssi + self._capture

    def _forget(self) -> None:
        """What ended before everything began that is still to be judged can disturb nothing any more."""
        begun = min((sent.start for sent in self._recent if not sent.judged), default=self._schedule.now)
        self._recent = [sent for sent in self._recent if not sent.judged or sent.end > begun]
