"""Two nodes in one process: each a router over its own database, the wire between them in the test's hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.replay import ReplayCache
from lrgpnode.protocol.router import Applied, Outcome, Prepared, Router
from lrgpnode.protocol.session import Session, SessionKey
from storage.model import Commit, NewAction
from storage.store import Store

ANN, BEN, EVE = "a1" * 16, "b2" * 16, "e5" * 16
NOW = 1_750_000_000.0
SALT = "5a" * 16
_serial = count(1)


@dataclass
class Node:
    """One identity. ``act`` and ``receive`` commit what the router allows, as a real node does."""

    identity: str
    peer: str
    games: Mapping[str, Game]
    now: float = NOW
    store: Store = field(default_factory=lambda: Store(":memory:"))
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        self.router = Router(
            self.games,
            self.store.sessions,
            ReplayCache(lambda: self.now),
            nonce=lambda: next(_serial).to_bytes(8, "big"),
            new_session_id=lambda: f"{next(_serial):016x}",
            coin=lambda: bool(next(_serial) % 2),
        )

    def act(self, app: str, command: str, intent: Mapping[str, Any], session_id: str = "") -> Prepared:
        prepared = self.router.prepare(self.identity, self.peer, app, command, intent, session_id, self.now)
        if prepared.after is not prepared.before:
            self._commit(prepared.before, prepared.after, self.identity, prepared.envelope)
        return prepared

    def receive(self, raw: bytes, sender: str = "") -> Outcome:
        outcome = self.router.receive(self.identity, sender or self.peer, raw, self.now)
        if isinstance(outcome, Applied):
            assert outcome.envelope is not None
            self._commit(outcome.before, outcome.after, outcome.after.peer, outcome.envelope)
        return outcome

    def session(self, session_id: str) -> Session | None:
        return self.store.sessions.get(SessionKey(self.identity, session_id))

    def _commit(self, before: Session | None, after: Session, sender: str, envelope: Envelope) -> None:
        action = NewAction(
            key=after.key,
            command=envelope.command,
            payload=envelope.payload,
            sender=sender,
            timestamp=self.now,
            envelope=envelope.pack(),
            nonce=envelope.nonce,
        )
        new, old = (after, None) if before is None else (None, after)
        self.store.commit(Commit(insert=new, update=old, action=action))


class Pair:
    """Ann and Ben with the same games. What one does, the other receives at once."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self.ann, self.ben = Node(ANN, BEN, games), Node(BEN, ANN, games)

    def play(self, who: Node, app: str, command: str, intent: Mapping[str, Any], session_id: str = "") -> str:
        """One action, accepted on both sides. Returns the session's id."""
        prepared = who.act(app, command, intent, session_id)
        raw = prepared.envelope.pack()
        assert len(raw) + len(prepared.fallback.encode()) <= 276
        other = self.ben if who is self.ann else self.ann
        outcome = other.receive(raw)
        assert isinstance(outcome, Applied), outcome
        return prepared.envelope.session_id

    def close(self) -> None:
        self.ann.store.close()
        self.ben.store.close()


def forged(app: str, command: str, session_id: str, payload: dict[str, Any], version: int = 1) -> bytes:
    """An envelope that no router of ours would send."""
    return Envelope(app, version, command, session_id, payload, next(_serial).to_bytes(8, "big")).pack()
