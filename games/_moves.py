"""What tic-tac-toe and four in a row share about their records.

The board is the state; ``moves`` (cells or columns, in order) is beside it, so that a view can show
the last move and the history. A record from elsewhere may lack it; where it is there, it must be a
game that leads to the board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.session import Session, Status
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


def check_moves(session: Session, replay: Callable[[list[int]], str]) -> None:
    """Raises ``Corrupt`` unless the stored moves, if any, lead to the stored board.

    ``replay`` raises ``Rejection`` for a move that is not legal, or that follows the end.
    """
    if "moves" not in session.metadata:
        return
    moves = session.metadata["moves"]
    require(isinstance(moves, list) and all(type(move) is int for move in moves), "moves is malformed")
    try:
        board = replay(moves)
    except Rejection:
        board = ""
    require(board == session.metadata["board"], "the moves do not lead to the board")


def check_result(session: Session, end: str, to_move: str, *, keeps_turn: bool) -> None:
    """Raises ``Corrupt`` unless status, terminal, winner, turn and offer agree with the board.

    ``end`` is what the board says ("win" by the player who is not ``to_move``, "draw", or "" while it
    goes on). ``keeps_turn``: deployed peers leave ``turn`` as it was when a game of this kind is
    resigned or drawn by agreement.
    """
    m = session.metadata
    status, turn, stored = session.status, m["turn"], (m["terminal"], m["winner"])
    unfinished = not end and stored == ("", "")
    unopened = unfinished and m["move_count"] == 0 and turn == ""
    if status in (Status.PENDING, Status.DECLINED):
        require(unopened, f"a {status} game has been played")
    elif status is Status.ACTIVE:
        require(unfinished and turn == to_move, "an active game is unfinished, with the right player to move")
    elif status is Status.EXPIRED:
        require(unfinished and turn in ("", to_move), "an expired game is unfinished")
        require(not (unopened and m["draw_offered"]), "a draw was offered before the game began")
    elif end:
        winner = session.other(to_move) if end == "win" else ""
        require(stored == (end, winner) and turn == "", "the result contradicts the board")
    else:
        resigned = stored[0] == "resign" and stored[1] in session.participants
        require(resigned or stored == ("draw", ""), "a completed game needs a result")
        require(turn == "" or (keeps_turn and turn == to_move), "nobody is to move in a finished game")
