"""``game.export`` and ``game.frames``: what needs the whole of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lrgpnode.control import models
from lrgpnode.node import Node
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.value import Value
from storage.store import Store

from .lookup import Lookup

if TYPE_CHECKING:
    from lrgpnode.records.build import Signer


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Recording(Value):
    """What an export needs of other rooms.

    ``games`` gives instances of their own: an export replays a whole game in another thread.
    ``peer_key``: the public key of a peer by its address, empty where nobody knows it any more.
    """

    games: Callable[[], Mapping[str, Game]]
    signer: Callable[[str], Signer]
    peer_key: Callable[[str], bytes]


class ExportMethods:
    def __init__(self, lookup: Lookup, node: Node, store: Store, recording: Recording) -> None:
        self._parts = (lookup, node, store, recording)

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"game.export": self._export, "game.frames": self._frames}

    async def _export(self, params: models.ExportParams) -> models.ExportResult:
        from .records import Exporter  # noqa: PLC0415 - most runs of a node export nothing

        return await Exporter(*self._parts).export(params)

    async def _frames(self, params: models.FramesParams) -> models.Frames:
        from .frames import Projector  # noqa: PLC0415 - most runs of a node are asked for none

        return await Projector(*self._parts).frames(params)
