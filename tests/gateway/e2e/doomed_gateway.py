"""A node that kills itself at a moment of its gateway: `python doomed_gateway.py`, then as `lrgpnode`.

$DOOM names the moment. Nothing of this is in the product: its functions are wrapped from outside.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import lrgpnode.cli
import storage.gateway
from gateway.rcadia.client.agent import AgentApi
from storage.store import Store

POINT = os.environ["DOOM"]


def doom(point: str) -> None:
    if point == POINT:
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(10)  # the signal is on its way


def around(owner: Any, name: str, before: str, after: str) -> None:
    """Die before or after an awaited call."""
    original = getattr(owner, name)

    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        doom(before)
        result = await original(*args, **kwargs)
        doom(after)
        return result

    setattr(owner, name, wrapped)


def patch() -> None:
    around(AgentApi, "join", "seat noted", "seat taken")
    around(AgentApi, "act", "move committed", "move made")
    change, commit = storage.gateway.change, Store.commit

    def in_commit(connection: Any, new: Any, session: Any) -> None:
        change(connection, new, session)
        if new.accepts:
            doom("in accept")

    def committed(store: Any, unit: Any, **kwargs: Any) -> Any:
        result = commit(store, unit, **kwargs)
        if unit.bridge is not None:
            doom("bridge begun")
        if unit.bridge_change is not None and unit.bridge_change.accepts:
            doom("accepted")
        if unit.bridge_change is not None and unit.bridge_change.frees:
            doom("settled")
        return result

    storage.gateway.change = in_commit  # type: ignore[assignment]
    Store.commit = committed  # type: ignore[method-assign]


if __name__ == "__main__":
    patch()
    sys.exit(lrgpnode.cli.main())
