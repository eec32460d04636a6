"""The forms of each game: complete lists of moves, boards, and actions. ``reader`` puts them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from gateway.lines import Line, Move, line_of
from gateway.seat import Word
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.value import Value

from . import grid_boards, grid_moves
from .errors import Unreadable
from .values import MAX_ITEMS, fields, named, plain

LISTS: Final = (
    "moves", "history", "movehistory", "movelist", "moveslist", "played", "movesplayed", "plies", "pgn",
    "uci", "ucimoves", "sans", "sanmoves", "log", "movelog", "actions",
)  # fmt: skip

_WORDS: Final = {
    Word.RESIGN: ("resign", "surrender", "concede", "resignation"),
    Word.DRAW_OFFER: ("offerdraw", "drawoffer", "proposedraw", "draw"),
    Word.DRAW_ACCEPT: ("acceptdraw", "drawaccept"),
    Word.DRAW_DECLINE: ("declinedraw", "drawdecline", "rejectdraw"),
    Word.CLAIM: ("claimdraw", "drawclaim", "claim"),
}
_SAID: Final = {name: word for word, names in _WORDS.items() for name in names}

MAX_WORDS: Final = 20

Sight = Callable[[Line], int]
"""How well one board of a state fits a line: 0 not at all, more for better."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Offer(Value):
    """What a table takes now. ``moves``: for each move what is sent for it; ``words``: the same for words."""

    moves: Mapping[Move, Any]
    words: Mapping[Word, Any] = field(default_factory=dict)


class Forms(Protocol):
    """What is known about the forms of one game."""

    def lines(self, state: Any) -> Iterator[Line]:
        """Games that a list in ``state`` may mean, each legal from its beginning."""
        ...

    def alike(self, state: Any, line: Line, legal: list[Any]) -> bool:
        """Whether a list in ``state`` means ``line`` where it counts as ``legal`` does."""
        ...

    def sights(self, state: Any) -> list[Sight]:
        """The boards in ``state``."""
        ...

    def settled(self, state: Any, line: Line) -> None:
        """``line`` turned out to be what ``state`` shows."""
        ...

    def offer(self, line: Line, legal: list[Any]) -> Offer:
        """What ``legal`` means in the position of ``line``. Raises ``Unreadable``."""
        ...


def word_of(entry: Any) -> Word | None:
    """``resign``, ``{"type": "offer_draw"}`` and the like; None for anything else."""
    if isinstance(entry, Mapping):
        known = fields(entry)
        entry = next(
            (known[n] for n in ("type", "action", "kind", "name") if isinstance(known.get(n), str)), None
        )
    return _SAID.get(plain(entry)) if isinstance(entry, str) else None


def words_in(state: Any) -> dict[Word, Any]:
    """What the state says can be sent on our turn beside the legal actions (``otherActions``)."""
    words: dict[Word, Any] = {}
    for value in named(state, ("otheractions",)):
        for entry in value[:MAX_WORDS] if isinstance(value, list) else ():
            word = word_of(entry)
            if word is not None:
                words.setdefault(word, entry)
    return words


def forms_of(app: str) -> Forms:
    """Raises ``KeyError`` for a game that is not one of the three."""
    if app == "chess":
        from .chess_forms import ChessForms  # noqa: PLC0415 - loads `chess`, which not every table needs

        return ChessForms()
    return {"ttt": GridForms("ttt"), "four_in_a_row": GridForms("four_in_a_row")}[app]


class GridForms:
    """Tic-tac-toe and four in a row."""

    def __init__(self, app: str) -> None:
        self._app = app

    def lines(self, state: Any) -> Iterator[Line]:
        return self._lines(state, grid_moves.BASES)

    def alike(self, state: Any, line: Line, legal: list[Any]) -> bool:
        raws = [where for entry in legal if (where := grid_moves.raw(self._app, entry)) is not None]
        bases = [
            base
            for base in grid_moves.BASES
            if {grid_moves.move(self._app, where, base) for where in raws} == set(line.legal())
        ]
        return any(line.moves == one.moves for one in self._lines(state, bases))

    def _lines(self, state: Any, bases: Iterable[int]) -> Iterator[Line]:
        for value in named(state, LISTS):
            entries = _digits(value) if isinstance(value, str) else value
            if not isinstance(entries, list) or len(entries) > MAX_ITEMS:
                continue
            for base in bases:
                moves = grid_moves.moves(self._app, entries, base)
                if moves is not None:
                    yield from _legal(self._app, moves)

    def sights(self, state: Any) -> list[Sight]:
        boards = grid_boards.seen(self._app, state)
        return [lambda line, one=one: one.shows(line.text()) for one in boards]  # type: ignore[misc]

    def settled(self, state: Any, line: Line) -> None:
        """Nothing to learn: gravity, or the order of reading, leaves nothing open."""

    def offer(self, line: Line, legal: list[Any]) -> Offer:
        raws: list[tuple[grid_moves.Raw, Any]] = []
        words: dict[Word, Any] = {}
        for entry in legal:
            where = grid_moves.raw(self._app, entry)
            if where is not None:
                raws.append((where, entry))
            elif (word := word_of(entry)) is not None:
                words.setdefault(word, entry)
        for base in grid_moves.BASES:
            moves: dict[Move | None, Any] = {}
            for where, entry in raws:
                moves.setdefault(grid_moves.move(self._app, where, base), entry)
            if moves.keys() == set(line.legal()):
                return Offer(
                    moves={move: entry for move, entry in moves.items() if move is not None}, words=words
                )
        raise Unreadable("What the table lets us do does not fit its board, or is written in an unknown way")


def _digits(text: str) -> list[Any]:
    """``"4 0 8"``, ``"4,0,8"`` and ``"408"``."""
    word = text.strip()
    return list(word) if word.isdecimal() else [part for part in re.split(r"[\s,;]+", word) if part]


def _legal(app: str, moves: list[Move]) -> Iterator[Line]:
    try:
        yield line_of(app, moves)
    except Rejection:
        return
