"""``identity.*`` and ``peer.*``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.node import ALL_GAMES, Identities, Node
from storage.model import LocalIdentity, Peer, Role
from storage.store import Store

from .lookup import KNOWN_PEERS, Lookup
from .running import Surroundings


class IdentityMethods:
    def __init__(
        self, lookup: Lookup, node: Node, store: Store, own: Identities, around: Surroundings
    ) -> None:
        self._lookup = lookup
        self._store = store
        self._around = around
        self._admission = node.admission
        self._own = own

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "identity.list": self._list,
            "identity.show": self._show,
            "identity.create": self._create,
            "identity.import": self._import,
            "identity.export": self._export,
            "identity.rename": self._rename,
            "identity.enable": self._changed(self._own.enable),
            "identity.disable": self._changed(self._own.disable),
            "identity.default": self._default,
            "identity.delete": self._delete,
            "identity.policy": self._policy,
        }

    async def _list(self, _: models.Nothing) -> models.IdentityList:
        return models.IdentityList(identities=tuple(map(self._info, self._own.rows.values())))

    async def _show(self, params: models.IdentityParams) -> models.IdentityDetail:
        identity = self._own.rows[self._lookup.identity(params.identity)]
        return models.IdentityDetail(
            hash=identity.hash,
            name=identity.name,
            created_at=identity.created_at,
            enabled=identity.enabled,
            role=identity.role,
            public_key=self._own.public_key(identity.hash).hex(),
            key_file=str(self._own.key_file(identity.hash)),
            announced_at=self._around.announced_at(identity.hash),
        )

    async def _create(self, params: models.IdentityCreateParams) -> models.IdentityInfo:
        return self._info(await self._own.create(params.name))

    async def _import(self, params: models.IdentityImportParams) -> models.IdentityInfo:
        return self._info(await self._own.bring_in(bytes.fromhex(params.key), params.name))

    async def _export(self, params: models.IdentityChoice) -> models.IdentityKey:
        identity = self._own.rows[self._lookup.identity(params.identity)]
        return models.IdentityKey(
            hash=identity.hash, name=identity.name, key=self._own.loaded(identity.hash).key.hex()
        )

    async def _rename(self, params: models.IdentityRenameParams) -> models.IdentityInfo:
        return self._info(await self._own.rename(self._lookup.identity(params.identity), params.name))

    async def _delete(self, params: models.IdentityDeleteParams) -> models.IdentityDeleted:
        row = self._own.rows[self._lookup.identity(params.identity)]
        if row.role is Role.HOUSE:
            raise ControlError(
                "identity",
                "That is the house, which the node itself plays.",
                "`lrgpnode config set house.enabled false` closes it.",
            )
        if row.role is Role.GATEWAY:
            raise ControlError(
                "identity",
                "That is the gateway, whose seats would be lost.",
                "`lrgpnode config set gateway.enabled false` closes it.",
            )
        live = self._store.sessions.live_count(row.hash)
        if live and not params.force:
            raise ControlError(
                "identity",
                f"{live} of its games and challenges go on, and no peer would be told.",
                "End them first, or delete them, too, with --force.",
            )
        if self._store.outbox.page(identity=row.hash, limit=1) and not params.force:
            raise ControlError(
                "identity",
                "A peer does not have its last action yet, and would never get it.",
                "`lrgpnode outbox list` shows it. Wait, or delete it, too, with --force.",
            )
        await self._own.delete(row.hash)
        return models.IdentityDeleted(hash=row.hash, name=row.name)

    def _changed(
        self, change: Callable[[str], Awaitable[LocalIdentity]]
    ) -> Callable[[models.IdentityChoice], Awaitable[models.IdentityInfo]]:
        async def handler(params: models.IdentityChoice) -> models.IdentityInfo:
            return self._info(await change(self._lookup.identity(params.identity)))

        return handler

    async def _default(self, params: models.IdentityParams) -> models.IdentityList:
        wanted = params.identity
        await self._own.set_default(None if wanted is None else self._lookup.identity(wanted))
        return await self._list(models.Nothing())

    async def _policy(self, params: models.IdentityPolicyParams) -> models.IdentityPolicies:
        identity = self._lookup.identity(params.identity)
        app = ALL_GAMES if params.app is None else self._lookup.app(params.app)
        if params.policy is not None or params.clear:
            await self._admission.set_policy(identity, app, params.policy)
        return models.IdentityPolicies(
            identity=identity,
            policy=self._admission.policy(identity),
            games=self._admission.policies(identity),
        )

    def _info(self, identity: LocalIdentity) -> models.IdentityInfo:
        return models.IdentityInfo(
            hash=identity.hash,
            name=identity.name,
            created_at=identity.created_at,
            enabled=identity.enabled,
            role=identity.role,
            default=identity.hash == self._own.default,
            policy=self._admission.policy(identity.hash),
        )


class PeerMethods:
    def __init__(self, node: Node, store: Store) -> None:
        self._admission = node.admission
        self._store = store

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"peer.list": self._list}

    async def _list(self, params: models.PeerListParams) -> models.PeerList:
        before = _parse_cursor(params.cursor)
        book = {contact.peer: contact.name for contact in self._store.book.contacts()}
        wanted = params.search.casefold() if params.search is not None else None
        # The table is small: a search looks at all of it.
        rows = self._store.book.peers(params.limit + 1 if wanted is None else KNOWN_PEERS, before=before)
        fitting = [peer for peer in rows if wanted is None or _fits(peer, book.get(peer.peer, ""), wanted)]
        page, more = fitting[: params.limit], len(fitting) > params.limit
        return models.PeerList(
            peers=tuple(self._info(peer, book.get(peer.peer, "")) for peer in page),
            cursor=f"{page[-1].heard_at!r}:{page[-1].peer}" if more else None,
        )

    def _info(self, peer: Peer, contact: str) -> models.PeerInfo:
        return models.PeerInfo(
            peer=peer.peer,
            name=peer.name,
            hops=peer.hops,
            interface=peer.interface,
            heard_at=peer.heard_at,
            games=peer.games,
            played=peer.played_at is not None,
            contact=contact,
            blocked=self._admission.blocked(peer.peer) is not None,
        )


def _fits(peer: Peer, contact: str, wanted: str) -> bool:
    return peer.peer.startswith(wanted) or wanted in peer.name.casefold() or wanted in contact.casefold()


def _parse_cursor(text: str | None) -> tuple[float, str] | None:
    if text is None:
        return None
    at, _, peer = text.partition(":")
    try:
        return float(at), peer
    except ValueError:
        raise ControlError("bad_cursor", "That is no cursor of a page.", "Start without one.") from None
