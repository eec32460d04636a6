"""Texts of strangers."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from lrgpnode.cli.text import LONGEST, clean, clock, pad, when, who, width

SEEN_AS = [
    ("Alice", "Alice"),
    ("  two \t words\r\n", "two words"),
    ("\x1b[2J\x1b]0;owned\x07", "[2J]0;owned"),
    ("\x9b31mred", "31mred"),
    ("abc\u202egnp.exe", "abcgnp.exe"),
    ("\u2066a\u2069\u200b\u200d\ufeffb", "ab"),
    ("tag\U000e0041\U000e007f", "tag"),
    ("\u3164\u115f\u2800", ""),
    ("line\u2028break\u2029", "line break"),
    ("so\u00adft", "soft"),
    ("\ud800lone", "lone"),
    ("\ue000private", "private"),
    ("e\u0301", "\u00e9"),
    ("x" + "\u0321" * 50, "x\u0321\u0321"),
    ("\u0301start", "start"),
    ("heart\u2764\ufe0f", "heart\u2764"),
    ("Ω и 日本", "Ω и 日本"),
    (None, "None"),
    (7, "7"),
]


@pytest.mark.parametrize(("text", "shown"), SEEN_AS)
def test_what_is_left_of_a_text(text: object, shown: str) -> None:
    assert clean(text) == shown


def test_a_long_text_is_cut_and_says_so() -> None:
    assert clean("x" * 10_000, 10) == "xxxxxxx..."
    assert clean("x" * 10, 10) == "x" * 10


@given(st.text(st.characters(), max_size=400))
def test_nothing_dangerous_is_ever_left(text: str) -> None:
    shown = clean(text)
    assert len(shown) <= LONGEST
    assert shown == shown.strip()
    for char in shown:
        assert char == " " or unicodedata.category(char)[0] not in "CZ"
    assert clean(shown) == shown


def test_names_never_go_without_the_hash() -> None:
    assert who("bob", "b2" * 16) == "bob (b2b2b2b2)"
    assert who("\u202e", "b2" * 16) == "b2b2b2b2"


def test_width_counts_cells() -> None:
    assert width("日本x") == 5
    assert pad("日", 4) == "日  "
    assert pad("long", 2) == "long"


def test_times_of_any_size() -> None:
    assert when(0) == "1970-01-01 00:00"
    assert clock(3661) == "01:01:01"
    for at in (1e30, float("nan"), float("inf")):
        assert when(at) == "at an unknown time"
        assert clock(at) == "--:--:--"
