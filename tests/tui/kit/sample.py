"""A page to see whether this terminal shows what it is taken to be able to.

Every sign stands before a bar: where the bars are not below each other the font shows a sign too wide, and
the other set of glyphs is the better one. Below are the colours and the squares of boards.
"""

from __future__ import annotations

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import NAMES
from interfaces.tui.kit.look import Look
from interfaces.tui.kit.segments import Line, fill
from interfaces.tui.kit.theme import ROLES, SQUARES, Depth, square

_COLOURS = {
    Depth.MONO: "no colours",
    Depth.SIXTEEN: "16 colours",
    Depth.INDEXED: "256 colours",
    Depth.TRUE: "24-bit colours",
}
_ROLE_CELLS = 16
_NAME_CELLS = 14


def sample(look: Look, columns: int) -> list[Line]:
    """Lines of at most ``columns`` cells: signs, colours, squares."""
    glyphs, script = look.glyphs, look.glyphs.script
    kind = f"Theme {look.theme.name}, {_COLOURS[look.theme.depth]}, {script.name} signs."
    bars = "The bars below each other have to be in line."
    lines: list[Line] = [
        [("dialog", line)] for said in (kind, bars) for line in text.wrap(said, columns, script)
    ]
    bar = ("faint", glyphs["vertical"])
    across = max(1, columns // (_NAME_CELLS + 4))
    signs = [
        *((name, glyphs[name]) for name in NAMES),
        *((token, glyphs.piece(token)) for token in "KQRBNPkqrbnp"),
    ]
    lines.append([])
    for start in range(0, len(signs), across):
        line: list[tuple[str, str]] = []
        for name, sign in signs[start : start + across]:
            line += [
                ("strong", f"{sign}{sign}"),
                bar,
                ("dialog", text.pad(name, _NAME_CELLS, script)),
                ("dialog", " "),
            ]
        lines.append(line)
    lines.append([])
    across = max(1, columns // _ROLE_CELLS)
    roles = list(ROLES)
    for start in range(0, len(roles), across):
        lines.append([(role, text.pad(role, _ROLE_CELLS, script)) for role in roles[start : start + across]])
    lines.append([])
    for kind_of in SQUARES:
        pieces = (("first", "K"), ("second", "k"), ("mark", ""))
        shown = [
            (square(kind_of, who), f" {glyphs.piece(token) if token else glyphs['target']} ")
            for who, token in pieces
        ]
        lines.append([*shown, ("dialog", f" {kind_of}")])
    return [fill(line, columns, script, "dialog") for line in lines]
