from __future__ import annotations

import pytest

from interfaces.tui.kit import glyphs
from interfaces.tui.kit.look import COLOURS, GLYPHS, THEMES, choose, refusal
from interfaces.tui.kit.theme import Depth

ENVIRON = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}


def test_settings_go_before_what_is_found() -> None:
    found = choose(ENVIRON)
    assert (found.theme.name, found.theme.depth, found.glyphs) == ("dark", Depth.INDEXED, glyphs.UNICODE)
    told = choose(ENVIRON | {"NO_COLOR": "1"}, "light", "24bit", "ascii")
    assert (told.theme.name, told.theme.depth, told.glyphs) == ("light", Depth.TRUE, glyphs.ASCII)
    for theme, colours, signs in ((t, c, g) for t in THEMES for c in COLOURS for g in GLYPHS):
        assert choose(ENVIRON, theme, colours, signs)
    with pytest.raises(KeyError):
        choose(ENVIRON, colours="8")


@pytest.mark.parametrize(
    ("term", "reads", "writes", "word"),
    [
        ("dumb", True, True, "TERM=dumb"),
        ("", True, True, "TERM="),
        ("xterm", False, True, "input"),
        ("xterm", True, False, "output"),
    ],
)
def test_where_there_can_be_no_interface_one_line_names_the_commands(
    term: str, reads: bool, writes: bool, word: str
) -> None:
    said = refusal({"TERM": term}, reads, writes)
    assert said is not None
    assert word in said
    assert said.endswith("lrgpnode --help")
    assert "\n" not in said


def test_nothing_is_said_where_there_is_a_terminal() -> None:
    assert refusal({"TERM": "vt100"}, True, True) is None
