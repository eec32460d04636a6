"""Log records as finished lines: made once, redacted in one place, then shown to all who listen."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from lrgpnode.logs.redact import REDACTOR, Redactor

MOST: Final = 8000
"""Most characters of one record."""

_MARGIN: Final = 512

LEVELS: Final = ("debug", "info", "warning", "error")

_PRIORITIES: Final = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
"""Levels of logging as those of syslog, which systemd reads from the beginning of a line."""


@dataclass(frozen=True, slots=True)
class Line:
    """A log record as it may be shown. ``text`` has further lines where there is a traceback; nothing
    in it controls a terminal, and only its first line is not indented."""

    at: float
    level: int
    logger: str
    text: str

    @property
    def level_name(self) -> str:
        return level_name(self.level)


def level_name(level: int) -> str:
    """The nearest of ``LEVELS`` that is not above a level of logging."""
    names = {logging.ERROR: "error", logging.WARNING: "warning", logging.INFO: "info"}
    return next((name for least, name in names.items() if level >= least), "debug")


def level_number(name: str) -> int:
    return logging.getLevelNamesMapping()[name.upper()]


class Pipe(logging.Handler):
    """Makes the lines and gives them to each of ``sinks``, in the thread that logs."""

    def __init__(self, *sinks: Callable[[Line], None], redactor: Redactor = REDACTOR) -> None:
        super().__init__()
        self.sinks = list(sinks)
        self._redactor = redactor
        self._tracebacks = logging.Formatter("%(message)s")

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self._line(record)
        except Exception:  # noqa: BLE001 - arguments that do not fit are a defect, and no reason to stop
            message = f"a log record of {record.pathname}:{record.lineno} cannot be formatted"
            line = Line(record.created, logging.ERROR, record.name, message)
        for sink in tuple(self.sinks):
            sink(line)

    def _line(self, record: logging.LogRecord) -> Line:
        text = self._tracebacks.format(record)
        return Line(record.created, record.levelno, record.name, _fit(self._safe(text)))

    def _safe(self, text: str) -> str:
        """Redacted, and not much longer than what is shown, so that it takes no long time."""
        if len(text) <= 2 * MOST:
            return self._redactor.clean(text)
        # The cut may leave half of a secret, which nobody would know for one: its surroundings go too.
        return self._redactor.clean(text[: 2 * MOST])[:-_MARGIN]


def _fit(text: str) -> str:
    if len(text) > MOST:
        text = text[:MOST] + " [cut]"
    first, *rest = text.splitlines() or [""]
    return "\n    ".join([_visible(first), *map(_visible, rest)])


def _visible(text: str) -> str:
    """``text`` with everything that could control a terminal written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "    " if c == "\t" else ascii(c)[1:-1] for c in text)


def for_journal(line: Line) -> str:
    """As systemd's journal takes it: with a priority and without a time, which it adds itself."""
    priority = next((number for level, number in _PRIORITIES if line.level >= level), 7)
    text = f"{line.logger}: {line.text}"
    return "".join(f"<{priority}>{part}\n" for part in text.split("\n"))


def for_terminal(line: Line) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(line.at))
    return f"{moment} {line.level_name.upper()} {line.logger}: {line.text}\n"
