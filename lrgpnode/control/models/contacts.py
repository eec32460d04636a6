"""The address book, blocked peers, and requests of strangers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta

from storage.model import Trust

from .base import PAGE, IdentityRef, Limit, Method, Model, Nothing, PeerRef, SessionRef, Text

PublicKey = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{128}\Z", description="Public key of 64 bytes; it belongs to one hash.")
]
ContactName = Annotated[str, Meta(max_length=64)]
Note = Annotated[str, Meta(max_length=256)]
Reason = Annotated[str, Meta(max_length=128)]


class ContactInfo(Model, frozen=True, kw_only=True):
    """An entry of the address book. ``public_key`` is null until the peer is heard.

    ``own_name``: what the peer calls itself, where that is not ``name``.
    """

    peer: str
    name: str
    added_at: float
    trust: Trust = Trust.KNOWN
    note: str = ""
    public_key: str | None = None
    own_name: str = ""


class ContactListParams(Model, frozen=True, kw_only=True):
    """``cursor`` comes from the page before."""

    limit: Limit = PAGE
    cursor: Text | None = None


class ContactList(Model, frozen=True, kw_only=True):
    """By name. ``cursor`` is null on the last page."""

    contacts: tuple[ContactInfo, ...]
    cursor: str | None = None


class ContactAddParams(Model, frozen=True, kw_only=True):
    """Also changes an entry that is there. Without ``name`` it gets that of the peer's announce."""

    peer: PeerRef
    name: ContactName | None = None
    note: Note | None = None
    trust: Trust | None = None
    public_key: PublicKey | None = None


class ContactRenameParams(Model, frozen=True, kw_only=True):
    peer: PeerRef
    name: Annotated[str, Meta(min_length=1, max_length=64)]


class ContactTrustParams(Model, frozen=True, kw_only=True):
    """A trusted contact's challenges are taken whatever the policy of an identity."""

    peer: PeerRef
    trust: Trust


class ContactChoice(Model, frozen=True, kw_only=True):
    peer: PeerRef


class BlockParams(Model, frozen=True, kw_only=True):
    """``hours``: how long; for good without it."""

    peer: PeerRef
    reason: Reason = ""
    hours: Annotated[float, Meta(gt=0, le=87_600)] | None = None


class BlockInfo(Model, frozen=True, kw_only=True):
    """A peer that no identity of the node listens to. ``until`` is null for good.

    ``own_name``: what the peer calls itself, where that is not ``name``.
    """

    peer: str
    blocked_at: float
    reason: str = ""
    until: float | None = None
    name: str = ""
    own_name: str = ""


class BlockList(Model, frozen=True, kw_only=True):
    blocks: tuple[BlockInfo, ...]


class AppRecord(Model, frozen=True, kw_only=True):
    """How the games of one app with a peer have ended for an identity."""

    app: str
    won: int
    drawn: int
    lost: int


class PeerRecord(Model, frozen=True, kw_only=True):
    """How the games with a peer have ended: all together, and by app, the one that was played most first."""

    peer: str
    won: int
    drawn: int
    lost: int
    apps: tuple[AppRecord, ...]
    peer_name: str = ""


class RecordParams(Model, frozen=True, kw_only=True):
    """With ``peer`` only that one, whatever the rest. ``cursor`` comes from the page before."""

    identity: IdentityRef | None = None
    peer: PeerRef | None = None
    limit: Limit = PAGE
    cursor: Text | None = None


class RecordList(Model, frozen=True, kw_only=True):
    """Of one identity: whom it has played, the most games first. ``cursor`` is null on the last page."""

    identity: str
    records: tuple[PeerRecord, ...]
    cursor: str | None = None


class RequestInfo(Model, frozen=True, kw_only=True):
    """A stranger's challenge that waits for a person. ``until``: when it expires."""

    id: str
    identity: str
    peer: str
    app: str
    received_at: float
    until: float
    peer_name: str = ""


class RequestList(Model, frozen=True, kw_only=True):
    """The newest first."""

    requests: tuple[RequestInfo, ...]


class RequestChoice(Model, frozen=True, kw_only=True):
    id: SessionRef
    identity: IdentityRef | None = None


class RequestArrived(Model, frozen=True, kw_only=True):
    """A stranger challenges us, or has taken its challenge back (``withdrawn``). Nobody need be told."""

    id: str
    identity: str
    peer: str
    app: str
    withdrawn: bool = False
    peer_name: str = ""


METHODS: Final = (
    Method("contact.list", ContactListParams, ContactList, "The address book."),
    Method("contact.add", ContactAddParams, ContactInfo, "Put a peer into the address book."),
    Method("contact.remove", ContactChoice, Nothing, "Take a peer out of the address book."),
    Method("contact.rename", ContactRenameParams, ContactInfo, "Call a contact something else."),
    Method("contact.trust", ContactTrustParams, ContactInfo, "How far a contact is trusted."),
    Method("contact.block", BlockParams, BlockInfo, "Listen to a peer no more, from now on."),
    Method("contact.unblock", ContactChoice, Nothing, "Listen to a peer again."),
    Method("contact.blocked", Nothing, BlockList, "The blocked peers."),
    Method("contact.record", RecordParams, RecordList, "How games with peers have ended; never sent."),
    Method("request.list", Nothing, RequestList, "Challenges of strangers that wait to be let in."),
    Method("request.accept", RequestChoice, RequestInfo, "Let a challenge in; then it can be accepted."),
    Method("request.decline", RequestChoice, Nothing, "Forget a challenge; the peer is told nothing."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "game.request": RequestArrived,
}
