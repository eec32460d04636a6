"""A match that is being played: two seats, its deadlines, and what is written of it."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from gateway.agentgames import wire
from gateway.agentgames.server import match, messages
from gateway.agentgames.server.records import Ending, NewMatch
from gateway.agentgames.server.seat import Seat
from gateway.arcade.database import StoreError

if TYPE_CHECKING:
    from gateway.agentgames.server.arena import Arena

log = logging.getLogger("lrgpnode.arcade")

GRACE: Final = 0.25
"""Seconds more than the deadline, so that what our own machine takes costs nobody a match."""


class Table:
    """``seats``: players 0 and 1. ``seconds``: for a move. ``rated`` False: nothing of it is kept."""

    def __init__(
        self, arena: Arena, game: str, seats: tuple[Seat, Seat], *, seconds: float, rated: bool
    ) -> None:
        self._arena = arena
        self.seats = seats
        self.match = match.begin(game)
        self.number: int | None = None
        self._seconds = seconds
        self._rated = rated
        self._begun = False
        self._shown = -1
        self._gone: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        for seat in seats:
            seat.table = self
            seat.stop_timer()

    @property
    def rated(self) -> bool:
        return self._rated

    async def begin(self) -> None:
        """Write that it is played, and let it begin."""
        first, second = self.seats
        if self._rated:
            new = NewMatch(
                game=self.match.game, first=first.account, second=second.account, at=self._arena.now()
            )
            try:
                self.number = await self._arena.recorder.begin(new)
            except StoreError as error:
                log.error("a match cannot begin: %s", error)
                self.abandon(messages.NOT_RECORDED)
                return
        if self._closed:
            return
        for player, seat in enumerate(self.seats):
            seat.say(self._hello(player))
        self._begun = True
        self.advance()
        if self._gone and not self.match.over:
            self._forfeit(self._gone[0], wire.CONNECTION_CLOSED)

    def advance(self) -> None:
        """Play whatever moves are there, and show each new position."""
        while self._begun and not self.match.over and not self._closed:
            if self._shown < len(self.match.moves):
                self._show()
                continue
            mover = self.seats[self.match.mover]
            token = mover.take_move()
            if token is not None:
                self.match = self.match.play(token)
            elif mover.input_over:
                self._forfeit(self.match.mover, wire.CONNECTION_CLOSED)
                return
            else:
                return
        if self._begun and self.match.over:
            self._end()

    def leave(self, seat: Seat) -> None:
        """A player is gone, which loses whoever's turn it is."""
        player = self.seats.index(seat)
        if not self._begun:
            self._gone.append(player)
        elif not self.match.over:
            self._forfeit(player, wire.CONNECTION_CLOSED)

    def abandon(self, why: str) -> None:
        """The match does not come to an end, for a reason that is not the players'."""
        self._close_timer()
        if not self._closed:
            self._closed = True
            for seat in self.seats:
                seat.close(wire.Error(error=why))
            self._arena.table_over(self)

    # Within

    def _hello(self, player: int) -> wire.Hello:
        opponent = self.seats[1 - player].player.name
        if self._rated:
            return wire.Hello(player=player, game=self.match.game, opponent=opponent)
        return messages.UnratedHello(player=player, game=self.match.game, opponent=opponent, rated=False)

    def _show(self) -> None:
        self._shown = len(self.match.moves)
        observation = wire.observation_of(self.match.position.observation())
        self._close_timer()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._seconds + GRACE, self._on_timer, self._shown)
        for player, seat in enumerate(self.seats):
            # A seat that nobody reads is left by this, which ends the match.
            seat.say(wire.State(observation=observation, your_turn=player == self.match.mover))

    def _on_timer(self, ply: int) -> None:
        self._timer = None
        if ply == len(self.match.moves) and not self.match.over:
            self._forfeit(self.match.mover, wire.MOVE_TIMEOUT)

    def _forfeit(self, player: int, reason: str) -> None:
        self.match = self.match.forfeit(player, reason)
        self._end()

    def _end(self) -> None:
        self._close_timer()
        if not self._closed:
            self._closed = True
            self._arena.spawn(self._finish())

    async def _finish(self) -> None:
        """The result, once it is written."""
        try:
            ratings = await self._ratings()
        except StoreError as error:
            log.error("match %s is lost: %s", self.number, error)
            for seat in self.seats:
                seat.close(wire.Error(error=messages.NOT_RECORDED))
        else:
            for player, seat in enumerate(self.seats):
                seat.played = True
                seat.close(self._result(player, ratings[player]))
        self._arena.table_over(self)

    async def _ratings(self) -> tuple[float, float]:
        recorder, first, second = self._arena.recorder, *self.seats
        if self.number is None:
            game = self.match.game
            return await recorder.rating(game, first.account), await recorder.rating(game, second.account)
        assert self.match.winner is not None
        return await recorder.finish(
            Ending(
                number=self.number,
                winner=self.match.winner,
                reason=self.match.reason,
                moves=self.match.moves,
                at=self._arena.now(),
            )
        )

    def _result(self, player: int, rating: float) -> wire.Result:
        assert self.match.winner is not None
        kind = wire.Result if self._rated else messages.UnratedResult
        unrated = {} if self._rated else {"rated": False}
        return kind(
            winner=self.match.winner,
            outcome=self.match.outcome(player),
            reason=self.match.reason,
            rating=rating,
            **unrated,
        )

    def _close_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
