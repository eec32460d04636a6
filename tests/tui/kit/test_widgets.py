from __future__ import annotations

from typing import Any

import pytest
import urwid
from hypothesis import given, strategies as st

from interfaces.tui.kit import text
from interfaces.tui.kit.bars import Footer, Hint, Status, fitting
from interfaces.tui.kit.glyphs import ASCII, NAMES, SETS, UNICODE
from interfaces.tui.kit.layers import Layers
from interfaces.tui.kit.look import GLYPHS, choose
from interfaces.tui.kit.rows import Rows, Scroll
from interfaces.tui.kit.segments import Line, Lines, width
from interfaces.tui.kit.theme import ROLES, square
from tests.tui.kit.sample import sample

WORDS = st.text(max_size=30) | st.sampled_from(
    ("", "Ana", "漢字" * 9, "e\u0301\u0301\u0301", "\x1b[2J", "a b c " * 9)
)
SIZES = st.tuples(st.integers(1, 90), st.integers(1, 30))


def shown(widget: Any, size: tuple[int, ...], focus: bool = True) -> list[str]:
    """The rows of a widget, each of which has to be as wide as it was told to be."""
    canvas = widget.render(size, focus=focus)
    rows = [b"".join(run for _, _, run in row).decode() for row in canvas.content()]
    assert canvas.cols() == size[0]
    assert len(rows) == (size[1] if len(size) == 2 else widget.rows(size))
    for row in rows:
        assert text.width(row) == size[0]
        assert text.fit(row, size[0], text.UNICODE) == row
    return rows


@given(st.lists(st.tuples(WORDS, WORDS), max_size=5), WORDS, SIZES, st.sampled_from(sorted(SETS)))
def test_whatever_is_said_all_widgets_fill_their_place(
    words: list[tuple[str, str]], title: str, size: tuple[int, int], name: str
) -> None:
    glyphs = SETS[name]
    lines = [[("text", one), ("strong", other)] for one, other in words]
    footer = Footer(glyphs)
    footer.show([Hint(one[:8], other, len(other) % 2 == 0) for one, other in words])
    shown(footer, size[:1])
    shown(Status(glyphs, title, title[:9]), size[:1])
    shown(Lines(lines, glyphs.script), size)
    shown(Lines(lines, glyphs.script), size[:1])
    shown(Rows(glyphs, lambda: len(lines), lambda index, _columns, _focus: lines[index]), size)
    shown(Rows(glyphs, lambda: len(lines), lambda index, _columns, _focus: [lines[index], []], high=2), size)
    shown(Scroll(glyphs, lambda _columns: lines), size)
    layers = Layers(Scroll(glyphs, lambda _columns: lines), glyphs)
    layers.help(title, words, [title])
    shown(layers, size)
    layers.choose(title, [*words, ("y", "yes")], str)
    shown(layers, size)


def rows_of(count: int, **how: Any) -> tuple[Rows, list[int]]:
    asked: list[int] = []

    def draw(index: int, _columns: int, focus: bool) -> Line:
        asked.append(index)
        return [("row", f"{'>' if focus else ' '}{index}")]

    return Rows(ASCII, lambda: count, draw, **how), asked


def test_ten_thousand_rows_cost_as_much_as_are_shown() -> None:
    rows, asked = rows_of(10_000)
    for key in ("end", "page up", "home", "page down", "up"):
        rows.keypress((20, 10), key)
        asked.clear()
        assert len(shown(rows, (20, 10))) == 10
        assert len(asked) == 10
        assert rows.at in asked
    rows.keypress((20, 10), "end")
    assert shown(rows, (20, 10))[-1].startswith(">9999")
    assert shown(rows, (20, 10))[0].rstrip().endswith("^")


def test_headings_are_passed_over_and_shown_with_what_is_below() -> None:
    opened: list[int] = []
    rows, _ = rows_of(10, selectable=lambda index: index not in (0, 5, 6), activate=opened.append)
    assert rows.at == 1
    for _ in range(4):
        rows.keypress((20, 4), "down")
    assert rows.at == 7
    shown(rows, (20, 3))
    rows.keypress((20, 4), "up")
    assert rows.at == 4
    rows.keypress((20, 4), "home")
    assert rows.at == 1
    assert shown(rows, (20, 4))[0].strip() == "0"
    assert rows.keypress((20, 4), "up") == "up"
    rows.keypress((20, 4), "enter")
    assert opened == [1]
    assert rows.keypress((20, 4), "x") == "x"


def test_data_that_change_under_a_list() -> None:
    data = list(range(20))
    rows = Rows(ASCII, lambda: len(data), lambda index, _columns, _focus: [("row", str(data[index]))])
    rows.changed(at=15)
    del data[3:]
    rows.changed()
    assert (rows.at, rows.chosen) == (2, 2)
    data.clear()
    rows.changed()
    assert rows.chosen is None
    assert rows.keypress((9, 9), "enter") == "enter"
    assert shown(rows, (9, 3)) == [" " * 9] * 3


def test_rows_of_two_lines_with_the_mouse() -> None:
    opened: list[int] = []
    rows = Rows(
        UNICODE,
        lambda: 50,
        lambda index, _columns, _focus: [[("row", f"{index}")], [("faint", "below")]],
        high=2,
        activate=opened.append,
    )
    assert [row.strip() for row in shown(rows, (12, 5))] == ["0", "below", "1", "below", "↓"]
    rows.mouse_event((12, 5), "mouse press", 1, 3, 3, True)
    assert (rows.at, opened) == (1, [])
    rows.mouse_event((12, 5), "mouse press", 1, 3, 2, True)
    assert opened == [1]
    rows.mouse_event((12, 5), "mouse press", 5, 3, 2, True)
    assert rows.at == 4


def test_a_tail_stays_at_the_end_unless_one_scrolls_back() -> None:
    said = [f"line {number}" for number in range(20)]
    scroll = Scroll(ASCII, lambda _columns: [[("text", line)] for line in said], tail=True)
    assert shown(scroll, (20, 3))[-1].startswith("line 19")
    said.append("new")
    scroll.changed()
    assert shown(scroll, (20, 3))[-1].startswith("new")
    scroll.keypress((20, 3), "up")
    said.append("newer")
    scroll.changed()
    assert shown(scroll, (20, 3))[-1].startswith("line 19")
    scroll.keypress((20, 3), "end")
    assert shown(scroll, (20, 3))[-1].startswith("newer")
    assert scroll.keypress((20, 3), "down") == "down"


def test_a_footer_keeps_what_is_always_possible() -> None:
    hints = [Hint("enter", "play"), Hint("n", "new game"), Hint("?", "help", True), Hint("q", "quit", True)]

    def keys(columns: int) -> list[str]:
        return [" ".join(hint.key for hint in side) for side in fitting(hints, columns, text.ASCII)]

    assert [keys(columns) for columns in (80, 32, 9)] == [["enter n", "? q"], ["enter", "? q"], ["", "q"]]
    pressed: list[str] = []
    footer = Footer(ASCII, pressed.append)
    footer.show(hints)
    (row,) = shown(footer, (50,))
    for word in ("Enter", "play", "new", "help", "quit"):
        footer.mouse_event((50,), "mouse press", 1, row.index(word), 0, False)
    assert pressed == ["enter", "enter", "n", "?", "q"]
    assert not footer.mouse_event((50,), "mouse press", 1, row.index("help") - 4, 0, False)


@pytest.mark.parametrize(
    ("keys", "done"),
    [("enter", 0), ("esc", 0), ("n", 0), ("y", 1), ("down enter", 1), ("tab tab enter", 0)],
)
def test_nothing_dangerous_is_confirmed_by_enter_alone(keys: str, done: int) -> None:
    told: list[bool] = []
    layers = Layers(urwid.SolidFill(), ASCII)
    layers.confirm("Resign this game against Ana?", lambda: told.append(True), yes="Resign")
    for key in keys.split():
        assert layers.keypress((40, 20), key) is None
    assert len(told) == done
    assert layers.top is None


def test_a_layer_has_all_keys() -> None:
    body, _ = rows_of(10)
    layers = Layers(body, ASCII)
    layers.help("Keys", [("enter", "do it")])
    assert layers.keypress((40, 20), "down") is None
    assert layers.keypress((40, 20), "x") is None
    assert body.at == 0
    assert layers.keypress((40, 20), "ctrl l") == "ctrl l"
    layers.keypress((40, 20), "q")
    assert layers.keypress((40, 20), "down") is None
    assert body.at == 1


def test_a_long_help_can_be_scrolled_on_a_small_screen() -> None:
    layers = Layers(urwid.SolidFill(), ASCII)
    layers.help("Keys", [(chr(97 + number), f"what {number} does " * 3) for number in range(20)])
    assert any("what 0" in row for row in shown(layers, (40, 12)))
    layers.keypress((40, 12), "end")
    assert any("19" in row for row in shown(layers, (40, 12)))


@pytest.mark.parametrize("glyphs", GLYPHS)
@pytest.mark.parametrize("columns", [20, 36, 75])
def test_the_page_of_signs_has_them_all_in_line(columns: int, glyphs: str) -> None:
    look = choose({"TERM": "xterm-256color", "LANG": "C.UTF-8"}, glyphs=glyphs)
    lines = sample(look, columns)
    assert all(width(line) == columns for line in lines)
    bar = look.glyphs["vertical"]
    places = {
        sum(text.width(part) for _, part in line[:number])
        for line in lines
        for number, (role, part) in enumerate(line)
        if (role, part) == ("faint", bar)
    }
    assert len(places) == max(1, columns // 18)
    shown = {part for line in lines for _, part in line}
    assert {f"{look.glyphs[name]}" * 2 for name in NAMES} <= shown
    assert {role for line in lines for role, _ in line} >= {*ROLES, square("check", "second")}
