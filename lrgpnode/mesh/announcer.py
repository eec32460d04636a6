"""When we announce: at start, now and then, on request, and to whoever connects.

Reticulum writes the clock second of its sending into an announce, and whoever has heard one of the
same destination and second ignores the next, even on a new connection, whose path it then lacks. And
it holds back new announces that come faster than three a second, for 15 s (rns-lxmf facts §2, §7). So
there is one announce a clock second here, of all identities together; what is wanted sooner waits.

Everything runs on the worker, except where said.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from .worker import Worker

JITTER: Final = 0.1
INTRODUCTION_DELAY: Final = 2.0

Announce = Callable[[str, Any], None]
"""Announce this identity on this interface, or on all if it is None."""


class Announcer:
    """``interval`` in seconds; with 0 nothing is announced but on request."""

    def __init__(
        self,
        identities: Iterable[str],
        announce: Announce,
        worker: Worker,
        interval: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._identities = tuple(identities)
        self._announce = announce
        self._worker = worker
        self._interval = interval
        self._clock = clock
        # A process before us may have announced in this second: what we announce in it is repeated.
        self._began = int(clock())
        self._second = 0
        self._wanted: dict[str, Any] = {}
        self._timed = False
        self._strangers: set[Any] = set()  # new connections on which we have not announced

    def start(self, delay: float) -> None:
        """Announce after about ``delay`` seconds, and then regularly. Before the worker is started."""
        if self._interval > 0:
            self._worker.later(delay * random.uniform(0.5, 1.5), self._regularly)  # noqa: S311 - no secret

    def request(self, identity: str | None = None, interface: Any = None) -> None:
        """Announce one identity or all, on one interface or all, as soon as may be."""
        for each in self._identities if identity is None else (identity,):
            self._wanted[each] = interface if self._wanted.get(each, interface) is interface else None
        if not self._timed and self._wanted:
            self._next()

    def connected(self, interface: Any) -> None:
        """A new connection in a private configuration: whoever is there does not know us yet.

        It is not ready at once: Reticulum connects before it can handle packets. So wait until the
        other side has announced, or else a while. From any thread.
        """
        if self._interval > 0:
            self._strangers.add(interface)
            self._worker.call(self._worker.later, INTRODUCTION_DELAY, self._introduce, interface)

    def heard(self, interface: Any) -> None:
        """Somebody has announced on this interface. From any thread."""
        if interface in self._strangers:
            self._worker.call(self._introduce, interface)

    def _introduce(self, interface: Any) -> None:
        if interface in self._strangers:
            self._strangers.discard(interface)
            self.request(interface=interface)

    def _regularly(self) -> None:
        self.request()
        jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
        self._worker.later(self._interval * jitter, self._regularly)

    def _next(self) -> None:
        """Announce one identity if this clock second is free, and come back for the others."""
        self._timed = False
        try:
            if int(self._clock()) != self._second:
                self._announce_one()
        finally:
            if self._wanted:
                self._timed = True
                self._worker.later(1.001 - self._clock() % 1.0, self._next)

    def _announce_one(self) -> None:
        identity = next(iter(self._wanted))
        interface = self._wanted.pop(identity)
        self._announce(identity, interface)
        self._second = int(self._clock())
        if self._second == self._began:
            self._wanted[identity] = interface
