"""How a session ends: by its game, or by the platform (§3, §4, §5)."""

from __future__ import annotations

from typing import Any

import msgspec

from gateway.rcadia.server import outcomes, series
from gateway.rcadia.server.table import Seat, Session


def by_host(session: Session, result: msgspec.Raw, reason: str | None, now: float) -> None:
    """The game says that it is over."""
    if session.finished:
        return
    for seat in session.seats:
        outcomes.apply_delivered(session, seat, now)
        outcomes.withdraw_undelivered(session, seat, outcomes.GAME_OVER, now)
    _finish(session, result, reason or "game_over", now)


def by_timeout(session: Session, over: list[Seat], now: float) -> None:
    """Whoever used up all strikes loses; with two at once nobody wins."""
    loser = over[0]
    winner = _opponent(session, loser) if len(over) == 1 else None
    _by_platform(
        session,
        {
            "winner": winner,
            "reason": "timeout",
            "forfeitedBy": loser.player_id,
            "strikes": loser.strikes,
        },
        now,
    )


def by_leaving(session: Session, seat: Seat, now: float) -> None:
    """A player goes while the game is on."""
    session.no_rematch = True
    result = {"winner": _opponent(session, seat), "reason": "left", "forfeitedBy": seat.player_id}
    _by_platform(session, result, now)


def by_absence(session: Session, now: float) -> None:
    """The host is gone for good."""
    _by_platform(session, {"winner": None, "reason": "host_disconnected"}, now)


def _opponent(session: Session, seat: Seat) -> str | None:
    others = [one.player_id for one in session.seats if one is not seat]
    return others[0] if len(others) == 1 else None


def _by_platform(session: Session, result: dict[str, Any], now: float) -> None:
    for seat in session.seats:
        outcomes.end_by_platform(session, seat, now)
    encoded = msgspec.Raw(msgspec.json.encode(result))
    if not session.config.legacy:
        session.queue.push(type="system", event="session_end", result=encoded, reason=result["reason"])
    _finish(session, encoded, result["reason"], now)


def _finish(session: Session, result: msgspec.Raw, reason: str, now: float) -> None:
    session.status = "finished"
    session.result = result
    session.reason = reason
    session.ended_at = now
    session.reserved_until = None
    session.release = None
    for seat in session.seats:
        seat.legal = None
        seat.clock_start = None
    session.note(now, "finished", reason=reason)
    session.room.ended.append(session)
    if session.config.auto_rematch and series.refusal(session) is None:
        series.rematch(session, now)
