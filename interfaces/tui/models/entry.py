"""A move as it is typed: which of the legal moves it may be.

Knows no rules: it compares with what the game's view lists. What people leave out or add in the common
notations is understood: blanks, case, signs of check and capture, zeros for castling, the cell that a piece
comes from, cells alone (``e2e4``). What is not found here the node may still understand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lrgpnode.protocol.value import Value

Json = Mapping[str, Any]
Place = tuple[int, int]

_NOISE: Final = re.compile(r"[\s+#!?=()x:.\-]")
_CASTLING: Final = re.compile(r"[oO0](-?[oO0]){1,2}")
SHOWN: Final = 6
"""Moves that are named where several fit."""


class Fit(Enum):
    EMPTY = "empty"
    ONE = "one"
    SEVERAL = "several"
    CHOICE = "choice"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Move(Value):
    """A legal move. ``intent`` is what the node is asked for."""

    label: str
    intent: Json
    origin: Place | None
    target: Place | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry(Value):
    """``moves`` are those that fit. CHOICE: they differ only in what a piece becomes."""

    fit: Fit
    moves: tuple[Move, ...] = ()
    preview: str = ""


def legal(view: Json) -> tuple[Move, ...]:
    """The moves that the view lists."""
    return tuple(
        Move(
            label=str(move["label"]),
            intent=move["intent"],
            origin=_place(move.get("origin")),
            target=_place(move.get("target")),
        )
        for move in view.get("legal", ())
    )


def read(view: Json, text: str) -> Entry:
    """What ``text`` may mean now."""
    if not text.strip():
        return Entry(fit=Fit.EMPTY)
    moves = legal(view)
    typed = _plain(text)
    found: Iterable[Move] = ()
    if typed:
        spelled = [(move, _spellings(move, view)) for move in moves]
        lowered = typed.lower()
        # Where people save the shift key, a small letter may be meant as either.
        known = [(move, words if typed != lowered else _lower(words)) for move, words in spelled]
        found = (
            [move for move, words in known if typed in words]
            or [move for move, words in spelled if lowered in _lower(words)]
            or [move for move, words in spelled if any(word.startswith(lowered) for word in _lower(words))]
        )
    return _entry(tuple(found))


def _entry(found: tuple[Move, ...]) -> Entry:
    if not found:
        return Entry(fit=Fit.NONE, preview="No legal move is written so.")
    if len(found) == 1:
        return Entry(fit=Fit.ONE, moves=found, preview=f"Enter plays {found[0].label}")
    labels = [move.label for move in found[:SHOWN]]
    more = " ..." if len(found) > SHOWN else ""
    if alike(found):
        return Entry(fit=Fit.CHOICE, moves=found, preview=f"Choose: {', '.join(labels)}{more}")
    return Entry(fit=Fit.SEVERAL, moves=found, preview=f"{', '.join(labels)}{more}")


def alike(moves: Sequence[Move]) -> bool:
    """Whether all go from the same cell to the same cell, as promotions do."""
    first = moves[0]
    return first.origin is not None and all(
        (move.origin, move.target) == (first.origin, first.target) for move in moves
    )


def _plain(text: str) -> str:
    word = re.sub(r"\s", "", text)
    bare = word.rstrip("+#!?")
    if _CASTLING.fullmatch(bare):
        return "O" * sum(char in "oO0" for char in bare)
    return _NOISE.sub("", word)


def _spellings(move: Move, view: Json) -> set[str]:
    """How the move may be written, without signs."""
    label = _NOISE.sub("", move.label)
    found = {label}
    target = cell_name(view, move.target)
    if target:
        found.add(target)
    found |= {_NOISE.sub("", value) for value in move.intent.values() if isinstance(value, str)}
    origin = cell_name(view, move.origin)
    if not origin or not target:
        return found
    if _CASTLING.fullmatch(move.label.rstrip("+#")):
        return {*found - {target}, origin + target}
    head, _, tail = label.rpartition(target)
    piece = head[:1] if head[:1].isupper() else ""
    found.discard(target)
    found |= {piece + hint + target + tail for hint in _hints(origin)}
    found.add(origin + target + tail)
    return found


def _lower(words: Iterable[str]) -> set[str]:
    return {word.lower() for word in words}


def _hints(origin: str) -> Iterator[str]:
    """Nothing, the column, the row, or both, of the cell where a piece comes from."""
    yield from ("", origin, *origin)


def cell_name(view: Json, place: Place | None) -> str:
    """``e4``: the labels of a cell's column and row."""
    if place is None:
        return ""
    row, column = place
    columns, rows = view.get("column_labels", ()), view.get("row_labels", ())
    name = str(columns[column]) if 0 <= column < len(columns) else ""
    return name + (str(rows[row]) if 0 <= row < len(rows) else "")


def _place(value: Any) -> Place | None:
    return None if value is None else (int(value[0]), int(value[1]))
