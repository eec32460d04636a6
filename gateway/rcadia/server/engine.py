"""What the routes call: every request as a method, with the time as an argument.

A method first does what was due in its session by then. Afterwards ``take_changed`` says which sessions have
changed and must wake whoever waits for them, and ``next_due`` when to call ``advance``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.rcadia import wire
from gateway.rcadia.server import (
    config,
    endings,
    host,
    outcomes,
    schedule,
    seats,
    series,
    slugs,
    turns,
)
from gateway.rcadia.server.config import Mode
from gateway.rcadia.server.delivery import MAX_UNACKNOWLEDGED
from gateway.rcadia.server.refusal import Refusal, bad
from gateway.rcadia.server.room import Room
from gateway.rcadia.server.table import Action, Game, Host, Seat, Series, Session
from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits(Value):
    """Bounds of memory: sessions in all and hosted by one account, and sizes in bytes of what one session
    publishes, of all that those of one account do, of all that is published, of one action, of those that
    wait in one session, in all of one account, and in all there are.
    """

    sessions: int = 2000
    hosted: int = 1000
    session_bytes: int = 512 * 1024
    host_bytes: int = 16 * 1024 * 1024
    all_bytes: int = 64 * 1024 * 1024
    action_bytes: int = 16 * 1024
    queue_bytes: int = 1024 * 1024
    host_queue_bytes: int = 16 * 1024 * 1024
    all_queue_bytes: int = 64 * 1024 * 1024


_GAMES_REMEMBERED: Final = 200


class Engine:
    """All sessions of one start of the server. ``tag``: four hexadecimal digits, not the last start's.

    ``games`` are those played lately, by slug.
    """

    def __init__(self, tag: str, token_hex: Callable[[int], str], limits: Limits | None = None) -> None:
        self.room = Room(tag, token_hex)
        self.games: dict[str, Game] = {}
        self._limits = limits or Limits()

    # Finding

    def session(self, id: str, now: float) -> Session:
        """Raises ``Refusal``: 404, or 410 where the server has restarted since."""
        session = self.room.sessions.get(id)
        if session is None:
            tag = wire.boot_tag(id)
            if tag is not None and tag != self.room.tag:
                raise Refusal(410, "server_restarted", "The server has restarted, and the session is lost.")
            raise Refusal(404, "unknown_session", "There is no such session.")
        schedule.settle(session, now)
        return session

    def seat(self, session: Session, account: str) -> Seat:
        """The seat of an account. Raises ``Refusal`` (403)."""
        seat = session.seat_of(account)
        if seat is None:
            raise Refusal(403, "not_a_player", "You have no seat in this session.")
        return seat

    def check_host(self, session: Session, account: str) -> None:
        """Raises ``Refusal`` (403) unless the account hosts the session."""
        if session.host.account != account:
            raise Refusal(403, "not_the_host", "You are not the host of this session.")

    def hosts(self, account: str, id: str) -> bool:
        """Whether the account hosts this session, which there may not be."""
        session = self.room.sessions.get(id)
        return session is not None and session.host.account == account

    def tables(self, game: str | None, *, everything: bool) -> list[Session]:
        """Joinable sessions, the oldest first; with ``everything`` active and reserved ones as well."""
        return [
            session
            for session in self.room.sessions.values()
            if (session.joinable or (everything and not session.finished)) and _is_game(session, game)
        ]

    # Hosts

    def create(self, host: Host, request: wire.CreateRequest, now: float) -> Session:
        """A new session. Raises ``Refusal``: 400, or 429 where there are too many."""
        checked = config.read(request.config)
        self._make_place(host)
        game_id, title = slugs.label(request.game_id), slugs.label(request.game_title)
        id = self.room.new_session_id()
        session = Session(
            room=self.room,
            id=id,
            game=Game(game_id, title, slugs.slug(title, game_id, checked.game_type), checked),
            host=host,
            series=Series(id),
            created_at=now,
            contact=now,
        )
        self.room.add(session)
        session.note(now, "created")
        self._remember(session.game)
        return session

    def ops(self, session: Session, ops: Sequence[wire.Op], now: float) -> None:
        """Apply all ops in order, or none. Raises ``Refusal`` (400, 413, 429)."""
        for op in ops:
            if not isinstance(op, wire.StateOp | wire.EndOp) and session.seat_named(op.player_id) is None:
                raise bad(f"There is no player {op.player_id} in this session.", "unknown_player")
        encoded = [_encoded(op) for op in ops]
        self._check_size(session, ops, encoded)
        host.contact(session, now)
        for op, raw in zip(ops, encoded, strict=True):
            self._apply(session, op, raw, now)
        if session.active:
            # A refused action may come back after its deadline.
            schedule.strike(session, now)
        self._count(session)

    def contact(self, session: Session, now: float) -> None:
        """The host has been heard."""
        host.contact(session, now)

    def poll_begins(self, session: Session, after: int | None, now: float) -> None:
        """A poll for entries is open; what it acknowledges is forgotten."""
        host.contact(session, now)
        session.polls += 1
        if after is not None:
            session.queue.acknowledge(after)
            self._count_queue(session)

    def poll_ready(self, session: Session, after: int | None) -> bool:
        """Whether the poll has something to bring."""
        return session.finished or session.queue.beyond(after)

    def poll_takes(self, session: Session, after: int | None, now: float) -> list[wire.Entry]:
        """The entries that the poll brings; without ``after`` they are forgotten."""
        taken = session.queue.drain(now) if after is None else session.queue.newer(after, now)
        self._count_queue(session)
        return taken

    def poll_ends(self, session: Session, now: float) -> None:
        """The poll is answered, or its connection is gone."""
        session.polls -= 1
        host.contact(session, now)
        self.room.schedule(session, schedule.next_due(session))

    def rematch(self, session: Session, now: float) -> Session:
        """The next session, which may exist. Raises ``Refusal`` (409)."""
        host.contact(session, now)
        existing = self.room.sessions.get(session.next or "")
        if existing is not None:
            host.contact(existing, now)
            return existing
        if session.next is not None:
            raise Refusal(409, "no_rematch", "The next round is over, too.")
        reason = series.refusal(session)
        if reason is not None:
            raise Refusal(409, "no_rematch", reason)
        return series.rematch(session, now)

    # Players

    def join(self, session: Session, account: str, as_name: str, now: float) -> Seat:
        """Raises ``Refusal`` (409)."""
        return seats.join(session, account, as_name, now)

    def enter(self, session: Session, seat: Seat, now: float) -> None:
        """The player has called something, and is ready."""
        seats.enter(session, seat, now)

    def act(self, session: Session, seat: Seat, request: wire.ActionRequest, now: float) -> Action:
        """Take an action. Raises ``Refusal`` (400, 409, 413, 429)."""
        if wire.is_reserved(request.action):
            raise bad("Types of actions that begin with __ are the platform's.", "reserved_action")
        body = msgspec.json.encode(request.action)
        if len(body) > self._limits.action_bytes:
            raise Refusal(413, "too_large", f"An action has at most {self._limits.action_bytes} bytes.")
        turns.check(session, seat, request.turn)
        self._check_queue(session, len(body))
        action = turns.submit(session, seat, msgspec.Raw(body), request.turn, now)
        self._count_queue(session)
        return action

    def leave(self, session: Session, seat: Seat, now: float) -> None:
        seats.leave(session, seat, now)

    def cut_off(self, accounts: Collection[str], now: float) -> None:
        """These accounts may not play or host any more: they leave, and what they host is over."""
        for session in list(self.room.sessions.values()) if accounts else ():
            schedule.settle(session, now)
            if session.finished:
                continue
            if session.host.account in accounts:
                endings.by_absence(session, now)
                session.changed()
                continue
            for seat in [one for one in session.seats if one.account in accounts]:
                seats.leave(session, seat, now)

    # Time and changes

    def advance(self, now: float) -> None:
        """Do what is due in any session, and drop those that were kept long enough."""
        for session in list(self.room.take_due(now)):
            if session.finished and now >= (session.ended_at or 0.0) + schedule.KEPT:
                self._drop(session)
                continue
            schedule.settle(session, now)
            self.room.schedule(session, schedule.next_due(session))

    def next_due(self) -> float | None:
        """When to call ``advance``; may be too early. Asked after ``take_changed``."""
        return self.room.next_due()

    def take_changed(self) -> list[Session]:
        """The sessions that have changed since it was last called."""
        changed = list(self.room.changed)
        self.room.changed.clear()
        for session in changed:
            if session.id in self.room.sessions:
                self.room.schedule(session, schedule.next_due(session))
        return changed

    def take_ended(self) -> list[Session]:
        """The sessions that have ended since it was last called."""
        ended, self.room.ended = self.room.ended, []
        return ended

    # Within

    def _apply(self, session: Session, op: wire.Op, raw: msgspec.Raw | None, now: float) -> None:
        match op:
            case wire.StateOp():
                session.state = _given(raw)
                session.changed()
                turns.state_published(session, now)
            case wire.ObservationOp():
                _seat(session, op.player_id).observation = None if op.observation is None else raw
                session.changed()
            case wire.LegalActionsOp():
                turns.publish(session, _seat(session, op.player_id), raw, now)
                session.changed()
            case wire.RejectOp():
                outcomes.reject(session, _seat(session, op.player_id), op.action_id, op.reason, now)
                session.changed()
            case wire.EndOp():
                endings.by_host(session, _given(raw), op.reason, now)
                session.changed()

    def _remember(self, game: Game) -> None:
        self.games.pop(game.slug, None)
        self.games[game.slug] = game
        if len(self.games) > _GAMES_REMEMBERED:
            del self.games[next(iter(self.games))]

    def _make_place(self, host: Host) -> None:
        sessions = self.room.sessions
        hosted = sum(one.host.account == host.account and not one.finished for one in sessions.values())
        if hosted >= self._limits.hosted:
            raise Refusal(429, "too_many_sessions", "You host too many sessions.", retry_after=60)
        if len(sessions) >= self._limits.sessions:
            oldest = next((one for one in sessions.values() if one.finished), None)
            if oldest is None:
                raise Refusal(429, "server_full", "There are too many sessions.", retry_after=60)
            self._drop(oldest)

    def _drop(self, session: Session) -> None:
        del self.room.sessions[session.id]
        self.room.count_stored(session, 0)
        self.room.count_queued(session, 0)
        self.room.changed[session] = None

    def _check_size(
        self, session: Session, ops: Sequence[wire.Op], encoded: Sequence[msgspec.Raw | None]
    ) -> None:
        sizes = _sizes(session)
        for op, raw in zip(ops, encoded, strict=True):
            if raw is not None:
                sizes[type(op), getattr(op, "player_id", "")] = len(raw)
            elif isinstance(op, wire.RejectOp):
                sizes[wire.RejectOp, op.player_id] += _size(op.reason)
        total = sum(sizes.values())
        if total > self._limits.session_bytes:
            limit = self._limits.session_bytes
            raise Refusal(413, "too_large", f"A session publishes at most {limit} bytes.")
        more, room = total - session.stored, self.room
        if more > 0 and room.stored_by[session.host.account] + more > self._limits.host_bytes:
            message = f"The games of one host publish at most {self._limits.host_bytes} bytes."
            raise Refusal(429, "host_full", message, retry_after=60)
        if more > 0 and room.stored + more > self._limits.all_bytes:
            raise Refusal(429, "server_full", "The server has no more memory for games.", retry_after=60)

    def _count(self, session: Session) -> None:
        self.room.count_stored(session, sum(_sizes(session).values()))
        self._count_queue(session)

    def _check_queue(self, session: Session, size: int) -> None:
        held = sum(one.held for seat in session.seats for one in seat.open)
        if (
            len(session.queue) + held >= MAX_UNACKNOWLEDGED
            or _queued(session) + size > self._limits.queue_bytes
            or self.room.queued_by[session.host.account] + size > self._limits.host_queue_bytes
        ):
            raise Refusal(429, "too_many_actions", "Too many actions wait for the game.", retry_after=1)
        if self.room.queued + size > self._limits.all_queue_bytes:
            raise Refusal(429, "server_full", "The server has no more memory for actions.", retry_after=60)

    def _count_queue(self, session: Session) -> None:
        if session.id not in self.room.sessions:
            return  # A poll of it was still open.
        self.room.count_queued(session, _queued(session))


def _sizes(session: Session) -> dict[tuple[type[wire.Op], str], int]:
    sizes: dict[tuple[type[wire.Op], str], int] = {
        (wire.StateOp, ""): len(session.state),
        (wire.EndOp, ""): len(session.result),
    }
    for seat in session.seats:
        sizes[wire.LegalActionsOp, seat.player_id] = len(seat.legal or b"")
        sizes[wire.ObservationOp, seat.player_id] = len(seat.observation or b"")
        sizes[wire.RejectOp, seat.player_id] = sum(_size(one.reason) for one in seat.rejections)
    return sizes


def _queued(session: Session) -> int:
    """Bytes of the actions that the host has not acknowledged, those that are still held included."""
    if session.mode is not Mode.SIMULTANEOUS:
        return session.queue.size
    return session.queue.size + sum(len(one.body) for seat in session.seats for one in seat.open)


def _size(reason: str | None) -> int:
    return len((reason or "").encode())


def _encoded(op: wire.Op) -> msgspec.Raw | None:
    """What an op publishes, as JSON. Encoded anew, so that what others are sent is sound."""
    match op:
        case wire.StateOp():
            value = op.state
        case wire.ObservationOp():
            value = op.observation
        case wire.LegalActionsOp():
            if not op.actions:
                return None
            value = op.actions
        case wire.EndOp():
            value = op.result
        case wire.RejectOp():
            return None
    return msgspec.Raw(msgspec.json.encode(value))


def _given(raw: msgspec.Raw | None) -> msgspec.Raw:
    assert raw is not None
    return raw


def _seat(session: Session, player_id: str) -> Seat:
    seat = session.seat_named(player_id)
    assert seat is not None, "checked before"
    return seat


def _is_game(session: Session, game: str | None) -> bool:
    wanted = (game or "").strip().casefold()
    if not wanted:
        return True
    known = session.game
    return wanted in (
        (known.id or "").casefold(),
        known.slug,
        (known.title or "").casefold(),
        (known.config.game_type or "").casefold(),
    )
