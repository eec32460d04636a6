"""The picture of a screen shows what is on it."""

from __future__ import annotations

from xml.etree import ElementTree

import pyte

from tests.tui.picture import ACROSS, EDGE, svg

SVG = "{http://www.w3.org/2000/svg}"


def test_letters_and_colours_are_where_they_are_on_the_screen() -> None:
    screen = pyte.Screen(20, 3)
    pyte.Stream(screen).feed("a <&>\r\n\x1b[1;38;2;1;2;3;48;2;4;5;6m\u265e x\x1b[0m\r\n\x1b[7mr\x1b[0m")
    root = ElementTree.fromstring(svg(screen))
    texts = root.findall(f"{SVG}text")
    assert [one.text for one in texts] == ["a<&>", "\u265ex", "r"]
    assert texts[1].get("x") == f"{EDGE:g} {EDGE + 2 * ACROSS:g}"
    assert (texts[1].get("fill"), texts[1].get("font-weight")) == ("#010203", "bold")
    backs = [(one.get("fill"), one.get("width")) for one in root.findall(f"{SVG}rect")[1:]]
    assert backs == [("#040506", f"{3 * ACROSS:g}"), ("#d7d7d7", f"{ACROSS:g}")]
