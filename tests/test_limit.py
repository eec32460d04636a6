"""The sliding window that keeps anybody from using us as an amplifier."""

from __future__ import annotations

from lrgpnode import limit
from lrgpnode.limit import Limit


def test_no_window_holds_more_than_the_limit() -> None:
    answers = Limit(3, seconds=60.0)
    assert [answers.allow("a", at) for at in (0.0, 10.0, 20.0, 30.0, 59.0)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert answers.allow("a", 60.0)  # the first is a whole minute old
    assert not answers.allow("a", 61.0)
    assert answers.allow("b", 61.0)


def test_a_clock_that_was_set_back_does_not_lock_anybody_out() -> None:
    answers = Limit(1, seconds=60.0)
    assert answers.allow("a", 1000.0)
    assert answers.allow("a", 10.0)


def test_it_remembers_a_bounded_number_of_peers() -> None:
    answers = Limit(1, seconds=60.0)
    for number in range(limit.MOST_PEERS + 1):
        assert answers.allow(str(number), 0.0)
    assert answers.allow("0", 1.0)
    assert not answers.allow(str(limit.MOST_PEERS), 1.0)
