"""Programs in a real pseudo-terminal: what a person would see, typed at and waited for.

    with Program([sys.executable, "-m", "..."], size=(80, 24)) as ui:
        ui.until("Your turn")                      # text on the screen, or a predicate of the program
        ui.keys("down", "enter").type("Nf3")       # names of keys; text
        ui.click(10, 4)                            # column and row from 0
        ui.resize(40, 20)
        spent = ui.spent(lambda: ui.keys("down"), lambda ui: ui.at("cursor") == 3)   # bytes written
        ui.same_after_redraw()                     # ctrl l: the screen was what a full redraw shows
        assert ui.ended() == 0

Waiting is for output: nothing here sleeps, and every wait has a deadline. The screen is pyte's: ``ui.lines``,
``ui.text``, ``ui.cell(column, row)``, ``ui.cursor``, ``ui.title``, ``ui.bells``. ``ui.raw`` is every byte.

``lone_node(folder)`` makes a real node with a private Reticulum, ``ui_on(node)`` the interface on it.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyte
import pyte.screens

from tests.e2e.nodes import NodeProcess, free_port

ROOT = Path(__file__).parents[2]
DEADLINE = 20.0
SIZES: Final = ((80, 24), (40, 20))

KEYS: Final = {
    "enter": b"\r",
    "esc": b"\x1b",
    "tab": b"\t",
    "shift tab": b"\x1b[Z",
    "backspace": b"\x7f",
    "delete": b"\x1b[3~",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "page up": b"\x1b[5~",
    "page down": b"\x1b[6~",
    "space": b" ",
    "f1": b"\x1bOP",
}

Until = str | Callable[["Program"], object]


class _Screen(pyte.Screen):
    bells = 0

    def bell(self, *_: Any) -> None:
        self.bells += 1


def key(name: str) -> bytes:
    """What a terminal sends for a key: a name of ``KEYS``, ``ctrl x``, ``meta x``, or one character."""
    if name in KEYS:
        return KEYS[name]
    modifier, _, rest = name.partition(" ")
    if modifier == "ctrl" and len(rest) == 1:
        return bytes([ord(rest.upper()) & 0x1F])
    if modifier == "meta" and rest:
        return b"\x1b" + key(rest)
    if len(name) != 1:
        raise KeyError(name)
    return name.encode()


def _seen(char: pyte.screens.Char) -> pyte.screens.Char:
    """As it looks: a blank shows nothing of what letters would be written with."""
    if char.data != " " or char.underscore or char.reverse or char.strikethrough:
        return char
    return char._replace(fg="default", bold=False, italics=False, blink=False)


class Program:
    """A program whose standard input, output and error are a pseudo-terminal."""

    def __init__(
        self,
        command: Sequence[str],
        size: tuple[int, int] = (80, 24),
        term: str = "xterm-256color",
        lang: str = "C.UTF-8",
        **env: str,
    ) -> None:
        self.screen = _Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self._master, slave = pty.openpty()
        # Kept open: its settings are looked at after the program has ended.
        self._slave = slave
        self._set_size(*size)
        self.settings = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            # The terminal is the one that controls the process, as in a login.
            ["setsid", "--ctty", *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "HOME": os.environ.get("HOME", "/"),
                "PYTHONPATH": str(ROOT),
                "TERM": term,
                "LANG": lang,
                "TZ": "UTC",
            }
            | env,
        )
        os.set_blocking(self._master, False)
        self._end = os.pidfd_open(self.process.pid)

    # What is on the screen

    @property
    def lines(self) -> list[str]:
        """The rows, without blanks at their ends."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def title(self) -> str:
        return self.screen.title

    @property
    def bells(self) -> int:
        return self.screen.bells

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row from 0; None while it is hidden."""
        cursor = self.screen.cursor
        return None if cursor.hidden else (cursor.x, cursor.y)

    def cell(self, column: int, row: int) -> pyte.screens.Char:
        """A character with its colours."""
        return self.screen.buffer[row][column]

    def find(self, text: str) -> tuple[int, int]:
        """Column and row of the first place where ``text`` is shown."""
        for row, line in enumerate(self.lines):
            if text in line:
                return line.index(text), row
        raise AssertionError(f"{text!r} is not shown:\n{self.text}")

    def cells(self) -> list[list[pyte.screens.Char]]:
        """A copy of everything shown."""
        columns, rows = self.screen.columns, self.screen.lines
        return [[_seen(self.screen.buffer[row][column]) for column in range(columns)] for row in range(rows)]

    # Waiting

    def until(self, what: Until, deadline: float = DEADLINE) -> Self:
        """Read output until ``what`` holds: a text that is shown, or something true of this."""
        end = time.monotonic() + deadline
        while not self._holds(what):
            if not self._read(end - time.monotonic()):
                gone = self.process.poll()
                why = f"it ended with {gone}" if gone is not None else f"not within {deadline:g} s"
                raise AssertionError(f"{why}: {what!r}\n{self._framed()}")
        return self

    def gone(self, text: str, deadline: float = DEADLINE) -> Self:
        """Read output until ``text`` is not shown any more."""
        return self.until(lambda ui: text not in ui.text, deadline)

    def spent(self, action: Callable[[], object], until: Until) -> int:
        """Bytes written from ``action`` until ``until`` holds and nothing more is there to be read."""
        before = len(self.raw)
        action()
        self.until(until)
        self.drain()
        return len(self.raw) - before

    def drain(self) -> Self:
        """Read what is there without waiting for more."""
        while self._read(0):
            pass
        return self

    def same_after_redraw(self) -> Self:
        """Everything is asked to be drawn again over rubbish: nothing may look different.

        To be called when what was typed last is known to be shown.
        """
        # What is shown may be the first part of what is being written.
        self.wakeups()
        self.drain()
        before, cursor = self.cells(), self.cursor
        rubbish = pyte.screens.Char("%", fg="red", bg="green")
        for row in range(self.screen.lines):
            for column in range(self.screen.columns):
                self.screen.buffer[row][column] = rubbish
        self.keys("ctrl l")
        try:
            self.until(lambda ui: ui.cells() == before and ui.cursor == cursor)
        except AssertionError:
            now = self.cells()
            for row, (old, new) in enumerate(zip(before, now, strict=True)):
                if old != new:
                    column = next(i for i in range(len(old)) if old[i] != new[i])
                    change = f"was {old[column]}, redrawn it is {new[column]}"
                    raise AssertionError(f"row {row} column {column} {change}\n{self._framed()}") from None
            raise
        return self

    # Doing

    def keys(self, *names: str) -> Self:
        """Press keys, each by its name."""
        return self.send(b"".join(map(key, names)))

    def type(self, text: str) -> Self:
        return self.send(text.encode())

    def paste(self, text: str) -> Self:
        """As a terminal with bracketed paste does it."""
        return self.send(b"\x1b[200~" + text.encode() + b"\x1b[201~")

    def click(self, column: int, row: int, button: int = 0) -> Self:
        """Press and let go."""
        place = f"{button};{column + 1};{row + 1}"
        return self.send(f"\x1b[<{place}M\x1b[<{place}m".encode())

    def wheel(self, column: int, row: int, down: bool = True) -> Self:
        return self.send(f"\x1b[<{65 if down else 64};{column + 1};{row + 1}M".encode())

    def resize(self, columns: int, rows: int) -> Self:
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)
        return self

    def signal(self, number: int) -> Self:
        self.process.send_signal(number)
        return self

    def hang_up(self) -> None:
        """The terminal goes away, as with a lost SSH connection."""
        os.close(self._slave)
        os.close(self._master)
        self._slave = self._master = -1

    def send(self, data: bytes) -> Self:
        end = time.monotonic() + DEADLINE
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                if not self._read(end - time.monotonic()):
                    raise AssertionError("it does not read its input") from None
        return self

    # How it is doing

    @property
    def terminal(self) -> list[Any]:
        """Settings of the terminal, as ``termios.tcgetattr``; ``settings`` is how they were at the start."""
        return termios.tcgetattr(self._slave)

    def wakeups(self) -> int:
        """How often the process has waited for something and gone on, once it waits again."""
        end = time.monotonic() + DEADLINE
        while Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
            assert time.monotonic() < end, "it does not come to rest"
            self._read(0.01)
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("voluntary")))

    def ended(self, deadline: float = DEADLINE) -> int:
        """Wait for its end, reading what it writes; its exit code, negative for a signal."""
        end = time.monotonic() + deadline
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"it does not end\n{self._framed()}")
            self._read(end - time.monotonic())
        self.drain()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        for fd in (self._master, self._slave, self._end):
            if fd >= 0:
                os.close(fd)
        self._master = self._slave = self._end = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _holds(self, what: Until) -> object:
        return what in self.text if isinstance(what, str) else what(self)

    def _read(self, seconds: float) -> bool:
        """Take in what is written within ``seconds``; whether there was anything."""
        watched = [fd for fd in (self._master, self._end) if fd >= 0]
        ready = select.select(watched, [], [], max(0.0, seconds))[0]
        if self._master not in ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _framed(self) -> str:
        edge = "+" + "-" * self.screen.columns + "+"
        return "\n".join([edge, *(f"|{row}|" for row in self.screen.display), edge])


def lone_node(folder: Path) -> NodeProcess:
    """A node that nobody is connected to, with a Reticulum of its own; ``with`` or ``start`` starts it."""
    return NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")


def ui_on(node: NodeProcess, *words: str, size: tuple[int, int] = (80, 24), **env: str) -> Program:
    """The interface, attached to a node that runs. ``words`` follow ``lrgpnode`` on the command line."""
    command = [sys.executable, "-m", "tests.cli.command", "--data", str(node.data), *words]
    return Program(command, size, LRGPNODE_SOCKET=str(node.socket), HOME=str(node.data), **env)
