"""Reticulum's log, moved into Python's.

Reticulum calls its log callback while holding a lock that is not reentrant: a callback that raises
or logs through Reticulum stops every thread of it for good. The callback here is ``SimpleQueue.put``
and nothing else; one thread takes the lines from the queue.
"""

from __future__ import annotations

import logging
import re
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

logger: Final = logging.getLogger("lrgpnode.mesh.rns")


class LogDrain:
    """``put`` is the callback for Reticulum; lines appear under the logger ``lrgpnode.mesh.rns``."""

    def __init__(self) -> None:
        self._lines: SimpleQueue[str | None] = SimpleQueue()
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
            logger.log(level, "%s", text)


def split(line: str) -> tuple[int, str]:
    """(level, text) of one line as Reticulum writes it."""
    match = _LINE.fullmatch(line)
    if match is None:
        return logging.DEBUG, line
    return _LEVELS.get(match[1], logging.DEBUG), match[2]
