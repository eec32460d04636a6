"""The interface on other terminals and in other sizes, on a real node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import Program, ui_on

pytestmark = [pytest.mark.node, pytest.mark.slow]

SIZES = ((40, 20), (120, 40), (80, 24), (30, 10), (80, 24))


@pytest.fixture
def game(ann: NodeProcess) -> str:
    """A game of chess against the house in which the person is to move."""
    id: str = ann.call("game.challenge", peer="house", app="chess", level=1)["id"]
    until(lambda: ann.call("game.show", id=id)["view"]["my_turn"], "the turn of the person", 60.0)
    return id


def same(ui: Program) -> None:
    """Nothing is on its way any more, and the screen is what a full redraw shows."""
    ui.until("delivered").same_after_redraw()


def resized(ui: Program, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Through all sizes; title and footer end at the right edge."""
    for columns, rows in sizes:
        before = len(ui.raw)
        ui.resize(columns, rows)
        ui.until(partial(_fills, before=before, columns=columns)).same_after_redraw()


def _fills(ui: Program, before: int, columns: int) -> bool:
    return len(ui.raw) > before and len(ui.lines[0]) == len(ui.lines[-1]) == columns - 1


@pytest.mark.parametrize(
    ("term", "lang"), [("linux", "C.UTF-8"), ("vt100", "C.UTF-8"), ("xterm-256color", "C"), ("screen", "C")]
)
def test_poor_terminals_show_all_of_a_game(ann: NodeProcess, game: str, term: str, lang: str) -> None:
    with ui_on(ann, "tui", "--session", game[:6], term=term, lang=lang) as ui:
        ui.until("Chess, you are").until("Your turn")
        assert ui.text.isascii()
        same(ui)
        # The cursor is on a piece that can move.
        ui.keys("enter").until("Esc lets go").keys("esc").gone("Esc lets go")
        ui.keys("left", "enter").until("Esc lets go")
        same(ui)
        ui.keys("esc").gone("Esc lets go")
        ui.keys("?").until("A game").same_after_redraw()
    ann.call("game.resign", id=game)


def test_every_screen_is_drawn_again_in_another_size(ann: NodeProcess, game: str) -> None:
    with ui_on(ann, "tui", "--session", game) as ui:
        ui.until("Your turn")
        resized(ui)
        ui.keys("r").until("Resign")
        resized(ui)
        ui.keys("n").gone("Resign this").keys("?").until("A game")
        # In the smallest one the help takes all of the screen.
        resized(ui, SIZES[:3])
        ui.keys("enter").gone("A game").keys("esc").until("Games of ann")
        resized(ui)
        ui.keys("n").until("New game")
        resized(ui)
    ann.call("game.resign", id=game)
