"""How the game of a player and the table compare, by the rules of the game. Pure but for a cache.

The table's moves are played again here, by the same ``games`` that judged the player's; so two spellings of a
castling are the same move, and a move that is none is found before it reaches a session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command, Game, Intent, Result
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.turn_based import TurnBasedGame
from lrgpnode.protocol.value import Value

from ..seat import Board

PLAYED: Final = {"chess": "m", "ttt": "i", "four_in_a_row": "c"}
"""The games that seats can be taken in: app id, and the key of a move's intent."""

FIRST, SECOND = "first", "second"
"""The players of a line of moves that belongs to no session."""


class Kind(StrEnum):
    """The table against the game: as far, further, not as far, elsewhere, or it shows nothing."""

    SAME = "same"
    AHEAD = "ahead"
    BEHIND = "behind"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Relation(Value):
    """``moves``: those that the game lacks (AHEAD) or the table lacks (BEHIND), in order."""

    kind: Kind
    moves: tuple[Intent, ...] = ()
    why: str = ""


class Rules:
    """Of one bridge."""

    def __init__(self, game: Game, name: str) -> None:
        self._game = game
        self._key = PLAYED[game.manifest.app_id]
        self._name = name
        self._raw: list[Intent] = []
        self._line: list[Session] = [self._opened()]
        self._last: tuple[Any, Relation] | None = None

    def relation(self, session: Session, board: Board | None) -> Relation:
        """How the table's board compares with the session's moves."""
        key = (session.metadata.get("moves"), session.metadata.get("board"), board)
        if self._last is None or self._last[0] != key:
            self._last = (key, self._compare(session, board))
        return self._last[1]

    def moves(self, session: Session) -> tuple[Intent, ...]:
        """The moves of a session as intents."""
        return tuple({self._key: move} for move in session.metadata["moves"])

    def first(self, session: Session) -> str:
        """Who has the first move; "" while that is open."""
        first: str = session.metadata["first_turn"]
        return first

    def mover(self, session: Session, ply: int) -> str:
        """Whose move the one with this number (from 0) is."""
        first = self.first(session)
        return first if ply % 2 == 0 else session.other(first)

    def allowed(self, session: Session, ply: int, intent: Intent, legal: Sequence[Intent]) -> bool:
        """Whether ``intent``, played at ``ply`` of the session, is among what the table allows."""
        if intent in legal:
            return True
        before = self._follow(self.moves(session)[:ply])
        wanted = self._canonical(before, intent)
        return any(self._canonical(before, one) == wanted for one in legal)

    def claim(self, session: Session) -> str:
        """The draw that may be claimed in the session now, as a draw offer says it; "" for none."""
        if session.app_id != "chess" or not isinstance(self._game, TurnBasedGame):
            return ""
        me = session.key.identity
        return next((r for r in ("50m", "3fr") if self._game.claimed(session, me, {"r": r})), "")

    def result(self, session: Session) -> Result | None:
        """How the session ended."""
        return self._game.view(session, session.key.identity).result

    # Inside

    def _compare(self, session: Session, board: Board | None) -> Relation:
        if board is None or (board.moves is None and not board.position):
            return Relation(kind=Kind.UNKNOWN)
        ours = self.moves(session)
        if board.moves is None:
            return self._by_position(session, ours, board.position)
        try:
            line = self._follow(board.moves)
        except Rejection as rejection:
            return Relation(kind=Kind.OTHER, why=f"the table shows a move that is none: {rejection.message}")
        theirs = self.moves(line)
        common = min(len(ours), len(theirs))
        if ours[:common] != theirs[:common]:
            ply = next(i for i in range(common) if ours[i] != theirs[i])
            return Relation(kind=Kind.OTHER, why=f"the table has another move {ply + 1}")
        return _difference(ours, theirs)

    def _by_position(self, session: Session, ours: tuple[Intent, ...], position: str) -> Relation:
        wanted = self._comparable(position)
        line = self._follow(ours)
        if self._shown(line) == wanted:
            return Relation(kind=Kind.SAME)
        if line.status is Status.ACTIVE:
            mover = line.metadata["turn"]
            for move in self._game.view(line, mover).legal:
                if self._shown(self._after(line, move.intent)) == wanted:
                    return Relation(kind=Kind.AHEAD, moves=(move.intent,))
        if ours and self._shown(self._follow(ours[:-1])) == wanted:
            return Relation(kind=Kind.BEHIND, moves=ours[-1:])
        return Relation(kind=Kind.OTHER, why="the table has another position")

    def _shown(self, session: Session) -> str:
        return self._comparable(str(self._game.public(session)["board"]))

    def _comparable(self, position: str) -> str:
        """Of a FEN the pieces and who is to move: programs differ in what they say of the rest."""
        return " ".join(position.split()[:2])

    def _follow(self, moves: Sequence[Intent]) -> Session:
        """The position after ``moves``, from what is known already. Raises ``Rejection``."""
        common = 0
        while common < min(len(moves), len(self._raw)) and moves[common] == self._raw[common]:
            common += 1
        line = self._line[common]
        if common < len(moves):
            del self._raw[common:], self._line[common + 1 :]
            for intent in moves[common:]:
                line = self._after(line, intent)
                self._raw.append(intent)
                self._line.append(line)
        return line

    def _after(self, session: Session, intent: Intent) -> Session:
        mover = session.metadata["turn"]
        payload = self._game.intend(session, mover, Command.MOVE, intent, _heads)
        return self._game.apply(session, mover, Command.MOVE, payload, 0.0)

    def _canonical(self, session: Session, intent: Intent) -> Any:
        """The move as it goes on the wire, or a value that equals none."""
        try:
            payload = self._game.intend(session, session.metadata["turn"], Command.MOVE, intent, _heads)
        except Rejection:
            return object()
        return payload[self._key]

    def _opened(self) -> Session:
        key = SessionKey(SECOND, self._name)
        session = self._game.open(key, FIRST, FIRST, 0.0)
        payload = self._game.intend(session, SECOND, Command.ACCEPT, {}, _heads)
        return self._game.apply(session, SECOND, Command.ACCEPT, payload, 0.0)


def _heads() -> bool:
    """The coin with which the peer of a line, FIRST, gets White."""
    return True


def _difference(ours: tuple[Intent, ...], theirs: tuple[Intent, ...]) -> Relation:
    if len(ours) == len(theirs):
        return Relation(kind=Kind.SAME)
    if len(ours) < len(theirs):
        return Relation(kind=Kind.AHEAD, moves=theirs[len(ours) :])
    return Relation(kind=Kind.BEHIND, moves=ours[len(theirs) :])
