"""One seat at AgentGames (``gateway.seat.RemoteSeat``): who listens to a `Place` and acts there.

Nothing can be said beside moves: no draw, no resignation. To resign is to leave, which forfeits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from gateway.seat import (
    ActionRefused,
    Event,
    Finished,
    Lost,
    Outcome,
    ResumeKey,
    SeatLost,
    Word,
)
from lrgpnode.protocol.game import Intent

from .place import Place, Stage

KEY_VERSION: Final = 1


class AgentGamesSeat:
    """``app``: of the game at ``place``."""

    def __init__(self, place: Place, app: str) -> None:
        self._place = place
        self._app = app
        self._listener: asyncio.Queue[Event] | None = None

    @property
    def resume_key(self) -> ResumeKey:
        """As ``RemoteSeat.resume_key``."""
        return seat_key(self._place.id, self._app, begun=self._place.stage is not Stage.QUEUED)

    async def events(self) -> AsyncIterator[Event]:
        """As ``RemoteSeat.events``. After ``leave`` nothing comes any more."""
        listener = self._listener = self._place.listen()
        for event in self._place.so_far():
            yield event
            if isinstance(event, Finished | Lost):
                return
        while True:
            event = await listener.get()
            yield event
            if isinstance(event, Finished | Lost):
                return

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        """As ``RemoteSeat.act``."""
        return await self._place.act(intent, turn)

    async def say(self, word: Word) -> Outcome:
        """As ``RemoteSeat.say``: there are no words here."""
        raise ActionRefused("Nothing can be said in this match but moves")

    async def leave(self) -> None:
        """As ``RemoteSeat.leave``."""
        await self._place.leave()

    async def rematch(self) -> AgentGamesSeat:
        """As ``RemoteSeat.rematch``: every match is with whoever comes."""
        raise SeatLost("there are no rematches at this platform")

    async def close(self) -> None:
        """As ``RemoteSeat.close``. The match goes on."""
        if self._listener is not None:
            self._place.unlisten(self._listener)
            self._listener = None


def seat_key(place: str, app: str, *, begun: bool) -> dict[str, Any]:
    """What reopens a seat: JSON, without a secret. A match that has begun is reached only in this process."""
    return {"v": KEY_VERSION, "place": place, "app": app, "begun": begun}


def read_key(key: Mapping[str, Any]) -> tuple[str, str, bool]:
    """(place, app id, whether the match had begun) of a key. Raises ``SeatLost``."""
    place, app, begun = key.get("place"), key.get("app"), key.get("begun")
    if key.get("v") != KEY_VERSION or not isinstance(place, str) or not isinstance(app, str):
        raise SeatLost("what was stored of the seat cannot be read")
    return place, app, begun is not False
