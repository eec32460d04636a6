"""What the next step of a bridge depends on, and the questions that all parts of `decide` ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lrgpnode.protocol.game import Intent
from lrgpnode.protocol.session import Session
from lrgpnode.protocol.value import Value
from storage.gateway_model import SeatStage

from ..seat import Side
from . import words
from .notes import Notes
from .rules import Relation, Rules
from .seen import Seen
from .steps import Act, Note, Step, Tell, Wait

VERDICT_SECONDS: Final = 120.0
"""How long the platform may take to say that a game is over whose moves or words have ended it."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Situation(Value):
    """All that the next step depends on. Times in Unix seconds.

    ``seated``: a seat is ours, or may be. ``had``: the bridge has, or had, a game with the player.
    ``session``: that game; None if it was deleted. ``since``: when the last of session, table and notes has
    changed. ``acted``: (ply, turn) of the last move that the table has taken; ``tried``: ply of the last one
    that was passed on. ``wait_until``: when who does not sit down or accept is given up. ``game``: its name.
    """

    now: float
    stage: SeatStage
    hosted: bool
    seated: bool
    had: bool
    session: Session | None
    notes: Notes
    seen: Seen
    since: float
    wait_until: float
    game: str
    acted: tuple[int, int] | None = None
    tried: int | None = None


def told(at: Situation, text: str) -> Step | None:
    """To tell the player why it ends, if there is something to tell and it was not told."""
    if not text or "end" in at.notes.told:
        return None
    return Tell(text=text, notes=at.notes.with_told("end"))


def broken(at: Situation, why: str) -> Step:
    """To remember that table and game cannot go on together."""
    return Note(notes=replace(at.notes, broken=words.quoted(why)))


def pass_on(at: Situation, session: Session, rules: Rules, relation: Relation) -> Step:
    """Pass the player's last move on, if the table is ready for it."""
    turn, ply, intent = at.seen.turn, len(rules.moves(session)) - 1, relation.moves[0]
    if at.seen.rejected and at.tried == ply:
        return broken(at, f"the table refuses your move {_label(intent)}: {at.seen.rejected}")
    if turn is None or at.acted == (ply, turn.turn):
        return Wait()
    if turn.legal is not None and not rules.allowed(session, ply, intent, turn.legal):
        return broken(at, f"the table does not allow your move {_label(intent)}")
    return Act(intent=intent, ply=ply, turn=turn)


def only_own(session: Session, rules: Rules, relation: Relation) -> bool:
    """Whether all that the table lacks is the player's last move."""
    last = len(rules.moves(session)) - 1
    return len(relation.moves) == 1 and rules.mover(session, last) == session.peer


def side(session: Session, who: str) -> Side:
    """On which side of the table a participant sits."""
    return Side.US if who == session.peer else Side.THEM


def patient(at: Situation) -> bool:
    """Whether the platform may still take its time."""
    return at.now < at.since + VERDICT_SECONDS


def table_over(at: Situation) -> str:
    """Why nothing more can be done at the table."""
    seen = at.seen
    if seen.finished is not None:
        return f"the game at the table is over: {words.result(seen.finished)}"
    return seen.lost.reason if seen.lost is not None else "the seat at the table was given up"


def _label(intent: Intent) -> str:
    return ", ".join(map(str, intent.values()))
