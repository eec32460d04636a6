"""Tic-tac-toe in the house: the top level is shown never to lose, against every way to play."""

import random
from functools import cache

import pytest

from games.tictactoe import EMPTY_BOARD, LINES, marker, terminal
from lrgpnode.house import tictactoe
from lrgpnode.house.levels import LEVELS, Level

PERFECT = LEVELS["ttt"][-1]


class AnyOfTheBest(random.Random):
    """Not random at all: keeps what could have been chosen, so that every choice can be followed."""

    def __init__(self) -> None:
        super().__init__(0)
        self.options: list[int] = []

    def choice(self, seq):  # type: ignore[no-untyped-def, override]
        self.options = list(seq)
        return seq[0]


@cache
def options(board: str) -> tuple[int, ...]:
    rng = AnyOfTheBest()
    tictactoe.choose(board, PERFECT, rng)
    return tuple(rng.options)


def put(board: str, cell: int) -> str:
    number = 10 - board.count("_")
    assert board[cell] == "_"
    return board[:cell] + marker(number) + board[cell + 1 :]


@cache
def results(board: str, house: str) -> frozenset[str]:
    """Every result that can come about from here when the house has the mark ``house``."""
    number = 10 - board.count("_")
    mark = marker(number)
    found: set[str] = set()
    for cell in options(board) if mark == house else [c for c in range(9) if board[c] == "_"]:
        after = put(board, cell)
        end = terminal(after, mark)
        found |= {"draw" if end == "draw" else mark} if end else results(after, house)
    return frozenset(found)


@pytest.mark.parametrize(("house", "other"), [("X", "O"), ("O", "X")])
def test_the_top_level_never_loses(house: str, other: str) -> None:
    assert results(EMPTY_BOARD, house) == {house, "draw"}, f"{other} can win"


@pytest.mark.parametrize("level", LEVELS["ttt"])
def test_a_win_is_taken_and_a_loss_averted(level: Level) -> None:
    still = Level(name=level.name, depth=level.depth)
    for a, b, c in LINES:
        outside = [cell for cell in range(9) if cell not in (a, b, c)]
        board = ["_"] * 9
        board[a] = board[b] = "X"
        others = next((p, q) for p in outside for q in outside if p < q and not _line(p, q, (a, b), c))
        board[others[0]] = board[others[1]] = "O"
        assert tictactoe.choose("".join(board), still, random.Random(1)).move == c
        if level.depth >= 2:
            board[others[1]] = "_"
            assert tictactoe.choose("".join(board), still, random.Random(1)).move == c


def _line(p: int, q: int, taken: tuple[int, int], c: int) -> bool:
    """Whether O at ``p`` and ``q`` would threaten something itself."""
    return any({p, q} <= set(line) and not set(line) & set(taken) and c not in line for line in LINES)


def test_the_first_level_loses_now_and_then_to_a_simple_plan() -> None:
    """A beginner who takes the centre, then corners, and completes lines."""
    rng = random.Random(5)
    won = sum(_beginner_wins(rng) for _ in range(40))
    assert won >= 8


def _beginner_wins(rng: random.Random) -> bool:
    board = EMPTY_BOARD
    while True:
        free = [c for c in (4, 0, 2, 6, 8, 1, 3, 5, 7) if board[c] == "_"]
        winning = [c for c in free if terminal(put(board, c), "X") == "win"]
        board = put(board, (winning or free)[0])
        end = terminal(board, "X")
        if end:
            return end == "win"
        board = put(board, int(tictactoe.choose(board, LEVELS["ttt"][0], rng).move))
        if terminal(board, "O"):
            return False


def test_equal_seeds_play_equal_moves() -> None:
    moves = [
        [tictactoe.choose(EMPTY_BOARD, level, random.Random(3)).move for _ in range(3)]
        for level in LEVELS["ttt"]
    ]
    assert all(len(set(same)) == 1 for same in moves)
