"""How games end: at the table or on the mesh first, or because the two do not agree. Pure; see `decide`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lrgpnode.protocol.game import Reason as GameReason, Result
from lrgpnode.protocol.session import Session, Status
from storage.gateway_model import SeatResult, SeatStage

from ..seat import Finished, Reason, Winner, Word
from . import words
from .rules import Kind, Rules
from .situation import VERDICT_SECONDS, Situation, only_own, pass_on, patient, told
from .steps import AnswerDraw, Close, End, Leave, MeshResign, Note, OfferDraw, Say, Settle, Step, Tell, Wait

REMATCH_SECONDS: Final = 120.0
"""How long an invitation to another game holds where the platform does not say."""

_OPEN: Final = (SeatStage.INVITED, SeatStage.OPENING, SeatStage.WAITING, SeatStage.PLAYING)
_CLAIMS: Final = (GameReason.THREEFOLD_REPETITION, GameReason.FIFTY_MOVES)
_BY_BOARD: Final = (
    GameReason.WIN,
    GameReason.CHECKMATE,
    GameReason.STALEMATE,
    GameReason.INSUFFICIENT_MATERIAL,
    GameReason.BOARD_FULL,
)


def finished(at: Situation, session: Session, finished: Finished, rules: Rules) -> Step:
    """The table's game is over, the player's is not."""
    notes, owner = at.notes, session.metadata["draw_offered_by"]
    if at.stage is SeatStage.PLAYING:
        return Settle()
    if finished.winner is Winner.US or (
        finished.winner is Winner.NONE and finished.reason is Reason.HOST_LOST
    ):
        return told(at, words.won(finished)) or MeshResign()
    if finished.winner is Winner.THEM:
        return told(at, words.lost(finished)) or Close(reason=words.lost(finished))
    if owner == session.peer:
        return AnswerDraw(accept=True, notes=notes)
    claim = rules.claim(session) if finished.reason is Reason.CLAIMED else ""
    if claim:
        return OfferDraw(claim=claim, notes=notes)
    if "end" not in notes.told:
        return Tell(text=words.drawn(finished), notes=notes.with_told("end"))
    if owner:
        return Wait()  # for the answer; the game's own time limit ends that
    if "drawn" not in notes.told:
        return OfferDraw(claim="", notes=notes.with_told("drawn"))
    return Close(reason=f"at the table this game is a draw: {words.result(finished)}")


def lost(at: Situation) -> Step:
    """The seat is gone, or was given up, while the player's game goes on."""
    if at.stage is SeatStage.PLAYING:
        return Settle()
    if at.notes.left:
        reason = "the seat at the table was given up"
        return told(at, words.broken(reason)) or Close(reason=reason)
    reason = at.seen.lost.reason if at.seen.lost is not None else ""
    return told(at, words.gone(reason)) or MeshResign()


def break_off(at: Situation) -> Step:
    """Table and game do not go together any more: give the seat up, and end the game here."""
    said = told(at, words.broken(at.notes.broken))
    if said is not None:
        return said
    if not at.seen.over and not at.notes.left:
        return Leave(notes=replace(at.notes, left=True))
    return Close(reason=at.notes.broken)


def completed(at: Situation, session: Session, rules: Rules) -> Step:
    """The player's game is over by its rules: tell the table, and see what it says."""
    seen, notes = at.seen, at.notes
    if seen.over or notes.left:
        return after(at, session)
    if notes.broken:
        return told(at, words.broken(notes.broken)) or Leave(notes=replace(notes, left=True))
    result = rules.result(session)
    relation = rules.relation(session, seen.board)
    if relation.kind is Kind.BEHIND and only_own(session, rules, relation) and _by_board(result):
        step = pass_on(at, session, rules, relation)
        if not isinstance(step, Wait):
            return step
    word = _word(at, session, result)
    if word is not None and notes.said != word:
        return Say(word=word, notes=replace(notes, said=word))
    if (word is not None or _by_board(result)) and patient(at):
        return Wait(until=at.since + VERDICT_SECONDS)
    if result is not None and result.reason in _CLAIMS and "claim" not in notes.told:
        return Tell(text=words.claim_unheard(), notes=notes.with_told("claim"))
    return Leave(notes=replace(notes, left=True))


def _word(at: Situation, session: Session, result: Result | None) -> Word | None:
    """With which word the end of the player's game is passed on, if the table knows it."""
    if result is None:
        return None
    word: Word | None = None
    if result.reason is GameReason.RESIGNATION and result.winner == session.key.identity:
        word = Word.RESIGN
    elif result.reason is GameReason.AGREEMENT and at.seen.offers:
        word = Word.DRAW_ACCEPT
    elif result.reason in _CLAIMS:
        word = Word.CLAIM if Word.CLAIM in at.seen.words else Word.DRAW_OFFER
    return word if word in at.seen.words else None


def after(at: Situation, session: Session) -> Step:
    """Both are over: say what differs, invite to another game, end."""
    seen, notes = at.seen, at.notes
    if at.stage in _OPEN:
        return Settle()
    finished = seen.finished
    beaten = finished is not None and finished.winner is Winner.THEM and not notes.left
    if finished is not None and beaten and _late(session):
        said = told(at, words.too_late(finished))
        if said is not None:
            return said
    if finished is not None and not seen.silent and seen.rematch is None and patient(at):
        return Wait(until=at.since + VERDICT_SECONDS)
    if seen.rematch is not None and not notes.left and "rematched" not in notes.told:
        until = notes.until
        if until is None:
            void = seen.rematch.until or at.now + REMATCH_SECONDS
            return Note(notes=replace(notes, until=void))
        if at.now >= until:
            return Leave(notes=replace(notes, left=True))
        if "rematch" not in notes.told:
            text = words.rematch(at.game, until - at.now)
            return Tell(text=text, notes=notes.with_told("rematch"))
        return Wait(until=until)
    return End(result=_result(at), reason=_reason(at))


def withdraw(at: Situation, reason: str) -> Step:
    """The player's game is no more, or never was: leave what is left of the table."""
    if at.seated and not at.seen.over and not at.notes.left:
        return Leave(notes=replace(at.notes, left=True))
    return End(result=_result(at), reason=at.notes.broken or reason or _reason(at))


def _late(session: Session) -> bool:
    """Whether the player's game has ended without the player having lost it."""
    lost = session.metadata.get("winner") == session.key.identity
    return session.status is Status.COMPLETED and not lost


def _by_board(result: Result | None) -> bool:
    return result is not None and result.reason in _BY_BOARD


def _result(at: Situation) -> SeatResult:
    """For the player."""
    finished, session = at.seen.finished, at.session
    if finished is not None:
        if finished.winner is Winner.NONE:
            counted = finished.reason not in (Reason.ABORTED, Reason.HOST_LOST)
            return SeatResult.DRAWN if counted else SeatResult.NONE
        return SeatResult.WON if finished.winner is Winner.US else SeatResult.LOST
    if session is None or session.status is not Status.COMPLETED or at.seen.lost is not None:
        return SeatResult.NONE
    winner = session.metadata["winner"]
    if not winner:
        return SeatResult.DRAWN
    return SeatResult.WON if winner == session.peer else SeatResult.LOST


def _reason(at: Situation) -> str:
    if at.seen.finished is not None:
        return words.result(at.seen.finished)
    if at.seen.lost is not None:
        return words.quoted(at.seen.lost.reason)
    if at.session is not None and at.session.status is Status.COMPLETED:
        return f"over in the game with the player ({at.session.metadata['terminal']})"
    return "given up"
