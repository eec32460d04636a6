"""The games that the house hosts, by the names that settings and people use for them."""

from __future__ import annotations

from collections.abc import Mapping

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe

from .grid_words import FourWords, TicTacToeWords
from .words import Words


def words() -> Mapping[str, Words]:
    """By LRGP app id. Games of their own: what they cache belongs to hosted tables only."""
    from .chess_words import ChessWords  # noqa: PLC0415 - loads `chess`

    found: tuple[Words, ...] = (ChessWords(Chess()), TicTacToeWords(TicTacToe()), FourWords(FourInARow()))
    return {one.app: one for one in found}
