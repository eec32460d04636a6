"""Deadlines and strikes (§4).

A clock runs while its player is on turn and has nothing pending, and the host is there.
"""

from __future__ import annotations

from gateway.rcadia.server.config import Mode
from gateway.rcadia.server.table import Seat, Session
from gateway.rcadia.server.turns import your_turn


def deadline(seat: Seat) -> float | None:
    """When the seat gets a strike; None where its clock does not run."""
    session = seat.session
    if session.mode is Mode.FREE or session.silent_since is not None or not your_turn(seat):
        return None
    return _deadline(seat)


def _deadline(seat: Seat) -> float | None:
    timeout = seat.session.config.turn_timeout
    if not timeout or seat.clock_start is None:
        return None
    return seat.clock_start + timeout * (seat.turn_strikes + 1)


def next_deadline(session: Session) -> float | None:
    """The earliest deadline that runs."""
    running = [at for seat in session.seats if (at := deadline(seat)) is not None]
    return min(running, default=None)


def strike_late(session: Session, now: float) -> list[Seat]:
    """A strike for everybody whose deadline has passed; those who have used them up, by seat."""
    late = [seat for seat in session.seats if (at := deadline(seat)) is not None and at <= now]
    for seat in late:
        _strike(session, seat, now)
    return [seat for seat in late if seat.strikes >= session.config.max_strikes]


def _strike(session: Session, seat: Seat, now: float) -> None:
    config = session.config
    seat.strikes += 1
    seat.turn_strikes += 1
    # After a long wait for a verdict the next deadline may have passed as well. A strike gives one more
    # full turn, so it begins now.
    if (following := _deadline(seat)) is not None and following <= now:
        seat.clock_start = now - config.turn_timeout * seat.turn_strikes
    final = seat.strikes >= config.max_strikes
    if final or not config.legacy:
        session.queue.push(
            type="timeout",
            player_id=seat.player_id,
            strike=seat.strikes,
            max_strikes=config.max_strikes,
            final=final,
        )
    session.note(now, "strike", player_id=seat.player_id, turn=session.turn, strike=seat.strikes)


def shift(session: Session, seconds: float) -> None:
    """Move all deadlines on, by the time in which the host was not there."""
    for seat in session.seats:
        if seat.clock_start is not None:
            seat.clock_start += seconds
