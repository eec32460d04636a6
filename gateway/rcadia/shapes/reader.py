"""What one table shows, as a game from its beginning; what it lets us do, as moves.

A complete list of moves is preferred. Where there is only a board, the move between the position known
before and this one is searched: one move, or two where our own may have been played as well. A list that
does not fit a board beside it is not complete, and the board counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gateway.lines import Line, Move, line_of
from lrgpnode.protocol.errors import Rejection

from .errors import NotOneMove, Unreadable
from .games import Forms, Offer, Sight, forms_of


class Reader:
    """For one table: it remembers what a form has left open until a position decided it."""

    def __init__(self, app: str) -> None:
        self.app = app
        self._forms: Forms = forms_of(app)

    def read(
        self,
        state: Any,
        known: Line | None = None,
        *,
        sent: Move | None = None,
        legal: list[Any] | None = None,
    ) -> Line:
        """The game that ``state`` shows.

        ``known``: the game as far as we knew it (None: the beginning). ``sent``: a move of ours that may
        have been played meanwhile. ``legal``: what we may do now, which decides where a list can be read in
        two ways. Raises ``Unreadable``, ``NotOneMove``.
        """
        before = known or line_of(self.app)
        sights = self._forms.sights(state)
        listed = _distinct(line for line in self._forms.lines(state) if _fit(sights, line))
        line = self._listed(state, listed, before, legal) if listed else None
        if line is None:
            if not sights:
                raise Unreadable("The table shows neither moves nor a board in a form that is known here")
            line = _searched(sights, before, sent)
        self._forms.settled(state, line)
        return line

    def offer(self, line: Line, legal: list[Any]) -> Offer:
        """What the table takes now. Raises ``Unreadable``."""
        return self._forms.offer(line, legal)

    def _listed(self, state: Any, lines: list[Line], before: Line, legal: list[Any] | None) -> Line | None:
        """The one of several readings of a list that goes on from what was known, or fits what we may do."""
        following = [line for line in lines if line.moves[: before.ply] == before.moves]
        found = following or lines
        if len(found) > 1 and legal is not None:
            found = [line for line in found if self._takes(line, legal)]
        if len(found) > 1 and legal is not None:
            # Every column is open either way: a game counts alike in its list and in what it lets us do.
            found = [line for line in found if self._forms.alike(state, line, legal)]
        if len(found) != 1:
            raise Unreadable("The table's list of moves can be read in several ways")
        return found[0]

    def _takes(self, line: Line, legal: list[Any]) -> bool:
        try:
            self._forms.offer(line, legal)
        except Unreadable:
            return False
        return True


def _fit(sights: list[Sight], line: Line) -> bool:
    return all(sight(line) for sight in sights)


def _searched(sights: list[Sight], before: Line, sent: Move | None) -> Line:
    """The shortest play from ``before`` to what is seen. Raises ``NotOneMove``."""
    for lines in _ways(before, sent):
        scored = [(min(sight(line) for sight in sights), line) for line in lines]
        best = max((score for score, _ in scored), default=0)
        found = [line for score, line in scored if score == best > 0]
        if len(found) == 1:
            return found[0]
        if found:
            raise NotOneMove("The table's position can have come about in several ways")
    raise NotOneMove(f"The table's position is not one move from the one after {before.ply} moves")


def _ways(before: Line, sent: Move | None) -> Iterator[list[Line]]:
    """Ever longer plays from ``before``; with the move that was sent first."""
    yield [before]
    ours = [] if sent is None else list(_next(before, (sent,)))
    yield ours
    yield [after for line in ours for after in _next(line, line.legal())]
    ones = list(_next(before, before.legal()))
    yield ones
    yield [after for line in ones for after in _next(line, line.legal())]


def _next(line: Line, moves: Iterable[Move]) -> Iterator[Line]:
    for move in moves:
        try:
            yield line.plus(move)
        except Rejection:
            continue


def _distinct(lines: Iterable[Line]) -> list[Line]:
    return list({line.moves: line for line in lines}.values())
