"""The two clocks of the node, and whether the machine's wall clock is kept right by something."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lrgpnode.protocol.value import Value

_TIME_ERROR: Final = 5
"""What adjtimex(2) answers for a clock that is not synchronised."""

_TIMEX_BYTES: Final = 256
"""More than ``struct timex`` has on any machine; zeros ask for nothing to be changed."""


def system_synchronised() -> bool:
    """Whether the kernel says that the wall clock is synchronised (NTP, PTP, GPS)."""
    import ctypes  # noqa: PLC0415 - for this alone

    try:
        answer: int = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (AttributeError, OSError):
        return False
    return 0 <= answer < _TIME_ERROR


@dataclass(frozen=True, slots=True, repr=False)
class Clock(Value):
    """``wall``: Unix seconds, for TTLs. ``boot``: seconds that never jump, for intervals.

    ``synchronised``: whether the system vouches for ``wall``.
    """

    wall: Callable[[], float] = time.time
    boot: Callable[[], float] = field(default=lambda: time.clock_gettime(time.CLOCK_BOOTTIME))
    synchronised: Callable[[], bool] = system_synchronised


class MovableClock:
    """The machine's clocks, moved as a test wants."""

    def __init__(self, base: Clock | None = None) -> None:
        base = base or Clock()
        self._passed = 0.0
        self._jumped = 0.0
        self._synchronised: bool | None = None

        def synchronised() -> bool:
            return base.synchronised() if self._synchronised is None else self._synchronised

        self.clock = Clock(
            wall=lambda: base.wall() + self._passed + self._jumped,
            boot=lambda: base.boot() + self._passed,
            synchronised=synchronised,
        )

    def move(self, *, advance: float = 0.0, jump: float = 0.0, synchronised: bool | None = None) -> None:
        """Let ``advance`` seconds pass, set the wall clock by ``jump``, and say whether it is vouched for."""
        self._passed += advance
        self._jumped += jump
        if synchronised is not None:
            self._synchronised = synchronised
