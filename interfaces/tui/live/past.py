"""Positions of a game as it was, fetched a page at a time and kept while the game is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lrgpnode.control.client import ClientError

Json = Mapping[str, Any]
Call = Callable[[str, Json, Callable[[Json], object], Callable[[ClientError], object]], None]

PAGE: Final = 25
"""Positions of one request: a screen steps through them one by one."""

KEPT: Final = 2000
"""Positions that are kept of one game."""


class Past:
    """Of one game or match: ``method`` gives its ``frames``, ``params`` say which one it is."""

    def __init__(self, call: Call, method: str, params: Json) -> None:
        self._call = call
        self._method = method
        self._params = params
        self._frames: dict[int, Json] = {}
        self._asked: set[int] = set()

    def at(
        self, moves: int, ready: Callable[[], object], failed: Callable[[ClientError], object]
    ) -> Json | None:
        """The position after ``moves`` moves; None if it is on its way, then ``ready`` is called."""
        found = self._frames.get(moves)
        first = moves // PAGE * PAGE
        if found is not None or first in self._asked:
            return found
        self._asked.add(first)

        def arrived(result: Json) -> None:
            self._asked.discard(first)
            if len(self._frames) > KEPT:
                self._frames.clear()
            self._frames.update({int(frame["moves"]): frame for frame in result["frames"]})
            # Asking again for what a game does not have would never end.
            if moves in self._frames:
                ready()

        def refused(error: ClientError) -> None:
            self._asked.discard(first)
            failed(error)

        self._call(self._method, {**self._params, "first": first, "limit": PAGE}, arrived, refused)
        return self._frames.get(moves)
