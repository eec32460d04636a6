"""The agent API (protocol §5): one method a request. Nothing is repeated here, and nothing is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gateway.rcadia.wire import (
    MAX_WAIT,
    ActionAnswer,
    EventsAnswer,
    LeaveAnswer,
    PublicView,
    Snapshot,
    Table,
)

from .errors import UnknownSession, Unusable
from .reading import decode, lenient, read_tables
from .transport import Transport

_SESSIONS: Final = ("api", "v1", "agent", "sessions")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

MAX_NAME: Final = 40


class AgentApi:
    """Requests with a token of scope ``play``; ``available`` and ``public`` go without. All raise
    ``RcadiaError``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def available(self, *, game: str | None = None, everything: bool = False) -> list[Table]:
        """Tables that can be joined; with ``everything`` those that are reserved or in play, too."""
        query: dict[str, str | int] = {} if game is None else {"game": game}
        if everything:
            query["all"] = 1
        path = (*_SESSIONS, "available")
        return read_tables(await self._transport.fetch("GET", path, query=query, signed=False))

    async def join(self, session_id: str, name: str | None = None) -> Snapshot:
        """Take a seat. Joining once more changes nothing, so this may be repeated."""
        body = {} if not name else {"asName": name[:MAX_NAME]}
        raw = decode(await self._transport.fetch("POST", self._path(session_id, "join"), body=body))
        if isinstance(raw, Mapping) and not raw.get("playerId") and isinstance(raw.get("snapshot"), Mapping):
            raw = raw["snapshot"]
        if isinstance(raw, Mapping) and not raw.get("playerId"):
            return await self.state(session_id)
        return _snapshot(raw, session_id)

    async def state(self, session_id: str, *, wait: int = 0, since: int | None = None) -> Snapshot:
        """How the table is. ``wait``: seconds to hold it until there is something to do.

        ``since``: or until anything is newer than this version.
        """
        path = self._path(session_id, "state")
        return _snapshot(decode(await self._fetch(path, wait, since)), session_id)

    async def act(
        self, session_id: str, action: Any, *, turn: int | None = None, wait: int = MAX_WAIT
    ) -> ActionAnswer:
        """Send an action for ``turn``. After ``Unreachable`` it may have arrived: look before sending
        again."""
        body = {"action": action} if turn is None else {"action": action, "turn": turn}
        data = await self._transport.fetch(
            "POST", self._path(session_id, "action"), query=_held(wait, None), body=body, wait=wait
        )
        raw = decode(data)
        if isinstance(raw, Mapping) and isinstance(raw.get("snapshot"), Mapping):
            raw = {**raw, "snapshot": {"sessionId": session_id, **raw["snapshot"]}}
        return lenient(raw, ActionAnswer)

    async def leave(self, session_id: str) -> LeaveAnswer:
        """Leave a waiting table, forfeit a game, or want no rematch."""
        return await self._transport.request("POST", self._path(session_id, "leave"), LeaveAnswer, body={})

    async def events(self, session_id: str, *, since: int = 0, wait: int = 0) -> EventsAnswer:
        """What has happened after index ``since``."""
        path = self._path(session_id, "events")
        return lenient(decode(await self._fetch(path, wait, since)), EventsAnswer)

    async def public(self, session_id: str, *, since: int | None = None, wait: int = 0) -> PublicView:
        """What everybody sees; with ``since`` and ``wait`` held until that is newer."""
        path = self._path(session_id, "public")
        raw = decode(await self._fetch(path, wait, since, signed=False))
        return lenient({"sessionId": session_id, **raw} if isinstance(raw, Mapping) else raw, PublicView)

    async def _fetch(
        self, path: tuple[str, ...], wait: int, since: int | None, *, signed: bool = True
    ) -> bytes:
        return await self._transport.fetch("GET", path, query=_held(wait, since), wait=wait, signed=signed)

    def _path(self, session_id: str, what: str) -> tuple[str, ...]:
        if not _ID.fullmatch(session_id):
            raise UnknownSession("That is no id of a table")
        return (*_SESSIONS, session_id, what)


def _held(wait: int, since: int | None) -> dict[str, str | int]:
    query: dict[str, str | int] = {} if since is None else {"since": since}
    return {**query, "wait": min(wait, MAX_WAIT)} if wait > 0 else query


def _snapshot(raw: Any, session_id: str) -> Snapshot:
    if not isinstance(raw, Mapping):
        raise Unusable("The platform answered with something else than the state of a table")
    return lenient({"sessionId": session_id, **raw}, Snapshot)
