"""``identity.*`` and ``peer.*``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.control import models
from storage.model import LocalIdentity
from storage.store import Store

from .lookup import Lookup
from .running import Surroundings


class PeopleMethods:
    def __init__(self, lookup: Lookup, store: Store, around: Surroundings) -> None:
        self._lookup = lookup
        self._store = store
        self._around = around

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "identity.list": self._identity_list,
            "identity.show": self._identity_show,
            "peer.list": self._peer_list,
        }

    async def _identity_list(self, _: models.Nothing) -> models.IdentityList:
        return models.IdentityList(identities=tuple(map(_identity_info, self._lookup.identities.values())))

    async def _identity_show(self, params: models.IdentityParams) -> models.IdentityDetail:
        identity = self._lookup.identities[self._lookup.identity(params.identity)]
        return models.IdentityDetail(
            hash=identity.hash,
            name=identity.name,
            created_at=identity.created_at,
            enabled=identity.enabled,
            role=identity.role,
            public_key=self._around.public_key(identity.hash),
            key_file=self._around.key_file(identity.hash),
        )

    async def _peer_list(self, params: models.PeerListParams) -> models.PeerList:
        return models.PeerList(
            peers=tuple(
                models.PeerInfo(
                    peer=peer.peer,
                    name=peer.name,
                    hops=peer.hops,
                    interface=peer.interface,
                    heard_at=peer.heard_at,
                    games=peer.games,
                )
                for peer in self._store.book.peers(params.limit)
            )
        )


def _identity_info(identity: LocalIdentity) -> models.IdentityInfo:
    return models.IdentityInfo(
        hash=identity.hash,
        name=identity.name,
        created_at=identity.created_at,
        enabled=identity.enabled,
        role=identity.role,
    )
