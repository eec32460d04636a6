"""A player at a seat: what it sees, and the moves that it makes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

from gateway.agentgames.platform import AgentGamesPlatform
from gateway.agentgames.seat import AgentGamesSeat
from gateway.seat import Account, Away, Event, Finished, Joined, Lost, ResumeKey, Side, YourTurn
from tests.gateway.agentgames.serving import account_of

KEYS = {"ttt": "i", "four_in_a_row": "c", "chess": "m"}
PATIENCE = 20.0


class Hand:
    """``moves``: what is played when it is our turn, one after the other, then nothing."""

    def __init__(self, app: str, moves: Iterable[Any] = ()) -> None:
        self.app = app
        self.moves = list(moves)
        self.events: list[Event] = []
        self.notes: list[Mapping[str, Any]] = []
        self.seat: AgentGamesSeat

    async def sit(self, platform: AgentGamesPlatform, who: Account | None = None) -> AgentGamesSeat:
        """Take a seat. Raises as the platform does."""
        self.seat = await platform.open_seat(self.app, None, who or account_of(platform), "Ann", self.note)
        return self.seat

    async def note(self, key: ResumeKey) -> None:
        json.dumps(dict(key))
        self.notes.append(key)

    async def play(self) -> Event:
        """To the end of the match; the last event."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.seat.events():
                self.events.append(event)
                if isinstance(event, YourTurn) and self.moves:
                    await self.seat.act({KEYS[self.app]: self.moves.pop(0)}, event.turn)
        return self.events[-1]

    async def until(self, kind: type[Event]) -> Event:
        """Listen until an event of this kind comes."""
        async with asyncio.timeout(PATIENCE):
            async for event in self.seat.events():
                self.events.append(event)
                if isinstance(event, kind):
                    return event
        raise AssertionError(f"there was no {kind.__name__}")

    # Looking

    @property
    def first(self) -> Side | None:
        return next((e.first for e in reversed(self.events) if isinstance(e, Joined)), None)

    @property
    def end(self) -> Finished:
        assert isinstance(self.events[-1], Finished), self.events[-1]
        return self.events[-1]

    @property
    def lost(self) -> Lost:
        assert isinstance(self.events[-1], Lost), self.events[-1]
        return self.events[-1]

    @property
    def line(self) -> list[Any]:
        """All moves of the last board."""
        board = self.events[-1].board
        assert board is not None
        assert board.moves is not None
        return [intent[KEYS[self.app]] for intent in board.moves]

    def away(self) -> list[str]:
        return [event.reason for event in self.events if isinstance(event, Away)]


async def match(platform: AgentGamesPlatform, app: str, moves: Iterable[Any]) -> Hand:
    """A match from the queue to its end."""
    hand = Hand(app, moves)
    await hand.sit(platform)
    await hand.play()
    return hand


async def until(what: Any, seconds: float = PATIENCE) -> None:
    """Wait, a loop's turn at a time, until ``what()`` is true."""
    async with asyncio.timeout(seconds):
        while not what():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.005)
