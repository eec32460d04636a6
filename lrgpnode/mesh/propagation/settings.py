"""What propagation is started with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lrgpnode.protocol.value import Value

SYNC_INTERVAL: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostSettings(Value):
    """Our own propagation node. Sizes in kilobytes (1000 bytes) unless said otherwise.

    ``peers`` are nodes that it exchanges mail with in any case; ``max_peers`` how many it may have
    in all, finding the others itself: with fewer than are named, it finds none.
    """

    name: str
    storage_mb: int = 20
    message_kb: int = 64
    transfer_kb: int = 1024
    stamp_cost: int = 16
    peering_cost: int = 18
    max_peering_cost: int = 20
    peers: tuple[str, ...] = ()
    max_peers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PropagationSettings(Value):
    """``nodes`` in the order they are tried; ``auto``: those heard may be used as well.

    ``sync_interval`` in seconds, 0 for never by itself; ``max_cost``: the dearest stamp made.
    """

    nodes: tuple[str, ...] = ()
    auto: bool = True
    sync_interval: float = SYNC_INTERVAL
    max_cost: int = 20
    host: HostSettings | None = None
