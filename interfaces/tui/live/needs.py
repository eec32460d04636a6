"""What the live part needs of the loop that it runs in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Cancel = Callable[[], None]
"""Takes a watch or a timer back; also when it is over."""


class Loop(Protocol):
    """All calls happen on one thread."""

    def watch(self, descriptor: int, ready: Callable[[], object]) -> Cancel:
        """Call ``ready`` whenever there is something to read."""
        ...

    def after(self, seconds: float, then: Callable[[], object]) -> Cancel:
        """Call ``then`` once."""
        ...
