"""One match over one connection: what the server says, read, with our own time limits and bounds."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from gateway.agentgames.wire import (
    NO_OPPONENT,
    Answer,
    Error,
    Malformed,
    Move,
    PlainText,
    encode,
    read_answer,
)
from lrgpnode.control.text import clean

from .connection import Connection
from .errors import (
    AgentGamesError,
    Ended,
    NoOpponent,
    Refused,
    Silent,
    Unauthorized,
    UnknownGame,
    Unusable,
)

MOST_NOISE: Final = 100
"""Messages of one match that bring it no further."""

MOST_GAMES: Final = 32
_UNKNOWN: Final = re.compile(r"unknown game .*; games: (?P<games>[a-z0-9_, -]*)\Z", re.DOTALL)


class Match:
    """From the place in the queue to the result."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._noise = 0
        self._spoken = False
        self._refusal = ""

    @property
    def leaves_queue(self) -> bool:
        """Whether ``close`` gives the place in the queue back."""
        return self._connection.leaves_queue

    async def next(self, seconds: float) -> Answer:
        """The next message that says something. ``seconds``: how long it may take, noise included.

        Raises ``Silent``, ``Ended``, ``Unusable``, ``Unauthorized`` for a refusal in plain text,
        ``NoOpponent``, ``UnknownGame`` and ``Refused`` for the errors that the server names.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._next()
        except TimeoutError:
            raise self._refused() or Silent("The platform has gone silent") from None
        except Ended:
            raise self._refused() or Ended("The connection to the platform is lost") from None

    async def move(self, token: str) -> None:
        """Send a move. Raises ``Ended``."""
        await self._connection.send(encode(Move(move=token)))

    async def close(self) -> None:
        """End the connection. In a match that forfeits it."""
        await self._connection.close()

    def useless(self) -> None:
        """The last message has brought nothing new. Raises ``Unusable`` after too many of that kind."""
        self._noise += 1
        if self._noise > MOST_NOISE:
            raise Unusable("The platform sends too much that says nothing")

    # Inside

    async def _next(self) -> Answer:
        while True:
            line = await self._connection.receive()
            try:
                answer = read_answer(line)
            except PlainText as text:
                self._heard(text.text)
                answer = None
            except Malformed as malformed:
                raise Unusable(f"The platform sends {malformed}") from None
            if answer is None:
                self.useless()
                continue
            self._spoken = True
            if isinstance(answer, Error):
                raise _named(answer.error)
            return answer

    def _heard(self, text: str) -> None:
        """A line that is no message. Before the first message it may be why we are refused."""
        if not self._spoken and not self._refusal:
            self._refusal = clean(text)

    def _refused(self) -> Unauthorized | None:
        return (
            Unauthorized(f"The platform says: {self._refusal}")
            if self._refusal and not self._spoken
            else None
        )


def _named(text: str) -> AgentGamesError:
    """Errors have no code: their text tells them apart."""
    if text == NO_OPPONENT or text.startswith("no opponent"):
        return NoOpponent("Nobody wants to play just now")
    if text.startswith("unknown game"):
        return UnknownGame("The platform does not have that game", _games(text))
    return Refused(f"The platform says: {clean(text)}")


def _games(text: str) -> list[str]:
    found = _UNKNOWN.match(text[-1000:]) or _UNKNOWN.match(text)
    names = found["games"].split(",") if found is not None else []
    return [name.strip() for name in names if name.strip()][:MOST_GAMES]
