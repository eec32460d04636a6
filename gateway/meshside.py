"""The node, as bridges see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.node import Acted, Node
from lrgpnode.protocol.game import Coin
from lrgpnode.protocol.session import Session, SessionKey
from storage.gateway_model import BridgeChange

from .bridge.driver import Beside


class MeshSide:
    """Implements ``bridge.driver.Mesh``. ``round_trip``: of a move to a peer and its answer back."""

    def __init__(self, node: Node, round_trip: Callable[[str], RoundTrip | None]) -> None:
        self._node = node
        self.round_trip = round_trip

    def now(self) -> float:
        return self._node.now()

    def session(self, key: SessionKey) -> Session:
        return self._node.session(key)

    async def act(
        self,
        key: SessionKey,
        command: str,
        intent: Mapping[str, Any],
        *,
        beside: Beside = None,
        coin: Coin | None = None,
    ) -> Acted:
        return await self._node.act(key, command, intent, beside=beside, coin=coin)

    async def challenge(
        self, identity: str, peer: str, app_id: str, intent: Mapping[str, Any], *, beside: Beside = None
    ) -> Acted:
        return await self._node.challenge(identity, peer, app_id, intent, beside=beside)

    async def write(self, identity: str, peer: str, text: str, beside: BridgeChange | None) -> None:
        await self._node.texts.send(identity, peer, text, beside=beside)

    async def close(self, key: SessionKey, reason: str) -> None:
        await self._node.repair.abandon(key, reason)
