"""Reticulum's log, moved into Python's.

Reticulum calls its log callback while holding a lock that is not reentrant: a callback that raises
or logs through Reticulum stops every thread of it for good. The callback here is ``SimpleQueue.put``
and nothing else; one thread takes the lines from the queue.

What Reticulum says again and again, such as that a device is still not there, is a line of the log only
once an hour; the repeats are debugging.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Final

_LINE = re.compile(r"(?:\[\d{4}-\d\d-\d\d [\d:]+\] )?\[(\w+)\] *(.*)", re.DOTALL)

# Reticulum's notices include one for each packet that cannot be read, so strangers could fill the
# log with them: they are debugging.
_LEVELS: Final = {"Critical": logging.CRITICAL, "Error": logging.ERROR, "Warning": logging.WARNING}

RNS_LEVELS: Final = {"error": 1, "warning": 2, "info": 2, "debug": 6}
"""How much Reticulum says, by the level of our own log."""

REPEAT: Final = 3600.0
"""Seconds in which a line that is the same is a repeat."""

_REMEMBERED: Final = 64

logger: Final = logging.getLogger("lrgpnode.mesh.rns")


class LogDrain:
    """``put`` is the callback for Reticulum; lines appear under the logger ``lrgpnode.mesh.rns``.

    ``said`` is shown each line first and says whether something better is logged instead of it.
    """

    def __init__(self, said: Callable[[str], bool] = lambda _: False) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._said = said
        self._repeats = Repeats()
        self._thread = Thread(target=self._run, name="rns-log", daemon=True)
        self._thread.start()

    @property
    def put(self) -> Callable[[str], None]:
        return self._lines.put

    def stop(self) -> None:
        """Write out what has been logged so far."""
        self._lines.put(None)
        self._thread.join(timeout=0.5)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            level, text = split(line)
            if self._said(text) or (level > logging.INFO and self._repeats.is_one(text, time.monotonic())):
                level = logging.DEBUG
            logger.log(level, "%s", text)


class Repeats:
    """Which lines were said within the hour; of the newest 64 only."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def is_one(self, text: str, now: float) -> bool:
        """Whether ``text`` was said already; it is from now on. ``now`` in seconds of any clock."""
        last = self._last.get(text)
        if last is not None and now - last < REPEAT:
            return True
        self._last.pop(text, None)
        self._last[text] = now
        if len(self._last) > _REMEMBERED:
            del self._last[next(iter(self._last))]
        return False


def split(line: str) -> tuple[int, str]:
    """(level, text) of one line as Reticulum writes it."""
    match = _LINE.fullmatch(line)
    if match is None:
        return logging.DEBUG, line
    return _LEVELS.get(match[1], logging.DEBUG), match[2]
