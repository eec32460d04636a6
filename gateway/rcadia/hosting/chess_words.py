"""Chess on the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import chess

from games._chess_rules import parse
from games.chess import Chess
from lrgpnode.protocol.session import Session

from .words import LONGEST_TEXT, Words, no_move, one_of

_EXAMPLE: Final = '{"type": "move", "uci": "e2e4"}'
_WHOLE_MOVE: Final = ("uci", "move", "san", "m", "lan", "notation")
_FROM: Final = ("from", "source", "origin")
_TO: Final = ("to", "target", "destination")
_PIECES: Final = {"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}


class ChessWords(Words):
    app: ClassVar[str] = "chess"
    title: ClassVar[str] = "Chess"
    kind: ClassVar[str] = "chess"
    seats: ClassVar[tuple[str, str]] = ("white", "black")

    game: Chess

    def __init__(self, game: Chess) -> None:
        super().__init__(game)

    def describe(self, session: Session | None) -> dict[str, Any]:
        board = chess.Board() if session is None else self.game.position(session).board
        played = [] if session is None else self._played(session)
        sans = [] if session is None else self.game.history(session)
        last = None
        if played:
            last = {"from": played[-1][:2], "to": played[-1][2:4], "uci": played[-1], "san": sans[-1]}
        return {
            "fen": board.fen(),
            "board": _rows(board),
            "moves": played,
            "san": sans,
            "moveNumber": board.fullmove_number,
            "halfmoveClock": board.halfmove_clock,
            "check": board.is_check(),
            "lastMove": last,
        }

    def moves(self, session: Session) -> list[dict[str, Any]]:
        board = self.game.position(session).board
        return [_action(board, move) for move in board.legal_moves]

    def move(self, session: Session, action: Any) -> dict[str, Any]:
        position = self.game.position(session)
        text = _text(action)
        if not text or len(text) > LONGEST_TEXT:
            raise no_move(_EXAMPLE)
        return {"m": position.wire(parse(position, text))}

    def claim(self, session: Session) -> str:
        return self.game.position(session).claim()

    def _played(self, session: Session) -> list[str]:
        """UCI of every move, castling as the king's two steps, as the web has it."""
        wired: list[str] = session.metadata["moves"]
        sans = self.game.history(session)
        return [_castled(uci) if san.startswith("O-O") else uci for uci, san in zip(wired, sans, strict=True)]


def _castled(uci: str) -> str:
    """King takes own rook as the king's two steps; what is in that form already stays."""
    return {"h": f"{uci[:2]}g{uci[3]}", "a": f"{uci[:2]}c{uci[3]}"}.get(uci[2], uci)


def _action(board: chess.Board, move: chess.Move) -> dict[str, Any]:
    action = {
        "type": "move",
        "uci": move.uci(),
        "san": board.san(move),
        "from": chess.square_name(move.from_square),
        "to": chess.square_name(move.to_square),
    }
    return action | {"promotion": chess.piece_symbol(move.promotion)} if move.promotion else action


def _rows(board: chess.Board) -> list[list[str | None]]:
    """Rank 8 first, file a first; the letters of FEN."""
    pieces = board.piece_map()
    return [
        [pieces[square].symbol() if square in pieces else None for square in range(8 * rank, 8 * rank + 8)]
        for rank in range(7, -1, -1)
    ]


def _text(action: Any) -> str | None:
    """The move of an action as people write it; None where it has none."""
    if isinstance(action, str):
        return action
    if not isinstance(action, Mapping):
        return None
    named = one_of(action, _WHOLE_MOVE)
    if isinstance(named, str):
        return named
    squares = named if isinstance(named, Mapping) else action
    origin, target = one_of(squares, _FROM), one_of(squares, _TO)
    promotion = squares.get("promotion") or ""
    if not (isinstance(origin, str) and isinstance(target, str) and isinstance(promotion, str)):
        return None
    return origin + target + _PIECES.get(promotion.lower(), promotion.lower())
