"""Local identities, and the peers that were heard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from storage.model import Role

from .base import PAGE, IdentityRef, Limit, Method, Model, Nothing


class IdentityInfo(Model, frozen=True, kw_only=True):
    """A local identity; ``hash`` is its LXMF delivery hash. The house is played by the node itself."""

    hash: str
    name: str
    created_at: float
    enabled: bool
    role: Role = Role.PERSON


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


class PeerListParams(Model, frozen=True, kw_only=True):
    limit: Limit = PAGE


class PeerInfo(Model, frozen=True, kw_only=True):
    """A peer as last heard. ``games`` is null where its announce does not say whether it plays."""

    peer: str
    name: str
    hops: int
    interface: str
    heard_at: float
    games: bool | None = None


class PeerList(Model, frozen=True, kw_only=True):
    """Peers, the one heard last first."""

    peers: tuple[PeerInfo, ...]


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
    Method("peer.list", PeerListParams, PeerList, "Peers heard on the mesh."),
)

EVENTS: Final[Mapping[str, type[Model]]] = {
    "peer.heard": PeerHeard,
}
