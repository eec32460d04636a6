"""Whose turn it is (§4), in the three modes, and whether an action is taken."""

from __future__ import annotations

import msgspec

from gateway.rcadia.server import outcomes
from gateway.rcadia.server.config import Mode
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Action, Seat, Session


def on_turn(seat: Seat) -> bool:
    """Whether the seat may act now, an action it has pending aside."""
    session = seat.session
    if not session.active:
        return False
    if session.mode is Mode.FREE:
        return seat.legal is not None or not session.published
    return seat.legal is not None


def your_turn(seat: Seat) -> bool:
    """``yourTurn`` of the snapshot. Without turns a pending action does not stop the next."""
    return on_turn(seat) and (seat.session.mode is Mode.FREE or not seat.pending)


def publish(session: Session, seat: Seat, actions: msgspec.Raw | None, now: float) -> None:
    """The game says what a player may do; None for nothing. Without effect unless the game goes on."""
    if not session.active:
        return
    match session.mode:
        case Mode.SEQUENTIAL:
            _publish_sequential(session, seat, actions, now)
        case Mode.SIMULTANEOUS:
            _publish_simultaneous(session, seat, actions, now)
        case Mode.FREE:
            seat.legal = actions
            for other in session.seats:
                outcomes.apply_delivered(session, other, now)
    session.published = True


def state_published(session: Session, now: float) -> None:
    """For games that never publish legal actions, the state is their verdict."""
    if session.active and session.mode is Mode.FREE and not session.published:
        for seat in session.seats:
            outcomes.apply_delivered(session, seat, now)


def submit(session: Session, seat: Seat, body: msgspec.Raw, turn: int | None, now: float) -> Action:
    """Take an action. Raises ``Refusal`` (409, or 429 where too many wait)."""
    check(session, seat, turn)
    held = session.mode is Mode.SIMULTANEOUS and session.release is None
    action = outcomes.accept(session, seat, body, now, held=held)
    if held:
        _release_if_complete(session)
    return action


def check(session: Session, seat: Seat, turn: int | None) -> None:
    """Raises ``Refusal`` if the seat may not act now."""
    if session.finished:
        raise Refusal(409, "finished", "The game is over.", seat=seat)
    if not session.active:
        raise Refusal(409, "not_active", "The game has not started.", seat=seat)
    if session.mode is Mode.FREE:
        if sum(action.pending for action in seat.open) >= outcomes.MAX_OPEN:
            raise Refusal(429, "too_many_actions", "Too many actions wait for the game.", retry_after=1)
        return
    if not on_turn(seat):
        raise Refusal(409, "not_your_turn", "It is not your turn.", seat=seat)
    if seat.pending:
        raise Refusal(409, "action_pending", "Your action waits for the game.", seat=seat)
    if turn is not None and turn != session.turn:
        raise Refusal(409, "stale_turn", f"It is turn {session.turn}, not {turn}.", seat=seat)


def _publish_sequential(session: Session, seat: Seat, actions: msgspec.Raw | None, now: float) -> None:
    if actions is None:
        seat.legal = None
        return
    for other in session.seats:
        other.legal = None
    seat.legal = actions
    if session.turn_seat is seat and not seat.delivered():
        return
    _move_turn(session, now)
    session.turn_seat = seat
    seat.clock_start = now


def _publish_simultaneous(session: Session, seat: Seat, actions: msgspec.Raw | None, now: float) -> None:
    if actions is None:
        seat.legal = None
        _release_if_complete(session)
        return
    if session.turn == 0 or _release_delivered(session):
        for other in session.seats:
            other.legal = None
        session.release = None
        _move_turn(session, now)
    seat.legal = actions
    if seat.clock_start is None:
        seat.clock_start = now


def _release_delivered(session: Session) -> bool:
    release = session.release
    return release is not None and all(one.delivered_at is not None for one in release)


def _release_if_complete(session: Session) -> None:
    """Hand the actions of a simultaneous turn to the game once nobody is awaited."""
    if session.release is not None:
        return
    held = [(seat, action) for seat in session.seats for action in seat.open if action.held]
    if not held or any(on_turn(seat) and not seat.pending for seat in session.seats):
        return
    session.release = [action for _, action in held]
    for seat, action in held:
        outcomes.hand_over(session, seat, action)
    session.changed()


def _move_turn(session: Session, now: float) -> None:
    for seat in session.seats:
        outcomes.apply_delivered(session, seat, now)
        outcomes.withdraw_undelivered(session, seat, outcomes.TURN_MOVED, now)
        seat.rejections.clear()
        seat.turn_strikes = 0
        seat.clock_start = None
    session.turn += 1
    session.note(now, "turn", turn=session.turn)
