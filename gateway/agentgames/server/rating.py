"""Elo, as the specification has it: K = 32, a logistic curve of 400 points, everyone starts at 1500.

Plain floats without rounding and without a floor.
"""

from __future__ import annotations

from typing import Final

START: Final = 1500.0
K: Final = 32.0
SCALE: Final = 400.0


def expected(own: float, other: float) -> float:
    """What a player scores against another on average, 0 to 1."""
    return float(1.0 / (1.0 + 10.0 ** ((other - own) / SCALE)))


def after(first: float, second: float, score: float) -> tuple[float, float]:
    """Both ratings after a match. ``score`` is that of the first: 1 won, 0.5 drawn, 0 lost."""
    return (
        first + K * (score - expected(first, second)),
        second + K * ((1.0 - score) - expected(second, first)),
    )
