"""What becomes of an accepted action (§4): applied, rejected, unconfirmed."""

from __future__ import annotations

from typing import Final

import msgspec

from gateway.rcadia.server.table import NOTHING, Action, Rejected, Seat, Session

VERDICT: Final = 15.0
"""Seconds from delivery in which the game should say something."""

TURN_MOVED: Final = "turn_moved"
GAME_OVER: Final = "game_over"

MAX_OPEN: Final = 64
"""Open actions of one seat. Only a game without turns can have more than a few."""


def accept(session: Session, seat: Seat, body: msgspec.Raw, now: float, *, held: bool) -> Action:
    """Take an action; ``held``: the host gets it later."""
    action = Action(session.room.new_action_id(), session.turn, body, now, held=held)
    seat.open.append(action)
    seat.last = action
    if not held:
        hand_over(session, seat, action)
    session.note(now, "action", player_id=seat.player_id, turn=action.turn, action_id=action.id)
    return action


def hand_over(session: Session, seat: Seat, action: Action) -> None:
    """Put an action into the host's queue."""
    action.held = False
    session.queue.push(
        action, type="action", player_id=seat.player_id, action=action.body, action_id=action.id
    )
    # Open actions may stay for long; what was in them need not.
    action.body = NOTHING


def apply_delivered(session: Session, seat: Seat, now: float) -> None:
    """The game went on with what it was given."""
    for action in seat.delivered():
        seat.strikes = 0
        _resolve(session, seat, action, "applied", None, now)
        seat.open.remove(action)


def withdraw_undelivered(session: Session, seat: Seat, reason: str, now: float) -> None:
    """What the game has not seen it never will."""
    for action in [one for one in seat.open if one.delivered_at is None]:
        session.queue.withdraw(action)
        _resolve(session, seat, action, "rejected", reason, now)
        seat.open.remove(action)


def reject(session: Session, seat: Seat, action_id: str | None, reason: str, now: float) -> bool:
    """The game refuses the named action, else the latest it was given. False: there is none such."""
    candidates = [one for one in seat.delivered() if action_id in (None, one.id)]
    if not candidates:
        return False
    action = candidates[-1]
    _resolve(session, seat, action, "rejected", reason, now)
    seat.open.remove(action)
    seat.rejections.append(Rejected(action.id, reason, action.turn, now))
    return True


def end_by_platform(session: Session, seat: Seat, now: float) -> None:
    """The platform ended the game: what the game was given stays without a verdict."""
    for action in seat.delivered():
        if action.pending:
            _resolve(session, seat, action, "unconfirmed", None, now)
    withdraw_undelivered(session, seat, GAME_OVER, now)
    seat.open.clear()


def next_verdict(session: Session) -> float | None:
    """When the earliest wait for a verdict ends; None where nobody waits."""
    waits = [
        action.delivered_at + VERDICT
        for seat in session.seats
        for action in seat.open
        if action.pending and action.delivered_at is not None
    ]
    return min(waits, default=None)


def give_up_waiting(session: Session, now: float) -> None:
    """Whoever waited long enough for a verdict may act again."""
    for seat in session.seats:
        for action in seat.delivered():
            assert action.delivered_at is not None
            if action.pending and action.delivered_at + VERDICT <= now:
                _resolve(session, seat, action, "unconfirmed", None, now)
        # A verdict may still come, but not for ever.
        stale = [one for one in seat.open if not one.pending][:-MAX_OPEN]
        seat.open = [one for one in seat.open if one not in stale]


def _resolve(
    session: Session, seat: Seat, action: Action, status: str, reason: str | None, now: float
) -> None:
    action.status = status
    action.reason = reason
    seat.resolved += 1
    # Without the reason, which may tell others what only this player should know.
    session.note(now, "outcome", player_id=seat.player_id, action_id=action.id, status=status)
