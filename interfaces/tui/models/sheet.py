"""The text beside, or under, a board: made for the room there is.

With room the board is at the left and everything else at its right; else one is under the other, and what
matters least goes first: moves long past, then remarks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from interfaces.tui.kit import text
from interfaces.tui.kit.glyphs import Glyphs
from interfaces.tui.kit.text import Script
from lrgpnode.protocol.value import Value

from . import moves
from .game import Page
from .picture import Line, Picture

Json = Mapping[str, Any]

BESIDE: Final = 26
"""Columns that the text needs to stand beside the board."""

_LABEL: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sheet(Value):
    """``board`` is where the picture's upper left corner is: line and column."""

    lines: tuple[Line, ...]
    board: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shown(Value):
    """What the sheet is made of. ``at``: the position after so many moves is shown, None for now;
    ``fetching``: it is not here yet."""

    page: Page
    picture: Picture
    view: Json
    at: int | None = None
    fetching: bool = False


def sheet(shown: Shown, columns: int, rows: int, glyphs: Glyphs) -> Sheet:
    """All lines of a screen of this size, without the rows at its edges."""
    beside = columns - shown.picture.columns - 4
    if beside >= BESIDE:
        return _beside(shown, columns, rows, glyphs)
    return _under(shown, columns, rows, glyphs)


def _beside(shown: Shown, columns: int, rows: int, glyphs: Glyphs) -> Sheet:
    left = shown.picture.columns + 4
    room = columns - left - 1
    top = min(1, max(0, rows - len(shown.picture.lines)))
    board = [_padded(line, left, glyphs.script, 2) for line in shown.picture.lines]
    side = [*_opponent(shown, room, glyphs), *_status(shown, room, glyphs.script, rows // 2)]
    side += _captured(shown, room, glyphs)
    rest = [*_delivery(shown, room, glyphs), *_remarks(shown, room, glyphs.script)]
    space = rows - top - len(side) - len(rest) - 2
    side += [(), *_moves(shown, room, max(2, space), glyphs.script)]
    side += [(), *rest] if rest else []
    lines: list[Line] = []
    for number in range(rows):
        at = number - top
        start = board[at] if 0 <= at < len(board) else (("text", " " * left),)
        lines.append((*start, *(side[at] if 0 <= at < len(side) else ())))
    return Sheet(lines=tuple(lines), board=(top, 2))


def _under(shown: Shown, columns: int, rows: int, glyphs: Glyphs) -> Sheet:
    room = columns - 1
    margin = max(0, min(4, (columns - shown.picture.columns) // 2))
    head = _opponent(shown, room, glyphs)
    board = [_padded(line, columns, glyphs.script, margin) for line in shown.picture.lines]
    status = _status(shown, room, glyphs.script, 2)
    parts: list[list[Line]] = [
        _delivery(shown, room, glyphs),
        _captured(shown, room, glyphs),
        _tail(shown, room),
        _remarks(shown, room, glyphs.script),
    ]
    left = rows - len(board) - len(status)
    under: list[Line] = []
    for part in parts:
        take = part[: max(0, left - len(under))]
        under += take
    head = head[: max(0, left - len(under))]
    lines, top = [*head, *board, *status, *under], len(head)
    return Sheet(lines=tuple(lines[:rows]), board=(top, margin))


def _padded(line: Line, columns: int, script: Script, margin: int) -> Line:
    used = sum(text.width(part) for _, part in line)
    return (("text", " " * margin), *line, ("text", " " * max(0, columns - margin - used)))


def _opponent(shown: Shown, room: int, glyphs: Glyphs) -> list[Line]:
    page = shown.page
    if not page.presence:
        return [(("strong", line),) for line in text.wrap(page.opponent, room, glyphs.script)[:2]]
    words = {"here": "here", "away": "away", "unknown": "not heard yet"}[page.presence]
    name = text.fit(page.opponent, max(4, room - len(words) - 4), glyphs.script)
    first: Line = (("strong", name), ("faint", f"  {glyphs[page.presence]} {words}"))
    if not page.score:
        return [first]
    if sum(text.width(part) for _, part in first) + len(page.score) + 2 <= room:
        return [(*first, ("faint", f"  {page.score}"))]
    return [first, (("faint", text.fit(page.score, room, glyphs.script)),)]


def _status(shown: Shown, room: int, script: Script, most: int) -> list[Line]:
    if shown.at is not None:
        ply = len(shown.view.get("history", ()))
        if shown.fetching:
            return [(("warn", "Fetching that position."),)]
        words = f"After move {shown.at} of {ply}." if shown.at else f"The beginning, {ply} moves ago."
        return [(("warn", line),) for line in text.wrap(words, room, script)]
    role = "heading" if shown.page.my_turn else "strong" if shown.page.ended else "text"
    found: list[Line] = [((role, line),) for line in text.wrap(shown.page.status, room, script)]
    return found[: max(1, most)]


def _captured(shown: Shown, room: int, glyphs: Glyphs) -> list[Line]:
    lines: list[Line] = []
    for side, tokens in moves.captured(shown.view):
        pieces = "".join(glyphs.piece(token) for token in tokens)
        label = text.pad(f"{side} lost", _LABEL, glyphs.script)
        lines.append((("label", label), ("text", text.fit(pieces, room - _LABEL, glyphs.script))))
    ahead = moves.material(shown.view)
    if ahead and lines:
        words = f" ({'+' if ahead > 0 else ''}{ahead})"
        if sum(text.width(part) for _, part in lines[-1]) + len(words) <= room:
            lines[-1] = (*lines[-1], ("faint", words))
    return lines


def _delivery(shown: Shown, room: int, glyphs: Glyphs) -> list[Line]:
    found = shown.page.delivery
    if found is None:
        return []
    role = "bad" if found.trouble else "faint"
    first, *more = text.wrap(found.text, room - 2, glyphs.script)
    return [((role, f"{glyphs[found.state]} {first}"),), *(((role, f"  {line}"),) for line in more[:2])]


def _remarks(shown: Shown, room: int, script: Script) -> list[Line]:
    return [
        ((role, line),) for role, words in shown.page.remarks for line in text.wrap(words, room, script)[:3]
    ]


def _moves(shown: Shown, room: int, rows: int, script: Script) -> list[Line]:
    """The list of moves, its end in view, or the move that is looked at."""
    history: Sequence[str] = shown.view.get("history", ())
    together = int(shown.view.get("numbered", 1))
    if not history:
        return [(("faint", "No moves yet."),)]
    found = moves.turns(history, together)
    at = shown.at if shown.at is not None else len(history)
    wide = max(text.width(str(label)) for label in history[-200:]) + 2
    across = max(1, room // (5 + wide * together)) if together == 1 else 1
    blocks = [found[start : start + across] for start in range(0, len(found), across)]
    here = min(max(0, (at - 1) // together) // across, len(blocks) - 1)
    first = max(0, min(here - rows // 2, len(blocks) - rows))
    lines: list[Line] = []
    for block in blocks[first : first + rows]:
        line: list[tuple[str, str]] = []
        for turn in block:
            line.append(("label", f"{turn.number:>3}. "))
            for number, label in enumerate(turn.labels):
                role = "focus" if turn.first + number == at and shown.at is not None else "text"
                shown_label = text.fit(label, 12, script)
                line += [(role, shown_label), ("text", " " * max(1, min(wide, 14) - text.width(shown_label)))]
        lines.append(tuple(line))
    return lines


def _tail(shown: Shown, room: int) -> list[Line]:
    history = shown.view.get("history", ())
    if not history:
        return []
    upto = len(history) if shown.at is None else shown.at
    line = moves.tail(history[:upto], int(shown.view.get("numbered", 1)), room)
    return [(("text", line),)] if line else []
