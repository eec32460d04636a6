"""The games of AgentGames in the words of ``games``: cells, moves, tokens. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from gateway.lines import Line, Move, line_of
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.value import Value

from .wire import (
    C4,
    CHESS,
    EMPTY,
    MARKS,
    TTT,
    C4Observation,
    ChessObservation,
    Malformed,
    TttObservation,
    go_int,
    read_observation,
)

APPS: Final[Mapping[str, str]] = {TTT: "ttt", C4: "four_in_a_row", CHESS: "chess"}
"""Our app ids by the platform's."""

GAMES: Final[Mapping[str, str]] = {app: game for game, app in APPS.items()}
TITLES: Final[Mapping[str, str]] = {TTT: "Tic-tac-toe", C4: "Connect 4", CHESS: "Chess"}

COLUMNS: Final = 7
ROWS: Final = 6
MOST_LEGAL: Final = 256
"""No position of the three games has more moves."""

_LETTERS: Final = {TTT: "XO", C4: "AB"}
"""The letters of ``games`` for players 0 and 1."""


class Unreadable(ValueError):
    """What the platform shows does not follow from what it has shown before; ``str()`` is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shown(Value):
    """``line``: the game so far. ``tokens``: what the platform takes for each move, whoever is to move."""

    line: Line
    tokens: Mapping[Move, str]


def start(game: str) -> Line:
    """Before the first move."""
    return line_of(APPS[game])


def read(game: str, observation: msgspec.Raw, known: Line) -> Shown:
    """What a state shows, given what was known: at most a few moves more. Raises `Unreadable`."""
    try:
        seen = read_observation(game, observation)
    except Malformed as malformed:
        raise Unreadable(f"The platform shows {malformed}") from None
    if isinstance(seen, ChessObservation):
        line = _by_moves(seen.moves, known)
    else:
        line = _by_cells(game, _cells(game, seen), known)
    if line.mover != seen.to_move:
        raise Unreadable("The platform's board and whose turn it says it is do not go together")
    return Shown(line=line, tokens=_tokens(seen.legal, line))


def last(line: Line, *, end: str) -> Line | None:
    """``line`` with the one move that ends the game so; None where none does, or more than one."""
    found = [after for move in line.legal() if (after := line.plus(move)).end() == end]
    return found[0] if len(found) == 1 else None


def _cells(game: str, seen: TttObservation | C4Observation) -> str:
    """The cells in the letters of ``games``, in reading order."""
    if isinstance(seen, TttObservation):
        cells = seen.board
    else:
        if len(seen.board) != ROWS or any(len(row) != COLUMNS for row in seen.board):
            raise Unreadable("The platform shows a board of another size")
        cells = [cell for row in seen.board for cell in row]
    letters = {EMPTY: "_", **dict(zip(MARKS, _LETTERS[game], strict=True))}
    try:
        return "".join(letters[cell] for cell in cells)
    except KeyError:
        raise Unreadable("The platform shows something else than X, O and empty cells") from None


def _by_cells(game: str, cells: str, known: Line) -> Line:
    if cells == known.text():
        return known
    for move in known.legal():
        after = known.plus(move)
        if after.text() == cells:
            return after
    raise Unreadable("The platform's board does not follow from the one before")


def _by_moves(moves: list[str], known: Line) -> Line:
    if len(moves) < known.ply or len(moves) > known.ply + 2:
        raise Unreadable("The platform's moves do not follow from those before")
    try:
        if moves[: known.ply] != list(known.moves) and line_of("chess", moves[: known.ply]) != known:
            raise Unreadable("The platform's moves do not follow from those before")
        for move in moves[known.ply :]:
            known = known.plus(move)
    except Rejection:
        raise Unreadable("The platform shows a move that is none") from None
    return known


def _tokens(legal: list[str], line: Line) -> dict[Move, str]:
    """Only what the platform offers and the rules know; a token that means nothing is left out."""
    found: dict[Move, str] = {}
    moves = frozenset(line.legal())
    for token in legal[:MOST_LEGAL]:
        move = token if line.rules.app == "chess" else go_int(token)
        if move is None:
            continue
        if move not in moves:
            # It may be another spelling, of a castling for example.
            try:
                move = line.plus(move).moves[-1]
            except Rejection:
                continue
        found.setdefault(move, token)
    return found
