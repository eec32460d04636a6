"""Sending: one action, one row, one envelope, any number of attempts (architecture §5).

A row is in the database before it comes here; this module decides when to hand it to the transport.
Rows of one session go out in order, each only after the one before is delivered; a few are in flight
for the whole node, because every proof costs the peer a check against all that are outstanding.
After a failure the same envelope is tried again: after a growing pause, at once when the peer is
heard, and after a restart. ``sending`` and ``sent`` live in memory only: a restart tries again
anyway, and an SD card is spared.

Everything runs on the loop's thread. There is no polling: one timer waits for the earliest retry.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from lrgpnode.mesh.transport import Outgoing, Progress, Transport
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow, OutboxState

MAX_IN_FLIGHT: Final = 8
"""LXMF checks each proof against every outstanding packet: few at a time (rns-lxmf facts §9)."""

RETRY_SECONDS: Final = (60.0, 300.0, 900.0, 3600.0, 3 * 3600.0, 6 * 3600.0)
"""Pause after the n-th failed attempt; the last one repeats. LXMF has made its own retries before."""

PRESUPPOSING: Final = frozenset(
    (Command.ACCEPT, Command.DECLINE, Command.MOVE, Command.DRAW_ACCEPT, Command.DRAW_DECLINE)
)
"""What the opponent can only send after our last action has arrived; the others may have crossed it."""

_STATES: Final = {
    Progress.SENDING: OutboxState.SENDING,
    Progress.SENT: OutboxState.SENT,
    Progress.DELIVERED: OutboxState.DELIVERED,
    Progress.STORED: OutboxState.STORED,
    Progress.FAILED: OutboxState.FAILED,
}

Report = Callable[[OutboxRow], None]
"""Told of every change of a row: the node stores it where it must last, and informs subscribers."""


@dataclass(slots=True)
class _Lane:
    """The rows of one session that are not delivered yet, oldest first."""

    rows: deque[OutboxRow] = field(default_factory=deque)
    due: float = 0.0
    in_flight: bool = False


class Outbox:
    """``clock`` gives the seconds of ``loop.time``-like monotonic time used for pauses."""

    def __init__(self, transport: Transport, report: Report, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._report = report
        self._loop = loop
        self._lanes: dict[SessionKey, _Lane] = {}
        self._by_id: dict[int, SessionKey] = {}
        self._in_flight = 0
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def claim(self, row: OutboxRow) -> Outgoing | None:
        """Take the place of a row that is about to be committed.

        If it may go out as soon as it is, the answer is what to send; the caller does that, or calls
        ``withdraw``. If None, nothing has changed: ``add`` the row once it is committed.
        """
        if row.key in self._lanes or self._in_flight >= MAX_IN_FLIGHT or self._stopped:
            return None
        self._lanes[row.key] = _Lane(rows=deque((row,)), in_flight=True)
        self._by_id[row.id] = row.key
        self._in_flight += 1
        return _outgoing(row)

    def committed(self, id: int, action_num: int) -> None:
        """A claimed row is in the database now, under this action number."""
        key = self._by_id.get(id)
        if key is not None:
            head = self._lanes[key].rows
            head[0] = replace(head[0], action_num=action_num)

    def withdraw(self, row: OutboxRow) -> None:
        """The commit of a claimed row has failed."""
        self.confirm(row.key)

    def add(self, *rows: OutboxRow) -> None:
        """Send these committed rows as soon as their session's turn comes."""
        for row in rows:
            self._lanes.setdefault(row.key, _Lane()).rows.append(row)
            self._by_id[row.id] = row.key
        self._pump()

    def resume(self, rows: Iterable[OutboxRow]) -> None:
        """Go on after a restart with everything that was not delivered."""
        waiting = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.SENT, OutboxState.FAILED)
        self.add(*(replace(row, state=OutboxState.QUEUED) for row in rows if row.state in waiting))

    def state(self, id: int) -> OutboxRow | None:
        """The row as it is known now, more current than the database; None once it is done with."""
        key = self._by_id.get(id)
        lane = self._lanes.get(key) if key is not None else None
        return next((row for row in lane.rows if row.id == id), None) if lane is not None else None

    def progress(self, ref: int, progress: Progress, reason: str) -> bool:
        """News of an attempt; False where the row is done with. DELIVERED may still follow FAILED."""
        key = self._by_id.get(ref)
        lane = self._lanes.get(key) if key is not None else None
        if key is None or lane is None or not lane.rows or lane.rows[0].id != ref:
            return False
        failed = progress is Progress.FAILED
        row = replace(
            lane.rows[0],
            state=_STATES[progress],
            reason=reason if failed else "",
            attempts=lane.rows[0].attempts + failed,
        )
        if progress in (Progress.DELIVERED, Progress.FAILED) and lane.in_flight:
            lane.in_flight = False
            self._in_flight -= 1
        if progress is Progress.DELIVERED:
            self._drop_head(key, lane)
        else:
            lane.rows[0] = row
        if failed:
            lane.due = self._loop.time() + RETRY_SECONDS[min(row.attempts, len(RETRY_SECONDS)) - 1]
        self._report(row)
        self._pump()
        return True

    def heard(self, peer: str) -> None:
        """The peer is there: what waits for a retry goes out now."""
        for lane in self._lanes.values():
            if lane.rows and lane.rows[0].peer == peer:
                lane.due = 0.0
        self._pump()

    def confirm(self, key: SessionKey) -> None:
        """Nothing of this session needs sending any more; the caller has stored that."""
        lane = self._lanes.pop(key, None)
        if lane is None:
            return
        for row in lane.rows:
            del self._by_id[row.id]
        if lane.in_flight:
            self._in_flight -= 1
        self._pump()

    def stop(self) -> None:
        """Hand nothing more to the transport. The rows are in the database."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _drop_head(self, key: SessionKey, lane: _Lane) -> None:
        del self._by_id[lane.rows.popleft().id]
        lane.due = 0.0
        if not lane.rows:
            del self._lanes[key]

    def _pump(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._stopped:
            return
        now = self._loop.time()
        earliest = None
        for lane in self._lanes.values():
            if lane.in_flight:
                continue
            if lane.due > now:
                earliest = lane.due if earliest is None else min(earliest, lane.due)
            elif self._in_flight < MAX_IN_FLIGHT:
                self._send(lane)
        if earliest is not None:
            self._timer = self._loop.call_at(earliest, self._pump)

    def _send(self, lane: _Lane) -> None:
        row = lane.rows[0]
        lane.in_flight = True
        self._in_flight += 1
        self._transport.send(_outgoing(row))


def _outgoing(row: OutboxRow) -> Outgoing:
    return Outgoing(
        ref=row.id,
        identity=row.key.identity,
        peer=row.peer,
        envelope=row.envelope,
        content=row.content,
        delivery=row.delivery,
    )
