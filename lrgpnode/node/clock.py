"""The two clocks of the node."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Clock:
    """``wall``: Unix seconds, for TTLs. ``boot``: seconds that never jump, for the replay cache."""

    wall: Callable[[], float] = time.time
    boot: Callable[[], float] = field(default=lambda: time.clock_gettime(time.CLOCK_BOOTTIME))
