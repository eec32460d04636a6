"""The house as an opponent off the ladder: it sits in a seat like everybody, and thinks in a process."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Final

from gateway.agentgames import wire
from gateway.agentgames.server import messages
from gateway.agentgames.server.rules import GAMES
from gateway.agentgames.server.seat import Player, Seat
from gateway.agentgames.server.table import Table
from lrgpnode.house.question import Question
from lrgpnode.house.worker import Thinker, ThinkError

log = logging.getLogger("lrgpnode.arcade")

MOVE_SECONDS: Final = 300.0
"""For a move in practice: nobody waits."""

HOUSE: Final = Player(account="", name="house")


class House:
    """One thought at a time, whoever waits for it."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._one = asyncio.Lock()

    async def play(self, seat: Seat, table: Table, level: int) -> None:
        """Until the match is over."""
        try:
            async for message in seat.messages():
                if isinstance(message, wire.State) and message.your_turn:
                    position = table.match.position
                    question = Question(
                        app=GAMES[table.match.game].app,
                        state=position.question(),
                        level=level,
                        seed=secrets.randbits(32),
                    )
                    async with self._one:
                        if table.match.over:
                            return
                        answer = await self._thinker.think(question)
                    seat.move(str(answer.move))
        except ThinkError as error:
            log.error("the house gives up a match of practice: %s", error)
            table.abandon(messages.NO_THOUGHT)
        finally:
            seat.leave()
