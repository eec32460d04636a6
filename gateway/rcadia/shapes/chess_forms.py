"""The forms of chess."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from gateway.lines import Line, Move, line_of
from gateway.seat import Word

from . import chess_boards, chess_moves
from .chess_moves import Squares
from .errors import Unreadable
from .games import LISTS, Offer, Sight, word_of
from .values import MAX_ITEMS, fields, named

_COMMENT: Final = re.compile(r"\{[^}]{0,500}\}|;[^\n]*|^[ \t]*\[[^\]\n]{0,300}\][ \t]*$|\$\d+", re.MULTILINE)
_NUMBER: Final = re.compile(r"^\d+\.+")
_RESULTS: Final = frozenset(("1-0", "0-1", "1/2-1/2", "*"))
MAX_TEXT: Final = 40_000


class ChessForms:
    """Remembers which way round a table's rows of cells are, from the first position that tells."""

    def __init__(self) -> None:
        self._turned = frozenset(range(chess_boards.ORIENTATIONS))
        self._played: dict[Squares, tuple[list[Any], Line]] = {}

    def lines(self, state: Any) -> Iterator[Line]:
        for value in named(state, LISTS):
            entries = _words(value) if isinstance(value, str) else value
            if not isinstance(entries, list) or len(entries) > MAX_ITEMS:
                continue
            for pairs in (False, True) if any(isinstance(entry, list) for entry in entries) else (False,):
                flat = _flat(entries, pairs=pairs)
                for squares in Squares:
                    line = self._replayed(flat, squares)
                    if line is not None:
                        yield line
                    if all(isinstance(entry, str) for entry in flat):
                        break  # names of squares mean the same in each

    def _replayed(self, entries: list[Any], squares: Squares) -> Line | None:
        """The game that the entries are; goes on from the one that was read last where it begins alike."""
        read, line = self._played.get(squares, ([], line_of("chess")))
        if entries[: len(read)] != read:
            read, line = [], line_of("chess")
        for entry in entries[len(read) :]:
            meant = None if line.end() else chess_moves.meant(line.position, entry, squares)
            if meant is None or len(meant) != 1:
                return None
            line = line.plus(meant[0])
        self._played[squares] = (entries, line)
        return line

    def alike(self, state: Any, line: Line, legal: list[Any]) -> bool:
        """Squares have names: nothing is counted."""
        return True

    def sights(self, state: Any) -> list[Sight]:
        return [lambda line, one=one: self._shows(one, line) for one in chess_boards.seen(state)]  # type: ignore[misc]

    def _shows(self, one: chess_boards.Seen, line: Line) -> int:
        ways = one.ways(line.position.board)
        return 2 if ways & self._turned else 0

    def settled(self, state: Any, line: Line) -> None:
        """``line`` is what ``state`` shows: whatever way round it cannot be is out."""
        for one in chess_boards.seen(state):
            self._turned = self._turned & one.ways(line.position.board) or self._turned

    def offer(self, line: Line, legal: list[Any]) -> Offer:
        offers = [offer for squares in Squares if (offer := _offer(line, legal, squares)) is not None]
        complete = [offer for offer in offers if len(offer.moves) == len(line.legal())]
        found = complete or offers
        if not found:
            raise Unreadable("The table does not let us make any move that is legal in its position")
        if any(offer != found[0] for offer in found):
            raise Unreadable("The squares of the table's moves can be read in two ways")
        return found[0]


def _offer(line: Line, legal: list[Any], squares: Squares) -> Offer | None:
    moves: dict[Move, Any] = {}
    words: dict[Word, Any] = {}
    open_: list[tuple[tuple[str, ...], Any]] = []
    for entry in legal:
        word = word_of(entry)
        if word is not None and not isinstance(fields(entry).get("move"), str):
            words.setdefault(word, entry)
            continue
        meant = chess_moves.meant(line.position, entry, squares)
        if meant is None:
            continue  # nothing that looks like a move: a chat, for example
        if not meant:
            return None
        if len(meant) == 1:
            moves.setdefault(meant[0], entry)
        else:
            open_.append((meant, entry))
    for meant, entry in open_:
        pieces = chess_moves.pieces_of(entry)
        for move in (move for move in meant if move[4] in pieces):
            moves.setdefault(move, chess_moves.with_promotion(entry, move[4]))
    return Offer(moves=moves, words=words) if moves else None


def _flat(entries: list[Any], *, pairs: bool) -> list[Any]:
    """``[{"white": "e4", "black": "e5"}]``, with ``pairs`` ``[["e4", "e5"], ["Nf3"]]``, as a flat list."""
    flat: list[Any] = []
    for entry in entries:
        known = fields(entry)
        if "white" in known and not known.keys() & {"from", "move", "uci", "san"}:
            flat += [known[side] for side in ("white", "black") if known.get(side)]
        elif pairs and isinstance(entry, list) and len(entry) <= 2:
            flat += entry
        else:
            flat.append(entry)
    return flat


def _words(text: str) -> list[str] | None:
    """The moves of a PGN, or of moves with spaces or commas between. None for one with variations."""
    if len(text) > MAX_TEXT:
        return None
    bare = _COMMENT.sub(" ", text)
    if "(" in re.sub(r"=\([QRBN]\)", "", bare):
        return None
    words = (_NUMBER.sub("", word) for word in re.split(r"[\s,]+", bare))
    return [word.rstrip("!?") for word in words if word and word not in _RESULTS]
