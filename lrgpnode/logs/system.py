"""The log of this process: to standard error, and into the ring."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, TextIO

from lrgpnode.logs.lines import Line, Pipe, for_journal, for_terminal, level_name, level_number
from lrgpnode.logs.ring import Ring

log = logging.getLogger("lrgpnode")


class Log:
    """``ring`` has the last lines. ``level`` is a name of ``lines.LEVELS`` and may be set at any time."""

    def __init__(self, level: str, environ: Mapping[str, str] = os.environ) -> None:
        self.ring = Ring()
        self._level = level
        self._watchers: list[Callable[[str], None]] = []
        # A descriptor of its own: Reticulum points sys.stderr at /dev/null when it stops.
        stream = os.fdopen(os.dup(sys.stderr.fileno()), "w", buffering=1, errors="backslashreplace")
        write = for_journal if _is_journal(stream, environ) else for_terminal
        self._pipe = Pipe(self.ring.add, _Stream(stream, write))

    def also(self, sink: Callable[[Line], None]) -> None:
        """Give the lines to ``sink`` too, in whichever thread logs."""
        self._pipe.sinks.append(sink)

    def start(self) -> None:
        """Take over all logging of the process, warnings and uncaught exceptions included."""
        root = logging.getLogger()
        root.handlers[:] = [self._pipe]
        root.setLevel(level_number(self._level))
        logging.captureWarnings(True)
        sys.excepthook = _uncaught
        threading.excepthook = _uncaught_in_thread

    @property
    def level(self) -> str:
        return self._level

    @level.setter
    def level(self, name: str) -> None:
        self._level = level_name(level_number(name))
        logging.getLogger().setLevel(level_number(self._level))
        log.info("the log level is now %s", self._level)
        for watch in self._watchers:
            watch(self._level)

    def on_level(self, watch: Callable[[str], None]) -> None:
        """Call ``watch`` with the level, now and whenever it is set: another library has one of its own."""
        self._watchers.append(watch)
        watch(self._level)


class _Stream:
    """Writes lines to a stream until nobody reads it any more."""

    def __init__(self, stream: TextIO, write: Callable[[Line], str]) -> None:
        self._stream: TextIO | None = stream
        self._write = write
        self._lock = threading.Lock()

    def __call__(self, line: Line) -> None:
        with self._lock:
            if self._stream is None:
                return
            try:
                self._stream.write(self._write(line))
            except (OSError, ValueError):
                # Nowhere to say it; the ring still has the lines.
                self._stream = None


def _is_journal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether systemd reads this stream; it says which one it gave us (systemd.exec(5))."""
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    log.critical("an exception was not caught", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: Any) -> None:
    if args.exc_type is SystemExit:
        return
    name = args.thread.name if args.thread is not None else "?"
    trace = (args.exc_type, args.exc_value, args.exc_traceback)
    log.critical("an exception ended the thread %s", name, exc_info=trace)
