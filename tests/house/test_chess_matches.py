"""Chess in the house: matches of each level against the one below, and against chance."""

import random

import pytest

from lrgpnode.house.levels import LEVELS
from tests.house.arena import chess_game, chess_level, chess_random, match

LEVEL = LEVELS["chess"]


def score(number: int, games: int, seed: int) -> float:
    """What level ``number`` gets against the one below it."""
    rng = random.Random(seed)
    return match(chess_game, chess_level(LEVEL[number - 1], rng), chess_level(LEVEL[number - 2], rng), games)


def test_the_first_levels_in_a_short_match() -> None:
    assert score(2, 6, seed=1) >= 0.65


def test_the_first_level_is_no_match_for_a_careful_beginner() -> None:
    """Somebody who never gives a piece away for nothing, and no more: level two without its slips."""
    rng = random.Random(2)
    beginner = chess_level(LEVEL[1], rng)
    assert match(chess_game, beginner, chess_level(LEVEL[0], rng), 6) >= 0.5


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("number", range(2, len(LEVEL)))
def test_each_level_beats_the_one_below(number: int) -> None:
    assert score(number, 20, seed=20 + number) >= 0.65


@pytest.mark.slow
@pytest.mark.timeout(6000)
def test_the_top_level_beats_the_one_below() -> None:
    assert score(len(LEVEL), 10, seed=3) >= 0.65


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("seed", range(10))
def test_the_top_level_always_beats_chance(seed: int) -> None:
    """Ten games a seed, a hundred in all."""
    rng = random.Random(seed)
    assert match(chess_game, chess_level(LEVEL[-1], rng), chess_random(rng), 10) == 1.0
