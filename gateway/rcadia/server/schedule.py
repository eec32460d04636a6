"""What is due in a session, and doing it at its own time, in order, however late one looks."""

from __future__ import annotations

from typing import Final

from gateway.rcadia.server import clock, endings, host, outcomes, seats, series
from gateway.rcadia.server.table import Session

KEPT: Final = 900.0
"""Seconds for which a finished session can still be looked at."""


def settle(session: Session, now: float) -> None:
    """Do everything that was due by now."""
    while not session.finished:
        at = next_due(session)
        if at is None or at > now:
            return
        _step(session, at)


def next_due(session: Session) -> float | None:
    """When the session next has something to do by itself; the end of its keeping once it is finished."""
    if session.finished:
        return (session.ended_at or 0.0) + KEPT
    times = [host.next_check(session)]
    if session.active:
        times += [clock.next_deadline(session), outcomes.next_verdict(session)]
    else:
        times.append(session.reserved_until)
        if seats.ready_to_start(session):
            times.append(session.not_before)
    return min((at for at in times if at is not None), default=None)


def _step(session: Session, at: float) -> None:
    """Whatever is due at exactly that time."""
    if session.active:
        outcomes.give_up_waiting(session, at)
    elif seats.ready_to_start(session):
        seats.start_if_ready(session, at)
    if session.reserved_until is not None and session.reserved_until <= at:
        series.lapse(session, at)
    if session.active:
        strike(session, at)
    check = host.next_check(session)
    if session.finished or check is None or check > at:
        return
    if session.silent_since is None:
        host.fall_silent(session, at)
    else:
        endings.by_absence(session, at)


def strike(session: Session, now: float) -> None:
    """Strike whoever is late, and end the game if that was the last one."""
    over = clock.strike_late(session, now)
    if over and session.config.forfeit:
        endings.by_timeout(session, over, now)
