"""Lines for a terminal and for the journal, which no text of a stranger can forge."""

from __future__ import annotations

import logging
import re

import pytest
from hypothesis import given, strategies as st

from lrgpnode.logs.lines import LEVELS, Line, Pipe, for_journal, for_terminal, level_name, level_number
from tests.logs.test_redact import lines


def test_the_journal_gets_priorities_and_no_time() -> None:
    line = Line(0.0, logging.WARNING, "lrgpnode.x", "one\n    two")
    assert for_journal(line) == "<4>lrgpnode.x: one\n<4>    two\n"
    numbers = [for_journal(Line(0, getattr(logging, name.upper()), "x", "y"))[:3] for name in LEVELS]
    assert numbers == ["<7>", "<6>", "<4>", "<3>"]
    assert for_journal(Line(0, logging.CRITICAL, "x", "y")).startswith("<2>")


def test_the_terminal_gets_time_and_level() -> None:
    text = for_terminal(Line(0.0, logging.INFO, "lrgpnode.x", "one"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO lrgpnode.x: one\n", text)


@given(st.text(max_size=60))
def test_a_text_cannot_forge_a_line_or_control_a_terminal(text: str) -> None:
    logger, made = lines()
    logger.info("peer %s", text)
    shown = for_journal(made[0])
    for part in shown.splitlines():
        assert part.startswith(("<6>test: peer", "<6>    "))
        assert part.isprintable()
    assert all(part.isprintable() for part in for_terminal(made[0]).splitlines())


def test_arguments_that_do_not_fit_are_a_line_and_no_crash() -> None:
    logger, made = lines()
    logger.info("%d %d", "x")  # noqa: PLE1206 - that is the defect
    assert "cannot be formatted" in made[0].text
    assert made[0].level == logging.ERROR


@pytest.mark.parametrize("name", LEVELS)
def test_level_names(name: str) -> None:
    assert level_name(level_number(name)) == name
    assert level_name(level_number(name) + 1) == name


def test_all_who_listen_get_the_same_line() -> None:
    first: list[Line] = []
    second: list[Line] = []
    Pipe(first.append, second.append).emit(logging.makeLogRecord({"msg": "x", "levelno": 20}))
    assert first == second
    assert first[0] is second[0]
