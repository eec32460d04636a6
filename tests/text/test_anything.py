"""Whatever two people write, in whatever order: at most one bounded answer to each text, and no failure."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, given, settings, strategies as st

from interfaces.text.parse import APPS, MARK, VERBS
from tests.text.stage import ANN, PAUL, Stage, on_stage
from tests.text.test_web_tables import Platform

WORDS = st.sampled_from(
    [
        *sorted(VERBS),
        *sorted(APPS),
        "house",
        "paul",
        "ann",
        "#1",
        "2",
        "@" + ANN,
        "web",
        "e4",
        "Nf3",
        "5",
        "off",
    ]
)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map("\n".join),
    st.text(max_size=60),
    st.binary(max_size=60).map(lambda data: data.decode("utf-8", "replace")),
    st.integers(0, 20).map(str),
    st.sampled_from(
        ["play ttt paul", "play ttt ann", "yes", "no", "1", "5", "9", "seek four", "play chess", "tables"]
    ),
)


@contextmanager
def nothing_fails() -> Iterator[None]:
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append  # type: ignore[method-assign]
    log = logging.getLogger("interfaces.text")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
    assert not records, [record.getMessage() for record in records]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.booleans(), TEXTS), max_size=14))
def test_anything(said: list[tuple[bool, str]]) -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        for first, text in said:
            who, other = (ann, paul) if first else (paul, ann)
            other.got.clear()
            await who.says(text, seconds=15)
            assert len(who.got) <= 1
            assert len(other.got) <= 1  # with 30 s between texts nothing piles up
            assert all(one.startswith(MARK) for one in (*who.got, *other.got))
        await asyncio.sleep(60)
        both = [stage.node.store.text.at(seat.game_id) for seat in stage.node.store.text.live()]
        assert all(len({seat.metadata.get("move_count") for seat in seats}) == 1 for seats in both)

    with nothing_fails():
        on_stage(scene, gateway=Platform(), text_commands_per_minute=60)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.booleans(), TEXTS), max_size=12), st.integers(0, 1000))
def test_anything_in_haste(said: list[tuple[bool, str]], seed: int) -> None:
    async def scene(stage: Stage) -> None:
        ann, paul = stage.phone(ANN), stage.phone(PAUL)
        for first, text in said:
            (ann if first else paul).write(text)
            await asyncio.sleep(0.7)
        await asyncio.sleep(3600)
        assert not stage.node.store.text.waiting()

    with nothing_fails():
        on_stage(scene, gateway=Platform(), seed=seed)
