from __future__ import annotations

import re

import pyte
import pyte.screens
import pytest
from hypothesis import given, strategies as st

from interfaces.tui.kit import text
from interfaces.tui.kit.paint import Abilities, Painter, Row, _spans, cells
from interfaces.tui.kit.theme import NAMES, Depth, Pen, theme

WIDTH, HEIGHT = 12, 4
PENS = (
    Pen(),
    Pen("97", "40", bold=True),
    Pen("37", "44"),
    Pen("37", "44", underline=True),
    Pen("38;5;200", "48;5;17", reverse=True),
    Pen("38;2;1;2;3"),
)
ABILITIES = st.builds(
    Abilities, ascii=st.just(False), erases=st.booleans(), off=st.booleans(), bold_is_bright=st.booleans()
)
RUNS = st.lists(
    st.tuples(
        st.sampled_from(("a", "bcd", "    ", " ", "漢", "é", "\u05d0\u05b8", "x")), st.sampled_from(PENS)
    ),
    max_size=8,
)


def row_of(runs: list[tuple[str, Pen]], ground: Pen = PENS[2]) -> Row:
    row: Row = []
    for what, pen in runs:
        more = cells(what, pen)
        if len(row) + len(more) <= WIDTH:
            row += more
    return row + [(" ", ground)] * (WIDTH - len(row))


ROWS = st.builds(row_of, RUNS, st.sampled_from(PENS))
CURSORS = st.none() | st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))
FRAMES = st.tuples(st.lists(ROWS, min_size=HEIGHT, max_size=HEIGHT), CURSORS)


def seen(char: pyte.screens.Char) -> pyte.screens.Char:
    """Nothing is seen of the colour of a blank, unless it is reversed."""
    return char._replace(fg="", bold=False) if char.data == " " and not char.reverse else char


class Terminal:
    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self.stream = pyte.Stream(self.screen)
        self.stream.feed("\x1b[?7l")

    def shows(self) -> object:
        buffer, cursor = self.screen.buffer, self.screen.cursor
        rows = [
            # Nothing is seen of the colour of a blank, unless it is reversed.
            [
                char._replace(fg="", bold=False) if char.data == " " and not char.reverse else char
                for char in row
            ]
            for row in ([buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT))
        ]
        return rows, None if cursor.hidden else (cursor.x, cursor.y)


@given(st.lists(FRAMES, min_size=1, max_size=6), ABILITIES)
def test_a_changed_frame_looks_as_if_drawn_at_once(
    frames: list[tuple[list[Row], tuple[int, int] | None]], can: Abilities
) -> None:
    painter, terminal = Painter(can), Terminal()
    for rows, cursor in frames:
        terminal.stream.feed(painter.draw(rows, cursor))
        anew = Terminal()
        anew.stream.feed(Painter(can).draw(rows, cursor))
        assert terminal.shows() == anew.shows()
        shown = [[terminal.screen.buffer[y][x].data for x in range(WIDTH)] for y in range(HEIGHT)]
        assert shown == [[cluster for cluster, _ in row] for row in rows]
        assert painter.draw(rows, cursor) == ""


@given(st.lists(st.text(), min_size=1, max_size=4), st.booleans())
def test_no_text_brings_a_control_character(texts: list[str], plain: bool) -> None:
    rows = [[(char, PENS[0]) for char in written] or [(" ", PENS[0])] for written in texts]
    out = Painter(Abilities(ascii=plain, erases=False)).draw(rows)
    for code in ("\x1b[?25l", "\x1b[m", "\x1b[H", "\x1b[2H", "\x1b[3H", "\x1b[4H"):
        out = out.replace(code, "")
    assert out == "".join(out.split("\x1b"))
    assert all(" " <= char != "\x7f" and not "\x80" <= char <= "\x9f" for char in out)
    assert not plain or out.isascii()


@given(ROWS, ROWS)
def test_what_takes_two_cells_is_written_whole_before_and_after(old: Row, new: Row) -> None:
    spans = _spans(old, new)
    for start, end in spans:
        for row in (old, new):
            assert row[start][0] != ""
            assert end == len(row) or row[end][0] != ""
    inside = {column for start, end in spans for column in range(start, end)}
    assert all(old[column] == new[column] for column in range(WIDTH) if column not in inside)


@given(st.lists(FRAMES, min_size=2, max_size=3), ABILITIES)
def test_nothing_is_asked_that_a_terminal_may_not_do(
    frames: list[tuple[list[Row], tuple[int, int] | None]], can: Abilities
) -> None:
    painter = Painter(can)
    out = "".join(painter.draw(rows, cursor) for rows, cursor in frames)
    pen = ""
    for code, last in re.findall(r"\x1b\[\??([0-9;]*)([a-zA-Z])", out):
        if last == "m":
            pen = code if code.startswith("0") or not code else f"{pen};{code}"
            assert can.off or not {"22", "24", "27"} & set(code.split(";"))
        elif last == "K":
            # Underlined or reversed the rest of a line is blank in some terminals, and is not in others.
            codes = re.sub(r"[34]8;(5;\d+|2;\d+;\d+;\d+)", "x", pen).split(";")
            for on, off in (("4", "24"), ("7", "27")):
                assert on not in codes or off in codes[len(codes) - codes[::-1].index(on) :]


def test_without_erasing_to_the_background_the_blanks_are_written() -> None:
    rows = [[(" ", PENS[2])] * WIDTH]
    assert "\x1b[K" in Painter(Abilities()).draw(rows)
    assert Painter(Abilities(erases=False)).draw(rows).endswith(" " * WIDTH)
    assert "\x1b[K" in Painter(Abilities(erases=False)).draw([[(" ", PENS[0])] * WIDTH])


def test_little_is_written_for_little_change() -> None:
    pen = theme("dark", Depth.INDEXED).pen("text")
    focus = theme("dark", Depth.INDEXED).pen("focus")
    before = [cells(text.pad(f"row {n}", 80, text.ASCII), pen) for n in range(24)]
    painter = Painter(Abilities())
    assert len(painter.draw(before)) < 500
    one = [list(row) for row in before]
    one[5][4] = ("x", pen)
    assert painter.draw(one) == "\x1b[6;5Hx"
    two = [list(row) for row in one]
    two[5] = cells(text.pad("row 5", 80, text.ASCII), focus)
    assert len(painter.draw(two)) < 60
    assert painter.draw(two) == ""
    assert len(painter.draw(two, (3, 3))) < 16


@pytest.mark.parametrize("name", NAMES)
def test_bright_colours_by_bold_do_not_stay_bold(name: str) -> None:
    can = Abilities(bold_is_bright=True)
    pens = [theme(name, Depth.SIXTEEN).pen(role) for role in ("key", "key label", "text", "warn", "bar")]
    rows = [[(letter, pen) for letter, pen in zip("abcde", pens, strict=True)]]
    screen = pyte.Screen(5, 1)
    pyte.Stream(screen).feed(Painter(can).draw(rows))
    for column, pen in enumerate(pens):
        assert screen.buffer[0][column].bold == (pen.bold or pen.fg.startswith("9"))
