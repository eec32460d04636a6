"""Two boxes beside each other, or one in the place of the other."""

from __future__ import annotations

import urwid

from interfaces.tui.kit.beside import ALWAYS, BOTH, Beside
from interfaces.tui.kit.edit import Field
from interfaces.tui.kit.glyphs import ASCII
from interfaces.tui.kit.text import ASCII as SCRIPT


class Scene:
    def __init__(self) -> None:
        self.wanted = True
        self.resized = 0
        self.fields = [Field(SCRIPT), Field(SCRIPT)]
        boxes = [urwid.Filler(field, "top") for field in self.fields]
        self.beside = Beside(boxes[0], boxes[1], ASCII, lambda: self.wanted, self.count)

    def count(self) -> None:
        self.resized += 1

    def row(self, columns: int) -> str:
        canvas = self.beside.render((columns, 3), True)
        assert (canvas.cols(), canvas.rows()) == (columns, 3)
        return canvas.text[0].decode()

    def type(self, key: str, columns: int = 80) -> None:
        assert self.beside.keypress((columns, 3), key) is None

    @property
    def values(self) -> list[str]:
        return [field.value for field in self.fields]


def test_closed_it_is_the_main_part_alone() -> None:
    scene = Scene()
    scene.type("a")
    assert scene.row(80).rstrip() == "a"
    assert scene.values == ["a", ""]
    assert not scene.beside.at_side


def test_open_both_are_there_and_the_keys_go_to_one() -> None:
    scene = Scene()
    scene.type("a")
    scene.beside.show(True, keys=True)
    scene.type("b")
    assert scene.row(80).split() == ["a", "|b"]
    assert not scene.beside.covered
    cursor = scene.beside.get_cursor_coords((80, 3))
    assert cursor == (42, 0)
    scene.beside.show(True, keys=False)
    scene.type("c")
    assert scene.values == ["ac", "b"]


def test_where_there_is_no_room_it_is_in_the_place_of_the_main_part() -> None:
    scene = Scene()
    scene.fields[0].value = "board"
    scene.fields[1].value = "talk"
    scene.beside.show(True, keys=True)
    assert scene.row(BOTH - 1).strip() == "talk"
    assert scene.beside.covered
    assert scene.row(BOTH).split() == ["board", "|talk"]


def test_where_there_is_much_it_stays_and_a_click_takes_the_keys_there() -> None:
    scene = Scene()
    scene.row(ALWAYS)
    assert scene.beside.side_shown
    assert scene.resized == 1
    assert not scene.beside.at_side
    scene.beside.mouse_event((ALWAYS, 3), "mouse press", 1, ALWAYS - 2, 0, True)
    scene.type("x", ALWAYS)
    assert scene.values == ["", "x"]
    scene.beside.mouse_event((ALWAYS, 3), "mouse press", 1, 0, 0, True)
    scene.type("y", ALWAYS)
    assert scene.values == ["y", "x"]
    scene.row(80)
    assert not scene.beside.side_shown


def test_nothing_is_beside_where_it_is_not_wanted() -> None:
    scene = Scene()
    scene.wanted = False
    scene.beside.show(True, keys=True)
    assert "|" not in scene.row(ALWAYS)
    assert not scene.beside.at_side
    scene.type("a")
    assert scene.values == ["a", ""]
