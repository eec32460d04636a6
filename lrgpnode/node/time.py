"""The node's time, and whether it can be trusted (architecture §5).

A Pi without a clock of its own starts in the past, and is set by hand or by NTP, sometimes late and
sometimes wrong. So a wall clock that nobody vouches for is trusted only as long as it is not earlier
than what is stored and has not jumped against the boot clock. Until then nothing expires.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from lrgpnode.agenda import Agenda

from .clock import Clock

JUMP_SECONDS: Final = 30.0
"""A clock that is slewed or drifts moves by less between two looks at it."""

LOOK_SECONDS: Final = 60.0
"""While the clock is not trusted, the system is asked so often whether it is synchronised now."""

log = logging.getLogger(__name__)


class Time:
    """``newest``: the newest time in the database, Unix seconds. ``changed`` is called after ``trusted``
    or ``reason`` has changed, or the clock was corrected."""

    def __init__(self, clock: Clock, newest: float) -> None:
        self.clock = clock
        self.trusted = True
        self.reason = ""
        self.changed: Callable[[], None] = lambda: None
        self._newest = newest
        self._set_by_somebody = False
        self._offset = clock.wall() - clock.boot()
        self._agenda: Agenda | None = None
        self._judge()

    def start(self, agenda: Agenda) -> None:
        """Begin to look after the clock while it is not trusted."""
        self._agenda = agenda
        self._look_soon()

    def now(self) -> float:
        """Unix seconds. Notices a clock that was set."""
        wall = self.clock.wall()
        offset = wall - self.clock.boot()
        if abs(offset - self._offset) > JUMP_SECONDS:
            jump, self._offset = offset - self._offset, offset
            self._jumped(jump)
        return wall

    def _jumped(self, jump: float) -> None:
        if self.clock.synchronised():
            log.info("the clock was corrected by %.0f s", jump)
            self._become("")
            self.changed()
        else:
            self._set_by_somebody = True
            self._become(f"the clock jumped by {jump:.0f} s and nothing vouches for it")

    def _judge(self) -> None:
        if self.clock.synchronised():
            self._become("")
        elif self.clock.wall() < self._newest:
            self._become("the clock is earlier than what is stored; was the machine without power?")

    def _become(self, reason: str) -> None:
        trusted = not reason
        if (trusted, reason) == (self.trusted, self.reason):
            return
        self.trusted, self.reason = trusted, reason
        if trusted:
            log.info("the clock is trusted again")
        else:
            log.warning("nothing expires until the clock is right: %s", reason)
        self.changed()
        self._look_soon()

    def _look_soon(self) -> None:
        if self._agenda is not None and not self.trusted:
            self._agenda.after(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        if self.trusted:
            return
        self.now()
        late_enough = self.clock.wall() >= self._newest
        if self.clock.synchronised() or (late_enough and not self._set_by_somebody):
            self._set_by_somebody = False
            self._become("")
        else:
            self._look_soon()
