"""The bounded replay cache (spec §3.1).

Keyed by (receiving identity, session id, nonce). ``seen`` is the probe that records nothing;
``record`` checks and records in one step; ``forget`` takes back one entry after a failed commit.
The cache is used from one thread. Its clock is an injected callable in seconds that never jumps.

Two orders matter and differ. Age is absolute from the first recording and decides whether an entry
still counts; the order of last touch decides what is evicted when a bound is exceeded. Each space
keeps one ordered map for either, and ``record`` drops up to two entries that are too old, so that
what is dead never displaces what lives and no call's work grows with the fill.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from .value import Value

NONCE_BYTES = 8
DEDUP_CACHE_PER_SESSION = 512
DEDUP_CACHE_SESSIONS = 1024
DEDUP_TTL_SECONDS = 600.0


@dataclass(frozen=True, slots=True, repr=False)
class ReplayEntry(Value):
    """One recorded nonce; ``recorded`` is in seconds of the cache's clock."""

    identity: str
    session_id: str
    nonce: bytes
    recorded: float


class _Space:
    __slots__ = ("by_age", "by_touch")

    def __init__(self) -> None:
        self.by_age: dict[bytes, float] = {}
        self.by_touch: OrderedDict[bytes, None] = OrderedDict()

    def drop(self, nonce: bytes) -> None:
        del self.by_age[nonce]
        del self.by_touch[nonce]


class ReplayCache:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._spaces: OrderedDict[tuple[str, str], _Space] = OrderedDict()

    def seen(self, identity: str, session_id: str, nonce: bytes) -> bool:
        """Whether the nonce is recorded and still counts. Records nothing, evicts nothing."""
        key = (identity, session_id)
        space = self._spaces.get(key)
        if space is None:
            return False
        self._spaces.move_to_end(key)
        recorded = space.by_age.get(nonce)
        if recorded is None or self._clock() - recorded > DEDUP_TTL_SECONDS:
            return False
        space.by_touch.move_to_end(nonce)
        return True

    def record(self, identity: str, session_id: str, nonce: bytes) -> ReplayEntry | None:
        """Record a fresh nonce and return its entry, or None where it is a replay."""
        if self.seen(identity, session_id, nonce):
            return None
        entry = ReplayEntry(identity, session_id, nonce, self._clock())
        self._insert(entry)
        return entry

    def forget(self, identity: str, session_id: str, nonce: bytes) -> None:
        """Take back exactly one entry, so that the same envelope may be tried again."""
        key = (identity, session_id)
        space = self._spaces.get(key)
        if space is not None and nonce in space.by_age:
            space.drop(nonce)
            if not space.by_age:
                del self._spaces[key]

    def remove(self, identity: str, session_id: str) -> None:
        """Drop the whole space of a deleted session."""
        self._spaces.pop((identity, session_id), None)

    def restore(self, entries: Iterable[ReplayEntry]) -> None:
        """Load persisted entries, given in the order in which they were recorded."""
        for entry in entries:
            if self._clock() - entry.recorded <= DEDUP_TTL_SECONDS:
                self._insert(entry)

    def __iter__(self) -> Iterator[ReplayEntry]:
        """Every entry held, per space in the order of recording."""
        for (identity, session_id), space in self._spaces.items():
            for nonce, recorded in space.by_age.items():
                yield ReplayEntry(identity, session_id, nonce, recorded)

    def __len__(self) -> int:
        return sum(len(space.by_age) for space in self._spaces.values())

    def _insert(self, entry: ReplayEntry) -> None:
        key = (entry.identity, entry.session_id)
        space = self._spaces.get(key)
        if space is None:
            space = self._spaces[key] = _Space()
            if len(self._spaces) > DEDUP_CACHE_SESSIONS:
                self._spaces.popitem(last=False)
        self._spaces.move_to_end(key)
        if entry.nonce in space.by_age:  # too old to count: it starts again
            space.drop(entry.nonce)
        oldest_alive = self._clock() - DEDUP_TTL_SECONDS
        for nonce in [n for n, at in islice(space.by_age.items(), 2) if at < oldest_alive]:
            space.drop(nonce)
        space.by_age[entry.nonce] = entry.recorded
        space.by_touch[entry.nonce] = None
        if len(space.by_age) > DEDUP_CACHE_PER_SESSION:
            space.drop(next(iter(space.by_touch)))
