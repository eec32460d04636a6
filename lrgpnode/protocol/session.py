"""Sessions: immutable values, scoped by (local identity, session id) (spec §6, §16)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from .value import Value

GRACE_SECONDS = 3600.0
"""Added to every TTL against clock skew between peers (spec §10)."""

_SESSION_ID = re.compile(r"[0-9a-f]{16}")


def is_session_id(text: object) -> bool:
    """Whether ``text`` is a canonical session id: 16 lower-case hexadecimal characters (spec §3)."""
    return isinstance(text, str) and _SESSION_ID.fullmatch(text) is not None


class Status(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    COMPLETED = "completed"
    EXPIRED = "expired"
    DECLINED = "declined"

    @property
    def ended(self) -> bool:
        return self not in (Status.PENDING, Status.ACTIVE)


@dataclass(frozen=True, slots=True, repr=False)
class SessionKey(Value):
    """``identity`` is the local LXMF delivery destination hash, 32 hex characters."""

    identity: str
    session_id: str


@dataclass(frozen=True, slots=True, repr=False)
class Session(Value):
    """One game between a local identity and one peer.

    ``metadata`` is the game's own state: JSON-safe, and never mutated in place; a game builds a
    new mapping for the next value. Times are Unix seconds of the local wall clock.
    """

    key: SessionKey
    app_id: str
    app_version: int
    peer: str
    initiator: str
    status: Status
    metadata: Mapping[str, Any]
    unread: int
    created_at: float
    updated_at: float
    last_action_at: float

    @property
    def responder(self) -> str:
        return self.peer if self.initiator == self.key.identity else self.key.identity

    @property
    def participants(self) -> tuple[str, str]:
        return (self.key.identity, self.peer)

    def other(self, actor: str) -> str:
        """The participant who is not ``actor``."""
        return self.peer if actor == self.key.identity else self.key.identity

    def expires_at(self, ttl: Mapping[Status, float]) -> float | None:
        """The last instant at which the session is alive, or None where no TTL applies."""
        seconds = ttl.get(self.status)
        return None if seconds is None else self.last_action_at + seconds + GRACE_SECONDS

    def expired(self, now: float) -> Session:
        """This session, ended by its TTL."""
        return replace(self, status=Status.EXPIRED, updated_at=now)


class Sessions(Protocol):
    """What the router reads. Every call takes constant time in the number of stored sessions."""

    def get(self, key: SessionKey) -> Session | None:
        """The stored session, whatever app owns it; no TTL applied."""
        ...

    def list(self, identity: str, app_id: str | None = None) -> Iterable[Session]:
        """Stored sessions of one identity, newest action first; no TTL applied."""
        ...

    def pending_count(self, identity: str, peer: str | None, since: float) -> int:
        """Pending sessions with ``last_action_at >= since``; of one peer, or of all (None)."""
        ...

    def older(self, identity: str, status: Status, before: float) -> Sequence[Session]:
        """Sessions in ``status`` with ``last_action_at < before``, oldest first."""
        ...
