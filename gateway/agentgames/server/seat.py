"""A place in the arena: what a connection, a page or a program in this process plays through.

A seat is for one match, as a connection of the protocol is. What comes of it is read with ``receive``, what
its player does is told with ``hear`` (a message of the protocol) or ``join`` and ``move``.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gateway.agentgames import wire
from gateway.agentgames.server import messages
from gateway.agentgames.server.rules import GAMES
from lrgpnode.protocol.value import Value

if TYPE_CHECKING:
    from gateway.agentgames.server.arena import Arena
    from gateway.agentgames.server.table import Table

MOST_KEPT: Final = 64
"""Moves that came before their turn; later ones are ignored."""

MOST_UNREAD: Final = 256
"""Messages that nobody reads, after which the seat counts as left."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Player(Value):
    """``account``: its id in the arcade's database. ``name``: what opponents see."""

    account: str
    name: str


class Seat:
    """Made by ``Arena.seat``. Whatever happens, ``leave`` is called in the end."""

    def __init__(self, arena: Arena, player: Player) -> None:
        self._arena = arena
        self.player = player
        self.game = ""
        self.table: Table | None = None
        self.played = False
        """Whether a match came to its end here: the exit code of SSH."""
        self.input_over = False
        self._moves: deque[str] = deque()
        self._unread: deque[wire.Answer] = deque()
        self._news = asyncio.Event()
        self._ended = asyncio.Event()
        self._over = False
        self._left = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def account(self) -> str:
        return self.player.account

    @property
    def over(self) -> bool:
        """Nothing more will come, but what is not read yet."""
        return self._over

    # For whoever plays

    def hear(self, line: bytes | str) -> None:
        """A message of the protocol. What is none is ignored, without an answer."""
        request = messages.read(line)
        match request:
            case wire.Join() if not self.game:
                practice = messages.read_practice(line)
                if practice is None:
                    self.join(request.game)
                else:
                    self.practise(request.game, practice)
            case wire.Move() if self.game:
                self.move(request.move)

    def join(self, game: str) -> None:
        """Wait for an opponent. ``game`` is taken literally; an unknown one ends the seat with an error."""
        if not self.game and not self._over:
            self._arena.join(self, game)

    def practise(self, game: str, level: int) -> None:
        """Play against the house, off the ladder. ``level`` counts from 1; 0 is the arena's own."""
        if not self.game and not self._over:
            self._arena.practise(self, game, level)

    def move(self, token: str) -> None:
        """Played at once, or on the next turn; of several one after the other."""
        if self._over or self.input_over or len(self._moves) >= MOST_KEPT:
            return
        self._moves.append(token)
        if self.table is not None:
            self.table.advance()

    def end_input(self) -> None:
        """No message will come any more, but the player still reads."""
        self.input_over = True
        if self.table is not None:
            self.table.advance()
        elif not self._moves and not self._over:
            self._arena.withdraw(self)
            ended = wire.Error(error=messages.INPUT_ENDED)
            self.close(ended if self.game else wire.join_first(GAMES))

    def leave(self) -> None:
        """The player is gone: from the queue at once, from a match with a forfeit. May be called again."""
        if self._left:
            return
        self._left = True
        self._arena.withdraw(self)
        if self.table is not None and not self._over:
            self.table.leave(self)
        self._finish()
        self._arena.released(self)

    def cut_off(self, why: str) -> None:
        """The player may not be here any more: it is told so, and has left."""
        self.say(wire.Error(error=why))
        self.leave()

    async def receive(self) -> wire.Answer | None:
        """The next message; None once there are no more."""
        while not self._unread:
            if self._over:
                return None
            self._news.clear()
            await self._news.wait()
        return self._unread.popleft()

    async def until_over(self) -> None:
        """Wait until nothing more will come."""
        await self._ended.wait()

    async def messages(self) -> AsyncIterator[wire.Answer]:
        while (message := await self.receive()) is not None:
            yield message

    # For the arena

    def say(self, message: wire.Answer) -> None:
        if self._over:
            return
        if len(self._unread) >= MOST_UNREAD:
            self.leave()
            return
        self._unread.append(message)
        self._news.set()

    def close(self, last: wire.Answer) -> None:
        """``last`` is the last message."""
        self.say(last)
        self._finish()

    def take_move(self) -> str | None:
        return self._moves.popleft() if self._moves else None

    def set_timer(self, seconds: float, last: wire.Answer) -> None:
        """End with ``last`` after that time."""
        self.stop_timer()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._on_timer, last)

    def stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self, last: wire.Answer) -> None:
        self._timer = None
        self._arena.withdraw(self)
        self.close(last)

    def _finish(self) -> None:
        self._over = True
        self.stop_timer()
        self._news.set()
        self._ended.set()
