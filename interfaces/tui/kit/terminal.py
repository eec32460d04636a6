r"""The terminal while the interface runs.

    terminal = Terminal(look, notices=Notices.PLAIN, bell=True, mouse=True)
    terminal.show(widget)
    code = terminal.run(unhandled)      # blocks; keys that no widget wants go to ``unhandled``
    terminal.end(0)                     # from a callback: ``run`` returns 0
    terminal.call(function, *args)      # from any thread or signal handler: run it on the loop, then draw
    terminal.loop                       # urwid's MainLoop, for watch_file and set_alarm_in
    terminal.notify("Your turn", "Ana has moved: chess")    # bell and title, as far as the notices allow
    terminal.restyle(look)

The loop sleeps until a key, a file or an alarm: without an alarm it never wakes. SIGTERM, SIGHUP, SIGINT
and SIGQUIT end ``run`` with 128 and the signal's number; the second one ends it at once, wherever it is. A
terminal that goes away ends it like SIGHUP. Whatever happens, the terminal is left as it was found.

An exception in any callback ends ``run`` and comes out of it. What is written to ``sys.stderr`` meanwhile,
such as a warning, would spoil the screen: it is held back and written when the screen is gone.

Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q are keys like others (``ctrl c``); a SIGTSTP from outside suspends.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr
from enum import Enum
from types import FrameType
from typing import IO, Final, ParamSpec

import urwid
from urwid.display.common import InputClosedError

from . import text
from .look import Look
from .screen import GONE, Screen

P = ParamSpec("P")

Key = str
"""A key that was pressed, by urwid's name for it: ``a``, ``enter``, ``ctrl l``, ``meta b``, ``f1``."""

HANGUP: Final = 128 + signal.SIGHUP
_HELD: Final = 1000
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)


class Notices(Enum):
    """How much bell and title tell to whoever stands behind."""

    NONE = "none"
    PLAIN = "plain"
    FULL = "full"


class Terminal:
    """One run of the interface in one terminal."""

    def __init__(
        self,
        look: Look,
        *,
        notices: Notices = Notices.PLAIN,
        bell: bool = True,
        mouse: bool = True,
        reads: IO[str] = sys.stdin,
        writes: IO[str] = sys.stdout,
    ) -> None:
        urwid.set_encoding("utf-8")
        self.notices = notices
        self.bell = bell
        self._reads = reads
        self._screen = Screen(look, reads, writes)
        self.loop = urwid.MainLoop(
            urwid.SolidFill(), screen=self._screen, handle_mouse=mouse, unhandled_input=self._leftover
        )
        self._unhandled: Callable[[Key], object] | None = None
        self._code: int | None = None

    @property
    def look(self) -> Look:
        return self._screen.look

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self.loop.screen_size or self._screen.get_cols_rows()

    @property
    def written(self) -> int:
        """Bytes written to the terminal so far."""
        return self._screen.output.written

    def show(self, widget: urwid.Widget) -> None:
        """Show a box widget on the whole screen."""
        self.loop.widget = widget

    def run(self, unhandled: Callable[[Key], object] | None = None) -> int:
        """Run until ``end``; its code, or 128 and a signal's number."""
        self._unhandled, self._code = unhandled, None
        with _held_back(), self._signals(), self._exceptions():
            try:
                self.loop.run()
            except InputClosedError:
                return HANGUP
            except OSError as error:
                if error.errno in GONE and not os.isatty(self._reads.fileno()):
                    return HANGUP
                raise
        return HANGUP if self._code is None else self._code

    def end(self, code: int = 0) -> None:
        """Let ``run`` return. Only on the loop's thread; from others ``call(terminal.end, 0)``."""
        self._code = code
        raise urwid.ExitMainLoop

    def call(self, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
        """Run ``function`` on the loop's thread soon; False if nothing runs (any more)."""
        try:
            self.loop.call_from_thread(function, *args, **kwargs)
        except RuntimeError:
            return False
        return True

    def restyle(self, look: Look) -> None:
        """Other colours or glyphs; everything is drawn again. Widgets with glyphs are the caller's."""
        self._screen.restyle(look)

    def mouse(self, on: bool) -> None:
        """Whether the mouse is the interface's, or the terminal's for marking text."""
        self.loop.handle_mouse = on
        if self._screen.started:
            self._screen.set_mouse_tracking(on)

    def notify(self, plain: str, full: str, ring: bool = True) -> None:
        """Tell that something has happened. ``plain`` names nobody and nothing; ``full`` may.

        The title stays until the next one, or ``title``.
        """
        if self.notices is Notices.NONE:
            return
        self.title(full if self.notices is Notices.FULL else plain)
        if ring and self.bell and self._screen.started:
            self._screen.ring()

    def title(self, title: str) -> None:
        """The title of the window, made safe. The terminal's own comes back at the end."""
        self._screen.name(text.fit(title, 80, self.look.glyphs.script))

    def _leftover(self, key: Key | tuple[str, int, int, int]) -> bool:
        if self._unhandled is None or not isinstance(key, str):
            return False
        self._unhandled(key)
        return True

    @contextmanager
    def _exceptions(self) -> Iterator[None]:
        """Exceptions in alarms and calls from threads, which urwid only logs, are raised here."""
        log = logging.getLogger("urwid")
        catcher = _Catcher(lambda: self.call(self.end, 1))
        before = log.propagate
        log.addHandler(catcher)
        log.propagate = False
        try:
            yield
            if catcher.caught is not None:
                raise catcher.caught
        finally:
            log.removeHandler(catcher)
            log.propagate = before

    @contextmanager
    def _signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._ending) for number in _ENDING}
        before[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._continuing)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _ending(self, number: int, _frame: FrameType | None) -> None:
        again = self._code is not None
        self._code = 128 + number
        if again or not self.call(self.end, self._code):
            raise SystemExit(self._code)

    def _continuing(self, _number: int, _frame: FrameType | None) -> None:
        self._screen.continued = True
        self.call(self._resume)

    def _resume(self) -> None:
        """After SIGSTOP, which nobody could prepare for: the shell has set the terminal to its own liking."""
        if self._screen.continued and self._screen.started:
            self._screen.stop()
            self._screen.start()
            self.loop.screen_size = None


class _Catcher(logging.Handler):
    """Keeps the first exception that is logged."""

    def __init__(self, caught: Callable[[], object]) -> None:
        super().__init__(logging.ERROR)
        self.caught: BaseException | None = None
        self._then = caught

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and self.caught is None:
            self.caught = record.exc_info[1]
            self._then()


@contextmanager
def _held_back() -> Iterator[None]:
    """``sys.stderr`` is written afterwards, at most the last of it."""
    held = _Held()
    try:
        with redirect_stderr(held):
            yield
    finally:
        sys.stderr.writelines(held.parts)


class _Held(io.TextIOBase):
    """The last that was written."""

    def __init__(self) -> None:
        self.parts: deque[str] = deque(maxlen=_HELD)

    def write(self, text: str, /) -> int:
        self.parts.append(text)
        return len(text)
