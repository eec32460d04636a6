"""What a chess position looks like in a ``GameView``: row 0 is rank 8, column 0 the a-file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import chess

from ._chess_rules import Position

_NAMES: Final = ("king", "queen", "rook", "bishop", "knight", "pawn")
TOKENS: Final = {letter: f"white {name}" for letter, name in zip("KQRBNP", _NAMES, strict=True)} | {
    letter: f"black {name}" for letter, name in zip("kqrbnp", _NAMES, strict=True)
}
_VALUES: Final = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_FULL: Final = {chess.PAWN: 8, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 2, chess.QUEEN: 1}


def cell(square: int) -> tuple[int, int]:
    return 7 - chess.square_rank(square), chess.square_file(square)


def grid(board: chess.Board) -> tuple[tuple[str, ...], ...]:
    rows = []
    for rank in range(7, -1, -1):
        pieces = (board.piece_at(chess.square(file, rank)) for file in range(8))
        rows.append(tuple(piece.symbol() if piece else "" for piece in pieces))
    return tuple(rows)


def cells(uci: str, board: chess.Board) -> tuple[tuple[int, int], ...]:
    """Origin and target of the last move; ``board`` is the position after it.

    Castling arrives as king takes own rook; what a person saw move is the king, by two squares.
    """
    origin, target = chess.parse_square(uci[:2]), chess.parse_square(uci[2:4])
    if board.piece_type_at(target) is None:
        target = origin + (2 if target > origin else -2)
    return cell(origin), cell(target)


def legal(position: Position) -> Iterator[dict[str, Any]]:
    """Fields of a ``LegalMove`` for every legal move."""
    for move in position.board.legal_moves:
        yield {
            "intent": {"m": position.wire(move)},
            "label": position.board.san(move),
            "origin": cell(move.from_square),
            "target": cell(move.to_square),
        }


def extras(position: Position) -> dict[str, Any]:
    """Check, the checked king's cell, what each side has lost, material, claim and FEN.

    ``captured`` lists lost pieces by the usual letters; promoted pieces are not counted as lost pawns'
    replacements, so it is what is missing from the first position. ``material`` is White minus Black.
    """
    board = position.board
    king = board.king(board.turn)
    check = board.is_check()
    return {
        "check": check,
        "check_cell": list(cell(king)) if check and king is not None else None,
        "captured": {"white": _missing(board, chess.WHITE), "black": _missing(board, chess.BLACK)},
        "material": sum(
            value * (len(board.pieces(kind, chess.WHITE)) - len(board.pieces(kind, chess.BLACK)))
            for kind, value in _VALUES.items()
        ),
        "claimable": position.claim(),
        "fen": board.fen(),
    }


def _missing(board: chess.Board, colour: chess.Color) -> str:
    letters = ""
    for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN):
        letters += chess.piece_symbol(kind) * max(0, _FULL[kind] - len(board.pieces(kind, colour)))
    return letters.upper() if colour == chess.WHITE else letters
