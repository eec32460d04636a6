"""Words that views of all games share."""

from __future__ import annotations

from lrgpnode.protocol.game import Reason, Result
from lrgpnode.protocol.session import Session, Status

_CHESS_DRAWS = {
    "sm": Reason.STALEMATE,
    "ins": Reason.INSUFFICIENT_MATERIAL,
    "3fr": Reason.THREEFOLD_REPETITION,
    "50m": Reason.FIFTY_MOVES,
    "agr": Reason.AGREEMENT,
}

_SENTENCES = {
    Reason.STALEMATE: "Draw by stalemate.",
    Reason.INSUFFICIENT_MATERIAL: "Draw: nobody has enough material to win.",
    Reason.THREEFOLD_REPETITION: "Draw by threefold repetition.",
    Reason.FIFTY_MOVES: "Draw by the fifty-move rule.",
    Reason.AGREEMENT: "Draw by agreement.",
    Reason.BOARD_FULL: "Draw: the board is full.",
    Reason.DRAW: "Draw.",
    Reason.DECLINED: "The challenge was declined.",
    Reason.CANCELLED: "The challenge was cancelled.",
    Reason.EXPIRED: "The game has expired.",
}


def outcome(session: Session, *, draw_by_board: bool) -> Result | None:
    """How the session ended, or None while it has not. ``draw_by_board``: no move was left."""
    if not session.status.ended:
        return None
    if session.status is Status.EXPIRED:
        return Result(reason=Reason.EXPIRED)
    metadata = session.metadata
    if session.status is Status.DECLINED:
        cancelled = metadata.get("cancelled_by_initiator")
        return Result(reason=Reason.CANCELLED if cancelled else Reason.DECLINED)
    winner = metadata["winner"]
    reason = metadata.get("reason", "")
    if metadata["terminal"] == "resign" or reason == "rsn":
        return Result(reason=Reason.RESIGNATION, winner=winner)
    if metadata["terminal"] == "win":
        return Result(reason=Reason.CHECKMATE if reason == "cm" else Reason.WIN, winner=winner)
    if reason in _CHESS_DRAWS:
        return Result(reason=_CHESS_DRAWS[reason])
    return Result(reason=Reason.BOARD_FULL if draw_by_board else Reason.AGREEMENT)


def status_line(session: Session, viewer: str, *, draw_by_board: bool = False, check: bool = False) -> str:
    """One sentence that says where the game stands, to ``viewer``."""
    result = outcome(session, draw_by_board=draw_by_board)
    if result is not None:
        if not result.winner:
            return _SENTENCES[result.reason]
        return _won(result, viewer)
    if session.status is Status.PENDING:
        mine = session.initiator == viewer
        return (
            "Waiting for an answer to your challenge." if mine else "You are challenged: accept or decline."
        )
    mine = session.metadata["turn"] == viewer
    line = "Your turn" if mine else "Waiting for the other player's move"
    if check:
        line += ", check"
    owner = session.metadata["draw_offered_by"]
    if owner:
        line += "; you offered a draw" if owner == viewer else "; a draw is offered to you"
    return line + "."


def _won(result: Result, viewer: str) -> str:
    mine = result.winner == viewer
    match result.reason:
        case Reason.RESIGNATION:
            return "You won: the other player resigned." if mine else "You resigned."
        case Reason.CHECKMATE:
            return "You won by checkmate." if mine else "You lost by checkmate."
        case _:
            return "You won." if mine else "You lost."
