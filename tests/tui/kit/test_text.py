from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st
from wcwidth import wcwidth, width as measured

from interfaces.tui.kit import text
from interfaces.tui.kit.text import ASCII, UNICODE, Script

NASTY = (
    "\x1b\x9b\x07\x00\x7f\r\n\t\u200b\u200d\u200e\u202e\u2066\ufeff\ufe0f\u0301\u0301\u0488\u20e3\u115f\u1100\u1161"
    "\u3164\u2800\u094d\u0915\u0937\u0d4e\u0600\u2139\u203c\u2764\u231a\U0001f600\U0001f3fb\U0001f1e9\U000e0041\ud800"
    "\ufffd?.~éßあ漢ｶﾞกเ็שׁ "
)
TEXTS = st.text() | st.text(st.sampled_from(NASTY)) | st.text(st.characters(max_codepoint=0x10FFFF))
SCRIPTS = st.sampled_from((ASCII, UNICODE))


def assert_safe(shown: str, script: Script) -> None:
    for char in shown:
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Me", "Mc")
    if script is ASCII:
        assert shown.isascii()
    # The width terminals give it: of the whole, of its parts, and the one this module says are the same.
    assert text.width(shown) == measured(shown) == sum(max(0, wcwidth(char)) for char in shown)
    assert "".join(cluster for cluster, _ in text.clusters(shown)) == shown


@given(TEXTS, SCRIPTS)
def test_a_line_is_safe_and_stays_as_it_is(written: str, script: Script) -> None:
    shown = text.line(written, script)
    assert_safe(shown, script)
    assert len(shown) <= text.LONGEST
    assert shown == shown.strip()
    assert "  " not in shown
    assert text.line(shown, script) == shown


@given(TEXTS, st.integers(-1, 30), SCRIPTS)
def test_what_is_fitted_is_no_wider_than_promised(written: str, cells: int, script: Script) -> None:
    shown = text.fit(written, cells, script)
    assert_safe(shown, script)
    assert text.width(shown) <= max(0, cells)
    assert text.fit(shown, cells, script) == shown


@given(TEXTS, st.integers(0, 30), SCRIPTS, st.sampled_from(("left", "right", "center")))
def test_what_is_padded_is_as_wide_as_promised(
    written: str, cells: int, script: Script, align: text.Align
) -> None:
    shown = text.pad(written, cells, script, align)
    assert_safe(shown, script)
    assert text.width(shown) == cells
    assert text.pad(shown, cells, script, align) == shown


@given(TEXTS, st.integers(2, 30), SCRIPTS)
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(written: str, cells: int, script: Script) -> None:
    lines = text.wrap(written, cells, script)
    assert lines
    for shown in lines:
        assert_safe(shown, script)
        assert text.width(shown) <= cells
    whole = "".join(text.line(part, script, 4000) for part in written.replace("\r\n", "\n").split("\n"))
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")


@pytest.mark.parametrize(
    ("written", "rich", "plain"),
    [
        ("Zoë 漢字", "Zoë 漢字", "Zoe ?"),
        ("Łódź · ½ “ok”…", "Łódź · ½ “ok”…", 'Lodz . 1/2 "ok"...'),
        ("\x1b]0;owned\x07\x1b[2J", "\ufffd]0;owned\ufffd[2J", "?]0;owned?[2J"),
        ("abc\u202edcba", "abc\ufffddcba", "abc?dcba"),
        ("a\u200bb\u200cc", "a\ufffdb\ufffdc", "a?b?c"),
        ("😀👩\u200d👩\u200d👦 x", "\ufffd x", "? x"),
        ("♞♟ ▸─\u263a\u2699", "♞♟ ▸─\ufffd", "? ?"),
        ("\u2764\ufe0f", "\ufffd", "?"),
        ("Z" + "\u0321" * 40 + "algo", "Z\u0321\u0321\ufffdalgo", "Z?algo"),
        ("क्ष", "क\ufffdष", "?"),
        ("\u3164\u2800\u115f", "\ufffd", "?"),
        ("  a\t\n b\u00a0c ", "a b c", "a b c"),
        ("שָׁלוֹם", unicodedata.normalize("NFC", "שָׁלוֹם"), "?"),
        ("\u05d0\u05b8", "\u05d0\u05b8", "?"),
        ("", "", ""),
    ],
)
def test_what_is_kept_and_what_is_replaced(written: str, rich: str, plain: str) -> None:
    assert text.line(written, UNICODE) == rich
    assert text.line(written, ASCII) == plain


def test_cutting() -> None:
    assert text.fit("abcdef", 6, UNICODE) == "abcdef"
    assert text.fit("abcdef", 5, UNICODE) == "abcd…"
    assert text.fit("abcdef", 5, ASCII) == "abc.."
    assert text.fit("漢字漢字", 6, UNICODE) == "漢字…"
    assert text.fit("abcdef", 1, ASCII) == "."
    assert text.pad("漢字", 4, UNICODE, "right") == "漢字"
    assert text.wrap("one two three", 7, ASCII) == ["one two", "three"]
    assert text.wrap("abcdefgh\n\nx", 3, ASCII) == ["abc", "def", "gh", "", "x"]


def test_every_character_alone() -> None:
    for code in (*range(0x3200), *range(0xA000, 0x20000, 7), *range(0xE0000, 0xE0200)):
        for shown in (text.fit(chr(code), 2, UNICODE), text.fit(chr(code), 4, ASCII)):
            assert_safe(shown, UNICODE)
            assert text.width(shown) >= 1, hex(code)
