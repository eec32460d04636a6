"""The picture in the README: the interface on a real node, in a real terminal, as it looks.

    .venv/bin/python -m tests.tui.picture docs/images/game.svg

``svg(screen)`` draws any screen of the harness.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import pyte
import pyte.screens

from tests.e2e.nodes import NodeProcess, until
from tests.tui.harness import Program, lone_node, ui_on

ACROSS: Final = 9.0
DOWN: Final = 19.0
EDGE: Final = 10.0
FONT: Final = "'DejaVu Sans Mono', 'Noto Sans Mono', Menlo, Consolas, monospace"
PAPER: Final = "121212"
INK: Final = "d7d7d7"
NAMED: Final = {
    "black": "000000",
    "red": "cd3131",
    "green": "0dbc79",
    "brown": "e5e510",
    "blue": "2472c8",
    "magenta": "bc3fbc",
    "cyan": "11a8cd",
    "white": "e5e5e5",
}

# The opening of Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
GAME: Final = """
e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7
"""


def svg(screen: pyte.Screen) -> str:
    """The screen as an SVG image: a rectangle for each run of a background, a text for each of letters."""
    width, height = screen.columns * ACROSS + 2 * EDGE, screen.lines * DOWN + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'font-family="{FONT}" font-size="15" xml:space="preserve">',
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#{PAPER}"/>',
    ]
    for row in range(screen.lines):
        parts += _row(screen, row)
    return "\n".join([*parts, "</svg>", ""])


def _row(screen: pyte.Screen, row: int) -> Iterator[str]:
    top = EDGE + row * DOWN
    cells = [screen.buffer[row][column] for column in range(screen.columns)]
    for back, run in _runs(cells, lambda char: _colours(char)[1]):
        if back != PAPER:
            left, size = EDGE + run[0] * ACROSS, len(run) * ACROSS
            yield f'<rect x="{left:g}" y="{top:g}" width="{size:g}" height="{DOWN:g}" fill="#{back}"/>'
    for (ink, bold), run in _runs(cells, lambda char: (_colours(char)[0], char.bold)):
        shown = [column for column in run if cells[column].data.strip()]
        if not shown:
            continue
        # Each letter has its place: fonts differ in the width of signs.
        places = " ".join(f"{EDGE + column * ACROSS:g}" for column in shown)
        weight = ' font-weight="bold"' if bold else ""
        letters = escape("".join(cells[column].data[0] for column in shown))
        yield f'<text x="{places}" y="{top + 14.5:g}" fill="#{ink}"{weight}>{letters}</text>'


def _runs(cells: list[pyte.screens.Char], look: object) -> Iterator[tuple[object, list[int]]]:
    assert callable(look)
    for value, columns in groupby(range(len(cells)), lambda column: look(cells[column])):
        yield value, list(columns)


def _colours(char: pyte.screens.Char) -> tuple[str, str]:
    """Ink and paper as hex digits."""
    ink = INK if char.fg == "default" else NAMED.get(char.fg, char.fg)
    paper = PAPER if char.bg == "default" else NAMED.get(char.bg, char.bg)
    return (paper, ink) if char.reverse else (ink, paper)


def game(node: NodeProcess) -> Program:
    """A window on a game of chess between two identities of the node, seen by White."""
    white, black = node.identity, node.call("identity.create", name="Duke")["hash"]
    id: str = node.call("game.challenge", identity=white, peer=black, app="chess")["id"]
    until(lambda: node.call("game.list", identity=black, filter="pending")["games"], "the challenge")
    node.call("game.accept", identity=black, id=id)
    until(lambda: node.call("game.show", identity=white, id=id)["status"] == "active", "the acceptance")
    if not node.call("game.show", identity=white, id=id)["view"]["my_turn"]:
        white, black = black, white
    for ply, move in enumerate(GAME.split(), 1):
        mover, other = (white, black) if ply % 2 else (black, white)
        node.call("game.move", identity=mover, id=id, move=move)
        until(
            lambda who=other, ply=ply: node.call("game.show", identity=who, id=id)["view"]["ply"] == ply, move
        )
    ui = ui_on(node, "--as", white[:12], "tui", "--session", id, COLORTERM="truecolor")
    ui.until("Your turn").until(GAME.split()[-1]).until("delivered")
    return ui


def main() -> int:
    with ExitStack() as ends:
        folder = ends.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))
        node = ends.enter_context(lone_node(Path(folder) / "paul"))
        ui = ends.enter_context(game(node))
        # The bishop, and where it can go.
        row = next(number for number, line in enumerate(ui.lines) if line.strip().startswith("5"))
        column = next(line for line in ui.lines if line.split()[:2] == ["a", "b"]).index("g")
        ui.click(column, row).until("From g5 to").drain()
        Path(sys.argv[1]).write_text(svg(ui.screen), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
