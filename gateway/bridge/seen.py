"""What a seat has shown so far: its events, folded into one value. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lrgpnode.protocol.value import Value

from ..seat import (
    Away,
    Board,
    Event,
    Finished,
    Joined,
    Lost,
    OpponentMoved,
    Player,
    Rejected,
    Rematch,
    Said,
    Side,
    TheirTurn,
    Word,
    YourTurn,
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seen(Value):
    """``board``: the newest. ``turn``: set while we are to move and the platform can take it.

    ``offers``: they offer a draw; ``declined``: they have declined ours. ``silent``: nothing more will come.
    ``deadline``: of whoever is to move, Unix seconds.
    """

    joined: Joined | None = None
    board: Board | None = None
    turn: YourTurn | None = None
    deadline: float | None = None
    offers: bool = False
    declined: bool = False
    away: str = ""
    rejected: str = ""
    finished: Finished | None = None
    rematch: Rematch | None = None
    lost: Lost | None = None
    silent: bool = False

    @property
    def first(self) -> Side | None:
        return self.joined.first if self.joined is not None else None

    @property
    def words(self) -> frozenset[Word]:
        return self.joined.words if self.joined is not None else frozenset()

    @property
    def begun(self) -> bool:
        return self.joined is not None and self.joined.begun

    @property
    def over(self) -> bool:
        """Nothing can be done at the table any more."""
        return self.finished is not None or self.lost is not None

    def player(self, side: Side) -> Player | None:
        players = self.joined.players if self.joined is not None else ()
        return next((player for player in players if player.side is side), None)


def fold(seen: Seen, event: Event) -> Seen:
    """``seen`` after one more event."""
    if isinstance(event, Away):
        return replace(seen, away=event.reason, turn=None)
    seen = replace(seen, away="")
    if event.board is not None:
        moved = event.board != seen.board
        seen = replace(
            seen,
            board=event.board,
            offers=seen.offers and not moved,
            declined=seen.declined and not moved,
            rejected="" if moved else seen.rejected,
        )
    match event:
        case Joined():
            return replace(seen, joined=event, turn=None)
        case YourTurn():
            return replace(seen, turn=event, deadline=event.deadline)
        case TheirTurn():
            return replace(seen, turn=None, deadline=event.deadline)
        case OpponentMoved():
            return seen if event.board is not None else replace(seen, board=_longer(seen.board, event))
        case Said():
            offers, declined = event.word is Word.DRAW_OFFER, event.word is Word.DRAW_DECLINE
            return replace(seen, offers=seen.offers or offers, declined=seen.declined or declined)
        case Rejected():
            return replace(seen, rejected=event.reason)
        case Finished():
            return replace(seen, finished=event, turn=None, deadline=None)
        case Rematch():
            return replace(seen, rematch=event)
        case Lost():
            return replace(seen, lost=event, turn=None, deadline=None)
    return seen


def _longer(board: Board | None, event: OpponentMoved) -> Board | None:
    """The board with the move, where that is the next one of those that are known."""
    moves = board.moves if board is not None else () if event.ply == 0 else None
    if moves is None or len(moves) != event.ply:
        return board
    return Board(moves=(*moves, event.intent))
