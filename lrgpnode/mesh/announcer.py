"""When we announce: at start, now and then, on request, and where an interface comes up.

Reticulum writes the clock second of its sending into an announce, and whoever has heard one of the
same destination and second ignores the next, even on a new connection, whose path it then lacks. And
it holds back new announces that come faster than three a second, for 15 s (rns-lxmf facts §2, §7). So
there is one announce a clock second here, of all identities together; what is wanted sooner waits.

On slow media a first announce comes at a random moment, and ``floor`` allows one an hour. A regular
announce that it holds back is sent when the hour is over, any other is not: the medium has had one
within the hour. By radio the first one of a process is repeated once, some minutes later and at a random
moment: it may have met another, and nobody answers an announce. Where that does not fit into the share of
announces, or there was a repetition within a day, there is none.

Everything runs on the worker, except where said.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lrgpnode.protocol.value import Value

from .floor import Floor, Medium
from .worker import Worker

JITTER: Final = 0.1
INTRODUCTION_DELAY: Final = 2.0
REPEAT_AFTER: Final = (120.0, 600.0)
"""Seconds between the first announce by radio and its repetition. Later than what transport nodes make of
the first, sooner than people give up."""

Announce = Callable[[str, Sequence[Any] | None], None]
"""Announce this identity on these interfaces, or on all if it is None."""


@dataclass(frozen=True, slots=True, repr=False)
class Announcement(Value):
    """What becomes of a request: the media used, and seconds until each of the others is free again."""

    identity: str
    media: tuple[str, ...]
    held: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, repr=False)
class _Want(Value):
    """On one interface or (None) on all. ``extra``: before a first challenge. ``repeated``: the first
    announce of this process once more."""

    interface: Any
    extra: bool = False
    repeated: bool = False

    def with_(self, other: _Want) -> _Want:
        interface = self.interface if self.interface is other.interface else None
        return _Want(interface, self.extra or other.extra, self.repeated and other.repeated)


class Announcer:
    """``interval`` in seconds; with 0 nothing is announced but on request."""

    def __init__(
        self,
        identities: Iterable[str],
        announce: Announce,
        worker: Worker,
        interval: float,
        *,
        floor: Floor,
        media: Callable[[], Sequence[Medium]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._identities = dict.fromkeys(identities)
        self._silent: set[str] = set()
        self._announce = announce
        self._worker = worker
        self._interval = interval
        self._rhythm = 0  # of which timers of an earlier one are void
        self._floor = floor
        self._media = media
        self._clock = clock
        # A process before us may have announced in this second: what we announce in it is repeated.
        self._began = int(clock())
        self._second = 0
        self.last: dict[str, float] = {}
        """When each identity was last announced by this process, Unix seconds. From any thread."""
        self._wanted: dict[str, _Want] = {}
        self._afterwards: dict[str, list[Callable[[], None]]] = {}
        self._late: set[str] = set()
        self._met: set[tuple[str, str]] = set()  # identities and media of a first announce
        self._timed = False
        self._strangers: set[Any] = set()  # new connections on which we have not announced

    def start(self, delay: float) -> None:
        """Announce after about ``delay`` seconds, and then regularly. Before the worker is started."""
        if self._interval > 0:
            pause = delay * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
            self._worker.later(pause, self._first, self._rhythm)

    def every(self, interval: float) -> None:
        """Announce in this interval from now on; 0 for no more without being asked. On the worker."""
        self._interval = interval
        self._rhythm += 1
        self._once_more()

    def is_hushed(self, identity: str) -> bool:
        """From any thread."""
        return identity in self._silent

    def hush(self, identity: str) -> None:
        """From now on an identity is not announced, not even on request. From any thread."""
        self._silent.add(identity)

    def add(self, identity: str) -> None:
        """An identity more, which is announced at once if any are without being asked for."""
        self._identities[identity] = None
        if self._interval > 0:
            self.request(identity)

    def remove(self, identity: str) -> None:
        self._identities.pop(identity, None)
        self._wanted.pop(identity, None)
        self._met = {(one, medium) for one, medium in self._met if one != identity}
        self._finish(identity)

    def request(
        self,
        identity: str | None = None,
        interface: Any = None,
        *,
        extra: bool = False,
        repeated: bool = False,
    ) -> tuple[Announcement, ...]:
        """Announce one identity or all, on one interface or all, as soon as may be."""
        found = []
        asked = tuple(self._identities) if identity is None else (identity,)
        for each in (each for each in asked if each in self._identities and each not in self._silent):
            want = _Want(interface, extra, repeated)
            free, held = self._sort(each, want)
            found.append(
                Announcement(
                    each,
                    tuple(medium.name for medium in free),
                    tuple((medium.name, wait) for medium, wait in held),
                )
            )
            if free or not held:
                # Without any medium yet Reticulum is left to find that out.
                self._wanted[each] = want.with_(self._wanted.get(each, want))
        if not self._timed and self._wanted:
            self._next()
        return tuple(found)

    def afterwards(self, identity: str, call: Callable[[], None]) -> None:
        """Call when the announce that the identity waits for is out; at once if there is none."""
        if identity in self._wanted:
            self._afterwards.setdefault(identity, []).append(call)
        else:
            call()

    def connected(self, interface: Any) -> None:
        """An interface has come up: whoever is there may not know us yet.

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
        if interface not in self._strangers:
            return
        self._strangers.discard(interface)
        spread = max((medium.spread for medium in self._media() if medium.interface is interface), default=0)
        if spread:
            self._worker.later(random.uniform(0, spread), self.request, None, interface)  # noqa: S311 - no secret
        else:
            self.request(interface=interface)

    def _first(self, rhythm: int) -> None:
        """The first of the regular announces; where many may begin at once, at a random moment."""
        spread = max((medium.spread for medium in self._media()), default=0.0)
        if not spread:
            self._regularly(rhythm)
            return
        for medium in self._media():
            if not medium.spread:
                self.request(interface=medium.interface)
        self._worker.later(random.uniform(0, spread), self._regularly, rhythm)  # noqa: S311 - no secret

    def _regularly(self, rhythm: int) -> None:
        if rhythm != self._rhythm:
            return
        for announcement in self.request():
            waits = [wait for _, wait in announcement.held]
            if waits and announcement.identity not in self._late:
                self._late.add(announcement.identity)
                self._worker.later(max(waits) + 1.0, self._catch_up, announcement.identity)
        self._once_more()

    def _once_more(self) -> None:
        if self._interval > 0:
            jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
            self._worker.later(self._interval * jitter, self._regularly, self._rhythm)

    def _catch_up(self, identity: str) -> None:
        """Announce where a regular announce was held back."""
        self._late.discard(identity)
        if identity in self._identities:
            for medium in self._media():
                if medium.slow and not self._floor.wait(identity, medium):
                    self.request(identity, medium.interface)

    def _repeat_first(self, identity: str, media: Sequence[Medium]) -> None:
        """Come back to what was announced by radio for the first time."""
        for medium in media:
            if medium.spread and (identity, medium.key) not in self._met:
                self._met.add((identity, medium.key))
                if self._interval > 0 and not self._floor.wait(identity, medium, repeated=True):
                    pause = random.uniform(*REPEAT_AFTER)  # noqa: S311 - no secret
                    self._worker.later(pause, self._repeat, identity, medium.interface)

    def _repeat(self, identity: str, interface: Any) -> None:
        if identity in self._identities and any(one.interface is interface for one in self._media()):
            self.request(identity, interface, repeated=True)

    def _next(self) -> None:
        """Announce one identity if this clock second is free, and come back for the others."""
        self._timed = False
        try:
            # The identity that it was timed for may have gone.
            if self._wanted and int(self._clock()) != self._second:
                self._announce_one()
        finally:
            if self._wanted:
                self._timed = True
                self._worker.later(1.001 - self._clock() % 1.0, self._next)

    def _announce_one(self) -> None:
        identity = next(iter(self._wanted))
        want = self._wanted[identity]
        free, held = self._sort(identity, want)
        began = int(self._clock()) == self._began
        if began and any(medium.slow for medium in free):
            return  # too dear to be sent twice
        del self._wanted[identity]
        try:
            if free or not held:
                on_all = want.interface is None and not held
                self._announce(identity, None if on_all else _interfaces(free, want))
                self._floor.announced(identity, free, extra=want.extra, repeated=want.repeated)
                self._repeat_first(identity, free)
                self.last[identity] = self._clock()
                self._second = int(self.last[identity])
                if began:
                    self._wanted[identity] = want
        finally:
            self._finish(identity)

    def _finish(self, identity: str) -> None:
        for call in self._afterwards.pop(identity, ()):
            call()

    def _sort(self, identity: str, want: _Want) -> tuple[list[Medium], list[tuple[Medium, float]]]:
        """The media that are free, and those that are held back with how long, in seconds."""
        free: list[Medium] = []
        held: list[tuple[Medium, float]] = []
        for medium in self._media():
            if want.interface is None or medium.interface is want.interface:
                wait = self._floor.wait(identity, medium, extra=want.extra, repeated=want.repeated)
                if wait > 0:
                    held.append((medium, wait))
                else:
                    free.append(medium)
        return free, held


def _interfaces(free: Sequence[Medium], want: _Want) -> Sequence[Any]:
    return [medium.interface for medium in free] if free else (want.interface,)
