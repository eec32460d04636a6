"""What the host is told: entries that stay until it has acknowledged them (§3).

An entry gets its number when it is first handed out, not when it is queued. So numbers have no gaps where an
action was withdrawn before the host saw it, and nothing that was never handed out can be acknowledged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gateway.rcadia.wire import Entry

if TYPE_CHECKING:
    from gateway.rcadia.server.table import Action

MAX_STRIKES: Final = 500
"""Entries that are not acknowledged, with which no more strikes are queued. Nothing else comes by itself."""

MAX_UNACKNOWLEDGED: Final = 1024
"""Entries that are not acknowledged, with which no more actions are to be taken: none may be lost (§3)."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The fields of an entry without its number, and the action that it brings."""

    fields: dict[str, Any]
    action: Action | None = None


@dataclass(slots=True)
class Queue:
    """``sent`` was handed out and not acknowledged, ``waiting`` is new. ``size``: bytes of their actions."""

    last: int = 0
    size: int = 0
    sent: list[Entry] = field(default_factory=list)
    waiting: list[Outgoing] = field(default_factory=list)

    def __len__(self) -> int:
        """Entries that the host has not acknowledged."""
        return len(self.sent) + len(self.waiting)

    def push(self, brings: Action | None = None, /, **fields: Any) -> None:
        """``fields`` are those of ``wire.Entry`` without ``seq``."""
        if fields.get("type") == "timeout" and len(self) >= MAX_STRIKES:
            return
        self.waiting.append(Outgoing(fields, brings))
        self.size += _size(fields.get("action"))

    def withdraw(self, action: Action) -> None:
        """Take back an action that the host has not seen."""
        taken = next((one for one in self.waiting if one.action is action), None)
        if taken is not None:
            self.waiting = [one for one in self.waiting if one is not taken]
            self.size -= _size(taken.fields["action"])

    def beyond(self, after: int | None) -> bool:
        """Whether there is something to hand out that is newer than ``after``."""
        if after is None:
            return bool(self.sent or self.waiting)
        return self.last + len(self.waiting) > self._possible(after)

    def acknowledge(self, after: int) -> None:
        """Forget what the host has processed."""
        if after > 0 and self.sent:
            self._forget(sum(entry.seq <= after for entry in self.sent))

    def newer(self, after: int, now: float) -> list[Entry]:
        """``take``, of which only what is newer than ``after``."""
        after = self._possible(after)
        return [entry for entry in self.take(now) if entry.seq > after]

    def _possible(self, after: int) -> int:
        """``after``, or the last number there is where that cannot have been seen."""
        return after if after <= self.last + len(self.waiting) else self.last

    def take(self, now: float) -> list[Entry]:
        """Everything not acknowledged; what is new counts as delivered now."""
        for outgoing in self.waiting:
            self.last += 1
            self.sent.append(Entry(seq=self.last, **outgoing.fields))
            if outgoing.action is not None:
                outgoing.action.delivered_at = now
        self.waiting = []
        return list(self.sent)

    def drain(self, now: float) -> list[Entry]:
        """``take`` and forget, for hosts of v1, which acknowledge nothing."""
        taken = self.take(now)
        self._forget(len(taken))
        return taken

    def _forget(self, count: int) -> None:
        """The oldest ones that were handed out; they are in the order of their numbers."""
        if count <= 0:
            return
        self.size -= sum(_size(entry.action) for entry in self.sent[:count])
        del self.sent[:count]


def _size(action: Any) -> int:
    return len(action) if isinstance(action, msgspec.Raw) else 0
