"""Sending: one action, one row, one envelope, any number of attempts (architecture §5).

A row is in the database before it comes here; this module decides when and how to hand it to the
transport. Rows of one session go out in order, each only after the one before is delivered or stored
at a propagation node; a few are in flight for the whole node. After a failure the same envelope goes
to a propagation node, if there is one, and else is tried again: after a growing pause, at once when
the peer is heard, and after a restart. What has left our hands without a sign that the opponent acted
on it is remembered, and sent again when its peer is heard (healing).

What goes out by radio needs airtime first (``airtime``): what has none waits, before it has a place, in the
order of ``airtime.Rank``, until some is free again; of a game only what still matters is sent then.

``sending`` and ``sent`` live in memory only: a restart tries again anyway, and an SD card is spared.
Everything runs on the loop's thread. There is no polling: the agenda has one timer for all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.mesh.transport import Outgoing, Progress, Transport
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxRow, OutboxState, Unconfirmed

from . import policy
from .airtime import FALLBACK_SECONDS, Airtime, Notice
from .books import Books
from .healing import Healing
from .lane import Lane
from .lanes import PeerIndex, Presence, Traffic


class Outbox:
    """``wall`` gives Unix seconds, for what is stored. ``airtime`` is None on a node without a radio."""

    def __init__(
        self,
        transport: Transport,
        books: Books,
        agenda: Agenda,
        wall: Callable[[], float],
        airtime: Airtime | None = None,
    ) -> None:
        self._transport = transport
        self._books = books
        self._agenda = agenda
        self._wall = wall
        self._lanes: dict[SessionKey, Lane] = {}
        self._by_id: dict[int, Lane] = {}
        self._of_peer = PeerIndex()
        self._attempts: dict[SessionKey, deque[float]] = {}
        self._presence = Presence()
        self._airtime = airtime
        landed = airtime.ended if airtime is not None else None
        self._traffic = Traffic(agenda, self._presence, self._silent, landed)
        self._dry = self._traffic.dry
        self._rain: Entry | None = None
        self._notices = 0
        self._healing = Healing(agenda, self._rested)
        self._stopped = False

    # New rows

    def claim(self, row: OutboxRow) -> Outgoing | None:
        """Take the place of a row that is about to be committed, as the first attempt to send it.

        If it may go out as soon as it is, the answer is what to send; the caller does that, or calls
        ``withdraw``. If None, nothing has changed: ``add`` the row once it is committed.
        """
        paused = self._traffic.is_paused(row)
        if row.key in self._lanes or self._stopped or paused or not self._traffic.room(row.peer):
            return None
        if self._airtime is not None and not self._has_airtime(row):
            return None
        return self._depart(self._open((replace(row, attempts=1),)))

    def committed(self, id: int, action_num: int) -> None:
        """A claimed row is in the database now, under this action number."""
        lane = self._by_id.get(id)
        if lane is not None:
            lane.rows[0] = replace(lane.rows[0], action_num=action_num)

    def withdraw(self, row: OutboxRow) -> None:
        """The commit of a claimed row has failed."""
        self._close(self._lanes[row.key])
        attempts = self._attempts[row.key]
        attempts.pop()
        if not attempts:
            del self._attempts[row.key]
        self._fill()

    def add(self, *rows: OutboxRow) -> None:
        """Send these committed rows as soon as their session's turn comes."""
        for row in rows:
            if not self._joined(row):
                self._traffic.line_up(self._open((row,)))
        self._fill()

    def resume(
        self,
        rows: Iterable[OutboxRow],
        unconfirmed: Iterable[Unconfirmed] = (),
        attempts: Iterable[tuple[SessionKey, float]] = (),
    ) -> None:
        """Go on after a restart: rows not delivered, what is unconfirmed, attempts of the last day."""
        now, wall = self._agenda.clock(), self._wall()
        for key, at in attempts:
            # Never in the future, whatever the wall clock does.
            self._attempts.setdefault(key, deque()).append(now - max(0.0, wall - at))
        for left in unconfirmed:
            if left.stored:
                self._presence.gone(left.peer)
                # Neither too soon nor too late, whatever the wall clock says.
                rest = max(0.0, (left.next_attempt_at or wall) - wall)
                self._healing.stored(left.key, left.peer, min(rest, policy.STORED_SECONDS))
            else:
                self._healing.resumed(left.key, left.peer)
        for row in rows:
            failed = row.state is OutboxState.FAILED
            if failed:
                self._presence.gone(row.peer)
            if not self._joined(row):
                wait = (row.next_attempt_at or wall) - wall if failed else 0.0
                self._retry(self._open((row,)), min(max(0.0, wait), policy.retry_pause(row.attempts)))
        self._fill()

    # What is known

    def state(self, id: int) -> OutboxRow | None:
        """The row as it is known now, more current than the database; None once it is done with."""
        lane = self._by_id.get(id)
        if lane is None:
            return None
        if lane.head.id == id and lane in self._dry:
            return self._thirsty(lane)
        return next((row for row in lane.rows if row.id == id), None)

    def undelivered(self, key: SessionKey) -> Sequence[OutboxRow]:
        """Rows of a session of which it is not known that they arrived, oldest first."""
        lane = self._lanes.get(key)
        return tuple(lane.rows) if lane is not None else ()

    def waits_for(self, id: int) -> policy.Waits:
        """Why a row does not go out yet; nothing where it is under way or done with."""
        lane = self._by_id.get(id)
        if lane is None:
            return policy.Waits.NOTHING
        if lane.head.id != id:
            return policy.Waits.EARLIER
        if id in self._traffic:
            # Handed over, and no word of it: the transport has no path yet.
            return policy.Waits.PATH if lane.head.state is OutboxState.QUEUED else policy.Waits.NOTHING
        if self._traffic.holds(lane.key.identity):
            return policy.Waits.DISABLED
        if self._traffic.holds(lane.peer):
            return policy.Waits.BLOCKED
        if lane in self._dry:
            return policy.Waits.AIRTIME
        if self._presence.is_away(lane.peer):
            return policy.Waits.PEER
        return policy.Waits.DAY if lane.timer is not None else policy.Waits.PLACE

    # News

    def progress(self, ref: int, progress: Progress, reason: str) -> bool:
        """News of an attempt; False where the row is done with. DELIVERED may still follow FAILED."""
        lane = self._by_id.get(ref)
        if lane is None or lane.head.id != ref:
            return False
        if progress in (Progress.SENDING, Progress.SENT):
            if not self._traffic.news(ref):
                return False
            lane.rows[0] = replace(lane.head, state=policy.STATES[progress], reason="")
            self._books.changed(lane.rows[0])
            return True
        flight = self._traffic.land(ref)
        if progress is Progress.DELIVERED:
            self._presence.there(lane.peer)
            self._left(lane, OutboxState.DELIVERED)
        elif flight is None:
            return False
        elif progress is Progress.STORED:
            self._left(lane, OutboxState.STORED)
        else:
            self._failed(lane, reason, via=flight.via)
        self._fill()
        return True

    def heard(self, peer: str) -> None:
        """The peer is there: what waits goes out now, and what it may have lost goes out again."""
        if self._stopped:
            return
        self._presence.there(peer)
        hurry = False
        for key in self._of_peer.of(peer):
            lane = self._lanes[key]
            lane.via = False
            if lane.head.id in self._traffic:
                lane.heard = hurry = True
            elif lane not in self._dry or not self._radio(self._attempt(lane)):
                self._traffic.line_up(lane)
        if hurry:
            self._transport.hurry(peer)
        for key in self._healing.heard(peer):
            self._heal(key)
        self._fill()

    def reachable(self) -> None:
        """A propagation node can be used now: what waits for absent peers goes there."""
        for lane in tuple(self._lanes.values()):
            if lane.head.id not in self._traffic and self._presence.is_away(lane.peer):
                lane.via = True
                if lane not in self._dry:
                    self._traffic.line_up(lane)
        self._fill()

    def back(self) -> None:
        """A radio of ours was away and is back: what has failed meanwhile does not wait for its time."""
        for lane in tuple(self._lanes.values()):
            if lane.head.id not in self._traffic and lane not in self._dry:
                self._traffic.line_up(lane)
        self._fill()

    def pause(self, address: str) -> None:
        """An identity is off the mesh, or a peer is not to be written to: what is to be sent waits."""
        self._traffic.pause(address)
        self._fill()

    def unpause(self, address: str) -> None:
        """The identity, or the peer, can be sent for again."""
        self._traffic.unpause(address)
        self._fill()

    def confirm(self, key: SessionKey) -> None:
        """Nothing of this session needs sending any more; the caller has stored that."""
        lane = self._lanes.get(key)
        self._attempts.pop(key, None)
        self._healing.settled(key)
        if lane is not None:
            self._close(lane)
            self._fill()

    # What a person asks for

    def resend(self, rows: Sequence[OutboxRow]) -> float | None:
        """Send these open rows of a session again now. None, or how many seconds it is too early for one
        more attempt."""
        key, now = rows[0].key, self._agenda.clock()
        wait = policy.budget_free_at(self._attempts.setdefault(key, deque()), now) - now
        if wait > 0:
            return wait
        lane = self._lanes.get(key)
        if lane is None or lane.head.id not in self._traffic:
            self._traffic.line_up(self._again(rows))
            self._fill()
        else:
            self._transport.hurry(lane.peer)
        return None

    def drop(self, row: OutboxRow) -> None:
        """A row is not to be sent any more; the caller has stored that."""
        lane = self._by_id.pop(row.id, None)
        if lane is not None:
            self._traffic.land(row.id)
            self._transport.discard(row.id)
            lane.kept.pop(row.id, None)
            rest = deque(other for other in lane.rows if other.id != row.id)
            if not rest:
                self._by_id[row.id] = lane
                self._close(lane)
            else:
                lane.rows = rest
                if lane.head.id not in self._traffic:
                    self._traffic.line_up(lane)
        if not self._books.open_rows(row.key):
            self.confirm(row.key)
        self._fill()

    def stop(self) -> None:
        """Hand nothing more to the transport. The rows are in the database."""
        self._stopped = True

    # An attempt ends

    def _left(self, lane: Lane, state: OutboxState) -> None:
        """The first row has been delivered or stored."""
        row = replace(lane.head, state=state, reason="", next_attempt_at=None)
        stored = state is OutboxState.STORED
        heard, lane.heard = lane.heard, False
        if stored:
            row = replace(row, next_attempt_at=self._wall() + policy.STORED_SECONDS)
            self._presence.gone(row.peer)
        else:
            lane.via = False
        self._drop_head(lane)
        over = not stored and row.key not in self._lanes and self._books.ended(row.key)
        if over and not self._rests(row):
            self.confirm(row.key)
        elif stored or over:
            # The end of the game is of use only to a peer that gets what came before it, too.
            self._healing.stored(row.key, row.peer)
        else:
            self._healing.delivered(row.key, row.peer, row.attempts)
        self._books.changed(row)
        if heard and stored:
            self.heard(row.peer)

    def _rests(self, last: OutboxRow) -> bool:
        """Whether an earlier row of its session is at a propagation node and no more is known of it."""
        rows = self._books.open_rows(last.key)
        return any(row.state is OutboxState.STORED for row in rows if row.id != last.id)

    def _failed(self, lane: Lane, reason: str, *, via: bool) -> None:
        row = lane.head
        kept = lane.kept.get(row.id)
        heard, lane.heard = lane.heard, False
        if not heard:
            self._presence.gone(row.peer)
        if kept is not None:
            self._left(lane, kept)
            return
        pause = 0.0 if heard else policy.retry_pause(row.attempts)
        if not heard and not via and self._transport.propagation_available():
            lane.via, pause = True, 0.0
        else:
            lane.via = False
        lane.rows[0] = replace(
            row, state=OutboxState.FAILED, reason=reason, next_attempt_at=self._wall() + pause
        )
        self._books.changed(lane.rows[0])
        self._retry(lane, pause)

    def _silent(self, id: int) -> None:
        self.progress(id, Progress.FAILED, policy.NO_NEWS)

    def _heal(self, key: SessionKey) -> None:
        lane = self._lanes.get(key)
        if lane is not None and lane.head.id in self._traffic:
            return
        rows = self._books.open_rows(key)
        if not rows:
            self._healing.settled(key)
            return
        now = self._agenda.clock()
        free = policy.budget_free_at(self._attempts.setdefault(key, deque()), now)
        again = policy.to_heal(rows, self._wall()) if free <= now else []
        if again:
            self._traffic.line_up(self._again(again))
        else:
            self._healing.nothing_to_do(key, free)

    def _again(self, rows: Sequence[OutboxRow]) -> Lane:
        """A lane in which these rows of a session are sent once more."""
        key = rows[0].key
        if key in self._lanes:
            self._close(self._lanes[key])
        self._healing.healed(key)
        lane = self._open([replace(row, state=OutboxState.QUEUED) for row in rows])
        lane.via = False
        lane.kept = {
            row.id: row.state for row in rows if row.state in (OutboxState.DELIVERED, OutboxState.STORED)
        }
        return lane

    def _rested(self, key: SessionKey) -> None:
        """What a propagation node has is sent again after a while."""
        if key in self._lanes:
            self._healing.again_later(key)
            return
        rows = policy.without_superseded(self._books.open_rows(key))
        stored = next((n for n, row in enumerate(rows) if row.state is OutboxState.STORED), None)
        if stored is not None:
            self._traffic.line_up(self._again(rows[stored:]))
            self._fill()

    # Lanes

    def _joined(self, row: OutboxRow) -> bool:
        """Whether the session has a lane; then the row is its last now."""
        lane = self._lanes.get(row.key)
        if lane is None:
            return False
        lane.rows.append(row)
        self._by_id[row.id] = lane
        return True

    def _open(self, rows: Sequence[OutboxRow]) -> Lane:
        key, peer = rows[0].key, rows[0].peer
        lane = self._lanes[key] = Lane(key, peer, deque(rows))
        for row in rows:
            self._by_id[row.id] = lane
        self._of_peer.add(key, peer)
        lane.via = self._presence.is_away(peer) and self._transport.propagation_available()
        return lane

    def _close(self, lane: Lane) -> None:
        del self._lanes[lane.key]
        for row in lane.rows:
            del self._by_id[row.id]
            self._traffic.land(row.id)
        self._of_peer.discard(lane.key)
        self._traffic.leave(lane)

    def _drop_head(self, lane: Lane) -> None:
        if len(lane.rows) == 1:
            self._close(lane)
            return
        id = lane.rows.popleft().id
        lane.kept.pop(id, None)
        del self._by_id[id]
        self._traffic.line_up(lane)

    # Departures

    def _retry(self, lane: Lane, pause: float) -> None:
        if pause <= 0:
            self._traffic.line_up(lane)
        else:
            self._traffic.leave(lane)
            lane.timer = self._agenda.after(pause, self._due, lane)

    def _due(self, lane: Lane) -> None:
        self._traffic.line_up(lane)
        self._fill()

    def _fill(self) -> None:
        if not self._stopped:
            for lane in self._traffic.departing():
                if not self._is_held_back(lane):
                    self._send(lane)
            crowded = self._pour() if self._dry else False
            self._traffic.wait(self._fill, crowded=crowded)

    def _is_held_back(self, lane: Lane) -> bool:
        """Whether this is not sent now: it is of no use any more, the day's attempts are used up, or it
        waits for its turn to get airtime."""
        row = lane.head
        if row.attempts:
            if self._drop_pointless(lane):
                return True
            now = self._agenda.clock()
            free = policy.budget_free_at(self._attempts.setdefault(row.key, deque()), now)
            if free > now:
                self._retry(lane, free - now)
                return True
        if self._airtime is None:
            return False
        radio = self._airtime.by(self._attempt(lane))
        if radio:
            self._traffic.lacks_airtime(lane, radio)
        return bool(radio)

    def _drop_pointless(self, lane: Lane) -> bool:
        row = lane.head
        ended = self._books.ended(row.key)
        why = policy.pointless(row, self._wall(), followed=len(lane.rows) > 1, ended=ended)
        if why:
            self._drop_head(lane)
            self._books.changed(replace(row, state=OutboxState.DROPPED, reason=why, next_attempt_at=None))
        return bool(why)

    def _send(self, lane: Lane) -> None:
        row = lane.head
        lane.rows[0] = replace(row, state=OutboxState.QUEUED, attempts=row.attempts + 1)
        self._books.attempted(lane.rows[0])
        self._transport.send(self._depart(lane))

    def _attempt(self, lane: Lane) -> Outgoing:
        """What would be sent now."""
        via = lane.via and self._transport.propagation_available()
        return policy.outgoing(lane.head, via_propagation=via)

    def _depart(self, lane: Lane) -> Outgoing:
        message = self._attempt(lane)
        self._attempts.setdefault(lane.key, deque()).append(self._agenda.clock())
        self._traffic.depart(lane, via=message.via_propagation)
        return message

    # Airtime

    def notice(self, key: SessionKey, message: Outgoing) -> None:
        """Send a message without a row, once, as soon as there is airtime for it. Of those about a session
        that wait only the newest is sent."""
        radio = self._radio(message)
        if not radio:
            self._transport.send(message)
            return
        self._notices -= 1
        self._dry.note(Notice(key, replace(message, ref=self._notices), radio))
        self._fill()

    def noticed(self, ref: int, progress: Progress) -> None:
        """News of a message without a row."""
        if self._airtime is not None and progress not in (Progress.SENDING, Progress.SENT):
            self._airtime.ended(ref)

    def airtime_freed(self) -> None:
        """Airtime that was held for something has been given back."""
        if self._dry:
            self._fill()

    @property
    def dry(self) -> tuple[int, float | None]:
        """How many lanes and notices wait for airtime, and until when, Unix seconds, as far as is known."""
        until = self._dry.until
        return len(self._dry), None if until is None else self._wall() + until - self._agenda.clock()

    def _has_airtime(self, row: OutboxRow) -> bool:
        """Whether a new row may go out at once; then airtime is held for it."""
        assert self._airtime is not None
        via = self._presence.is_away(row.peer) and self._transport.propagation_available()
        message = policy.outgoing(row, via_propagation=via)
        if not self._airtime.by(message):
            return True
        # Whoever waits already comes first.
        return not self._dry and self._airtime.ask(message).granted

    def _radio(self, message: Outgoing) -> str:
        """The radio that it goes out by, "" where it costs no airtime."""
        return "" if self._airtime is None else self._airtime.by(message)

    def _pour(self) -> bool:
        """Give what airtime there is to those that wait, in their order. Whether there was no place for one
        that might have got some."""
        assert self._airtime is not None
        self._agenda.cancel(self._rain)
        self._rain = self._dry.until = None
        now = self._agenda.clock()
        soonest = now + FALLBACK_SECONDS
        blocked: set[object] = set()
        crowded = False
        for item in self._dry:
            if item.radio in blocked or (item.radio, item.peer) in blocked:
                continue
            if not self._traffic.room(item.peer):
                crowded = True
                continue
            if isinstance(item, Lane):
                self._drop_overtaken(item)
                message = self._attempt(item)
            else:
                message = item.message
            answer = self._airtime.ask(message)
            if not answer.granted:
                blocked.add((item.radio, item.peer) if answer.share else item.radio)
                if answer.at is not None:
                    soonest = min(soonest, answer.at)
                    self._dry.until = min(answer.at, self._dry.until or answer.at)
                if isinstance(item, Lane):
                    item.dry_until = answer.at
                continue
            self._dry.discard(item)
            if isinstance(item, Lane):
                self._send(item)
            else:
                self._transport.send(message)
        if self._dry:
            # Never at once again, whatever the clocks say.
            self._rain = self._agenda.at(max(soonest, now + 1.0), self._fill)
        return crowded

    def _drop_overtaken(self, lane: Lane) -> None:
        """An offer that waits for airtime while a later action of ours follows need not be made any more."""
        while lane.head.command == Command.DRAW_OFFER and len(lane.rows) > 1 and self._drop_pointless(lane):
            self._traffic.lacks_airtime(lane, lane.radio)

    def _thirsty(self, lane: Lane) -> OutboxRow:
        """What is seen of a row that waits for airtime; the database need not know. Until when is known of
        the first; the others wait as long at least."""
        until = lane.dry_until or self._dry.until
        wall = None if until is None else self._wall() + max(0.0, until - self._agenda.clock())
        return replace(lane.head, next_attempt_at=wall)
