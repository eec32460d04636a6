"""Matches between engines, by the rules of ``games``."""

import random
from collections.abc import Callable
from typing import TypeVar

from games import _chess_rules as rules
from games.four_in_a_row import EMPTY_BOARD, four_through as is_four, landing_row, marker
from lrgpnode.house import chess_engine, four
from lrgpnode.house.levels import Level

Place = TypeVar("Place")
ChessMover = Callable[[rules.Position], str]
FourMover = Callable[[str], int]

MOST_PLIES = 400


def chess_level(level: Level, rng: random.Random) -> ChessMover:
    return lambda position: str(chess_engine.choose(position, level, rng).move)


def chess_random(rng: random.Random) -> ChessMover:
    return lambda position: rng.choice(sorted(m.uci() for m in position.board.legal_moves))


def four_level(level: Level, rng: random.Random) -> FourMover:
    return lambda board: int(four.choose(board, level, rng).move)


def four_random(rng: random.Random) -> FourMover:
    return lambda board: rng.choice([c for c in range(7) if board[c] == "_"])


def chess_game(white: ChessMover, black: ChessMover) -> float:
    """What White scores: 1, 0.5 or 0. A draw that may be claimed is claimed."""
    position = rules.start()
    for ply in range(MOST_PLIES):
        position = position.after(position.move((white, black)[ply % 2](position)))
        end, _ = position.end()
        if end == "win":
            return float(ply % 2 == 0)
        if end or position.claim():
            break
    return 0.5


def four_game(first: FourMover, second: FourMover) -> float:
    """What the first player scores."""
    board = EMPTY_BOARD
    for number in range(1, 43):
        column = (second, first)[number % 2](board)
        row = landing_row(board, column)
        assert row is not None, f"column {column} is full"
        cell = 7 * row + column
        board = board[:cell] + marker(number) + board[cell + 1 :]
        if is_four(board, row, column):
            return float(number % 2)
    return 0.5


def match(game: Callable[[Place, Place], float], ours: Place, theirs: Place, games: int) -> float:
    """The share of the points that ``ours`` gets, beginning in every other game."""
    points = 0.0
    for number in range(games):
        points += 1.0 - game(theirs, ours) if number % 2 else game(ours, theirs)
    return points / games
