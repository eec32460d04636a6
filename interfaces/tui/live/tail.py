"""The last lines of the node's log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from lrgpnode.control.client import CallFailed, ClientError

from .answers import Call

Json = Mapping[str, Any]

KEPT: Final = 500
PAGE: Final = 200
"""Lines that are kept, and that are asked for at a time."""


class Tail:
    """``changed`` is called when there are new lines. ``level``: lines of it and above."""

    def __init__(self, call: Call, changed: Callable[[], object], level: str = "info") -> None:
        self._call = call
        self._changed = changed
        self.level = level
        self.logged = ""
        self.trouble = ""
        self.lines: deque[Json] = deque(maxlen=KEPT)
        self._number = 0
        self._run = 0
        self._asking = False

    def begin(self, level: str | None = None) -> None:
        """From the start: another level, or the node may be another one."""
        self.level = level or self.level
        self.lines.clear()
        self._number = 0
        self._run += 1
        self._asking = False
        self.more()

    def more(self) -> None:
        """Ask for what came after the last line."""
        if self._asking:
            return
        self._asking = True
        run = self._run

        def arrived(page: Json) -> None:
            if run != self._run:
                return
            self._asking = False
            self.trouble = ""
            first = not self.logged
            self.logged = str(page["level"])
            # A node that was started again counts anew.
            if int(page["number"]) < self._number:
                self.begin()
                return
            self._number = int(page["number"])
            self.lines.extend(page["lines"])
            if page["lines"] or first:
                self._changed()

        def failed(error: ClientError) -> None:
            if run != self._run:
                return
            self._asking = False
            if isinstance(error, CallFailed):
                self.trouble = error.message
                self._changed()

        params = {"level": self.level, "limit": PAGE, "after": self._number}
        self._call("node.log", params, arrived, failed)
