"""What holds for the looks: options before settings, and nothing that is no value."""

from __future__ import annotations

import pytest

from interfaces.tui.kit import look
from interfaces.tui.looks import NOTICES, Looks, shown
from lrgpnode.config import SETTINGS


def test_options_go_before_settings_and_settings_before_defaults() -> None:
    settings = {"tui.theme": "light", "tui.bell": False, "tui.glyphs": "ascii"}
    looks = Looks.of({"theme": "high-contrast", "glyphs": None}, settings)
    assert (looks.theme, looks.glyphs, looks.bell, looks.colours) == ("high-contrast", "ascii", False, "auto")
    assert not looks.look({"TERM": "xterm", "LANG": "C.UTF-8"}).glyphs.unicode


@pytest.mark.parametrize(
    "wrong", [{"tui.theme": "plaid"}, {"tui.mouse": "yes"}, {"tui.notices": 1}, {"x": 1}]
)
def test_what_is_no_value_is_left_out(wrong: dict[str, object]) -> None:
    assert Looks.of({}, wrong) == Looks()


def test_the_table_of_settings_has_the_same_values() -> None:
    choices = {
        "theme": look.THEMES,
        "colours": look.COLOURS,
        "glyphs": look.GLYPHS,
        "notices": NOTICES,
    }
    for name, values in choices.items():
        assert SETTINGS[f"tui.{name}"].kind.choices == tuple(values)
    assert Looks.of({}, {key: row.default() for key, row in SETTINGS.items()}) == Looks()


def test_a_report_of_the_node_is_read() -> None:
    report = {"settings": [{"key": "tui.theme", "value": "light"}, {"key": "tui.bell", "value": True}]}
    assert shown(report) == {"tui.theme": "light", "tui.bell": True}
    assert shown({}) == {}
