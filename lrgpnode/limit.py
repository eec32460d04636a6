"""How often somebody may make us do something: a sliding window for each peer, bounded in memory."""

from __future__ import annotations

from collections import OrderedDict, deque

MOST_PEERS = 2000


class Limit:
    """At most ``most`` times in any ``seconds``, for each peer. ``now`` is any clock in seconds."""

    def __init__(self, most: int, *, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def allow(self, peer: str, now: float) -> bool:
        """Whether it is within the limit now; if so, it counts."""
        times = self._times.setdefault(peer, deque())
        self._times.move_to_end(peer)
        if len(self._times) > MOST_PEERS:
            self._times.popitem(last=False)
        while times and not now - self._seconds < times[0] <= now:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(now)
        return True
