"""Local identities, and the peers that were heard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from storage.model import Policy, Role

from .base import PAGE, AppRef, IdentityRef, Limit, Method, Model, Nothing, Text

Name = Annotated[str, Meta(min_length=1, max_length=64, description="What people call it.")]
PrivateKey = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{128}\Z",
        description="Reticulum's raw private key of 64 bytes. Whoever has it is the identity.",
    ),
]


class IdentityInfo(Model, frozen=True, kw_only=True):
    """A local identity; ``hash`` is its LXMF delivery hash. The house is played by the node itself.

    ``default``: it is meant where a command does not say which. ``policy``: whose challenges it takes.
    """

    hash: str
    name: str
    created_at: float
    enabled: bool
    role: Role = Role.PERSON
    default: bool = False
    policy: Policy = Policy.EVERYONE


class IdentityList(Model, frozen=True, kw_only=True):
    identities: tuple[IdentityInfo, ...]


class IdentityParams(Model, frozen=True, kw_only=True):
    identity: IdentityRef | None = None


class IdentityDetail(Model, frozen=True, kw_only=True):
    """One identity with its public key, 64 bytes."""

    hash: str
    name: str
    created_at: float
    enabled: bool
    role: Role = Role.PERSON
    public_key: str = ""
    key_file: str = ""
    announced_at: float | None = None


class IdentityCreateParams(Model, frozen=True, kw_only=True):
    name: Name


class IdentityImportParams(Model, frozen=True, kw_only=True):
    name: Name
    key: PrivateKey


class IdentityKey(Model, frozen=True, kw_only=True):
    """A private key: keep it from everybody."""

    hash: str
    name: str
    key: PrivateKey


class IdentityChoice(Model, frozen=True, kw_only=True):
    identity: IdentityRef


class IdentityRenameParams(Model, frozen=True, kw_only=True):
    identity: IdentityRef
    name: Name


class IdentityDeleteParams(Model, frozen=True, kw_only=True):
    """``force``: also with games that go on, or actions that a peer does not have yet. No peer is told."""

    identity: IdentityRef
    force: bool = False


class IdentityDeleted(Model, frozen=True, kw_only=True):
    """An identity that is gone, with its key and its games."""

    hash: str
    name: str


class IdentityPolicyParams(Model, frozen=True, kw_only=True):
    """Without ``policy`` and ``clear`` only looks. ``app``: for this game only. ``clear``: unset it."""

    identity: IdentityRef | None = None
    app: AppRef | None = None
    policy: Policy | None = None
    clear: bool = False


class IdentityPolicies(Model, frozen=True, kw_only=True):
    """Whose challenges an identity takes: ``policy``, but for the ``games`` with one of their own."""

    identity: str
    policy: Policy
    games: dict[str, Policy] = msgspec.field(default_factory=dict)


class IdentityChanged(Model, frozen=True, kw_only=True):
    """A local identity was made, renamed, enabled or disabled."""

    hash: str
    name: str
    enabled: bool
    role: Role


class PeerListParams(Model, frozen=True, kw_only=True):
    """``search``: only peers whose name contains this, or whose hash begins with it. ``cursor`` comes
    from the page before."""

    limit: Limit = PAGE
    search: Text | None = None
    cursor: Text | None = None


class PeerInfo(Model, frozen=True, kw_only=True):
    """A peer as last heard. ``games`` is null where its announce does not say whether it plays;
    ``played``: a valid LRGP envelope came from it, so it does. ``contact`` is its name in the address
    book, "" where it is not there.
    """

    peer: str
    name: str
    hops: int
    interface: str
    heard_at: float
    games: bool | None = None
    played: bool = False
    contact: str = ""
    blocked: bool = False


class PeerList(Model, frozen=True, kw_only=True):
    """Peers, the one heard last first. ``cursor`` is null on the last page."""

    peers: tuple[PeerInfo, ...]
    cursor: str | None = None


class PeerHeard(Model, frozen=True, kw_only=True):
    """An announce of a peer arrived."""

    peer: str
    name: str
    hops: int
    interface: str
    games: bool | None = None


METHODS: Final = (
    Method("identity.list", Nothing, IdentityList, "All local identities."),
    Method("identity.show", IdentityParams, IdentityDetail, "One local identity."),
    Method(
        "identity.create", IdentityCreateParams, IdentityInfo, "Make an identity; it is on the mesh at once."
    ),
    Method("identity.import", IdentityImportParams, IdentityInfo, "Bring in an identity by its private key."),
    Method("identity.export", IdentityChoice, IdentityKey, "The private key of an identity."),
    Method("identity.rename", IdentityRenameParams, IdentityInfo, "Give an identity another name."),
    Method("identity.enable", IdentityChoice, IdentityInfo, "Bring a disabled identity back on the mesh."),
    Method(
        "identity.disable",
        IdentityChoice,
        IdentityInfo,
        "Take an identity off the mesh; its games stay, and what it has to send waits.",
    ),
    Method("identity.delete", IdentityDeleteParams, IdentityDeleted, "Delete an identity and its games."),
    Method(
        "identity.default",
        IdentityParams,
        IdentityList,
        "Which identity is meant where none is named; without one: none.",
    ),
    Method(
        "identity.policy", IdentityPolicyParams, IdentityPolicies, "See or set whose challenges are taken."
    ),
    Method("peer.list", PeerListParams, PeerList, "Peers heard on the mesh."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "peer.heard": PeerHeard,
    "identity.changed": IdentityChanged,
    "identity.deleted": IdentityDeleted,
}
