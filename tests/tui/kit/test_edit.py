from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from interfaces.tui.kit import text
from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.line import ACTIONS, Line
from interfaces.tui.kit.text import ASCII, UNICODE, Script


def typed(*keys: str, script: Script = UNICODE, most: int = 200) -> Line:
    line = Line(script, most)
    for key in keys:
        assert line.key(key), key
    return line


@pytest.mark.parametrize(
    ("keys", "shown", "at"),
    [
        (["ctrl a", "X"], "Xone two-three", 1),
        (["ctrl a", "ctrl f", "ctrl f", "ctrl d"], "on two-three", 2),
        (["ctrl w"], "one ", 4),
        (["meta backspace"], "one two-", 8),
        (["meta b", "meta b", "ctrl k"], "one ", 4),
        (["meta b", "ctrl u"], "three", 0),
        (["meta b", "ctrl u", "ctrl e", "ctrl y"], "threeone two-", 13),
        (["home", "meta f", "meta d"], "one-three", 3),
        (["ctrl b", "ctrl b", "ctrl t"], "one two-there", 12),
        (["ctrl a", "ctrl t", "right", "ctrl t"], "noe two-three", 2),
        (["ctrl b", "ctrl b", "backspace"], "one two-thee", 10),
        (["ctrl a", "ctrl b", "backspace", "ctrl u", "meta b"], "one two-three", 0),
        (["ctrl left", "ctrl right", "end", "delete", "ctrl k"], "one two-three", 13),
    ],
)
def test_keys_of_readline(keys: list[str], shown: str, at: int) -> None:
    line = typed(*"one two-three", *keys)
    assert (line.text, line.at) == (shown, at)


def test_keys_that_are_not_its_own() -> None:
    line = typed(*"abc")
    assert not any(map(line.key, ("tab", "esc", "f1", "page up", "ctrl c", "ctrl s", "ctrl z", "enter")))
    assert line.text == "abc"


def test_history() -> None:
    history: list[str] = []
    line = Line(ASCII, history=history)
    for word in ("one", "two", "two"):
        line.set(word)
        line.remember()
    assert history == ["one", "two"]
    line.set("draft")
    shown = []
    for key in ("up", "up", "up", "down", "down", "down"):
        line.key(key)
        shown.append(line.text)
    assert shown == ["two", "one", "one", "two", "draft", "draft"]


def test_a_letter_and_its_marks_are_one() -> None:
    line = typed("\u05d0", "\u05b8", "x", "ctrl b", "backspace")
    assert line.text == "x"
    assert typed("\u05d0", "\u05b8", "ctrl b").at == 0
    assert typed("e", "\u0301").text == "é"
    assert typed("e", "\u0301", script=ASCII).text == "e"
    assert typed("\u202e", "\x1b", "😀").text == "\ufffd"


def test_what_stands_for_a_letter_has_no_room_either() -> None:
    line = Line(ASCII, most=3)
    for key in ("a", "b", "\u00c6"):
        line.key(key)
    assert (line.text, line.at) == ("ab", 2)
    line.set("\u00c6\u00c6")
    assert (line.text, line.at) == ("AE", 2)


@given(
    st.lists(
        st.sampled_from(
            [*ACTIONS, "a", "\u00c6", " ", "漢", "\u05d0", "\u05b8", "\u0301", "\u202e", "ก", "ｶ"]
        )
        | st.characters()
    ),
    st.sampled_from((ASCII, UNICODE)),
)
def test_whatever_is_typed_can_be_shown(keys: list[str], script: Script) -> None:
    line = Line(script, most=12, history=["h\u05d0\u05b8"])
    for key in keys:
        line.key(key)
        assert 0 <= line.at <= len(line.text) <= 12
        assert text.fit(line.text, 24, script) == line.text
        assert "".join(c for c, _ in text.clusters(line.text[line.at :])) == line.text[line.at :]
        assert line.at == len(line.text) or text.width(line.text[line.at])


@given(st.text(max_size=40), st.integers(3, 30), st.lists(st.sampled_from([*ACTIONS, "x"]), max_size=8))
def test_the_cursor_of_a_field_is_always_within_it(value: str, columns: int, keys: list[str]) -> None:
    field = Field(UNICODE, most=40, label="Name: ", value=value)
    for key in keys:
        field.keypress((columns,), key)
        canvas = field.render((columns,), focus=True)
        assert canvas.cols() == columns
        assert canvas.cursor is not None
        assert 0 <= canvas.cursor[0] < columns
        assert canvas.cursor == field.get_cursor_coords((columns,))


def test_what_is_pasted_is_one_line_and_never_submits() -> None:
    submitted: list[str] = []
    seen: list[str] = []
    field = Field(ASCII, most=12, submit=submitted.append, changed=seen.append)
    for key in ("begin paste", "a", "enter", "b", "tab", "\x1b", "ctrl w", "é", *"a long rest", "end paste"):
        assert field.keypress((20,), key) is None
    assert field.value == "a b ?ea long"
    assert (submitted, seen) == ([], ["a b ?ea long"])
    assert field.keypress((20,), "enter") is None
    assert submitted == ["a b ?ea long"]
    assert field.keypress((20,), "tab") == "tab"


def test_a_click_puts_the_cursor() -> None:
    field = Field(UNICODE, label="> ", value="漢字abc")
    field.mouse_event((20,), "mouse press", 1, 6, 0, True)
    assert field.get_cursor_coords((20,)) == (6, 0)
    field.keypress((20,), "X")
    assert field.value == "漢字Xabc"
