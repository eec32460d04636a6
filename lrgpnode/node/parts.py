"""What the modules of the node share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from lrgpnode.mesh.transport import Received, Transport
from lrgpnode.metrics import Counters
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.router import Router
from lrgpnode.protocol.session import SessionKey
from lrgpnode.protocol.value import Value
from storage.clock import UNSURE
from storage.model import Flag, NewAction
from storage.store import Store
from storage.writer import Writer

from .admission import Admission
from .news import News
from .time import Time


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Parts(Value):
    """``spawn`` runs a coroutine that the node's stop waits for."""

    store: Store
    writer: Writer
    transport: Transport
    games: Mapping[str, Game]
    router: Router
    time: Time
    news: News
    admission: Admission
    counters: Counters
    spawn: Callable[[Coroutine[Any, Any, None]], None]
    lanes: dict[str, asyncio.Lock] = field(default_factory=dict)

    def lane(self, identity: str) -> asyncio.Lock:
        """Whoever judges and commits for an identity holds its lock."""
        return self.lanes.setdefault(identity, asyncio.Lock())

    def unsure(self, key: SessionKey, now: float) -> tuple[Flag, ...]:
        """The remark that a session is touched while the clock is not trusted."""
        if self.time.trusted:
            return ()
        return (Flag(key=key, flag=UNSURE, reason=self.time.reason, at=now),)


def action(
    key: SessionKey, envelope: Envelope, sender: str, now: float, message: Received | None = None
) -> NewAction:
    """The journal row. A received envelope is kept as it was on the wire, with its signed message."""
    raw = message.envelope if message is not None else None
    return NewAction(
        key=key,
        command=envelope.command,
        payload=envelope.payload,
        sender=sender,
        timestamp=now,
        envelope=raw if raw is not None else envelope.pack(),
        nonce=envelope.nonce,
        message_hash=message.message_hash if message is not None else None,
        signed=message.signed if message is not None else None,
    )
