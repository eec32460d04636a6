"""The bridge API (protocol §3): what the host of a session asks of the server, one method a request.

Nothing is repeated here and nothing is kept; ``link.SessionLink`` does both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from gateway.rcadia.wire import (
    MAX_WAIT,
    CreateAnswer,
    Op,
    OpsAnswer,
    PendingAnswer,
    PublicView,
    RematchAnswer,
)

from .transport import Transport

_BRIDGE: Final = ("api", "v1", "agent", "bridge", "sessions")
_SESSIONS: Final = ("api", "v1", "agent", "sessions")


class HostApi:
    """Requests with a token of scope ``host``. Every method raises ``RcadiaError``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def create(
        self, config: Mapping[str, Any], *, game_id: str | None = None, title: str | None = None
    ) -> CreateAnswer:
        """Open a table. Whether it was opened is not known after ``Unreachable``."""
        body = {"config": dict(config), "gameId": game_id, "gameTitle": title}
        return await self._transport.request("POST", _BRIDGE, CreateAnswer, body=_present(body))

    async def ops(self, session_id: str, ops: Sequence[Op]) -> OpsAnswer:
        """Tell the server what the game says, at most ``MAX_OPS``, in order and all or none."""
        body = {"ops": [_present(msgspec.to_builtins(op)) for op in ops]}
        return await self._transport.request("POST", (*_BRIDGE, session_id, "ops"), OpsAnswer, body=body)

    async def pending(self, session_id: str, after: int, wait: int = MAX_WAIT) -> PendingAnswer:
        """The entries after ``after``, which acknowledges those up to it; held for ``wait`` seconds."""
        return await self._transport.request(
            "GET",
            (*_BRIDGE, session_id, "pending-actions"),
            PendingAnswer,
            query={"after": after, "wait": wait},
            wait=wait,
        )

    async def rematch(self, session_id: str) -> RematchAnswer:
        """The next session of the series, the same however often it is asked for."""
        return await self._transport.request(
            "POST", (*_BRIDGE, session_id, "rematch"), RematchAnswer, body={}
        )

    async def public(self, session_id: str, since: int | None = None, wait: int = MAX_WAIT) -> PublicView:
        """What everybody sees of the session; held until it is newer than version ``since``.

        Without the token: a server that looks at it might miss the ``play`` scope (§5).
        """
        query = {} if since is None else {"since": since, "wait": wait}
        held = 0 if since is None else wait
        path = (*_SESSIONS, session_id, "public")
        return await self._transport.request("GET", path, PublicView, query=query, wait=held, signed=False)


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    """Without optional fields that say nothing: a strict server may not take null for absent.

    State and result are kept: null is something that a game can say there.
    """
    return {name: value for name, value in fields.items() if value is not None or name in ("state", "result")}
