"""The next step of a bridge, from full states only. Pure.

The order of questions: is there a game with the player yet → is it open, going on, or over → do its moves and
the table's agree → what is to be said besides. Each answer names one step; carried out, it changes what
the next question sees, so the same step does not come twice.

What LRGP cannot say decides how things end (architecture of the gateway, docs/gateway.md): the other side
loses → we resign; the player loses other than by the moves → the game is closed here, with the reason; a draw
of the platform → we offer one. No move is ever made up for anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lrgpnode.protocol.game import Intent, Reason as GameReason, Result
from lrgpnode.protocol.session import Session, Status
from lrgpnode.protocol.value import Value
from storage.gateway_model import SeatResult, SeatStage

from ..seat import Finished, Reason, Side, Winner, Word
from . import words
from .notes import Notes
from .rules import Kind, Relation, Rules
from .seen import Seen
from .steps import (
    Accept,
    Act,
    AnswerDraw,
    Begin,
    Challenge,
    Close,
    Decline,
    End,
    Leave,
    MeshMove,
    MeshResign,
    Note,
    OfferDraw,
    Play,
    Say,
    Settle,
    Step,
    Tell,
    Wait,
)

VERDICT_SECONDS: Final = 120.0
"""How long the platform may take to say that a game is over whose moves or words have ended it."""

REMATCH_SECONDS: Final = 120.0
"""How long an invitation to another game holds where the platform does not say."""

_OPEN: Final = (SeatStage.INVITED, SeatStage.OPENING, SeatStage.WAITING, SeatStage.PLAYING)


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
            return _completed(at, at.session, rules)
        case Status.EXPIRED if at.seen.finished is not None:
            return _after(at, at.session)
        case Status.EXPIRED:
            return _withdraw(at, "the game has expired")


# Before the game


def _without_game(at: Situation) -> Step:
    if at.had:
        return _withdraw(at, "the game was deleted")
    if at.notes.broken or at.seen.over or at.notes.left:
        return _withdraw(at, at.notes.broken or _table_over(at))
    if at.hosted:
        return Challenge()
    until = at.notes.until
    if until is None or at.now >= until:
        return End(result=SeatResult.NONE, reason="no challenge came in time")
    return Wait(until=until)


def _pending(at: Situation, session: Session) -> Step:
    seen, notes = at.seen, at.notes
    theirs = session.initiator == session.peer
    over = notes.broken or (_table_over(at) if seen.over or notes.left else "")
    if over:
        if "end" not in notes.told:
            return Tell(text=words.not_seated(over), notes=notes.with_told("end"))
        return Decline(notes=replace(notes, broken=over))
    if seen.joined is None:
        return Wait()
    if at.now >= at.wait_until:
        late = "nobody has sat down at the table in time" if theirs else "you have not accepted in time"
        return _broken(at, late)
    if seen.joined.ours_to_order:
        return Accept(first=None) if theirs else Wait(until=at.wait_until)
    if seen.first is None:
        return Wait(until=at.wait_until)
    if not theirs:
        return Wait(until=at.wait_until)  # for the player to accept
    if session.app_id == "chess" or seen.first is Side.US:
        return Accept(first=seen.first)
    if "swap" not in notes.told:
        return Tell(text=words.swapped(at.game), notes=notes.with_told("swap"))
    return Decline(notes=replace(notes, swap=True))


def _declined(at: Situation, session: Session) -> Step:
    theirs = session.initiator == session.peer
    if theirs and at.notes.swap and not (at.seen.over or at.notes.left or at.notes.broken):
        return Challenge()
    return _withdraw(at, "the player has withdrawn the challenge" if theirs else "the player has declined")


# The game


def _active(at: Situation, session: Session, rules: Rules) -> Step:
    seen, notes, us = at.seen, at.notes, session.key.identity
    if at.stage not in (SeatStage.PLAYING, SeatStage.SETTLING):
        return Play()
    if notes.broken:
        return _break(at)
    joined = seen.joined
    if joined is not None and joined.ours_to_order:
        return Begin(first=_side(session, rules.first(session)))
    if seen.first is not None and _side(session, rules.first(session)) is not seen.first:
        return _broken(at, "the table has another order of play")
    relation = rules.relation(session, seen.board)
    if relation.kind is Kind.OTHER:
        return _broken(at, relation.why)
    if relation.kind is Kind.AHEAD:
        if session.metadata["turn"] != us:
            return _broken(at, "at the table a move was made for you")
        return MeshMove(intent=relation.moves[0])
    if relation.kind is Kind.BEHIND and not _only_own(session, rules, relation):
        return _broken(at, "the table has gone back to an earlier position")
    if seen.finished is not None:
        return _finished(at, session, seen.finished, rules)
    if seen.lost is not None or notes.left:
        return _lost(at)
    if relation.kind is Kind.BEHIND:
        return _act(at, session, rules, relation)
    return _talk(at, session)


def _act(at: Situation, session: Session, rules: Rules, relation: Relation) -> Step:
    """Pass the player's last move on, if the table is ready for it."""
    turn, ply, intent = at.seen.turn, len(rules.moves(session)) - 1, relation.moves[0]
    if at.seen.rejected and at.tried == ply:
        return _broken(at, f"the table refuses your move {_label(intent)}: {at.seen.rejected}")
    if turn is None or at.acted == (ply, turn.turn):
        return Wait()
    if turn.legal is not None and not rules.allowed(session, ply, intent, turn.legal):
        return _broken(at, f"the table does not allow your move {_label(intent)}")
    return Act(intent=intent, ply=ply, turn=turn)


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


def _finished(at: Situation, session: Session, finished: Finished, rules: Rules) -> Step:
    """The table's game is over, the player's is not."""
    notes, owner = at.notes, session.metadata["draw_offered_by"]
    if at.stage is SeatStage.PLAYING:
        return Settle()
    if finished.winner is Winner.US or (
        finished.winner is Winner.NONE and finished.reason is Reason.HOST_LOST
    ):
        return _told(at, words.won(finished)) or MeshResign()
    if finished.winner is Winner.THEM:
        return _told(at, words.lost(finished)) or Close(reason=words.lost(finished))
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


def _lost(at: Situation) -> Step:
    """The seat is gone, or was given up, while the player's game goes on."""
    if at.stage is SeatStage.PLAYING:
        return Settle()
    if at.notes.left:
        reason = "the seat at the table was given up"
        return _told(at, words.broken(reason)) or Close(reason=reason)
    reason = at.seen.lost.reason if at.seen.lost is not None else ""
    return _told(at, words.gone(reason)) or MeshResign()


def _break(at: Situation) -> Step:
    """Table and game do not go together any more: give the seat up, and end the game here."""
    told = _told(at, words.broken(at.notes.broken))
    if told is not None:
        return told
    if not at.seen.over and not at.notes.left:
        return Leave(notes=replace(at.notes, left=True))
    return Close(reason=at.notes.broken)


# After the game


def _completed(at: Situation, session: Session, rules: Rules) -> Step:
    seen, notes = at.seen, at.notes
    if seen.over or notes.left:
        return _after(at, session)
    if notes.broken:
        return _told(at, words.broken(notes.broken)) or Leave(notes=replace(notes, left=True))
    result = rules.result(session)
    relation = rules.relation(session, seen.board)
    if relation.kind is Kind.BEHIND and _only_own(session, rules, relation) and _by_board(result):
        step = _act(at, session, rules, relation)
        if not isinstance(step, Wait):
            return step
    word = _word(at, session, result)
    if word is not None and notes.said != word:
        return Say(word=word, notes=replace(notes, said=word))
    if (word is not None or _by_board(result)) and _patient(at):
        return Wait(until=at.since + VERDICT_SECONDS)
    if result is not None and result.reason in _CLAIMS and "claim" not in notes.told:
        return Tell(text=words.claim_unheard(), notes=notes.with_told("claim"))
    return Leave(notes=replace(notes, left=True))


_CLAIMS: Final = (GameReason.THREEFOLD_REPETITION, GameReason.FIFTY_MOVES)
_BY_BOARD: Final = (
    GameReason.WIN,
    GameReason.CHECKMATE,
    GameReason.STALEMATE,
    GameReason.INSUFFICIENT_MATERIAL,
    GameReason.BOARD_FULL,
)


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


def _after(at: Situation, session: Session) -> Step:
    """Both are over: say what differs, invite to another game, end."""
    seen, notes = at.seen, at.notes
    if at.stage in _OPEN:
        return Settle()
    finished = seen.finished
    lost = finished is not None and finished.winner is Winner.THEM and not notes.left
    if finished is not None and lost and _late(session):
        told = _told(at, words.too_late(finished))
        if told is not None:
            return told
    if finished is not None and not seen.silent and seen.rematch is None and _patient(at):
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


def _withdraw(at: Situation, reason: str) -> Step:
    """The player's game is no more, or never was: leave what is left of the table."""
    if at.seated and not at.seen.over and not at.notes.left:
        return Leave(notes=replace(at.notes, left=True))
    return End(result=_result(at), reason=at.notes.broken or reason or _reason(at))


# Words and small questions


def _told(at: Situation, text: str) -> Step | None:
    """To tell the player why it ends, if there is something to tell and it was not told."""
    if not text or "end" in at.notes.told:
        return None
    return Tell(text=text, notes=at.notes.with_told("end"))


def _broken(at: Situation, why: str) -> Step:
    return Note(notes=replace(at.notes, broken=words.quoted(why)))


def _late(session: Session) -> bool:
    """Whether the player's game has ended without the player having lost it."""
    lost = session.metadata.get("winner") == session.key.identity
    return session.status is Status.COMPLETED and not lost


def _only_own(session: Session, rules: Rules, relation: Relation) -> bool:
    """Whether all that the table lacks is the player's last move."""
    last = len(rules.moves(session)) - 1
    return len(relation.moves) == 1 and rules.mover(session, last) == session.peer


def _side(session: Session, who: str) -> Side:
    return Side.US if who == session.peer else Side.THEM


def _patient(at: Situation) -> bool:
    return at.now < at.since + VERDICT_SECONDS


def _by_board(result: Result | None) -> bool:
    return result is not None and result.reason in _BY_BOARD


def _label(intent: Intent) -> str:
    return ", ".join(map(str, intent.values()))


def _table_over(at: Situation) -> str:
    seen = at.seen
    if seen.finished is not None:
        return f"the game at the table is over: {words.result(seen.finished)}"
    return seen.lost.reason if seen.lost is not None else "the seat at the table was given up"


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
