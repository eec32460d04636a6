"""Four in a row: alpha-beta on two bit boards, with iterative deepening.

A column is seven bits, its bottom first; the seventh is always empty, so that no line wraps around.
``mine`` has the stones of whoever is to move, ``all`` those of both. Moves that let the other side win
at once are not searched, so a search of depth n sees wins n + 2 plies away.
"""

from __future__ import annotations

import random
from typing import Final

from .levels import MATE, Choice, Level

COLUMNS: Final = 7
ROWS: Final = 6
_HEIGHT: Final = ROWS + 1
_CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)
_COLUMN: Final = tuple(((1 << ROWS) - 1) << column * _HEIGHT for column in range(COLUMNS))
_BOTTOM: Final = sum(1 << column * _HEIGHT for column in range(COLUMNS))
_BOARD: Final = sum(_COLUMN)
_ODD_ROWS: Final = sum(_BOTTOM << row for row in (0, 2, 4))
_PLACES: Final = tuple(
    # How central a cell is, in the hundredths of a threat that a stone there is worth.
    sum(1 << column * _HEIGHT + row for column in columns for row in rows)
    for columns, rows in (((3,), range(6)), ((2, 3, 4), range(1, 5)), ((1, 2, 3, 4, 5), range(2, 4)))
)
_THREAT: Final = 100
_GOOD_THREAT: Final = 60
_PLACE: Final = 8
_EXACT, _LOWER, _UPPER = 0, 1, 2


def choose(board: str, level: Level, rng: random.Random) -> Choice:
    """A column, 0 to 6, for whoever is to move on ``board``: 42 of "A", "B" and "_", top row first.

    The board must have an empty cell and no four in a row.
    """
    mine, both = _bits(board)
    columns = [column for column in _CENTRE_FIRST if not both & _top(column)]
    search = _Search(level.nodes)
    whims = {column: rng.randint(0, level.noise) for column in columns}
    slip = rng.random() < level.slips
    rng.shuffle(columns)
    best, score = search.best(mine, both, columns, whims, level.depth)
    return Choice(rng.choice(columns) if slip else best, score, search.nodes)


class _OutOfNodes(Exception):
    pass


class _Search:
    def __init__(self, budget: int) -> None:
        self.nodes = 0
        self._budget = budget
        self._table: dict[tuple[int, int], tuple[int, int, int, int]] = {}

    def best(
        self, mine: int, both: int, columns: list[int], whims: dict[int, int], depth: int
    ) -> tuple[int, int]:
        """(column, score) of the deepest search that the budget allows."""
        winning = _wins(mine, both) & _landings(both)
        for column in columns:
            if winning & _COLUMN[column]:
                return column, MATE - 1
        found = columns[0], 0
        empty = COLUMNS * ROWS - both.bit_count()
        for plies in range(1, min(depth, empty) + 1):
            try:
                found = self._root(mine, both, columns, whims, plies, found)
            except _OutOfNodes:
                break
            if abs(found[1]) > MATE // 2:
                break
        return found

    def _root(
        self,
        mine: int,
        both: int,
        columns: list[int],
        whims: dict[int, int],
        depth: int,
        before: tuple[int, int],
    ) -> tuple[int, int]:
        best, alpha, score = before[0], -MATE, -MATE
        for column in sorted(columns, key=lambda c: c != before[0]):
            stone = both + (1 << column * _HEIGHT) & _COLUMN[column]
            whim = whims[column]
            value = -self._negamax(mine ^ both, both | stone, depth - 1, -MATE, whim - alpha, 1)
            # A whim does not make a lost move look better than one that is not.
            liked = value + whim if abs(value) < MATE // 2 else value
            if liked > alpha:
                best, alpha, score = column, liked, value
        return best, score

    def _negamax(self, mine: int, both: int, depth: int, alpha: int, beta: int, ply: int) -> int:
        self.nodes += 1
        if self.nodes > self._budget:
            raise _OutOfNodes
        possible = _landings(both)
        if not possible:
            return 0
        if _wins(mine, both) & possible:
            return MATE - ply - 1
        theirs = _wins(mine ^ both, both)
        forced = possible & theirs
        if forced:
            if forced & forced - 1:
                return ply + 2 - MATE
            possible = forced
        possible &= ~(theirs >> 1)  # not below a cell where they would win
        if not possible:
            return ply + 2 - MATE
        if depth <= 0:
            return _evaluate(mine, both)
        return self._deeper(mine, both, possible, depth, alpha, beta, ply)

    def _deeper(
        self, mine: int, both: int, possible: int, depth: int, alpha: int, beta: int, ply: int
    ) -> int:
        key = mine, both
        known = self._table.get(key)
        first = -1
        if known is not None:
            known_depth, kind, value, first = known
            if known_depth >= depth and (
                kind == _EXACT or (kind == _LOWER and value >= beta) or (kind == _UPPER and value <= alpha)
            ):
                return value
        best, best_column, kind = -MATE, -1, _UPPER
        order = _CENTRE_FIRST if first < 0 else (first, *(c for c in _CENTRE_FIRST if c != first))
        for column in order:
            stone = possible & _COLUMN[column]
            if not stone:
                continue
            value = -self._negamax(mine ^ both, both | stone, depth - 1, -beta, -alpha, ply + 1)
            if value > best:
                best, best_column = value, column
                if value > alpha:
                    alpha, kind = value, _EXACT
                    if alpha >= beta:
                        kind = _LOWER
                        break
        self._table[key] = depth, kind, best, best_column
        return best


def _evaluate(mine: int, both: int) -> int:
    """Cells that would complete four, and how central the stones are.

    The player who began has the odd rows in the end, the other one the even rows: a threat there
    cannot be waited out.
    """
    theirs = mine ^ both
    my_wins, their_wins = _wins(mine, both), _wins(theirs, both)
    mine_began = both.bit_count() % 2 == 0
    my_rows, their_rows = (_ODD_ROWS, ~_ODD_ROWS) if mine_began else (~_ODD_ROWS, _ODD_ROWS)
    score = _THREAT * (my_wins.bit_count() - their_wins.bit_count())
    score += _GOOD_THREAT * ((my_wins & my_rows).bit_count() - (their_wins & their_rows).bit_count())
    for place in _PLACES:
        score += _PLACE * ((mine & place).bit_count() - (theirs & place).bit_count())
    return score


def _wins(stones: int, both: int) -> int:
    """The empty cells, reachable now or not, that would complete four of ``stones``."""
    found = stones << 1 & stones << 2 & stones << 3
    for step in (_HEIGHT, _HEIGHT - 1, _HEIGHT + 1):
        pair = stones << step & stones << 2 * step
        found |= pair & stones << 3 * step
        found |= pair & stones >> step
        pair = stones >> step & stones >> 2 * step
        found |= pair & stones << step
        found |= pair & stones >> 3 * step
    return found & (_BOARD ^ both)


def _landings(both: int) -> int:
    """Where a stone can fall to."""
    return both + _BOTTOM & _BOARD


def _top(column: int) -> int:
    return 1 << column * _HEIGHT + ROWS - 1


def _bits(board: str) -> tuple[int, int]:
    first = both = 0
    for cell, mark in enumerate(board):
        bit = 1 << (cell % COLUMNS) * _HEIGHT + ROWS - 1 - cell // COLUMNS
        if mark != "_":
            both |= bit
        if mark == "A":
            first |= bit
    return (first if both.bit_count() % 2 == 0 else first ^ both), both
