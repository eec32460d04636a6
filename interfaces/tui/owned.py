"""The node that the interface may have started itself, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable

from interfaces.tui.live.needs import Cancel, Loop
from interfaces.tui.start import OwnNode, Starter


class Owned:
    """At most one node. ``ended`` is called, with its last words, when it has ended by itself."""

    def __init__(self, start: Starter | None, loop: Loop, ended: Callable[[str], object]) -> None:
        self._start = start
        self._loop = loop
        self._ended = ended
        self._node: OwnNode | None = None
        self._unwatch: Cancel | None = None

    def __bool__(self) -> bool:
        """Whether there is one."""
        return self._node is not None

    @property
    def possible(self) -> bool:
        """Whether one may be started at all."""
        return self._start is not None

    def begin(self, name: str | None) -> None:
        """Start one; the link finds it. Raises ``OSError``."""
        assert self._start is not None
        self._node = self._start(name)
        self._unwatch = self._loop.watch(self._node.ended, self._gone)

    def release(self) -> None:
        """Let it go on by itself."""
        node = self._forget()
        if node is not None:
            node.release()

    def stop(self) -> None:
        """End it in order, and wait."""
        if self._node is not None:
            self._node.stop()

    def _gone(self) -> None:
        """The process is gone: the pipe that it held is closed."""
        node = self._forget()
        if node is not None:
            node.release()
            node.gone()
            self._ended(node.why())

    def _forget(self) -> OwnNode | None:
        if self._unwatch is not None:
            self._unwatch()
        self._unwatch = None
        node, self._node = self._node, None
        return node
