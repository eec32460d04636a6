"""The next step of a bridge, from full states only. Pure.

The order of questions: is there a game with the player yet → is it open, going on, or over → do its moves and
the table's agree → what is to be said besides. Each answer names one step; carried out, it changes what
the next question sees, so the same step does not come twice.

What LRGP cannot say decides how things end (architecture of the gateway, docs/gateway.md): the other side
loses → we resign; the player loses other than by the moves → the game is closed here, with the reason; a draw
of the platform → we offer one. No move is ever made up for anybody.
"""

from __future__ import annotations

from dataclasses import replace

from lrgpnode.protocol.session import Session, Status
from storage.gateway_model import SeatResult, SeatStage

from ..seat import Side, Word
from . import words
from .endings import after, break_off, completed, finished, lost, withdraw
from .notes import LIMIT
from .rules import Kind, Rules
from .situation import Situation, broken, only_own, pass_on, side, table_over, told
from .steps import (
    Accept,
    AnswerDraw,
    Begin,
    Challenge,
    Decline,
    End,
    MeshMove,
    OfferDraw,
    Play,
    Say,
    Step,
    Tell,
    Wait,
)


def decide(at: Situation, rules: Rules) -> Step:
    """The one next step; ``Wait`` where there is none."""
    if at.session is None:
        return _without_game(at)
    match at.session.status:
        case Status.PENDING:
            return _pending(at, at.session)
        case Status.ACTIVE:
            return _active(at, at.session, rules)
        case Status.DECLINED:
            return _declined(at, at.session)
        case Status.COMPLETED:
            return completed(at, at.session, rules)
        case Status.EXPIRED if at.seen.finished is not None:
            return after(at, at.session)
        case Status.EXPIRED:
            return withdraw(at, "the game has expired")


# Before the game


def _without_game(at: Situation) -> Step:
    if at.had:
        return withdraw(at, "the game was deleted")
    if at.notes.broken or at.seen.over or at.notes.left:
        return withdraw(at, at.notes.broken or table_over(at))
    if at.hosted:
        return Challenge()
    until = at.notes.until
    if until is None or at.now >= until:
        return End(result=SeatResult.NONE, reason="no challenge came in time")
    return Wait(until=until)


def _pending(at: Situation, session: Session) -> Step:
    seen, notes = at.seen, at.notes
    theirs = session.initiator == session.peer
    over = notes.broken or (table_over(at) if seen.over or notes.left else "")
    if over:
        return told(at, words.not_begun(seen.finished, over)) or Decline(notes=replace(notes, broken=over))
    if notes.untold:
        return Tell(text=notes.limit, notes=notes.with_told(LIMIT))
    if seen.joined is None:
        return Wait()
    if at.now >= at.wait_until:
        late = "nobody has sat down at the table in time" if theirs else "you have not accepted in time"
        return broken(at, late)
    if not theirs or (seen.first is None and not seen.joined.ours_to_order):
        return Wait(until=at.wait_until)  # for the player to accept, or for the table
    first = Side(notes.first) if seen.joined.ours_to_order and notes.first else seen.first
    if session.app_id == "chess" or first is not Side.THEM:
        return Accept(first=first)
    if "swap" not in notes.told:
        return Tell(text=words.swapped(at.game, notes.seconds), notes=notes.with_told("swap"))
    return Decline(notes=replace(notes, swap=True))


def _declined(at: Situation, session: Session) -> Step:
    theirs = session.initiator == session.peer
    if theirs and at.notes.swap:
        if not (at.seen.over or at.notes.left or at.notes.broken):
            return Challenge()
        over = at.notes.broken or table_over(at)
        return told(at, words.not_begun(at.seen.finished, over)) or withdraw(at, over)
    return withdraw(at, "the player has withdrawn the challenge" if theirs else "the player has declined")


# The game


def _active(at: Situation, session: Session, rules: Rules) -> Step:
    seen, notes, us = at.seen, at.notes, session.key.identity
    if at.stage not in (SeatStage.PLAYING, SeatStage.SETTLING):
        return Play()
    if notes.broken:
        return break_off(at)
    joined = seen.joined
    if joined is not None and joined.ours_to_order:
        return Begin(first=side(session, rules.first(session)))
    if seen.first is not None and side(session, rules.first(session)) is not seen.first:
        return broken(at, "the table has another order of play")
    relation = rules.relation(session, seen.board)
    if relation.kind is Kind.OTHER:
        return broken(at, relation.why)
    if relation.kind is Kind.AHEAD:
        if session.metadata["turn"] != us:
            return broken(at, "at the table a move was made for you")
        return MeshMove(intent=relation.moves[0])
    if relation.kind is Kind.BEHIND and not only_own(session, rules, relation):
        return broken(at, "the table has gone back to an earlier position")
    if seen.finished is not None:
        return finished(at, session, seen.finished, rules)
    if seen.lost is not None or notes.left:
        return lost(at)
    if relation.kind is Kind.BEHIND:
        return pass_on(at, session, rules, relation)
    return _talk(at, session)


def _talk(at: Situation, session: Session) -> Step:
    """What there is beside moves while both sides agree on them."""
    seen, notes, m = at.seen, at.notes, session.metadata
    ply, owner = m["move_count"], m["draw_offered_by"]
    if owner == session.peer:
        if Word.DRAW_OFFER not in seen.words:
            if "no draws" not in notes.told:
                return Tell(text=words.no_draws(), notes=notes.with_told("no draws"))
            return AnswerDraw(accept=False, notes=notes)
        if notes.offered != ply:
            return Say(word=Word.DRAW_OFFER, notes=replace(notes, offered=ply))
        return AnswerDraw(accept=False, notes=notes) if seen.declined else Wait()
    if seen.offers and not owner:
        if notes.asked != ply:
            return OfferDraw(claim="", notes=replace(notes, asked=ply))
        key = f"declined {ply}"
        if Word.DRAW_DECLINE in seen.words and key not in notes.told:
            return Say(word=Word.DRAW_DECLINE, notes=notes.with_told(key))
    strikes = seen.turn.strikes if seen.turn is not None else 0
    key = f"strike {ply} {strikes}"
    if strikes and key not in notes.told:
        return Tell(text=words.strike(strikes, seen.deadline), notes=notes.with_told(key))
    return Wait()
