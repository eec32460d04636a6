"""What one match shows: messages in, events of ``gateway.seat`` out. No connection, no clock.

The server sends no board after the last move. So the line of moves is kept here: our own last move is added
when the result says that it ended the game, the other side's where only one move can have ended it so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.lines import Line, Move
from gateway.seat import (
    Board,
    Event,
    Finished,
    Joined,
    Lost,
    OpponentMoved,
    Player,
    Reason,
    Side,
    TheirTurn,
    Winner,
    YourTurn,
)
from lrgpnode.control.text import clean

from . import games
from .games import Unreadable
from .wire import (
    CONNECTION_CLOSED,
    DRAW,
    MOVE_TIMEOUT,
    Answer,
    Hello,
    Queued,
    Result,
    State,
    rating_of,
)

LONGEST_NAME: Final = 60
_REASONS: Final[Mapping[str, Reason]] = {
    "": Reason.BOARD,
    MOVE_TIMEOUT: Reason.TIMEOUT,
    CONNECTION_CLOSED: Reason.LEFT,
}
_WINNERS: Final = {"win": Winner.US, "loss": Winner.THEM, "draw": Winner.NONE}


class Course:
    """``game``: the platform's id. ``move_seconds``: the time for a move, which no message says.

    ``sent``: a move of ours that was not answered yet. It is never sent again: a second move would be kept
    and played on the next turn.
    """

    def __init__(self, game: str, *, move_seconds: float) -> None:
        self.line: Line = games.start(game)
        self.first: Side | None = None
        self.sent: Move | None = None
        self.ended: Finished | Lost | None = None
        self._game = game
        self._move_seconds = move_seconds
        self._player: int | None = None
        self._opponent = ""
        self._tokens: Mapping[Move, str] = {}
        self._turn: YourTurn | TheirTurn | None = None
        self._queued = False

    @property
    def begun(self) -> bool:
        """Whether there is an opponent."""
        return self._player is not None

    @property
    def our_turn(self) -> int | None:
        """The number of the turn, if we are to move and have sent nothing for it."""
        waits = isinstance(self._turn, YourTurn) and self.sent is None and self.ended is None
        return self.line.ply if waits else None

    def take(self, answer: Answer, now: float) -> list[Event]:
        """What a message brings, at ``now`` in Unix seconds; nothing for one that is not new.

        Raises `Unreadable` for a match that cannot go on.
        """
        if self.ended is not None:
            return []
        match answer:
            case Queued() if not self._queued and not self.begun:
                self._queued = True
                return [self._joined()]
            case Hello() if not self.begun:
                return self._hello(answer)
            case State() if self.begun:
                return self._state(answer, now)
            case Result() if self.begun:
                return self._result(answer)
            case State() | Result():
                raise Unreadable("The platform speaks of a match that has not begun")
        return []

    def lose(self, reason: str) -> list[Event]:
        """The match is gone without a result."""
        if self.ended is not None:
            return []
        self.ended = Lost(board=self._board(), reason=reason)
        return [self.ended]

    def again(self) -> list[Event]:
        """For a listener that knows nothing yet."""
        events: list[Event] = [self._joined()] if self._queued or self.begun else []
        if self.ended is not None:
            return [*events, self.ended]
        if isinstance(self._turn, YourTurn) and self.sent is not None:
            return [*events, TheirTurn(board=self._turn.board, deadline=self._turn.deadline)]
        return [*events, self._turn] if self._turn is not None else events

    def choose(self, intent: Mapping[str, Any]) -> tuple[Move, str]:
        """A move in the present position and the platform's word for it.

        Raises ``Rejection`` for what is no move, `Unreadable` for one that the platform does not offer.
        """
        move = self.line.move_of(intent)
        if move not in self._tokens:
            raise Unreadable("The platform does not offer that move")
        return move, self._tokens[move]

    # Inside

    def _joined(self) -> Joined:
        players: tuple[Player, ...] = ()
        if self._player is not None:
            players = (
                Player(name="", seat=self._player, side=Side.US),
                Player(name=self._opponent, seat=1 - self._player, side=Side.THEM),
            )
        return Joined(
            seat=self._player or 0,
            players=players,
            first=self.first,
            begun=self.begun,
            board=self._board() if self.begun else None,
        )

    def _board(self) -> Board:
        return Board(moves=self.line.intents, position=self.line.text())

    def _side(self, mover: int) -> Side:
        return Side.US if mover == self._player else Side.THEM

    def _hello(self, hello: Hello) -> list[Event]:
        if hello.game not in ("", self._game):
            raise Unreadable("The platform begins another game than the one asked for")
        self._player = hello.player
        self._opponent = clean(hello.opponent, LONGEST_NAME)
        self.first = self._side(0)
        return [self._joined()]

    def _state(self, state: State, now: float) -> list[Event]:
        shown = games.read(self._game, state.observation, self.line)
        ours = self._side(shown.line.mover) is Side.US
        if ours != state.your_turn:
            raise Unreadable(
                "The platform says that it is our turn, and its board that it is not, or the other way"
            )
        if shown.line.end():
            raise Unreadable("The platform goes on with a game that is over")
        if self._turn is not None and shown.line.ply == self.line.ply:
            return []
        if ours and not shown.tokens:
            raise Unreadable("The platform offers no move that is one")
        events = self._follow(shown.line)
        self._tokens, deadline = shown.tokens, now + self._move_seconds
        if ours:
            legal = tuple({self.line.rules.key: move} for move in shown.tokens)
            self._turn = YourTurn(board=self._board(), turn=self.line.ply, legal=legal, deadline=deadline)
        else:
            self._turn = TheirTurn(board=self._board(), deadline=deadline)
        return [*events, self._turn]

    def _follow(self, line: Line) -> list[Event]:
        """Go on to ``line``; the other side's moves in it are told."""
        ply, self.line = self.line.ply, line
        if line.ply > ply:
            self.sent = None
        return [
            OpponentMoved(board=self._board(), intent=line.intents[at], ply=at)
            for at in range(ply, line.ply)
            if self._side(at % 2) is Side.THEM
        ]

    def _result(self, result: Result) -> list[Event]:
        events: list[Event] = []
        shown = True
        if not result.reason:
            line = self._last(result)
            shown = line is not None
            if line is not None:
                events = self._follow(line)
        reason = _REASONS.get(result.reason, Reason.OTHER)
        rating = rating_of(result)
        said = [clean(result.reason.removeprefix("forfeit: "))] if reason is Reason.OTHER else []
        said += [] if shown else ["the last move was not shown"]
        said += [] if rating is None else [f"rated {rating:.0f}"]
        known: dict[str, Any] = {"outcome": result.outcome, "winner": result.winner}
        known |= {"reason": clean(result.reason)} if result.reason else {}
        self.ended = Finished(
            board=self._board(),
            winner=_WINNERS[result.outcome],
            reason=reason,
            text=", ".join(said),
            result=known if rating is None else {**known, "rating": rating},
        )
        return [*events, self.ended]

    def _last(self, result: Result) -> Line | None:
        """The line with the move that ended the game, if it is known for sure."""
        end = "draw" if result.winner == DRAW else "win"
        by_us = self.sent is not None
        if end == "win" and by_us != (result.outcome == "win"):
            return None
        if self.sent is not None:
            after = self.line.plus(self.sent)
            return after if after.end() == end else None
        return games.last(self.line, end=end) if isinstance(self._turn, TheirTurn) else None
