"""``propagation.*``: propagation nodes, and mail fetched from them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import asdict
from typing import Any, Final, Protocol

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.mesh.propagation.book import NotListed
from lrgpnode.mesh.propagation.report import (
    HostStatus,
    IdentityStatus,
    News,
    NodeNews,
    NodeStatus,
    PropagationStatus,
    StampNews,
    SyncNews,
)

from .lookup import Lookup

_LIST: Final = "`lrgpnode propagation list` shows the nodes that are known."


class Propagation(Protocol):
    """What the mesh offers; see ``lrgpnode.mesh.propagation.service``."""

    def status(self) -> Future[PropagationStatus]: ...
    def add(self, node: str) -> Future[None]: ...
    def remove(self, node: str) -> Future[None]: ...
    def use(self, node: str) -> Future[None]: ...
    def sync(self, identities: tuple[str, ...]) -> None: ...


class PropagationMethods:
    def __init__(self, lookup: Lookup, propagation: Propagation) -> None:
        self._lookup = lookup
        self._propagation = propagation

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "propagation.status": self._status,
            "propagation.add": self._add,
            "propagation.remove": self._remove,
            "propagation.use": self._use,
            "propagation.sync": self._sync,
        }

    async def _status(self, _: models.Nothing) -> models.PropagationStatus:
        status = await asyncio.wrap_future(self._propagation.status())
        return models.PropagationStatus(
            current=status.current,
            auto=status.auto,
            nodes=tuple(map(_node, status.nodes)),
            identities=tuple(map(_identity, status.identities)),
            uploads=status.uploads,
            next_sync=status.next_sync,
            host=None if status.host is None else _host(status.host),
        )

    async def _add(self, params: models.AddNodeParams) -> models.NodeList:
        return await self._change(self._propagation.add, params.node)

    async def _remove(self, params: models.RemoveNodeParams) -> models.NodeList:
        return await self._change(self._propagation.remove, await self._known(params.node))

    async def _use(self, params: models.UseNodeParams) -> models.NodeList:
        node = "" if params.node is None else await self._known(params.node)
        return await self._change(self._propagation.use, node)

    async def _sync(self, params: models.SyncParams) -> models.SyncStarted:
        status = await asyncio.wrap_future(self._propagation.status())
        active = tuple(one.identity for one in status.identities)
        if params.identity is not None:
            wanted = self._lookup.identity(params.identity)
            if wanted not in active:
                raise ControlError("no_mail", f"{wanted} is not on the mesh, and so has no mail")
            active = (wanted,)
        self._propagation.sync(active)
        return models.SyncStarted(identities=active)

    async def _change(self, change: Callable[[str], Future[None]], node: str) -> models.NodeList:
        try:
            await asyncio.wrap_future(change(node))
        except NotListed as error:
            raise ControlError("not_listed", str(error), _LIST) from None
        status = await asyncio.wrap_future(self._propagation.status())
        return models.NodeList(current=status.current, nodes=tuple(map(_node, status.nodes)))

    async def _known(self, wanted: str) -> str:
        """The address of the node that a person means; a whole address need not be known."""
        status = await asyncio.wrap_future(self._propagation.status())
        lowered = wanted.lower()
        found = {
            node.hash
            for node in status.nodes
            if node.hash.startswith(lowered) or node.name.casefold() == wanted.casefold()
        }
        if len(found) == 1:
            return found.pop()
        if found:
            raise ControlError("ambiguous", f"{wanted} could be {len(found)} propagation nodes", _LIST)
        if len(lowered) == 32 and set(lowered) <= set("0123456789abcdef"):
            return lowered
        raise ControlError("not_found", f"no propagation node is called {wanted}", _LIST)


def event(news: News) -> tuple[str, Mapping[str, Any]]:
    """The event that tells of something that happened: its type and its fields."""
    fields = asdict(news)
    match news:
        case SyncNews():
            return "propagation.sync", fields | {"state": str(news.state)}
        case StampNews():
            del fields["ref"]
            return "propagation.stamp", fields
        case NodeNews():
            return "propagation.node", fields


def _node(node: NodeStatus) -> models.PropagationNode:
    return models.PropagationNode(**asdict(node) | {"heard_at": node.heard_at or None})


def _identity(one: IdentityStatus) -> models.MailOfIdentity:
    return models.MailOfIdentity(
        identity=one.identity,
        fetched_at=one.synced_at or None,
        node=one.node,
        received=one.received,
        state=None if one.state is None else one.state.value,
        reason=one.reason,
    )


def _host(host: HostStatus) -> models.HostInfo:
    peers = tuple(
        models.HostPeer(**asdict(peer) | {"heard_at": peer.heard_at or None}) for peer in host.peers
    )
    return models.HostInfo(**asdict(host) | {"peers": peers})
