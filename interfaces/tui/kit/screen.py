"""urwid's display of a terminal, written to by ``paint`` and left as it was found.

Input, its escape sequences, the size, the alternate screen and job control are urwid's. Different are: only
changed cells go out; nothing is asked of the terminal, since answers come late over a slow line and show as
rubbish where nobody reads them any more; no key stops, suspends or interrupts; and the modes are set again
when the process goes on after a plain SIGSTOP.
"""

from __future__ import annotations

import errno
import os
import select
import termios
from typing import IO, Any, Final

import urwid
from urwid.display import raw

from .look import Look
from .paint import Abilities, Painter, Row, cells

_AUTOWRAP_OFF: Final = "\x1b[?7l"
_AUTOWRAP_ON: Final = "\x1b[?7h"
_OLD_TERMS: Final = ("vt", "ansi", "sun", "unknown")
"""Terminals that cannot switch off single attributes."""
_TITLED: Final = (
    *(
        "xterm",
        "rxvt",
        "screen",
        "tmux",
        "alacritty",
        "kitty",
        "foot",
        "konsole",
        "gnome",
        "vte",
        "st-",
        "wezterm",
    ),
    *("putty", "mintty", "contour", "ghostty", "eterm"),
)
_USUAL: Final = (80, 24)
GONE: Final = frozenset((errno.EIO, errno.ENXIO, errno.EPIPE, errno.EBADF))
"""Errors of a terminal that has hung up."""

_Run = tuple[Any, Any, bytes]


class Output:
    """What is written to: gathers until flushed, counts bytes, notices that the terminal is gone."""

    def __init__(self, file: IO[str]) -> None:
        self._fd = file.fileno()
        self._held: list[str] = []
        self.written = 0
        self.gone = False

    def fileno(self) -> int:
        return self._fd

    def write(self, data: str, /) -> None:
        self._held.append(data)

    def flush(self) -> None:
        """Write it all. Where the terminal is gone nothing is written, and nobody would see it."""
        data = "".join(self._held).encode("utf-8", "replace")
        self._held.clear()
        while data and not self.gone:
            try:
                done = os.write(self._fd, data)
            except BlockingIOError:
                # Another program with the same terminal has made it non-blocking.
                select.select([], [self._fd], [])
                continue
            except OSError as error:
                if error.errno not in GONE:
                    raise
                self.gone = True
                return
            self.written += done
            data = data[done:]


class Screen(raw.Screen):
    """The terminal as urwid sees it."""

    def __init__(self, look: Look, reads: IO[str], writes: IO[str]) -> None:
        self.output = Output(writes)
        super().__init__(reads, self.output, bracketed_paste_mode=True, focus_reporting=False)
        self._runs: list[list[_Run]] = []
        self._rows: list[Row] = []
        self._canvas: urwid.Canvas | None = None
        self.continued = False
        self.restyle(look)

    def restyle(self, look: Look) -> None:
        """Another look; everything is drawn again."""
        self.look = look
        self._painter = Painter(
            Abilities(
                ascii=not look.glyphs.unicode,
                erases=self.back_color_erase,
                off=not self.term.lower().startswith(_OLD_TERMS),
                bold_is_bright=self.fg_bright_is_bold,
            )
        )
        self.clear()

    def name(self, title: str) -> None:
        """Set the title of the window, where the terminal has one."""
        if self.term.lower().startswith(_TITLED):
            self.set_title(title)

    def ring(self) -> None:
        self.write("\a")
        self.flush()

    def get_cols_rows(self) -> tuple[int, int]:
        """Columns and rows; a serial line knows neither, and is taken for the usual 80 and 24."""
        columns, rows = super().get_cols_rows()
        return (columns, rows) if columns > 0 and rows > 0 else _USUAL

    def draw_screen(self, size: tuple[int, int], canvas: urwid.Canvas) -> None:
        """Show ``canvas``."""
        if not self.started:
            raise RuntimeError("The screen is not started.")
        if self.screen_buf is None:
            self._painter.forget()
            self._runs, self._rows, self._canvas = [], [], None
        if canvas is self._canvas or self._resized:
            return
        self.write(self._painter.draw(self._cells(size[0], canvas), canvas.cursor))
        self.flush()
        self._canvas = canvas
        # To urwid: what is shown is known.
        self.screen_buf = []

    def _cells(self, columns: int, canvas: urwid.Canvas) -> list[Row]:
        """The rows of a canvas; those that have not changed are the same objects as before."""
        rows, runs = [], []
        for number, content in enumerate(canvas.content()):
            run: list[_Run] = list(content)
            if number < len(self._runs) and run == self._runs[number] and len(self._rows[number]) == columns:
                rows.append(self._rows[number])
            else:
                rows.append(self._row(columns, run))
            runs.append(run)
        self._runs, self._rows = runs, rows
        return rows

    def _row(self, columns: int, run: list[_Run]) -> Row:
        row: Row = []
        for attribute, _, text in run:
            row += cells(text.decode("utf-8", "replace"), self.look.theme.pen(attribute))
        # A widget that has miscounted must not shift what is behind its row.
        del row[columns:]
        return row + [(" ", self.look.theme.pen(None))] * (columns - len(row))

    def _detect_terminal_modes(self) -> None:
        """Ask nothing."""

    def _setup_G1(self) -> None:  # noqa: N802
        """The graphics characters of old terminals are not used."""

    def _start(self, alternate_buffer: bool = True, *args: Any, **kwargs: Any) -> None:
        super()._start(alternate_buffer, *args, **kwargs)
        descriptor = self._input_fileno()
        if descriptor is not None and os.isatty(descriptor):
            mode = termios.tcgetattr(descriptor)
            # Every key is a key: no flow control, no suspending, no interrupt. Ctrl-\ still ends what hangs.
            mode[0] &= ~(termios.IXON | termios.IXOFF | termios.IXANY)
            for key in (termios.VINTR, termios.VSUSP):
                mode[6][key] = b"\0"
            termios.tcsetattr(descriptor, termios.TCSANOW, mode)
        self.write(_AUTOWRAP_OFF)
        self.clear()
        self.continued = False

    def _stop(self) -> None:
        self.write(_AUTOWRAP_ON)
        super()._stop()
