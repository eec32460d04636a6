"""How the interface looks, as a setting of the node, in a real terminal."""

from __future__ import annotations

import pytest

from tests.e2e.nodes import NodeProcess
from tests.tui.harness import ui_on

pytestmark = pytest.mark.node


def test_looks_are_settings_and_options_go_before_them(ann: NodeProcess) -> None:
    with ui_on(ann) as ui:
        ui.until("Play at once").keys("o").until("Screen colours")
        dark = ui.cell(5, 10).bg
        at = ui.find("Screen colours")
        ui.click(*at).until("tui.theme").keys("enter").until("high-contrast").keys("2")
        ui.until("Changed.").until(lambda ui: ui.cell(5, 10).bg != dark)
        ui.keys("ctrl l").until("tui.theme").same_after_redraw()
        # Other signs: the widgets are made anew.
        ui.click(*ui.find("Screen signs")).until("tui.glyphs").keys("enter").until("1  auto").keys("2")
        ui.until(lambda ui: ui.text.isascii()).until("Screen signs")
        ui.keys("ctrl l").gone("Changed").same_after_redraw()
        ui.keys("esc").until("Play at once").keys("enter").until("how strong?").same_after_redraw()
        assert ui.text.isascii()
        ui.keys("esc")
    try:
        # The next window has them from the beginning, and an option goes before.
        with ui_on(ann, "tui", "--theme", "dark") as ui:
            ui.until("Play at once")
            assert ui.text.isascii()
            assert ui.cell(5, 10).bg == dark
    finally:
        for key in ("tui.theme", "tui.glyphs"):
            ann.call("node.config_unset", key=key)


def test_a_window_that_cannot_read_the_file_has_them_from_the_node(ann: NodeProcess) -> None:
    ann.call("node.config_set", key="tui.glyphs", value="ascii")
    try:
        with ui_on(ann, "--data", "/nonexistent/elsewhere", "tui") as ui:
            ui.until("Play at once").until(lambda ui: ui.text.isascii())
            ui.keys("w").until("Listen: online").same_after_redraw()
    finally:
        ann.call("node.config_unset", key="tui.glyphs")
