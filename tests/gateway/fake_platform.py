"""A platform in memory: tables with the rules of ``games``, a scripted other side, and faults.

`World` is what the platform is; it outlives the gateway's processes. `FakePlatform` is one client of it. What
a test does to the other side or to the platform it does to a `FakeTable`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from gateway.bridge.rules import Rules
from gateway.seat import (
    Account,
    AccountRefused,
    ActionRefused,
    Away,
    Board,
    CannotPlay,
    Event,
    Finished,
    Joined,
    Lost,
    NoTable,
    Note,
    NotYourTurn,
    OpponentMoved,
    Outcome,
    Player,
    Reason,
    Rejected,
    Rematch,
    RemoteTable,
    ResumeKey,
    Said,
    SeatLost,
    Side,
    TheirTurn,
    Unreachable,
    Winner,
    Word,
    YourTurn,
)
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Game, Intent
from lrgpnode.protocol.session import Status

GAMES: Mapping[str, Game] = {game.manifest.app_id: game for game in (Chess(), FourInARow(), TicTacToe())}

Script = Callable[["FakeTable"], Intent | None]


def moves(*intents: Any) -> Script:
    """The other side plays these, one after the other, whenever it is to move."""
    left = list(intents)

    def play(table: FakeTable) -> Intent | None:
        return left.pop(0) if left else None

    return play


@dataclass
class World:
    """``down``: nothing answers. ``asked``: every call, for tests that count."""

    tables: dict[str, FakeTable] = field(default_factory=dict)
    down: bool = False
    retry_after: float | None = None
    refuse: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    after_act: Callable[[], None] = lambda: None
    now: Callable[[], float] = lambda: 0.0

    def table(self, app: str, id: str = "", **how: Any) -> FakeTable:
        table = FakeTable(self, id or f"t{len(self.tables) + 1}", app, **how)
        self.tables[table.id] = table
        return table

    def check(self, what: str) -> None:
        self.asked.append(what)
        if self.down:
            raise Unreachable("the platform does not answer", self.retry_after)


@dataclass
class FakeTable:
    """``first``: who has the first move. ``comes``: whether the other side is there when we sit down.

    ``move_seconds``: the table has a clock, which runs from the moment when somebody is to move.

    ``shows_moves``: else only positions. ``legal``: whether legal actions are shown. ``words``: what may be
    said. ``turn`` counts as RCADIA's does.
    """

    world: World
    id: str
    app: str
    first: Side = Side.US
    comes: bool = True
    shows_moves: bool = True
    legal: bool = True
    words: frozenset[Word] = frozenset()
    script: Script = field(default_factory=moves)
    hosted: bool = False
    player: str = ""
    account: str = ""
    begun: bool = False
    ordered: bool = False
    line: list[Intent] = field(default_factory=list)
    version: int = 0
    turn: int = 0
    strikes: int = 0
    deadline: float | None = None
    finished: Finished | None = None
    next: FakeTable | None = None
    lost: str = ""
    away: str = ""
    said: list[Word] = field(default_factory=list)
    offers: bool = False
    declines: bool = False
    deaf: frozenset[Word] = frozenset()
    rejects: list[str] = field(default_factory=list)
    late: str = ""
    unknown: int = 0
    left: bool = False
    joins: int = 0
    acted: list[Intent] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    move_seconds: float | None = None
    timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self.rules = Rules(GAMES[self.app], f"table {self.id}")

    # What a test does

    def touch(self) -> None:
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def come(self) -> None:
        """The other side sits down; the game begins."""
        self.begun, self.ordered = True, not self.hosted
        self._advance()

    def play(self, *intents: Intent) -> None:
        """The other side moves."""
        for intent in intents:
            assert self.mover is Side.THEM
            self._move(intent)
            self._advance()

    def end(self, winner: Winner, reason: Reason, text: str = "") -> None:
        self.finished = self.finished or Finished(board=self.board, winner=winner, reason=reason, text=text)
        self.touch()

    def lose(self, reason: str) -> None:
        """The platform forgets the table."""
        self.lost = reason
        self.touch()

    # The game

    @property
    def session(self) -> Any:
        return self.rules._follow(self.line)

    @property
    def mover(self) -> Side | None:
        if not self.ordered or self.session.status is not Status.ACTIVE or self.finished:
            return None
        mine = len(self.line) % 2 == (0 if self.first is Side.US else 1)
        return Side.US if mine else Side.THEM

    @property
    def board(self) -> Board | None:
        if not self.ordered:
            return None
        position = str(GAMES[self.app].public(self.session)["board"])
        return Board(moves=tuple(self.line) if self.shows_moves else None, position=position)

    def _move(self, intent: Intent) -> None:
        self.rules._after(self.session, intent)
        self.line.append(intent)
        self.turn += 1
        self.offers = self.declines = False

    def _run_clock(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        mover = self.mover
        if self.move_seconds is None or mover is None:
            return
        self.deadline = self.world.now() + self.move_seconds
        loser = Winner.THEM if mover is Side.US else Winner.US
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self.move_seconds, self.end, loser, Reason.TIMEOUT)

    def _advance(self) -> None:
        self._run_clock()
        self.touch()
        session = self.session
        if session.status is Status.COMPLETED:
            last = Side.US if (len(self.line) % 2 == 1) == (self.first is Side.US) else Side.THEM
            winner = Winner(last) if session.metadata["terminal"] == "win" else Winner.NONE
            self.end(winner, Reason.BOARD)
        elif self.mover is Side.THEM:
            intent = self.script(self)
            if intent is not None:
                self._move(intent)
                self._advance()

    # Our seat

    def sit(self, account: str, player: str) -> None:
        if self.account not in ("", account):
            raise NoTable("the table is full")
        self.account, self.player = account, player
        self.joins += 1
        if self.comes and not self.begun:
            self.come()
        self.touch()

    def act(self, intent: Intent, turn: int | None) -> Outcome:
        self.world.check("act")
        if self.lost:
            raise SeatLost(self.lost)
        if self.mover is not Side.US or turn not in (None, self.turn):
            raise NotYourTurn("it is not our turn")
        if self.rejects:
            raise ActionRefused(self.rejects.pop(0))
        if self.unknown:
            self.unknown -= 1
            return Outcome.UNKNOWN
        self.acted.append(intent)
        try:
            self._move(intent)
        except Rejection as rejection:
            raise ActionRefused(rejection.message) from None
        self._advance()
        self.world.after_act()
        return Outcome.APPLIED

    def say(self, word: Word) -> None:
        self.world.check(f"say {word}")
        if self.lost:
            raise SeatLost(self.lost)
        if word in self.deaf:
            raise ActionRefused("that cannot be said now")
        self.said.append(word)
        if word is Word.RESIGN:
            self.end(Winner.THEM, Reason.RESIGNED)
        elif word in (Word.DRAW_ACCEPT, Word.CLAIM):
            self.end(Winner.NONE, Reason.AGREED if word is Word.DRAW_ACCEPT else Reason.CLAIMED)

    def leave(self) -> None:
        self.world.check("leave")
        self.left = True
        if self.begun and not self.finished and not self.lost:
            self.end(Winner.THEM, Reason.LEFT)
        elif not self.begun:
            self.account = ""


class FakeSeat:
    """Implements ``RemoteSeat`` and ``HostedSeat``. ``stale``: each turn comes twice, as slow polls may."""

    def __init__(self, table: FakeTable, stale: bool = False) -> None:
        self.table = table
        self.stale = stale
        self.closed = False

    @property
    def resume_key(self) -> ResumeKey:
        return {"table": self.table.id, "plies": len(self.table.line)}

    async def events(self) -> AsyncIterator[Event]:
        table, known, away = self.table, -1, ""
        while not self.closed:
            table.world.check("events")
            if table.lost:
                yield Lost(reason=table.lost)
                return
            if table.away != away:
                away = table.away
                if away:
                    yield Away(reason=away)
            if not away:
                for event in self._shown(known):
                    yield event
                known = len(table.line)
            if table.finished is not None:
                yield table.finished
                if table.next is not None:
                    yield Rematch()
                return
            await table.changed.wait()

    def _shown(self, known: int) -> Iterable[Event]:
        table = self.table
        yield Joined(
            board=table.board,
            seat=0,
            players=(
                Player(name=table.player, seat=0, side=Side.US),
                Player(name="Webby", seat=1, side=Side.THEM),
            ),
            first=table.first if table.ordered else None,
            begun=table.begun,
            ours_to_order=table.hosted and table.begun and not table.ordered,
            words=table.words,
        )
        if 0 <= known < len(table.line) and table.mover is Side.US:
            yield OpponentMoved(board=table.board, intent=table.line[-1], ply=len(table.line) - 1)
        if table.offers or table.declines:
            word = Word.DRAW_OFFER if table.offers else Word.DRAW_DECLINE
            yield Said(board=table.board, word=word)
        if table.late:
            reason, table.late = table.late, ""
            yield Rejected(board=table.board, reason=reason)
        if table.mover is Side.US:
            legal = table.rules._game.view(table.session, table.session.metadata["turn"]).legal
            turn = YourTurn(
                board=table.board,
                turn=table.turn,
                legal=tuple(move.intent for move in legal) if table.legal else None,
                deadline=table.deadline,
                strikes=table.strikes,
            )
            yield turn
            if self.stale:
                yield turn
        elif table.mover is Side.THEM:
            yield TheirTurn(board=table.board, deadline=table.deadline)

    async def begin(self, first: Side) -> None:
        table = self.table
        table.world.check("begin")
        if not table.ordered:
            table.first, table.ordered = first, True
            table._advance()

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        await asyncio.sleep(0)
        return self.table.act(intent, turn)

    async def say(self, word: Word) -> Outcome:
        self.table.say(word)
        return Outcome.APPLIED

    async def leave(self) -> None:
        self.table.leave()

    async def rematch(self) -> FakeSeat:
        self.table.world.check("rematch")
        following = self.table.next
        if following is None:
            raise SeatLost("the invitation is over")
        following.sit(self.table.account, self.table.player)
        return FakeSeat(following)

    async def close(self) -> None:
        self.closed = True
        self.table.touch()


class FakePlatform:
    """Implements ``Platform``. ``crash``: called between noting a seat and taking it, or after taking it."""

    def __init__(self, world: World, name: str = "fake") -> None:
        self.world = world
        self.name = name
        self.stale = False
        self.closed = False
        self.crash: Callable[[str], None] = lambda moment: None
        self.tokens: list[str] = []
        self.move_seconds: float | None = None
        self.queue_seconds: float | None = None

    @property
    def games(self) -> Collection[str]:
        return tuple(GAMES)

    async def tables(self, app: str | None = None) -> Sequence[RemoteTable]:
        self.world.check("tables")
        return [
            RemoteTable(id=table.id, app=table.app, title=table.app.title(), players=1, seats=2, host="house")
            for table in self.world.tables.values()
            if not table.account and app in (None, table.app)
        ]

    async def open_seat(
        self,
        app: str,
        table: str | None,
        account: Account,
        player: str,
        note: Note,
        avoid: Collection[str] = (),
    ) -> FakeSeat:
        self.world.check("open")
        self.tokens.append(account.token.reveal())
        if account.token.reveal() in self.world.refuse:
            raise AccountRefused("the platform does not take the token")
        free = [one for one in self.world.tables.values() if not one.account and one.id not in avoid]
        if table is not None:
            free = [one for one in self.world.tables.values() if one.id == table]
            if free and free[0].app != app:
                raise CannotPlay("another game is played at that table")
        found = next((one for one in free if one.app == app), None)
        if found is None:
            raise NoTable("there is no free table")
        await note({"table": found.id})
        self.crash("noted")
        found.sit(account.name, player)
        self.crash("taken")
        return FakeSeat(found, self.stale)

    async def resume(self, key: ResumeKey, account: Account) -> FakeSeat:
        self.world.check("resume")
        table = self.world.tables.get(str(key.get("table")))
        if table is None or table.lost or table.account != account.name:
            raise SeatLost("there is no such seat")
        return FakeSeat(table, self.stale)

    async def check(self, account: Account | None) -> None:
        self.world.check("check")

    async def close(self) -> None:
        self.closed = True
