"""The list of moves, and what was captured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Turn(Value):
    """The moves that share a number. ``first`` is the ply of the first, from 1."""

    number: int
    first: int
    labels: tuple[str, ...]


def turns(history: Sequence[str], together: int) -> tuple[Turn, ...]:
    """All moves, ``together`` of them with one number."""
    together = max(1, together)
    return tuple(
        Turn(
            number=start // together + 1,
            first=start + 1,
            labels=tuple(str(label) for label in history[start : start + together]),
        )
        for start in range(0, len(history), together)
    )


def tail(history: Sequence[str], together: int, cells: int) -> str:
    """The last moves in one line of at most ``cells`` characters, whole turns: ``12. Nf3 Nc6 13. Bb5``."""
    line = ""
    for turn in reversed(turns(history, together)):
        said = f"{turn.number}. {' '.join(turn.labels)}"
        longer = f"{said}  {line}" if line else said
        if len(longer) > cells and line:
            return line
        line = longer
    return line


def captured(view: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(side, tokens) of what each side has lost, where the game says so."""
    lost = view.get("extras", {}).get("captured")
    if not isinstance(lost, Mapping):
        return ()
    return tuple((str(side), str(tokens)) for side, tokens in lost.items() if tokens)


def material(view: Mapping[str, Any]) -> int:
    """How far the viewer is ahead, where the game counts that for the first side; 0 where it does not."""
    ahead = view.get("extras", {}).get("material")
    if not isinstance(ahead, int):
        return 0
    return -ahead if view.get("turned") else ahead
