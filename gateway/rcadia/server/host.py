"""Whether the host of a session is there (§3)."""

from __future__ import annotations

from typing import Final

from gateway.rcadia.server import clock
from gateway.rcadia.server.table import Session

ALIVE: Final = 20.0
"""Seconds after the last sign of life in which the host counts as alive."""

GONE: Final = 90.0
"""Seconds after the last sign of life after which its sessions end."""


def contact(session: Session, now: float) -> None:
    """The host has done something."""
    session.contact = max(session.contact, now)
    since, session.silent_since = session.silent_since, None
    if since is not None:
        clock.shift(session, max(0.0, now - since))
        session.note(now, "host_back")


def next_check(session: Session) -> float | None:
    """When the host counts as silent, or as gone; None while one of its polls is open."""
    if session.polls:
        return None
    return session.contact + (ALIVE if session.silent_since is None else GONE)


def fall_silent(session: Session, now: float) -> None:
    """Clocks stop."""
    session.silent_since = now
    session.note(now, "host_lost")
