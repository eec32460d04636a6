"""A person's whole path, by what the screen shows and nothing else: the first run, a game against the house
at its first level, and a win."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import pytest

from tests.tui.harness import SIZES, Program
from tests.tui.test_start import home as home, opened

pytestmark = pytest.mark.node

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
GAMES = 12
THINKING = 60.0


def board(ui: Program) -> str:
    """The nine cells as they are shown, free ones as their digits."""
    rows = [line for line in ui.lines if line.count("│") == 2]
    assert len(rows) == 3, ui.text
    cells = [part.strip(" '[]") for row in rows for part in row[row.index("│") - 5 :].split("│")[:3]]
    return "".join(cell[:1] or "?" for cell in cells)


def won(cells: str, who: str) -> bool:
    return any(all(cells[cell] == who for cell in line) for line in LINES)


@cache
def worth(cells: str, mover: str, me: str) -> tuple[int, int]:
    """What a position is worth for me, and the cell to play: to win, else not to lose."""
    other = "O" if mover == "X" else "X"
    if won(cells, other):
        return (1 if other == me else -1), -1
    free = [cell for cell in range(9) if cells[cell].isdecimal()]
    if not free:
        return 0, -1
    best = [(worth(cells[:c] + mover + cells[c + 1 :], other, me)[0], c) for c in free]
    return max(best) if mover == me else min(best)


@pytest.mark.parametrize("size", [SIZES[0], pytest.param(SIZES[1], marks=pytest.mark.slow)], ids=str)
def test_from_the_first_run_to_a_win(home: Path, size: tuple[int, int]) -> None:
    with opened(home, size=size) as ui:
        ui.until("Your name").keys("ctrl u").type("Ann").keys("enter").until("Games of Ann", 60)
        ui.until("Play at once").keys("enter").until("▸ 1 ").keys("enter").until("Tic-Tac-Toe, you are")
        for _ in range(GAMES):
            me = ui.lines[0].split("you are ")[1][0]
            finish(ui, me)
            if "You won" in ui.text:
                break
            # The first level slips often, not always.
            ui.keys("n").until(lambda ui: "n play again" not in ui.text and "you are" in ui.text)
        ui.until("You won").until("n play again").keys("esc").until("Finished (").keys("q")
        ui.until("Quit, and end").keys("q")
        assert ui.ended(60) == 0


def finish(ui: Program, me: str) -> None:
    """Play one game to its end."""
    while True:
        ui.until(lambda ui: "Your turn" in ui.text or "n play again" in ui.text, THINKING)
        if "n play again" in ui.text:
            return
        cells = board(ui)
        _, cell = worth(cells, me, me)
        ui.keys(str(cell + 1)).until(partial(_answered, cells=cells), THINKING)


def _answered(ui: Program, cells: str) -> bool:
    """Whether the house has moved, or the game is over."""
    return "n play again" in ui.text or ("Your turn" in ui.text and board(ui) != cells)
