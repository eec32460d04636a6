"""What players, hosts and spectators are shown of a session, as models of ``wire``."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from gateway.rcadia import wire
from gateway.rcadia.server import clock
from gateway.rcadia.server.config import Mode
from gateway.rcadia.server.table import Action, Seat, Session
from gateway.rcadia.server.turns import on_turn, your_turn

_encode = msgspec.json.Encoder().encode


def snapshot(seat: Seat, base: str) -> wire.Snapshot:
    """What its player knows. ``base`` is the address of the server, without a slash at the end."""
    session = seat.session
    mine = your_turn(seat)
    last = seat.last
    return wire.Snapshot(
        session_id=session.id,
        player_id=seat.player_id,
        seat=seat.number,
        status=session.status,
        round=session.round,
        series_id=session.series.id,
        previous_session_id=session.previous,
        next_session_id=None if seat.opted_out else session.next,
        your_turn=mine,
        turn=session.turn,
        deadline=_time(session, _deadline_for(seat)),
        strikes=seat.strikes,
        max_strikes=session.config.max_strikes,
        waiting_for=waiting_for(seat, mine=mine),
        state=session.state if seat.observation is None else seat.observation,
        legal_actions=cast("Any", seat.legal) if mine else None,
        last_action=None if last is None else _last_action(session, last),
        rejections=[
            wire.Rejection(
                player_id=seat.player_id,
                action_id=one.action_id,
                reason=one.reason,
                turn=one.turn,
                at=_time(session, one.at),
            )
            for one in seat.rejections
        ],
        players=_players(seat),
        result=session.result,
        skill_url=skill_url(session, base),
        version=session.version,
    )


def waiting_for(seat: Seat, *, mine: bool) -> str | None:
    """Whom the player waits for; None on its own turn and after the end."""
    session = seat.session
    if session.finished:
        return None
    if not session.active:
        return "players"
    if mine and session.mode is not Mode.FREE:
        return None
    if seat.pending or session.silent_since is not None:
        return None if mine and not seat.pending else "host"
    if mine:
        return None
    # Nobody is on turn before the game has said so.
    return "opponent" if any(on_turn(one) for one in session.seats) else "host"


def public(session: Session) -> bytes:
    """The spectators' view as JSON, made once for each version."""
    if session.public is None or session.public[0] != session.version:
        session.public = (session.version, _encode(_public(session)))
    return session.public[1]


def _public(session: Session) -> wire.PublicView:
    game = session.game
    return wire.PublicView(
        session_id=session.id,
        game_id=game.id,
        game_title=game.title,
        status=session.status,
        round=session.round,
        series_id=session.series.id,
        turn=session.turn,
        deadline=_time(session, clock.next_deadline(session)),
        on_turn_seats=[seat.number for seat in session.seats if on_turn(seat)],
        players=players(session),
        state=session.state,
        result=session.result,
        version=session.version,
        next_session_id=session.next,
        previous_session_id=session.previous,
    )


def table(session: Session, base: str) -> wire.Table:
    """The entry of ``/available``."""
    game = session.game
    return wire.Table(
        session_id=session.id,
        game_id=game.id,
        game_title=game.title,
        game_slug=game.slug,
        skill_url=skill_url(session, base),
        status=session.status,
        joinable=session.joinable,
        reserved=session.reserved,
        current_players=len(session.seats),
        min_players=session.config.min_players,
        max_players=session.config.max_players,
        round=session.round,
        host=session.host.kind,
        created_at=_time(session, session.created_at),
        config=cast("Any", session.config.echo),
    )


def created(session: Session, base: str) -> wire.CreateAnswer:
    return wire.CreateAnswer(
        session_id=session.id,
        config=cast("Any", session.config.echo),
        skill_url=skill_url(session, base),
        round=session.round,
        series_id=session.series.id,
        players=players(session),
    )


def after_ops(session: Session) -> wire.OpsAnswer:
    return wire.OpsAnswer(
        status=session.status,
        version=session.version,
        round=session.round,
        next_session_id=session.next,
        players=players(session),
    )


def pending(session: Session, entries: list[wire.Entry]) -> wire.PendingAnswer:
    return wire.PendingAnswer(
        actions=entries,
        status=session.status,
        round=session.round,
        next_session_id=session.next,
        players=players(session),
        result=session.result,
    )


def rematch(session: Session) -> wire.RematchAnswer:
    return wire.RematchAnswer(
        session_id=session.id,
        round=session.round,
        series_id=session.series.id,
        players=players(session),
    )


def events(session: Session, since: int) -> wire.EventsAnswer:
    """The lines after ``since`` that are still kept."""
    return wire.EventsAnswer(
        events=[
            wire.Event(**{**line, "at": _time(session, line["at"])})
            for line in session.events
            if line["index"] > since
        ],
        last_index=session.event_index,
        status=session.status,
        version=session.version,
    )


def action(session: Session, taken: Action, seat: Seat, base: str) -> wire.ActionAnswer:
    return wire.ActionAnswer(
        action_id=taken.id,
        turn=taken.turn,
        outcome=taken.status,
        reason=taken.reason if taken.status == "rejected" else msgspec.UNSET,
        snapshot=snapshot(seat, base),
    )


def left(session: Session) -> wire.LeaveAnswer:
    return wire.LeaveAnswer(session_id=session.id, status=session.status, result=session.result)


def players(session: Session) -> list[wire.PlayerRef]:
    """The seats in their order."""
    return [
        wire.Player(player_id=one.player_id, seat=number, as_name=one.as_name, ready=one.ready)
        for number, one in enumerate(session.seats)
    ]


def skill_url(session: Session, base: str) -> str:
    return f"{base}/games/{session.game.slug}/skill.md"


def _players(you: Seat) -> list[wire.Player]:
    return [
        wire.Player(
            player_id=one.player_id, seat=number, as_name=one.as_name, you=one is you, ready=one.ready
        )
        for number, one in enumerate(you.session.seats)
    ]


def _deadline_for(seat: Seat) -> float | None:
    """The player's own; else, while it has nothing to do, the earliest of the others."""
    return clock.deadline(seat) if on_turn(seat) else clock.next_deadline(seat.session)


def _last_action(session: Session, last: Action) -> wire.LastAction:
    return wire.LastAction(
        action_id=last.id,
        turn=last.turn,
        status=last.status,
        reason=last.reason,
        at=_time(session, last.at),
    )


def _time(session: Session, at: float | None) -> str | None:
    return None if at is None else wire.format_time(at + session.room.skew)
