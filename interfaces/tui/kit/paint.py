"""Frames as cells, and the least output that turns what is shown into the next frame.

A row is a list of cells ``(cluster, pen)``; the second half of what is two cells wide is ``("", pen)``.
``Painter.draw(rows, cursor)`` returns what is to be written and remembers what is shown then; ``forget()``
makes the next one draw everything. No urwid, no file: tests apply the output to a terminal of their own.

Only changed cells are written. Between them the cursor jumps, or writes a few cells again where that is
shorter, and of a pen only what differs is said. The terminal's autowrap has to be off, so that the last cell
can be written. Whatever comes, no control character goes out as part of a text: this is the last door.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from lrgpnode.protocol.value import Value

from .text import clusters
from .theme import Pen

Cell = tuple[str, Pen]
Row = list[Cell]

_GAP: Final = 4
"""Unchanged cells that are written again rather than jumped over: a jump takes as many bytes at least."""

_FLICKER: Final = 64
"""Bytes of output from which on the cursor is hidden meanwhile, or it would be seen running around."""


@dataclass(frozen=True, slots=True, repr=False)
class Abilities(Value):
    """What the terminal does: whether only ASCII goes out, whether erased cells take the background (bce),
    whether single attributes can be switched off, and whether bright colours come with bold."""

    ascii: bool = False
    erases: bool = True
    off: bool = True
    bold_is_bright: bool = False


def cells(text: str, pen: Pen) -> Row:
    """A text, made of what ``kit.text`` has passed, as cells."""
    if text.isascii():
        return [(char, pen) for char in text]
    row: Row = []
    for cluster, size in clusters(text):
        row.append((cluster, pen))
        row += [("", pen)] * (size - 1)
    return row


class Painter:
    """What one terminal shows."""

    def __init__(self, abilities: Abilities) -> None:
        self._can = abilities
        self._shown: list[Row] = []
        self._visible: bool | None = None
        self._at: tuple[int, int] | None = None
        self._pen: Pen | None = None
        self._out: list[str] = []

    def forget(self) -> None:
        """What is shown is unknown from now on."""
        self._shown, self._visible, self._at, self._pen = [], None, None, None

    def draw(self, rows: Sequence[Row], cursor: tuple[int, int] | None = None) -> str:
        """What to write so that ``rows`` are shown, and the cursor at (column, row) or hidden.

        All rows have the same length, and are not changed afterwards. Empty if everything is as it was.
        """
        fresh = len(rows) != len(self._shown) or any(
            len(new) != len(old) for new, old in zip(rows, self._shown, strict=True)
        )
        if fresh:
            self.forget()
            fresh = True
        out = self._out = []
        for number, row in enumerate(rows):
            if fresh:
                self._write(number, 0, len(row), row, row)
            elif row is not self._shown[number] and row != self._shown[number]:
                self._change(number, self._shown[number], row)
        if self._visible is not False and (fresh or cursor is None or sum(map(len, out)) > _FLICKER):
            out.insert(0, "\x1b[?25l")
            self._visible = False
        if cursor is not None:
            if self._at != cursor:
                self._move(*cursor)
            if not self._visible:
                out.append("\x1b[?25h")
                self._visible = True
        self._shown = list(rows)
        return "".join(out)

    def _change(self, number: int, old: Row, new: Row) -> None:
        for start, end in _spans(old, new):
            if self._write(number, start, end, old, new):
                return

    def _write(self, number: int, start: int, end: int, old: Row, new: Row) -> bool:
        """Cells ``start`` to ``end``; True if the rest of the row was erased, where it is blank anyway."""
        blank = self._blank_from(new)
        if blank < end and blank <= len(new) - 4 and (old is new or end - max(blank, start) >= 4):
            erased = max(blank, start)
        else:
            erased = end
        self._reach(number, start, new)
        for column in range(start, min(end, erased)):
            cluster, pen = new[column]
            self._use(pen)
            if cluster:
                self._out.append(_clean(cluster, self._can.ascii))
        self._at = (min(end, erased), number)
        if erased < end:
            self._use(new[-1][1])
            self._out.append("\x1b[K")
        if self._at[0] >= len(new):
            # Behind the last cell: terminals disagree on where that is.
            self._at = None
        return erased < end

    def _blank_from(self, row: Row) -> int:
        """From where on the row looks like erased; its length if nowhere."""
        last = row[-1] if row else None
        if last is None or last[0] != " " or last[1].underline or last[1].reverse:
            return len(row)
        if not self._can.erases and last[1].bg:
            return len(row)
        column = len(row)
        # What is erased has no weight: only the background counts.
        while column and row[column - 1][0] == " " and _under(row[column - 1][1]) == _under(last[1]):
            column -= 1
        return column

    def _reach(self, number: int, column: int, row: Row) -> None:
        """Go to a cell; over a few unchanged ones by writing them again."""
        gap = column - self._at[0] if self._at is not None and self._at[1] == number else 0
        if gap <= 0:
            if self._at != (column, number):
                self._move(column, number)
            return
        between = row[column - gap : column]
        if gap <= _GAP and all(
            pen == self._pen and len(what) == 1 and what.isascii() for what, pen in between
        ):
            self._out.extend(_clean(cluster, True) for cluster, _ in between)
        else:
            self._out.append(f"\x1b[{gap}C" if gap > 1 else "\x1b[C")
        self._at = (column, number)

    def _move(self, column: int, number: int) -> None:
        place = f"{number + 1};{column + 1}" if column else f"{number + 1}" if number else ""
        self._out.append(f"\x1b[{place}H")
        self._at = (column, number)

    def _use(self, pen: Pen) -> None:
        if pen != self._pen:
            self._out.append(_sgr(self._pen, pen, self._can))
            self._pen = pen


def _spans(old: Row, new: Row) -> list[tuple[int, int]]:
    """Ranges of cells that differ; what is two cells wide is wholly in or out, before and after."""
    changed = [a != b for a, b in zip(old, new, strict=True)]
    if any(cluster == "" for row in (old, new) for cluster, _ in row):
        for column in range(1, len(new)):
            if changed[column - 1] and (old[column][0] == "" or new[column][0] == ""):
                changed[column] = True
        for column in range(len(new) - 1, 0, -1):
            if changed[column] and (old[column][0] == "" or new[column][0] == ""):
                changed[column - 1] = True
        # Going back may have reached the first half of something whose second half was not changed: none has
        # more than two cells, so another round forward settles it.
        for column in range(1, len(new)):
            if changed[column - 1] and (old[column][0] == "" or new[column][0] == ""):
                changed[column] = True
    spans: list[tuple[int, int]] = []
    for column, differs in enumerate(changed):
        if not differs:
            continue
        if spans and spans[-1][1] == column:
            spans[-1] = (spans[-1][0], column + 1)
        else:
            spans.append((column, column + 1))
    return spans


def _under(pen: Pen) -> tuple[str, bool, bool]:
    return pen.bg, pen.underline, pen.reverse


@lru_cache(maxsize=4096)
def _sgr(old: Pen | None, new: Pen, can: Abilities) -> str:
    """From one pen to another: what differs, or everything anew where that is shorter or the only way."""
    old, new = old and _plain(old, can), _plain(new, can)
    whole = ["0"]
    whole += [code for code, on in (("1", new.bold), ("4", new.underline), ("7", new.reverse)) if on]
    whole += [colour for colour in (new.fg, new.bg) if colour]
    anew = f"\x1b[{';'.join(whole)}m".replace("\x1b[0m", "\x1b[m")
    if old is None:
        return anew
    parts = []
    for was, is_, on, off in (
        (old.bold, new.bold, "1", "22"),
        (old.underline, new.underline, "4", "24"),
        (old.reverse, new.reverse, "7", "27"),
    ):
        if was != is_:
            parts.append(on if is_ else off)
            if was and not can.off:
                return anew
    for was_colour, colour, default in ((old.fg, new.fg, "39"), (old.bg, new.bg, "49")):
        if was_colour != colour:
            parts.append(colour or default)
    if not parts:
        return ""
    change = f"\x1b[{';'.join(parts)}m"
    return change if len(change) <= len(anew) else anew


def _plain(pen: Pen, can: Abilities) -> Pen:
    """The eight bright colours have codes of their own, but for terminals that show them by bold alone."""
    if can.bold_is_bright and len(pen.fg) == 2 and pen.fg.startswith("9"):
        return pen._replace(fg=f"3{pen.fg[1]}", bold=True)
    return pen


@lru_cache(maxsize=2048)
def _clean(cluster: str, plain: bool) -> str:
    """Not what may not be written: a control character, or a sign for a terminal that has none."""
    if cluster.isascii():
        return cluster if cluster.isprintable() else "?"
    if plain or any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in cluster):
        return "?"
    return cluster
