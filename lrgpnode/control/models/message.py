"""Texts that people write each other, beside their games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from lrgpnode.protocol.plaintext import MOST_BYTES, PACKET_BYTES
from storage.model import OutboxState

from .base import PAGE, IdentityRef, Limit, Method, Model, PeerRef, Text
from .outbox import OutboxId

Written = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MOST_BYTES,
        description=f"At most {MOST_BYTES} bytes of UTF-8; up to {PACKET_BYTES} go out as one packet.",
    ),
]
MessageId = Annotated[int, Meta(ge=1, description="Number of a text.")]


class MessageSendParams(Model, frozen=True, kw_only=True):
    peer: PeerRef
    text: Written
    identity: IdentityRef | None = None


class MessageInfo(Model, frozen=True, kw_only=True):
    """One text, as it was written: whoever shows it makes it fit to be shown.

    ``at`` is when it came here, or was written here; ``sent_at`` is what its sender says. ``cut``: it was
    longer. ``state``, ``reason``, ``next_attempt_at`` and ``outbox_id`` are of own ones: `delivered` means
    that the peer's router has proved it, `stored` that a propagation node has it, `dropped` that it was
    cancelled or given up.
    """

    id: int
    own: bool
    text: str
    at: float
    sent_at: float
    unread: bool = False
    cut: bool = False
    outbox_id: int | None = None
    state: OutboxState | None = None
    reason: str = ""
    next_attempt_at: float | None = None


class MessageSent(Model, frozen=True, kw_only=True):
    """A text that is committed and on its way. ``bytes_left``: so many more would still have been one packet;
    negative where it needs more than one."""

    identity: str
    peer: str
    message: MessageInfo
    bytes_left: int
    peer_name: str = ""


class MessageListParams(Model, frozen=True, kw_only=True):
    """``cursor`` comes from the page before."""

    peer: PeerRef
    identity: IdentityRef | None = None
    limit: Limit = PAGE
    cursor: Text | None = None


class MessagePage(Model, frozen=True, kw_only=True):
    """Texts, the newest first. ``cursor`` is null on the last page."""

    identity: str
    peer: str
    messages: tuple[MessageInfo, ...]
    peer_name: str = ""
    cursor: str | None = None


class MessageReadParams(Model, frozen=True, kw_only=True):
    """``upto``: the newest text that was seen; without it all."""

    peer: PeerRef
    identity: IdentityRef | None = None
    upto: MessageId | None = None


class MessagesRead(Model, frozen=True, kw_only=True):
    """``count``: how many were unread before."""

    identity: str
    peer: str
    count: int


class ThreadListParams(Model, frozen=True, kw_only=True):
    """Without ``identity`` those of all. ``cursor`` comes from the page before."""

    identity: IdentityRef | None = None
    limit: Limit = PAGE
    cursor: Text | None = None


class ThreadInfo(Model, frozen=True, kw_only=True):
    """What one of our identities and a peer have written each other. ``texts``: how many are kept."""

    identity: str
    peer: str
    texts: int
    unread: int
    last: MessageInfo
    peer_name: str = ""


class ThreadPage(Model, frozen=True, kw_only=True):
    """The one with the newest text first. ``cursor`` is null on the last page."""

    threads: tuple[ThreadInfo, ...]
    cursor: str | None = None


class TextReceived(Model, frozen=True, kw_only=True):
    """A peer has written; see `message.list`."""

    id: int
    identity: str
    peer: str
    text: str
    at: float
    cut: bool = False


class TextSent(Model, frozen=True, kw_only=True):
    """A text of ours is committed and on its way."""

    id: int
    identity: str
    peer: str
    text: str
    at: float
    outbox_id: OutboxId


class TextDelivery(Model, frozen=True, kw_only=True):
    """What is known of a text of ours has changed."""

    identity: str
    peer: str
    outbox_id: int
    state: OutboxState
    reason: str = ""


class TextsRead(Model, frozen=True, kw_only=True):
    """A person has read what a peer wrote to this identity."""

    identity: str
    peer: str


METHODS: Final = (
    Method("message.send", MessageSendParams, MessageSent, "Write to a peer, as a plain LXMF message."),
    Method("message.list", MessageListParams, MessagePage, "What an identity and a peer have written."),
    Method("message.read", MessageReadParams, MessagesRead, "Note that a person has read what a peer wrote."),
    Method("message.threads", ThreadListParams, ThreadPage, "With whom there are texts, and what is unread."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "message.received": TextReceived,
    "message.sent": TextSent,
    "message.delivery": TextDelivery,
    "message.read": TextsRead,
}
