"""The outbox: what of ours is on its way, and games that do not go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from lrgpnode.protocol.session import Status
from storage.model import OutboxState

from .base import PAGE, IdentityRef, Limit, Method, Model, SessionRef, Text
from .game import SessionParams

OutboxId = Annotated[int, Meta(ge=1, description="Number of a message in the outbox.")]


WaitsFor = Annotated[
    Literal["", "earlier", "disabled", "blocked", "path", "peer", "day", "place", "airtime"],
    Meta(
        description="Empty where it is under way or done with. `earlier`: a message before it in its game; "
        "`disabled`: our identity is off the mesh; `blocked`: we have blocked the peer; `path`: no way to "
        "the peer is known yet; `peer`: it did not answer last and is away for all we know; `day`: it was "
        "sent as often as a day allows; `place`: others go first; `airtime`: the radio keeps to its limit.",
    ),
]


class OutboxListParams(Model, frozen=True, kw_only=True):
    """Open messages, oldest first; with ``all`` those that are done with as well, newest first.

    Without ``all`` or ``identity`` what the house sends is left out. ``cursor`` comes from the page before.
    """

    identity: IdentityRef | None = None
    all: bool = False
    limit: Limit = PAGE
    cursor: Text | None = None


class OutboxEntry(Model, frozen=True, kw_only=True):
    """One action of ours and what became of it.

    ``delivered`` means that the peer's router has proved it, ``stored`` that a propagation node has it,
    ``confirmed`` that the peer has acted on it. A failed one is sent again at ``next_attempt_at``, and as
    soon as the peer is heard. ``waits_for`` says why one that is not under way does not go out yet; for
    airtime, it waits until ``next_attempt_at`` at least.
    """

    outbox_id: int
    id: str
    identity: str
    peer: str
    command: str
    state: OutboxState
    created_at: float
    updated_at: float
    attempts: int
    peer_name: str = ""
    reason: str = ""
    action_num: int | None = None
    next_attempt_at: float | None = None
    waits_for: WaitsFor = ""


class OutboxPage(Model, frozen=True, kw_only=True):
    """``cursor`` is null on the last page."""

    messages: tuple[OutboxEntry, ...]
    cursor: str | None = None


class OutboxParams(Model, frozen=True, kw_only=True):
    """One message."""

    outbox_id: OutboxId


class Resent(Model, frozen=True, kw_only=True):
    """What is sent again now, in this order."""

    messages: tuple[OutboxEntry, ...]


class Abandoned(Model, frozen=True, kw_only=True):
    """A game that was ended here; its peer is not told."""

    id: str
    identity: str
    status: Status


class DeleteParams(Model, frozen=True, kw_only=True):
    """``force``: also where the peer does not have our last action yet, and would never get it."""

    id: SessionRef
    identity: IdentityRef | None = None
    force: bool = False


class DeleteResult(Model, frozen=True, kw_only=True):
    """The game that is gone. Late mail for it is dropped for 30 days."""

    id: str
    identity: str


METHODS: Final = (
    Method("outbox.list", OutboxListParams, OutboxPage, "What of ours is on its way."),
    Method("outbox.resend", OutboxParams, Resent, "Send a message again, and what follows in its game."),
    Method("outbox.cancel", OutboxParams, OutboxEntry, "Do not send a message any more."),
    Method("game.resend", SessionParams, Resent, "Send again what the peer may not have of a game."),
    Method("game.abandon", SessionParams, Abandoned, "End a game here without telling the peer."),
    Method("game.delete", DeleteParams, DeleteResult, "Delete a game that is over."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {}
