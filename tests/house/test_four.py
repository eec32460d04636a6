"""Four in a row in the house: bit boards against the rules of ``games``, wins, levels."""

import random

import pytest
from hypothesis import given, strategies as st

from games.four_in_a_row import EMPTY_BOARD, four_through, landing_row, marker
from lrgpnode.house import four
from lrgpnode.house.levels import LEVELS, MATE, Level
from tests.house.arena import four_game, four_level, four_random, match

LEVEL = LEVELS["four_in_a_row"]
CAREFUL = Level(name="", depth=4)


def dropped(columns: list[int]) -> str:
    """The board after these columns, leaving out what is full or follows the end."""
    board, number = EMPTY_BOARD, 1
    for column in columns:
        row = landing_row(board, column)
        if row is None:
            continue
        cell = 7 * row + column
        after = board[:cell] + marker(number) + board[cell + 1 :]
        if four_through(after, row, column) or "_" not in after:
            break
        board, number = after, number + 1
    return board


boards = st.lists(st.integers(0, 6), max_size=40).map(dropped)


def winning(board: str, number: int) -> set[int]:
    found = set()
    for column in range(7):
        row = landing_row(board, column)
        if row is not None:
            cell = 7 * row + column
            after = board[:cell] + marker(number) + board[cell + 1 :]
            if four_through(after, row, column):
                found.add(column)
    return found


@given(boards, st.integers(0, 1000))
def test_every_win_is_taken_and_every_loss_averted_that_can_be(board: str, seed: int) -> None:
    number = 43 - board.count("_")
    choice = four.choose(board, CAREFUL, random.Random(seed))
    assert landing_row(board, int(choice.move)) is not None
    mine, theirs = winning(board, number), winning(board, number + 1)
    if mine:
        assert choice.move in mine
        assert choice.score == MATE - 1
    elif len(theirs) == 1:
        assert choice.move in theirs
    elif theirs:
        assert choice.score <= 2 - MATE


@given(boards, st.integers(0, 1000))
def test_a_search_has_the_score_of_plain_minimax(board: str, seed: int) -> None:
    """Won, lost or open within three plies: the table, the order and the cuts change nothing."""
    number = 43 - board.count("_")
    still = Level(name="", depth=1)  # sees two plies more than it searches
    score = four.choose(board, still, random.Random(seed)).score
    expected = _minimax(board, number, 3)
    if expected:
        assert score * expected > 0
        assert abs(score) > MATE // 2


def _minimax(board: str, number: int, depth: int) -> int:
    if winning(board, number):
        return 1
    if depth <= 1:
        return 0
    best = -1
    for column in range(7):
        row = landing_row(board, column)
        if row is not None:
            cell = 7 * row + column
            after = board[:cell] + marker(number) + board[cell + 1 :]
            best = max(best, -_minimax(after, number + 1, depth - 1) if "_" in after else 0)
    return best


def test_mirrored_boards_are_worth_the_same() -> None:
    rng = random.Random(2)
    for _ in range(20):
        columns = [rng.randrange(7) for _ in range(rng.randrange(24))]
        scores = {
            four.choose(dropped(line), CAREFUL, random.Random(0)).score
            for line in (columns, [6 - column for column in columns])
        }
        assert len(scores) == 1


def test_the_budget_holds() -> None:
    choice = four.choose(EMPTY_BOARD, Level(name="", depth=42, nodes=500), random.Random(1))
    assert choice.nodes <= 501


@pytest.mark.parametrize("number", [2, 3])
def test_each_level_beats_the_one_below(number: int) -> None:
    rng = random.Random(number)
    ours, theirs = four_level(LEVEL[number - 1], rng), four_level(LEVEL[number - 2], rng)
    assert match(four_game, ours, theirs, 20) >= 0.65


def test_a_beginner_who_looks_one_move_ahead_beats_the_first_level_at_times() -> None:
    rng = random.Random(8)

    def beginner(board: str) -> int:
        number = 43 - board.count("_")
        free = [c for c in range(7) if board[c] == "_"]
        return rng.choice(sorted(winning(board, number) or winning(board, number + 1)) or free)

    assert match(four_game, beginner, four_level(LEVEL[0], rng), 40) >= 0.2


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(2, len(LEVEL) + 1))
def test_each_level_beats_the_one_below_in_a_long_match(number: int) -> None:
    rng = random.Random(10 + number)
    ours, theirs = four_level(LEVEL[number - 1], rng), four_level(LEVEL[number - 2], rng)
    assert match(four_game, ours, theirs, 40) >= 0.65


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(10))
def test_the_top_level_always_beats_chance(seed: int) -> None:
    """Ten games a seed, a hundred in all."""
    rng = random.Random(seed)
    assert match(four_game, four_level(LEVEL[-1], rng), four_random(rng), 10) == 1.0
