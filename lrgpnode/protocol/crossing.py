"""Whether two players whose actions crossed end up with the same game (LRGP has no resync).

A player refuses an action that its opponent made without knowing ours. Often that does no harm: a
move that crossed a resignation changes nothing. The opponent's side can be computed, because games are
pure: its history is ours up to some point, then its own action, then the rest of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import Rejection
from .game import Game, Payload
from .session import Session
from .value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Step(Value):
    """One action of a session's journal; ``at`` in Unix seconds."""

    actor: str
    command: str
    payload: Payload
    at: float


def converges(game: Game, session: Session, journal: Sequence[Step], refused: Step) -> bool:
    """Whether the opponent, who made the ``refused`` action, will have the same game as we do.

    ``session`` is what ``journal``, all of it, has led to. False also where that cannot be told.
    """
    try:
        return _converges(game, session, journal, refused)
    except Exception:  # noqa: BLE001 - a third party's game, or a journal that is not whole
        return False


def _converges(game: Game, session: Session, journal: Sequence[Step], refused: Step) -> bool:
    key = session.key
    states = [game.open(key, session.peer, session.initiator, session.created_at)]
    for step in journal:
        states.append(_after(game, states[-1], step))
    if not _same(game, states[-1], session):
        return False
    ours = 0
    while ours < len(journal) and journal[-1 - ours].actor == key.identity:
        ours += 1
    possible = False
    # How many of our last actions the opponent had seen is not known.
    for seen in range(len(journal) - ours, len(journal) + 1):
        try:
            theirs = _after(game, states[seen], refused)
        except Exception:  # noqa: BLE001, S112 - then it had seen another number of them
            continue
        possible = True
        for step in journal[seen:]:
            try:
                theirs = _after(game, theirs, step)
            except Rejection:
                continue  # there it is refused, and changes nothing
        if not _same(game, theirs, session):
            return False
    return possible


def _after(game: Game, session: Session, step: Step) -> Session:
    return game.apply(session, step.actor, step.command, dict(step.payload), step.at)


def _same(game: Game, one: Session, other: Session) -> bool:
    """Whether both are the same to play on, or have ended in the same way."""
    if one.status is not other.status:
        return False
    viewer = one.key.identity
    if one.status.ended:
        return game.view(one, viewer).result == game.view(other, viewer).result
    return game.public(one) == game.public(other)
