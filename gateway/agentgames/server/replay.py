"""A match move by move, as pages, the terminal and texts show it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.agentgames import wire
from gateway.agentgames.server import rules
from lrgpnode.protocol.value import Value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Step(Value):
    """``move`` as it was sent, ``label`` as people call it, ``rows`` the board after it."""

    move: str
    label: str
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Replay(Value):
    """``rows``: the first board, as ``rules.Position.rows``. ``fen``: the last position of chess, else ""."""

    rows: tuple[str, ...]
    steps: tuple[Step, ...]
    fen: str


def replayed(game: str, moves: Iterable[str]) -> Replay:
    """A long game of chess takes a second: not in an event loop. Raises ``IllegalMove``."""
    moves = tuple(moves)
    positions = rules.replay(game, moves)
    steps = tuple(
        Step(move=move, label=before.say(move), rows=after.rows())
        for move, before, after in zip(moves, positions, positions[1:], strict=False)
    )
    last = positions[-1].observation()
    return Replay(
        rows=positions[0].rows(),
        steps=steps,
        fen=last.fen if isinstance(last, wire.ChessObservation) else "",
    )
