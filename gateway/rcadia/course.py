"""What one seat knows of its table: snapshots in, events out. No requests, no clock.

Each snapshot is the full state, so what was missed between two is of no importance. Where the state cannot be
read on the other side's turn, nothing is lost: it only has to be readable when we are to move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gateway.lines import Line, Move, line_of
from gateway.seat import (
    Away,
    Board,
    Event,
    Joined,
    OpponentMoved,
    Player,
    Rejected,
    Said,
    Side,
    TheirTurn,
    Word,
    YourTurn,
)

from .shapes import order, results
from .shapes.errors import Unreadable
from .shapes.games import Offer, words_in
from .shapes.reader import Reader
from .wire import Snapshot, parse_time

HOST_AWAY: Final = "The host of the table does not respond"


class Course:
    """``moves``: those known already; they must be legal (``Rejection``). ``first``: who began, if known."""

    def __init__(self, app: str, *, moves: tuple[Move, ...] = (), first: Side | None = None) -> None:
        self.app = app
        self.line: Line = line_of(app, moves)
        self.first = first
        self.sent: Move | None = None
        """A move of ours that may be on the way."""
        self.acting: int | None = None
        """The turn for which an action is being sent: nothing is said of it meanwhile."""
        self.offer: Offer | None = None
        """What the table takes in ``latest``; None unless we are to move and that can be read."""
        self.trouble = ""
        """Why the table cannot be played as it is now."""
        self.latest: Snapshot | None = None
        self.over = False
        self._reader = Reader(app)
        self._words = frozenset((Word.RESIGN,))
        self._board: Board | None = None
        self._joined: Joined | None = None
        self._turn: YourTurn | TheirTurn | None = None
        self._offered = False
        self._heard: set[str] = set()
        self._away = ""

    def take(self, snapshot: Snapshot) -> list[Event]:
        """What a snapshot brings. An older one than the last brings nothing."""
        if self.over or (self.latest is not None and snapshot.version < self.latest.version):
            return []
        self.latest = snapshot
        ply = self.line.ply
        self._read(snapshot)
        return list(self._events(snapshot, ply))

    def away(self, reason: str) -> list[Event]:
        """The platform, or the host, is not there."""
        if self._away == reason:
            return []
        self._away = reason
        return [Away(reason=reason)]

    def renew(self) -> None:
        """Say again whose turn it is with the next snapshot."""
        self._turn = None

    def tell_again(self) -> None:
        """Somebody else listens: the next snapshot, also one that was taken before, tells all of it."""
        self.over, self._joined, self._turn = False, None, None
        self._offered, self._away = False, ""

    def heard(self, action_id: str) -> None:
        """The outcome of this action needs no event."""
        self._heard.add(action_id)

    def move(self, intent: Mapping[str, Any]) -> Move:
        """The move of an intent in the present position. Raises ``Rejection``."""
        return self.line.move_of(intent)

    def readable(self, snapshot: Snapshot) -> bool:
        """Whether ``snapshot``, one of our turn, can be read. Changes nothing that is known."""
        try:
            line = self._reader.read(snapshot.state, self.line, sent=self.sent, legal=snapshot.legal_actions)
            self._reader.offer(line, snapshot.legal_actions or [])
        except Unreadable:
            return False
        return self.first is None or self._side(line.mover) is Side.US

    # Reading

    def _read(self, snapshot: Snapshot) -> None:
        self.offer, self.trouble = None, ""
        if _empty(snapshot.state) or snapshot.status == "waiting":
            if snapshot.your_turn:
                self.trouble = "The table does not show the state of its game"
            self._settle_first(snapshot, None, proved=False)
            return
        legal = snapshot.legal_actions if snapshot.your_turn else None
        try:
            line = self._reader.read(snapshot.state, self.line, sent=self.sent, legal=legal)
            offer = None if legal is None else self._reader.offer(line, legal)
        except Unreadable as error:
            self._unread(snapshot, str(error))
            return
        mover = Side.US if snapshot.your_turn else None
        if offer is not None and self.first is not None and self._side(line.mover) is not mover:
            self._unread(snapshot, "The table says that it is our turn, and its board that it is not")
            return
        self._settle_first(snapshot, line, proved=offer is not None)
        if offer is not None:
            self.offer = Offer(moves=offer.moves, words={**words_in(snapshot.state), **offer.words})
            self._words |= self.offer.words.keys()
        # A shorter game than the one known is an old state, unless we are to move in it: a move was taken
        # back.
        if offer is not None or line.moves[: self.line.ply] == self.line.moves:
            self._known(line)

    def _unread(self, snapshot: Snapshot, why: str) -> None:
        self._settle_first(snapshot, None, proved=False)
        if snapshot.your_turn:
            self.trouble = why

    def _known(self, line: Line) -> None:
        if line.moves != self.line.moves or self._board is None:
            self._board = Board(moves=line.intents, position=line.text())
        self.line = line
        if self.sent is not None and line.ply and self.sent in line.moves[-2:]:
            self.sent = None

    def _settle_first(self, snapshot: Snapshot, line: Line | None, *, proved: bool) -> None:
        if self.first is None and snapshot.status != "waiting":
            self.first = order.first_side(self.app, snapshot, line, proved=proved)

    def _side(self, mover: int) -> Side | None:
        if self.first is None or mover == 0:
            return self.first
        return order.other(self.first)

    # Telling

    def _events(self, snapshot: Snapshot, ply: int) -> Iterator[Event]:
        yield from self._join(snapshot)
        for at in range(ply, self.line.ply):
            if self._side(at % 2) is Side.THEM:
                yield OpponentMoved(board=self._board, intent=self.line.intents[at], ply=at)
        if snapshot.status == "finished":
            self.over = True
            yield results.event(self.app, snapshot, self.line, self.first, self._board)
            return
        yield from self._rejected(snapshot)
        # Before its first publish a host that only waits for us may be shown like one that is silent.
        if snapshot.waiting_for == "host" and snapshot.turn and not order.pending(snapshot):
            yield from self.away(HOST_AWAY)
            return
        if self._away:
            self._away, self._turn = "", None
        offered = order.draw_offered_by_them(self.app, snapshot, self.first)
        if offered and not self._offered:
            yield Said(board=self._board, word=Word.DRAW_OFFER)
        self._offered = offered
        yield from self._turns(snapshot)

    def _join(self, snapshot: Snapshot) -> Iterator[Event]:
        joined = Joined(
            seat=snapshot.seat,
            players=tuple(
                Player(
                    name=one.as_name or "",
                    seat=one.seat,
                    side=Side.US if order.is_us(one, snapshot) else Side.THEM,
                )
                for one in snapshot.players
            ),
            first=self.first,
            begun=snapshot.status in ("active", "finished"),
            words=self._words,
            board=self._board,
        )
        if self._joined is None or _without_board(joined) != _without_board(self._joined):
            self._joined, self._turn = joined, None
            yield joined

    def _rejected(self, snapshot: Snapshot) -> Iterator[Event]:
        last = snapshot.last_action
        if last is None or last.status != "rejected" or last.action_id in self._heard:
            return
        if self.acting == snapshot.turn:
            return  # whoever sent it is told
        self._heard.add(last.action_id)
        if last.turn in (0, snapshot.turn):
            yield Rejected(board=self._board, reason=last.reason or "The game refuses the move")
            self._turn = None

    def _turns(self, snapshot: Snapshot) -> Iterator[Event]:
        if snapshot.status != "active":
            return
        deadline = parse_time(snapshot.deadline)
        turn: YourTurn | TheirTurn | None
        if snapshot.your_turn:
            if self.trouble or self.offer is None or self.acting == snapshot.turn:
                return
            turn = YourTurn(
                board=self._board,
                turn=snapshot.turn,
                legal=tuple({self.line.rules.key: move} for move in self.offer.moves),
                deadline=deadline,
                strikes=snapshot.strikes,
            )
        else:
            turn = TheirTurn(board=self._board, deadline=deadline)
        if turn != self._turn:
            self._turn = turn
            yield turn


def _empty(state: Any) -> bool:
    return state is None or state in ({}, [], "")


def _without_board(joined: Joined) -> tuple[Any, ...]:
    return joined.seat, joined.players, joined.first, joined.begun, joined.words
