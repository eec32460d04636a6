"""Tic-tac-toe: the whole game is searched, as far as the level looks."""

from __future__ import annotations

import random
from typing import Final

from .levels import MATE, Choice, Level

EMPTY: Final = "_"
_LINES: Final = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def choose(board: str, level: Level, rng: random.Random) -> Choice:
    """A cell, 0 to 8, for whoever is to move on ``board``: nine of "X", "O" and "_", X first.

    The board must have an empty cell and no line.
    """
    search = _Search()
    scores = {cell: -search.score(_place(board, cell), level.depth - 1) for cell in _empty(board)}
    best = max(scores.values())
    if rng.random() < level.slips:
        move = rng.choice(list(scores))
    else:
        move = rng.choice([cell for cell, score in scores.items() if score == best])
    return Choice(move, best, search.nodes)


class _Search:
    def __init__(self) -> None:
        self._known: dict[tuple[str, int], int] = {}

    @property
    def nodes(self) -> int:
        return len(self._known)

    def score(self, board: str, depth: int) -> int:
        """For whoever is to move; 0 also where the end is further than ``depth`` plies away."""
        known = self._known.get((board, depth))
        if known is None:
            known = self._known[board, depth] = self._search(board, depth)
        return known

    def _search(self, board: str, depth: int) -> int:
        if _lost(board):
            return -MATE
        cells = _empty(board)
        if not cells or depth <= 0:
            return 0
        best = -MATE
        for cell in cells:
            best = max(best, -self.score(_place(board, cell), depth - 1))
            if best == MATE:
                break
        # A win is worth less the later it comes, a loss less bad.
        return best - 1 if best > 0 else best + 1 if best < 0 else 0


def _empty(board: str) -> list[int]:
    return [cell for cell, mark in enumerate(board) if mark == EMPTY]


def _to_move(board: str) -> str:
    return "X" if board.count(EMPTY) % 2 else "O"


def _place(board: str, cell: int) -> str:
    return board[:cell] + _to_move(board) + board[cell + 1 :]


def _lost(board: str) -> bool:
    """Whether the other side, who has just moved, has a line."""
    mark = "O" if _to_move(board) == "X" else "X"
    return any(board[a] == board[b] == board[c] == mark for a, b, c in _LINES)
