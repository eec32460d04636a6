"""The list of moves that tic-tac-toe and four in a row keep for people.

The board is the state; ``moves`` (cells or columns, in order) is beside it, so that a view can show
the last move and the history. A record from elsewhere may lack it; where it is there, it must lead
to the board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.session import Session
from lrgpnode.protocol.turn_based import require


def played(session: Session) -> list[int]:
    """The moves so far, [] where the record does not know them."""
    moves: list[int] = session.metadata.get("moves", [])
    return moves


def appended(session: Session, move: int) -> dict[str, Any]:
    """The change that adds one move; none where the record does not know the moves before."""
    if "moves" not in session.metadata:
        return {}
    return {"moves": [*played(session), move]}


def check_moves(session: Session, replay: Callable[[list[Any]], str]) -> None:
    """Raises ``Corrupt`` unless the stored moves, if any, lead to the stored board."""
    if "moves" not in session.metadata:
        return
    moves = session.metadata["moves"]
    require(isinstance(moves, list) and all(type(move) is int for move in moves), "moves is malformed")
    try:
        board = replay(moves)
    except Rejection:
        board = ""
    require(board == session.metadata["board"], "the moves do not lead to the board")
