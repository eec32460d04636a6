"""Joining, being ready, leaving (§5, §6), and the start of the game when all seats are taken."""

from __future__ import annotations

from gateway.rcadia.server import endings, series
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Seat, Session


def join(session: Session, account: str, as_name: str, now: float) -> Seat:
    """A seat, or the one the account has. Raises ``Refusal`` (409)."""
    seat = session.seat_of(account)
    if seat is not None:
        enter(session, seat, now)
        return seat
    if session.finished:
        raise Refusal(409, "finished", "The game is over.")
    if session.active:
        raise Refusal(409, "in_progress", "The game has started.")
    if session.reserved:
        raise Refusal(409, "reserved", "The seats are kept for a rematch.")
    if session.full:
        raise Refusal(409, "full", "All seats are taken.")
    seat = Seat(session, account, session.room.player_id(session, account), as_name)
    session.seats.append(seat)
    session.note(now, "joined", player_id=seat.player_id, seat=seat.number)
    start_if_ready(session, now)
    return seat


def enter(session: Session, seat: Seat, now: float) -> None:
    """The player is here: whoever calls anything on a reserved session is ready."""
    if seat.ready:
        return
    seat.ready = True
    session.note(now, "ready", player_id=seat.player_id, seat=seat.number)
    series.open_if_complete(session)
    start_if_ready(session, now)


def ready_to_start(session: Session) -> bool:
    """Whether the game begins as soon as the pause after the last one is over."""
    return session.status == "waiting" and session.full and all(seat.ready for seat in session.seats)


def start_if_ready(session: Session, now: float) -> None:
    """Begin the game if nobody is awaited and the pause is over."""
    if not ready_to_start(session) or now < session.not_before:
        return
    session.status = "active"
    session.reserved_until = None
    session.started_at = now
    players = [seat.player_id for seat in session.seats]
    if session.config.legacy:
        session.queue.push(
            type="action",
            player_id="__system__",
            action={"type": "__game_start__", "players": players},
            action_id=session.room.new_action_id(),
        )
    else:
        session.queue.push(type="system", event="game_start", players=players, round=session.round)
    session.note(now, "started")


def leave(session: Session, seat: Seat, now: float) -> None:
    """Leave a waiting table, forfeit a game, or opt out of the rematch of a finished one."""
    if session.active:
        endings.by_leaving(session, seat, now)
        return
    if session.finished:
        _opt_out(session, seat, now)
        return
    _vacate(session, seat, now)
    previous = session.room.sessions.get(session.previous or "")
    old = previous.seat_of(seat.account) if previous is not None else None
    if previous is not None and old is not None:
        old.opted_out = True
        previous.changed()


def _opt_out(session: Session, seat: Seat, now: float) -> None:
    following = session.room.sessions.get(session.next or "")
    if following is not None:
        if following.status != "waiting":
            return
        taken = following.seat_of(seat.account)
        if taken is not None:
            _vacate(following, taken, now)
    if not seat.opted_out:
        seat.opted_out = True
        session.note(now, "opted_out", player_id=seat.player_id)


def _vacate(session: Session, seat: Seat, now: float) -> None:
    session.seats.remove(seat)
    session.note(now, "left", player_id=seat.player_id)
    series.open_if_complete(session)
    series.start_over_if_empty(session)
