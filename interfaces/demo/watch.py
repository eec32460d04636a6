"""The air of the demonstration for the terminal UI: packets and events as they come, in its lines."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from interfaces.demo.account import Account
from interfaces.demo.air import Packet
from interfaces.tui.kit import text
from interfaces.tui.kit.segments import Line

News = Packet | Mapping[str, Any] | None


class AirFeed:
    """A feed of the terminal UI, see ``interfaces.tui.feed``. ``news`` is that of a ``Stage``, whose end
    ends it."""

    title = "On the air"

    def __init__(self, news: SimpleQueue[News], you: str) -> None:
        self._account = Account(you)
        self._taken: SimpleQueue[tuple[News, float]] = SimpleQueue()
        self._reads, self._writes = os.pipe()
        for end in (self._reads, self._writes):
            os.set_blocking(end, False)
        self._news = news
        Thread(target=self._pump, name="demo-feed", daemon=True).start()

    @property
    def descriptor(self) -> int:
        return self._reads

    def take(self) -> None:
        try:
            os.read(self._reads, 4096)
        except BlockingIOError:
            return
        while True:
            try:
                one, at = self._taken.get_nowait()
            except Empty:
                return
            if isinstance(one, Packet):
                self._account.packet(one)
            elif one is not None:
                self._account.event(one, at)
            else:
                self._account.lines.append("Your node has ended.")

    def short(self, columns: int) -> Sequence[Line]:
        air, deed = self._account.short(columns)
        return [[("faint", f" {air}")], [("text", f" {deed}")]]

    def whole(self, columns: int) -> Sequence[Line]:
        lines = self._account.lines or ["Nothing was on the air yet."]
        wrapped = (text.wrap(line, columns, text.ASCII) for line in lines)
        return [[("text", part)] for parts in wrapped for part in parts]

    def _pump(self) -> None:
        """Hand on what comes, with its time, and wake the loop."""
        one: News = {}
        while one is not None:
            one = self._news.get()
            self._taken.put((one, time.monotonic()))
            # A full pipe has woken it already.
            with contextlib.suppress(BlockingIOError):
                os.write(self._writes, b"\0")
