from __future__ import annotations

import itertools

import pytest

from interfaces.tui.kit.theme import (
    NAMES,
    ROLES,
    SQUARES,
    Depth,
    Pen,
    colours,
    contrast,
    detect,
    indexed,
    square,
    theme,
    value,
)

# The sixteen as xterm and as a PC's text mode have them; terminals lie between.
XTERM = (
    *(0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5),
    *(0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF),
)
PC = (
    *(0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA),
    *(0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF),
)


@pytest.mark.parametrize("name", NAMES)
def test_everything_can_be_read(name: str) -> None:
    text = 7.0 if name == "high-contrast" else 4.5
    # Pieces are large, bold, and not distinguished by colour alone.
    piece = 7.0 if name == "high-contrast" else 3.0
    for role, (fg, bg) in colours(name).items():
        least = piece if role.startswith("square") else text
        assert contrast(fg.rgb, bg.rgb) >= least, role
        assert contrast(value(indexed(fg.rgb)), value(indexed(bg.rgb))) >= least, role
        assert bg.basic < 8, role
        for sixteen in (XTERM, PC):
            assert contrast(sixteen[fg.basic], sixteen[bg.basic]) >= 4.2, role


@pytest.mark.parametrize("name", NAMES)
def test_squares_of_different_kinds_look_different(name: str) -> None:
    under = [colours(name)[square(kind)][1] for kind in SQUARES]
    for one, other in itertools.combinations(under, 2):
        assert indexed(one.rgb) != indexed(other.rgb)
        assert one.basic != other.basic


def test_without_colours_what_matters_is_marked() -> None:
    pens = theme("dark", Depth.MONO).pens
    assert all(not pen.fg and not pen.bg for pen in pens.values())
    for role in ("strong", "warn", "bad", "unread", "focus", "bar", "key", "field", "heading"):
        assert pens[role] != Pen(), role
    shown = {pens[square(kind)] for kind in SQUARES}
    # The chequered pattern is drawn with a glyph.
    assert len(shown) == len(SQUARES) - 1


def test_every_role_in_every_theme_and_depth() -> None:
    for name, depth in itertools.product(NAMES, Depth):
        made = theme(name, depth)
        assert made.pens.keys() == {
            *ROLES,
            *(square(k, w) for k in SQUARES for w in ("first", "second", "mark")),
        }
        assert made.pen("no such role") == made.pen(None) == made.pen("text")
    assert theme("dark", Depth.SIXTEEN).pen("strong") == Pen("97", "40", bold=True)
    assert theme("dark", Depth.INDEXED).pen("strong").fg == "38;5;231"
    assert theme("dark", Depth.TRUE).pen("strong").fg == "38;2;255;255;255"


@pytest.mark.parametrize(
    ("environ", "depth"),
    [
        ({}, Depth.MONO),
        ({"TERM": "vt100"}, Depth.MONO),
        ({"TERM": "xterm-mono"}, Depth.SIXTEEN),
        ({"TERM": "linux"}, Depth.SIXTEEN),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, Depth.SIXTEEN),
        ({"TERM": "xterm"}, Depth.SIXTEEN),
        ({"TERM": "xterm", "COLORTERM": "rxvt"}, Depth.INDEXED),
        ({"TERM": "xterm-256color"}, Depth.INDEXED),
        ({"TERM": "tmux-256color", "COLORTERM": "truecolor"}, Depth.TRUE),
        (
            {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TERM_PROGRAM": "Apple_Terminal"},
            Depth.INDEXED,
        ),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit", "NO_COLOR": "1"}, Depth.MONO),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Depth.INDEXED),
    ],
)
def test_the_depth_is_taken_from_the_environment(environ: dict[str, str], depth: Depth) -> None:
    assert detect(environ) is depth


def test_colours_of_xterm() -> None:
    assert [indexed(rgb) for rgb in (0x000000, 0xFFFFFF, 0x5F87AF, 0x121212)] == [16, 231, 67, 233]
    for index in range(16, 256):
        assert value(indexed(value(index))) == value(index)
    assert contrast(0xFFFFFF, 0x000000) == pytest.approx(21)
