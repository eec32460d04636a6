"""The stream of events: numbered, kept in a bounded ring, read by any number of subscribers.

A subscriber holds no queue of its own, only its place in the ring; one that falls behind by the
whole ring is dropped. Everything happens on the loop's thread.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

RING: Final = 1000
"""How many events can be read again."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """``at`` in Unix seconds; ``data`` is the model of ``type``."""

    seq: int
    at: float
    type: str
    data: msgspec.Struct


class Lagged(Exception):
    """The subscriber was too slow; events are lost for it. It may subscribe again."""


class Events:
    """``start`` is the number before the first event.

    A program that gives a larger ``start`` on each run lets a subscriber that resumes from an
    earlier run find out that it missed something.
    """

    def __init__(self, *, start: int = 0, size: int = RING, clock: Callable[[], float] = time.time) -> None:
        self._seq = start
        self._ring: deque[Event] = deque(maxlen=size)
        self._clock = clock
        self._subscriptions: set[Subscription] = set()
        self._closed = False

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._seq

    def publish(self, type: str, data: msgspec.Struct) -> int:
        """Append an event; returns its number."""
        self._seq += 1
        self._ring.append(Event(seq=self._seq, at=self._clock(), type=type, data=data))
        for subscription in tuple(self._subscriptions):
            subscription._published()
        return self._seq

    def subscribe(
        self, after: int | None = None, *, on_drop: Callable[[], None] | None = None
    ) -> Subscription:
        """Read events from now on, or all later than number ``after``.

        If some of those are gone, or ``after`` is a number of another run, ``missed`` is set and
        everything that is left is read. ``on_drop`` is called once when the subscriber lags.
        """
        oldest = self._seq - len(self._ring)
        missed = after is not None and not oldest <= after <= self._seq
        place = self._seq if after is None else oldest if missed else after
        subscription = Subscription(self, place, missed=missed, on_drop=on_drop)
        if self._closed:
            subscription.close()
        else:
            self._subscriptions.add(subscription)
        return subscription

    def close(self) -> None:
        """End every subscription, after what was published has been read; new ones end at once."""
        self._closed = True
        for subscription in tuple(self._subscriptions):
            subscription.finish()

    def _gone(self, place: int) -> bool:
        """Whether the event after ``place`` has left the ring."""
        return place < self._seq - len(self._ring)

    def _next(self, place: int) -> Event | None:
        """The event after ``place``, which is not gone; None if it has not happened yet."""
        left = self._seq - place
        return self._ring[-left] if left else None


class Subscription:
    """An asynchronous iterator over events, for one reader. Ends when closed; raises ``Lagged``."""

    def __init__(
        self, events: Events, place: int, *, missed: bool, on_drop: Callable[[], None] | None
    ) -> None:
        self._events = events
        self._place = place
        self._on_drop = on_drop
        self._wake = asyncio.Event()
        self._finishing = False
        self._closed = False
        self._lagged = False
        self.missed = missed
        self.seq = events.seq

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while True:
            if self._lagged:
                raise Lagged
            if self._closed:
                raise StopAsyncIteration
            event = self._events._next(self._place)
            if event is not None:
                self._place = event.seq
                return event
            if self._finishing:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()

    def close(self) -> None:
        """End the iteration; idempotent."""
        self._closed = True
        self._events._subscriptions.discard(self)
        self._wake.set()

    def finish(self) -> None:
        """End the iteration once everything is read."""
        self._finishing = True
        self._events._subscriptions.discard(self)
        self._wake.set()

    def _published(self) -> None:
        if self._events._gone(self._place):
            self._lagged = True
            self._events._subscriptions.discard(self)
            if self._on_drop is not None:
                self._on_drop()
        self._wake.set()
