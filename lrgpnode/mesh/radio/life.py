"""Whether a radio that is open still lives: when to ask it, and when to give it up. Pure.

On a serial port Reticulum's driver never notices a board that has stopped working. Most boards report
their statistics once a second, and any of that is a sign of life; a board that is silent is asked whether
it is an RNode, which every one answers. But a board that sends listens to nobody and reports nothing, and
at slow speeds it may send its whole queue at once: what was handed to it is allowed for.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lrgpnode.protocol.value import Value

ASK_AFTER: Final = 5.0
"""Seconds without a sign of life before it is asked, and between questions."""

HUNG_AFTER: Final = 16.0
"""Seconds without a sign of life, beyond those that it may be sending: three questions unanswered."""

QUEUE_BYTES: Final = 6144
"""What the firmware queues at most."""

_SLOWEST: Final = 0.5
"""Share of the bitrate that is left for a packet's bytes; the preambles of small packets take the rest."""

_WINDOW: Final = 400.0
"""Seconds after which the board has certainly sent or dropped what was handed to it."""


class Step(Enum):
    """``WAIT``: look again later. ``ASK``: it should be asked now. ``GIVE_UP``: it has hung."""

    WAIT = "wait"
    ASK = "ask"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True, repr=False)
class Look(Value):
    """What is to be done now, and in how many seconds to look again."""

    step: Step
    again: float


class Life:
    """Times are seconds of any clock that only goes forward. ``sign`` may be called from any thread."""

    def __init__(self, now: float) -> None:
        self._sign = now
        self._asked = -ASK_AFTER
        self._handed: deque[tuple[float, int]] = deque()

    def sign(self, now: float) -> None:
        """The board has said something."""
        self._sign = now

    def handed(self, now: float, size: int) -> None:
        """``size`` bytes more were given to the board to send."""
        if size > 0:
            self._handed.append((now, size))

    def look(self, now: float, bitrate: float) -> Look:
        """``bitrate`` in bits a second; 0 where it is not known."""
        silent = now - self._sign
        left = HUNG_AFTER + self._sending(now, bitrate) - silent
        if left <= 0:
            return Look(Step.GIVE_UP, ASK_AFTER)
        quiet = min(silent, now - self._asked)
        if quiet >= ASK_AFTER:
            self._asked = now
            return Look(Step.ASK, min(ASK_AFTER, left))
        return Look(Step.WAIT, min(ASK_AFTER - quiet, left))

    def _sending(self, now: float, bitrate: float) -> float:
        """Seconds that it may take to send what it was given."""
        while self._handed and self._handed[0][0] < now - _WINDOW:
            self._handed.popleft()
        size = min(QUEUE_BYTES, sum(size for _, size in self._handed))
        return size * 8 / (bitrate * _SLOWEST) if bitrate > 0 else 0.0
