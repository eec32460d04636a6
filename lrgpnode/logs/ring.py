"""The last log lines, kept in memory for ``lrgpnode log``."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from dataclasses import dataclass
from typing import Final

from lrgpnode.logs.lines import Line

LINES: Final = 1000
CHARACTERS: Final = 256 * 1024
"""Most of what is kept, together."""


@dataclass(frozen=True, slots=True)
class Kept:
    """``number`` grows by one with each line."""

    number: int
    line: Line


class Ring:
    """``add`` may be called from any thread, the rest on the loop's."""

    def __init__(self, lines: int = LINES, characters: int = CHARACTERS) -> None:
        self._lock = threading.Lock()
        self._most = characters
        self._kept: deque[Kept] = deque(maxlen=lines)
        self._characters = 0
        self._number = 0
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._closed = False

    def add(self, line: Line) -> None:
        with self._lock:
            if len(self._kept) == self._kept.maxlen:
                self._drop()
            self._number += 1
            self._kept.append(Kept(self._number, line))
            self._characters += len(line.text)
            while self._characters > self._most and len(self._kept) > 1:
                self._drop()
            self._wake()

    def _drop(self) -> None:
        self._characters -= len(self._kept.popleft().line.text)

    @property
    def number(self) -> int:
        """Of the last line so far."""
        return self._number

    def after(self, number: int, least: int, limit: int) -> tuple[Kept, ...]:
        """Lines later than ``number`` and of a level of at least ``least``: the last ``limit``."""
        with self._lock:
            kept = [one for one in self._kept if one.number > number and one.line.level >= least]
        return tuple(kept[-limit:])

    async def changed(self, number: int, least: int, seconds: float) -> None:
        """Return when there is such a line later than ``number``, after ``seconds``, or at the end."""
        event = asyncio.Event()
        waiter = (asyncio.get_running_loop(), event)
        with self._lock:
            if self._closed:
                return
            self._waiting.add(waiter)
        try:
            async with asyncio.timeout(seconds):
                while not self._closed and not self.after(number, least, 1):
                    await event.wait()
                    event.clear()
        except TimeoutError:
            return
        finally:
            with self._lock:
                self._waiting.discard(waiter)

    def close(self) -> None:
        """Let nobody wait any longer: nothing more will come."""
        with self._lock:
            self._closed = True
            self._wake()

    def _wake(self) -> None:
        for loop, event in self._waiting:
            # A waiter leaves before its loop is closed.
            loop.call_soon_threadsafe(event.set)
