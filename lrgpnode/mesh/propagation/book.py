"""Which propagation nodes there are, and which one is tried next.

The order: the one chosen with `propagation use`; those of the settings, then those added, as listed;
then, if that is allowed, those heard, the one that worked last before the others and else the
nearest; our own last of all, unless it is listed. After two failures in a row a node is passed over
for an hour. After a restart those before the one that worked last are passed over as well, since
they had failed when it was chosen.

Nothing here reads a clock or a file: ``now`` is an argument, and ``save`` is called with what lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from lrgpnode.protocol.value import Value

from .announced import NodeAnnounce
from .report import NodeStatus
from .state import HeardNode, Remembered, Synced

MAX_FAILURES: Final = 2
PASSED_OVER: Final = 3600.0
HEARD_FOR: Final = 7 * 86_400.0
"""Nodes announce themselves several times a day; one silent for a week is gone."""

MAX_HEARD: Final = 32
"""Anyone can announce nodes: the nearest are kept, and those that are listed."""

MAX_ADDED: Final = 16
SAVE_HEARD: Final = 86_400.0
SAVE_NEWS: Final = 600.0
"""Seconds between two writings because of what was heard: else whoever makes up nodes wears out the card."""


class NotListed(Exception):
    """A node cannot be added, removed or chosen, and why, in one sentence for a person."""


@dataclass(frozen=True, slots=True, repr=False)
class _Failures(Value):
    count: int
    last: float
    reason: str = ""


class NodeBook:
    """``max_cost``: a heard node that asks for dearer stamps is not chosen by itself. ``own`` is ours."""

    def __init__(
        self,
        state: Remembered,
        save: Callable[[Remembered], None],
        *,
        listed: Sequence[str] = (),
        auto: bool = True,
        own: str = "",
        max_cost: int,
        now: float,
    ) -> None:
        self._state = state
        self._save = save
        self._listed = tuple(dict.fromkeys(listed))
        self.auto = auto
        self.own = own
        self._max_cost = max_cost
        self._heard = {node.hash: node for node in state.heard}
        self._saved_heard = now
        self._failures: dict[str, _Failures] = {}
        order = self.pinned()
        if state.good in order and now - state.good_at < PASSED_OVER:
            for node in order[: order.index(state.good)]:
                self._failures[node] = _Failures(MAX_FAILURES, state.good_at, "failed before the restart")

    # --- which one

    def pinned(self) -> tuple[str, ...]:
        """The nodes of the settings, and those added and chosen by hand, in order."""
        chosen = (self._state.preferred,) if self._state.preferred else ()
        return tuple(dict.fromkeys((*chosen, *self._listed, *self._state.added)))

    def candidates(self, now: float) -> tuple[str, ...]:
        """Every node that may be used, in the order described above; not those that say they are off."""
        found = self.pinned()
        if self.auto:
            usable = (
                node
                for node in self._heard.values()
                if node.enabled and node.stamp_cost <= self._max_cost and now - node.heard_at < HEARD_FOR
            )
            good = self._state.good
            nearest = sorted(
                usable, key=lambda node: (node.hash != good, node.hops, node.stamp_cost, node.hash)
            )
            found += tuple(node.hash for node in nearest)
        if self.own:
            found += (self.own,)
        return tuple(node for node in dict.fromkeys(found) if not self._switched_off(node))

    def current(self, now: float) -> str:
        """The node to use now, or "" where none is known."""
        candidates = self.candidates(now)
        for node in candidates:
            if not self._passed_over(node, now):
                return node
        return min(candidates, key=lambda node: self._failures[node].last, default="")

    def failed(self, node: str, reason: str, now: float) -> None:
        before = self._failures.get(node)
        count = before.count if before and now - before.last < PASSED_OVER else 0
        self._failures[node] = _Failures(count + 1, now, reason)

    def worked(self, node: str, now: float) -> None:
        """The node has done what it was asked for."""
        self._failures.pop(node, None)
        state = self._state
        if self.current(now) == node and (state.good != node or now - state.good_at > SAVE_HEARD):
            self._change(_replaced(state, good=node, good_at=now))

    def _switched_off(self, node: str) -> bool:
        info = self._heard.get(node)
        return info is not None and not info.enabled

    def _passed_over(self, node: str, now: float) -> bool:
        failures = self._failures.get(node)
        return failures is not None and failures.count >= MAX_FAILURES and now - failures.last < PASSED_OVER

    # --- what is known of them

    def heard(self, node: str, said: NodeAnnounce, hops: int, now: float) -> bool:
        """Note an announce. True where the node is new, or says it is on or off now."""
        if node == self.own:
            return False
        before = self._heard.get(node)
        first = not any(other.enabled for other in self._heard.values())
        if before is None and not said.enabled and node not in self.pinned():
            # Every LXMF client says that it is no propagation node when it is asked for a path.
            return False
        self._heard[node] = HeardNode(
            hash=node,
            name=said.name,
            enabled=said.enabled,
            hops=hops,
            stamp_cost=said.stamp_cost,
            message_kb=said.message_kb,
            heard_at=now,
        )
        self._failures.pop(node, None)
        self._forget_most(now)
        news = before is None or before.enabled != said.enabled
        pause = SAVE_NEWS if news else SAVE_HEARD
        matters = news and (first or node in self.pinned())
        if node in self._heard and (matters or now - self._saved_heard > pause):
            self._saved_heard = now
            self._change(self._state)
        return news

    def info(self, node: str) -> HeardNode | None:
        return self._heard.get(node)

    def _forget_most(self, now: float) -> None:
        pinned = self.pinned()
        strangers = [node for node in self._heard.values() if node.hash not in pinned]
        if len(strangers) > MAX_HEARD:
            stale = max(
                strangers, key=lambda node: (now - node.heard_at > HEARD_FOR, node.hops, node.heard_at)
            )
            del self._heard[stale.hash]

    # --- changed by a person

    def add(self, node: str) -> None:
        """Put a node at the end of the list. Raises ``NotListed``."""
        if node in self._listed or node in self._state.added:
            raise NotListed(f"{node} is in the list already")
        if len(self._state.added) >= MAX_ADDED:
            raise NotListed(f"{MAX_ADDED} nodes have been added; remove one first")
        self._change(_replaced(self._state, added=(*self._state.added, node)))

    def remove(self, node: str) -> None:
        """Take back what was added or chosen. Raises ``NotListed``."""
        state = self._state
        if node not in state.added and node != state.preferred:
            if node in self._listed:
                raise NotListed(f"{node} is in the settings; take it out of propagation.nodes there")
            raise NotListed(f"{node} has not been added")
        added = tuple(item for item in state.added if item != node)
        preferred = "" if state.preferred == node else state.preferred
        self._change(_replaced(state, added=added, preferred=preferred))

    def use(self, node: str) -> None:
        """Try this one before all others from now on; "" for none in particular."""
        self._failures.pop(node, None)
        self._change(_replaced(self._state, preferred=node))

    # --- what is remembered for others

    def synced(self, identity: str) -> Synced | None:
        return self._state.synced.get(identity)

    def note_synced(self, identity: str, record: Synced) -> None:
        self._change(_replaced(self._state, synced=self._state.synced | {identity: record}))

    @property
    def hosting(self) -> bool:
        return self._state.hosting

    def note_hosting(self, hosting: bool) -> None:
        if hosting != self._state.hosting:
            self._change(_replaced(self._state, hosting=hosting))

    def status(self, now: float) -> tuple[NodeStatus, ...]:
        current = self.current(now)
        order = self.candidates(now)
        others = tuple(node for node in self._heard if node not in order)
        return tuple(self._status(node, node == current) for node in (*order, *others))

    def _status(self, node: str, current: bool) -> NodeStatus:
        info = self._heard.get(node)
        failures = self._failures.get(node, _Failures(0, 0.0))
        return NodeStatus(
            hash=node,
            name=info.name if info else "",
            source=self._source(node),
            current=current,
            enabled=info.enabled if info else (True if node == self.own else None),
            hops=info.hops if info else None,
            stamp_cost=info.stamp_cost if info else None,
            message_kb=info.message_kb if info else None,
            heard_at=info.heard_at if info else 0.0,
            failures=failures.count,
            reason=failures.reason,
        )

    def _source(self, node: str) -> str:
        if node in self._listed:
            return "settings"
        if node in self._state.added or node == self._state.preferred:
            return "added"
        return "own" if node == self.own else "heard"

    def _change(self, state: Remembered) -> None:
        self._state = _replaced(state, heard=tuple(self._heard.values()))
        self._save(self._state)


def _replaced(state: Remembered, **changes: object) -> Remembered:
    return msgspec.structs.replace(state, **changes)
