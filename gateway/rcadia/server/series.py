"""Rematches: the next session of the same players, its reserved seats, and tables that start over (§6)."""

from __future__ import annotations

from typing import Final

from gateway.rcadia.server.table import Seat, Series, Session

RESERVED: Final = 60.0
"""Seconds for which the seats of a rematch are kept."""

PAUSE: Final = 3.0
"""Seconds between the end of a game and the next round."""

_NO_REMATCH: Final = ("host_disconnected", "host_left")


def refusal(session: Session) -> str | None:
    """Why there can be no rematch, a sentence; None if there can."""
    if not session.finished:
        return "The game is not over."
    if session.config.legacy:
        return "Games of version 1 have no rematch."
    if session.started_at is None:
        return "The game never started."
    if session.reason in _NO_REMATCH:
        return "The host is gone."
    if session.no_rematch or any(seat.opted_out for seat in session.seats):
        return "A player does not want a rematch."
    if len(session.seats) < session.config.min_players:
        return "Too few players remain."
    return None


def rematch(session: Session, now: float) -> Session:
    """Open the next round; the caller has asked ``refusal``."""
    room = session.room
    following = Session(
        room=room,
        id=room.new_session_id(),
        game=session.game,
        host=session.host,
        series=session.series,
        created_at=now,
        round=session.round + 1,
        previous=session.id,
        contact=now,
        polls=0,
        reserved_until=now + RESERVED,
        not_before=(session.ended_at or now) + PAUSE,
    )
    following.seats = [
        Seat(following, seat.account, seat.player_id, seat.as_name, ready=False) for seat in session.seats
    ]
    room.add(following)
    following.note(now, "created")
    session.next = following.id
    session.note(now, "rematch", session_id=following.id)
    return following


def lapse(session: Session, now: float) -> None:
    """The reservation is over: whoever did not come has no seat any more."""
    gone = [seat for seat in session.seats if not seat.ready]
    session.reserved_until = None
    session.seats = [seat for seat in session.seats if seat.ready]
    for seat in gone:
        session.note(now, "left", player_id=seat.player_id, reason="not_ready")
    session.changed()
    start_over_if_empty(session)


def open_if_complete(session: Session) -> None:
    """Where somebody opted out and all others are ready, strangers may join."""
    if session.reserved and not session.full and all(seat.ready for seat in session.seats):
        session.reserved_until = None
        session.changed()
        start_over_if_empty(session)


def start_over_if_empty(session: Session) -> None:
    """A table that everyone has left is round 1 of a new series."""
    if session.seats or session.series.id == session.id:
        return
    session.series = Series(session.id)
    session.round = 1
    session.previous = None
    session.changed()
