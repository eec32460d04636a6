"""Texts between people, beside their games: plain LXMF messages that every client can read.

What comes in is committed before its inbox entry is closed, like an action, and never answered. What goes out
is a row of the outbox without an envelope: one lane for each peer, so that texts arrive in their order, sent
again until the peer's router has proved it or a propagation node has it. Every attempt is the same LXMF
message, so no client shows it twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from lrgpnode.mesh.transport import Received
from lrgpnode.outbox import Outbox
from lrgpnode.protocol import plaintext
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.plaintext import Unwritable
from lrgpnode.protocol.value import Value
from storage import messages
from storage.gateway_model import BridgeChange
from storage.model import Commit, Message, NewMessage, NewOutbox, OutboxRow, OutboxState, Role, Seen

from .admission import Verdict
from .parts import Parts
from .sending import commit_and_send, with_bridge

MOST_UNSENT: Final = 32
"""Texts to one peer that wait to be sent."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Written(Value):
    """A text of ours that is committed and on its way."""

    message: Message
    bytes_left: int


class Discreet(Protocol):
    """Who takes texts that must not be kept: tokens that players hand over."""

    def meant(self, identity: str, text: str) -> bool:
        """Whether a text is one of those. Such a one is never stored, wherever it comes from."""
        ...

    async def take(self, identity: str, peer: str, text: str) -> None:
        """One that was let in. Raises ``StorageError``: it comes again."""
        ...


class Texts:
    """Of one node. ``row_number`` gives the number of a new row of the outbox; ``introduce`` makes an
    identity known to a peer that it has had nothing to do with yet. ``discreet``, if set, is asked about
    every text that comes in."""

    def __init__(
        self,
        parts: Parts,
        outbox: Outbox,
        *,
        row_number: Callable[[], int],
        introduce: Callable[[str, str], None] | None,
    ) -> None:
        self._parts = parts
        self._outbox = outbox
        self._row_number = row_number
        self._introduce = introduce
        self.discreet: Discreet | None = None

    # Out

    async def send(
        self, identity: str, peer: str, text: str, *, beside: BridgeChange | None = None
    ) -> Written:
        """Write to ``peer``. Raises ``CallerError`` or ``StorageError``; then nothing has changed.

        ``beside``: what of the gateway is written in the same transaction.
        """
        try:
            text = plaintext.checked(text)
        except Unwritable as unwritable:
            raise CallerError(Kind.VALIDATION, str(unwritable)) from None
        self._check(identity, peer)
        table = self._parts.store.messages
        known = self._parts.store.admission.has_session(identity, peer) or table.written(identity, peer)
        if self._introduce is not None and not known:
            self._introduce(identity, peer)
        async with self._parts.lane(identity):
            if table.unsent(identity, peer) >= MOST_UNSENT:
                raise CallerError(
                    Kind.VALIDATION,
                    f"{MOST_UNSENT} texts to that peer have not arrived yet; wait, or cancel some",
                )
            now = self._parts.time.now()
            row = self._row(identity, peer, text, now)
            new = NewMessage(identity=identity, peer=peer, own=True, text=text, at=now, sent_at=now)

            def unit(stored: NewOutbox) -> Commit:
                return with_bridge(Commit(outbox=stored, message=new), beside)

            committed = await commit_and_send(self._parts, self._outbox, row, unit)
            message = self._message(committed.message_id)
            await self._release(identity, peer)
        self._parts.news.text(message)
        return Written(message=message, bytes_left=plaintext.bytes_left(text))

    def _check(self, identity: str, peer: str) -> None:
        if identity == peer:
            raise CallerError(Kind.VALIDATION, "that is yourself")
        if self._is_house(peer):
            raise CallerError(Kind.VALIDATION, "the house plays, but it does not read")
        if self._is_house(identity):
            raise CallerError(Kind.VALIDATION, "the house plays, but it does not write")
        if self._parts.admission.blocked(peer) is not None:
            raise CallerError(Kind.VALIDATION, "you have blocked that peer, so nothing is sent to it")

    def _row(self, identity: str, peer: str, text: str, now: float) -> OutboxRow:
        return OutboxRow(
            id=self._row_number(),
            key=messages.lane(identity, peer),
            action_num=None,
            peer=peer,
            command=plaintext.COMMAND,
            envelope=b"",
            content=text,
            delivery=Delivery.OPPORTUNISTIC,
            state=OutboxState.QUEUED,
            reason="",
            attempts=0,
            created_at=now,
            updated_at=now,
            next_attempt_at=None,
        )

    # In

    async def take(self, message: Received) -> bool:
        """Keep a text, in the lane of its identity; False for one that was handled before.

        Raises ``StorageError``; then nothing has changed.
        """
        store = self._parts.store
        if store.mail.seen(message.identity, message.message_hash):
            return False
        text, cut = plaintext.received(message.title, message.content)
        if not text:
            log.debug("a message of %s has neither an envelope nor a text", message.peer)
            return True
        verdict = Verdict.REFUSE
        if not self._is_house(message.identity):
            verdict = self._parts.admission.hears(message.identity, message.peer)
        if self.discreet is not None and self.discreet.meant(message.identity, text):
            await self._take_discreetly(self.discreet, message, text, verdict)
            return True
        if verdict is Verdict.REFUSE:
            log.debug("dropped a text of %s", message.peer)
            return True
        now = self._parts.time.now()
        new = NewMessage(
            identity=message.identity,
            peer=message.peer,
            own=False,
            text=text,
            cut=cut,
            at=now,
            sent_at=message.timestamp,
            message_hash=message.message_hash,
            held=verdict is Verdict.REQUEST,
        )
        seen = Seen(message_hash=message.message_hash, identity=message.identity, at=now)
        committed = await self._parts.writer.run(store.commit, Commit(message=new, seen=(seen,)))
        if committed.message_id is None:
            return False
        if verdict is Verdict.ADMIT:
            await self._release(message.identity, message.peer)
            self._parts.news.text(self._message(committed.message_id))
        return True

    async def _take_discreetly(
        self, discreet: Discreet, message: Received, text: str, verdict: Verdict
    ) -> None:
        """Hand a text over that must not be kept, and leave nothing of it in the inbox file."""
        if verdict is Verdict.ADMIT:
            await discreet.take(message.identity, message.peer, text)
        await asyncio.to_thread(self._parts.transport.wipe, message.entry)
        seen = Seen(message_hash=message.message_hash, identity=message.identity, at=self._parts.time.now())
        await self._parts.writer.run(self._parts.store.commit, Commit(seen=(seen,)))

    async def release(self, identity: str, peer: str) -> None:
        """The peer is no stranger any more: show what it wrote before. Raises ``StorageError``."""
        async with self._parts.lane(identity):
            await self._release(identity, peer)

    async def _release(self, identity: str, peer: str) -> None:
        store = self._parts.store
        if not store.messages.holds(identity, peer):
            return
        for id in await self._parts.writer.run(store.messages.release, identity, peer):
            self._parts.news.text(self._message(id))

    # Read

    async def read(self, identity: str, peer: str, upto: int | None = None) -> int:
        """A person has read what a peer wrote, up to message ``upto``; how many were unread.

        Raises ``StorageError``.
        """
        count: int = await self._parts.writer.run(self._parts.store.messages.read, identity, peer, upto)
        if count:
            self._parts.news.texts_read(identity, peer)
        return count

    # Inside

    def _message(self, id: int | None) -> Message:
        message = self._parts.store.messages.get(id) if id is not None else None
        assert message is not None  # it was committed a moment ago, and the newest are kept
        return message

    def _is_house(self, identity: str) -> bool:
        rows = self._parts.store.book.identities()
        return any(row.hash == identity and row.role is Role.HOUSE for row in rows)
