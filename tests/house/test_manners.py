"""What the house agrees to, and what it remembers of levels."""

import asyncio
import json

import pytest
from hypothesis import given, strategies as st

from lrgpnode.house.levels import LEVELS, level
from lrgpnode.house.manners import Limits, Load, Verdict, agrees, judge
from lrgpnode.house.memory import DAILY_KEY, DAY, KEPT, META_KEY, Daily, Levels
from storage.errors import StorageError
from tests.house.seats import Memory

NOTHING = Load(games=0, peer_games=0)


@pytest.mark.parametrize(
    ("app", "local", "limits", "load", "verdict"),
    [
        ("ttt", True, Limits(), Load(games=99, peer_games=99), Verdict.ACCEPT),
        ("morra", True, Limits(), NOTHING, Verdict.DECLINE),
        ("ttt", False, Limits(), NOTHING, Verdict.IGNORE),
        ("morra", False, Limits(), NOTHING, Verdict.IGNORE),
        ("ttt", False, Limits(open=True), NOTHING, Verdict.ACCEPT),
        ("morra", False, Limits(open=True), NOTHING, Verdict.DECLINE),
        ("ttt", False, Limits(open=True, games=4), Load(games=4, peer_games=0), Verdict.DECLINE),
        ("ttt", False, Limits(open=True, peer_games=1), Load(games=1, peer_games=1), Verdict.DECLINE),
    ],
)
def test_challenges(app: str, local: bool, limits: Limits, load: Load, verdict: Verdict) -> None:
    assert judge(app, local, limits, load) is verdict


@given(st.sampled_from(sorted(LEVELS)), st.integers(0, 100), st.integers(-1000, 1000))
def test_no_draw_is_agreed_that_is_worse_than_the_position(app: str, ply: int, score: int) -> None:
    if agrees(app, ply, score):
        assert score <= 0
    elif score <= 0:
        assert score >= -150
        assert ply < 30


def test_levels_are_numbered_from_one_and_end_at_the_hardest() -> None:
    for app, levels in LEVELS.items():
        assert [level(app, n) for n in range(1, len(levels) + 1)] == list(levels)
        assert level(app, 0) == levels[0]
        assert level(app, 99) == levels[-1]


@pytest.mark.parametrize("stored", ["", "[]", "{", '{"a":"x"}', '{"a":null}', "7"])
def test_damaged_levels_are_the_usual_ones(stored: str) -> None:
    levels = Levels(stored, Memory().keep, lambda: (), 2)
    assert levels.of("a", "chess") == 2


def test_the_games_of_a_day_are_counted_over_restarts_and_whatever_the_clock_does() -> None:
    memory = Memory()

    def allowed(now: float) -> bool:
        return asyncio.run(Daily(memory.values.get(DAILY_KEY), memory.keep, 2).allow(now))

    assert [allowed(now) for now in (1e6, 1e6 + 1, 1e6 + 2)] == [True, True, False]
    assert not allowed(1e6 - 7 * DAY)  # the clock was set back
    assert not allowed(1e6 - 7 * DAY + DAY / 2)
    assert allowed(1e6 + DAY + 0.5)
    memory.values[DAILY_KEY] = '{"damaged": true}'
    assert allowed(5.0)


def test_what_is_not_stored_is_not_chosen() -> None:
    async def fail(key: str, value: str) -> None:
        raise StorageError("disk full")

    levels = Levels(None, fail, lambda: (), 2)
    with pytest.raises(StorageError):
        asyncio.run(levels.choose("a", 5))
    assert levels.of("a", "chess") == 2


def test_the_levels_of_games_that_go_on_are_kept_and_others_bounded() -> None:
    memory = Memory()
    levels = Levels(None, memory.keep, lambda: ("0", "1"), 2)

    async def main() -> None:
        for number in range(KEPT + 50):
            await levels.choose(str(number), 5)

    asyncio.run(main())
    kept = json.loads(memory.values[META_KEY])
    assert len(kept) == KEPT
    assert {"0", "1", str(KEPT + 49)} <= kept.keys()
    assert Levels(memory.values[META_KEY], memory.keep, lambda: (), 2).of("0", "chess") == 5
