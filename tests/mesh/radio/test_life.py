"""When a silent board is asked, and when it is given up; lines that are said once."""

from __future__ import annotations

from hypothesis import given, strategies as st

from lrgpnode.mesh.radio.life import ASK_AFTER, HUNG_AFTER, QUEUE_BYTES, Life, Step
from lrgpnode.mesh.rnslog import REPEAT, Repeats

SF8, SF12 = 3125.0, 293.0


def steps(life: Life, until: float, bitrate: float = SF8) -> list[tuple[float, Step]]:
    """What a watch that does as it is told does without any sign of life."""
    now, done = 0.0, []
    while now < until:
        look = life.look(now, bitrate)
        if look.step is not Step.WAIT:
            done.append((now, look.step))
        if look.step is Step.GIVE_UP:
            break
        assert 0 < look.again <= ASK_AFTER
        now += look.again
    return done


def test_three_questions_and_then_it_has_hung() -> None:
    asked = steps(Life(0.0), 100)
    assert [step for _, step in asked] == [Step.ASK, Step.ASK, Step.ASK, Step.GIVE_UP]
    assert asked[-1][0] == HUNG_AFTER


def test_a_board_that_reports_is_never_asked() -> None:
    life = Life(0.0)
    for second in range(1000):
        life.sign(float(second))
        assert life.look(second + 0.99, SF8).step is Step.WAIT


def test_a_board_that_sends_may_be_silent_for_longer() -> None:
    """Its whole queue takes minutes at the slowest speed, and it listens to nobody meanwhile."""
    life = Life(0.0)
    life.handed(0.0, QUEUE_BYTES)
    last = steps(life, 1000, SF12)[-1]
    assert last[1] is Step.GIVE_UP
    assert QUEUE_BYTES * 8 / SF12 < last[0] < 400
    life = Life(0.0)
    life.handed(0.0, 100)
    assert steps(life, 100)[-1][0] < HUNG_AFTER + 1


def test_more_than_its_queue_makes_no_difference() -> None:
    one, many = Life(0.0), Life(0.0)
    one.handed(0.0, QUEUE_BYTES)
    for _ in range(100):
        many.handed(0.0, QUEUE_BYTES)
    assert steps(one, 1000)[-1] == steps(many, 1000)[-1]


@given(st.lists(st.tuples(st.floats(0.1, 30), st.booleans()), max_size=60), st.sampled_from([0.0, SF8, SF12]))
def test_it_is_given_up_only_after_silence(moments: list[tuple[float, bool]], bitrate: float) -> None:
    life, now, sign = Life(0.0), 0.0, 0.0
    for pause, alive in moments:
        now += pause
        if alive:
            life.sign(now)
            sign = now
        look = life.look(now, bitrate)
        assert (look.step is Step.GIVE_UP) == (now - sign >= HUNG_AFTER)


def test_a_line_is_said_once_an_hour() -> None:
    repeats = Repeats()
    assert not repeats.is_one("gone", 0.0)
    assert repeats.is_one("gone", 7.4)
    assert repeats.is_one("gone", REPEAT - 1)
    assert not repeats.is_one("gone", REPEAT)
    assert repeats.is_one("gone", REPEAT + 7)


@given(st.lists(st.text(max_size=3), max_size=300))
def test_what_is_remembered_is_bounded(lines: list[str]) -> None:
    repeats = Repeats()
    for line in lines:
        repeats.is_one(line, 0.0)
    assert len(repeats._last) <= 64
