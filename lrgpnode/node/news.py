"""What subscribers are told, and the log, of what happens to sessions and deliveries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lrgpnode.mesh.transport import Heard
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.router import Rejected, RemoteError
from lrgpnode.protocol.session import Session
from storage.messages import is_text
from storage.model import Message, OutboxRow, OutboxState

log = logging.getLogger(__name__)

Publish = Callable[[str, Mapping[str, Any]], None]
"""Told of everything that subscribers may want to know: (event type, its fields)."""


class News:
    """Publishes events (models in ``lrgpnode.control.models``)."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish

    def applied(
        self, before: Session | None, after: Session, envelope: Envelope, actor: str, number: int
    ) -> None:
        """A committed action of ours or the peer's."""
        own = actor == after.key.identity
        if before is None and not own:
            self._publish("game.challenged", addressed(after))
        self._publish(
            "game.applied",
            addressed(after)
            | {
                "command": envelope.command,
                "actor": actor,
                "own": own,
                "action_num": number,
                "status": str(after.status),
                "ply": ply(after),
            },
        )

    def expired(self, sessions: Iterable[Session]) -> None:
        for session in sessions:
            self._publish("game.expired", addressed(session))

    def out_of_sync(self, session: Session, reason: str) -> None:
        self._publish("game.out_of_sync", addressed(session) | {"reason": reason})

    def in_sync(self, session: Session) -> None:
        self._publish("game.in_sync", addressed(session))

    def deleted(self, session: Session) -> None:
        self._publish("game.deleted", addressed(session))

    def clock(self, *, trusted: bool, reason: str) -> None:
        self._publish("node.clock", {"trusted": trusted, "reason": reason})

    def remote_error(self, error: RemoteError) -> None:
        where = {"id": error.session.key.session_id, "identity": error.session.key.identity}
        self._publish("game.error", where | {"code": error.code, "msg": error.msg, "ref": error.ref})

    def rejected(self, outcome: Rejected) -> None:
        if outcome.cause is not None:
            log.error("the game failed on %s", outcome.ref, exc_info=outcome.cause)
        log.debug("rejected %s code=%s: %s", outcome.ref, outcome.code, outcome.message)
        if outcome.session is not None:
            fields = addressed(outcome.session)
            del fields["app"]
            text = {"code": str(outcome.code), "msg": outcome.message, "command": outcome.ref}
            self._publish("game.rejected", fields | text)

    def text(self, message: Message) -> None:
        """A text was received, or written and committed."""
        fields = {"id": message.id, "identity": message.identity, "peer": message.peer, "text": message.text}
        if message.own:
            self._publish("message.sent", fields | {"outbox_id": message.outbox_id, "at": message.at})
        else:
            self._publish("message.received", fields | {"at": message.at, "cut": message.cut})

    def texts_read(self, identity: str, peer: str) -> None:
        self._publish("message.read", {"identity": identity, "peer": peer})

    def delivery(self, row: OutboxRow) -> None:
        if is_text(row.key):
            fields = {"identity": row.key.identity, "peer": row.peer, "outbox_id": row.id}
            # The proof is all that can be known of a text.
            state = OutboxState.DELIVERED if row.state is OutboxState.CONFIRMED else row.state
            self._publish("message.delivery", fields | {"state": str(state), "reason": row.reason})
            return
        self._publish(
            "game.delivery",
            {
                "id": row.key.session_id,
                "identity": row.key.identity,
                "outbox_id": row.id,
                "command": row.command,
                "state": str(row.state),
                "reason": row.reason,
            },
        )

    def heard(self, peer: Heard) -> None:
        self._publish(
            "peer.heard",
            {
                "peer": peer.peer,
                "name": peer.name,
                "hops": peer.hops,
                "interface": peer.interface,
                "games": peer.games,
            },
        )


def ply(session: Session) -> int:
    """Moves made so far, 0 where a game does not count them under the usual name."""
    count = session.metadata.get("move_count", 0)
    return count if isinstance(count, int) else 0


def addressed(session: Session) -> dict[str, Any]:
    """The fields that say which session an event is about."""
    return {
        "id": session.key.session_id,
        "identity": session.key.identity,
        "peer": session.peer,
        "app": session.app_id,
    }
