"""Games at the tables of this node, by the rules of ``games``. Pure: times, ids and coins are arguments.

Each of the two at a table has a session of its own, and every action is applied to both, as two nodes would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lrgpnode.protocol.errors import Corrupt, ErrorCode, Rejection
from lrgpnode.protocol.game import Coin, Command, Game, GameView
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.text_model import Kind, Seat


def table(
    game: Game, game_id: str, challenger: tuple[str, str, int], opponent: tuple[str, str, int], now: float
) -> tuple[Seat, Seat]:
    """The two seats of a challenge. Each side is (player, identity it writes to, its number for the game)."""
    first, second = challenger[0], opponent[0]
    seats = []
    for (player, identity, number), other in ((challenger, second), (opponent, first)):
        session = game.open(SessionKey(player, game_id), other, first, now)
        session = game.apply(session, first, Command.CHALLENGE, {}, now)
        seats.append(
            Seat(
                game_id=game_id,
                player=player,
                identity=identity,
                number=number,
                kind=Kind.TABLE,
                opponent=other,
                app_id=session.app_id,
                app_version=session.app_version,
                initiator=first,
                status=session.status,
                metadata=session.metadata,
                created_at=now,
                last_action_at=now,
            )
        )
    return seats[0], seats[1]


def loaded(game: Game, seat: Seat) -> Session:
    """This side of the game, checked. Raises ``Rejection`` where the record is damaged."""
    try:
        return game.normalise(seat.session())
    except Corrupt as corrupt:
        raise Rejection(ErrorCode.PROTOCOL_ERROR, f"The record of this game is damaged: {corrupt}") from None


def act(
    game: Game,
    seats: Sequence[Seat],
    actor: str,
    command: str,
    intent: Mapping[str, Any],
    coin: Coin,
    now: float,
) -> tuple[Seat, ...]:
    """Both seats after an action of the one whose player is ``actor``. Raises ``Rejection``."""
    sessions = [loaded(game, seat) for seat in seats]
    own = next(session for session in sessions if session.key.identity == actor)
    payload = game.intend(own, actor, command, intent, coin)
    after = [game.apply(session, actor, command, payload, now) for session in sessions]
    return tuple(_after(seat, session) for seat, session in zip(seats, after, strict=True))


def expire(game: Game, seats: Sequence[Seat], now: float) -> tuple[Seat, ...]:
    """Both seats, the game ended by its time limit; all as they are while that is not over."""
    first = seats[0].session()
    until = first.expires_at(game.manifest.ttl)
    if first.status.ended or until is None or now <= until:
        return tuple(seats)
    return tuple(_after(seat, game.expire(seat.session(), now)) for seat in seats)


def closed(seat: Seat, now: float) -> Seat:
    """A game that cannot go on in any way, e.g. as its rules are not installed any more."""
    return replace(seat, status=Status.EXPIRED, last_action_at=now)


def _after(seat: Seat, session: Session) -> Seat:
    return replace(
        seat, status=session.status, metadata=session.metadata, last_action_at=session.last_action_at
    )


def challenged(seat: Seat) -> bool:
    """Whether somebody waits for this player's yes or no."""
    return seat.status is Status.PENDING and seat.initiator != seat.player and seat.kind is not Kind.LRGP


def offered(view: GameView, viewer: str) -> bool:
    """Whether the other side has offered a draw."""
    return bool(view.draw_offered_by) and view.draw_offered_by != viewer
