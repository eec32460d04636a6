"""What propagation nodes say in their ``lxmf.propagation`` announces.

A MessagePack array: false, clock, enabled, kB a message, kB a transfer between nodes, [stamp cost,
flexibility, peering cost], a map with the name. Every LXMF router announces this destination when it
is asked for a path, most of them as not enabled. Everything read here comes from strangers.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Final

import msgpack

from lrgpnode.protocol.value import Value

from ..announce import clean_name

META_NAME: Final = 0x01
MAX_KILOBYTES: Final = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NodeAnnounce(Value):
    """``message_kb`` and ``transfer_kb`` are the node's limits in thousands of bytes."""

    enabled: bool
    timebase: int
    message_kb: int
    transfer_kb: int
    stamp_cost: int
    flexibility: int
    peering_cost: int
    name: str = ""


def parse(app_data: bytes | None) -> NodeAnnounce | None:
    """The announce data, or None where it is not that of a propagation node."""
    if not app_data:
        return None
    try:
        parts = msgpack.unpackb(app_data, strict_map_key=False, unicode_errors="replace")
    except (ValueError, TypeError, msgpack.UnpackException):
        return None
    if type(parts) is not list or len(parts) < 7 or type(parts[2]) is not bool:
        return None
    costs, meta = parts[5], parts[6]
    if type(costs) is not list or len(costs) < 3 or type(meta) is not dict:
        return None
    try:
        return NodeAnnounce(
            enabled=parts[2],
            timebase=_whole(parts[1], 2**48),
            message_kb=_whole(parts[3], MAX_KILOBYTES),
            transfer_kb=_whole(parts[4], MAX_KILOBYTES),
            stamp_cost=_whole(costs[0], 255),
            flexibility=_whole(costs[1], 255),
            peering_cost=_whole(costs[2], 255),
            name=clean_name(meta.get(META_NAME)),
        )
    except ValueError:
        return None


def pack(node: NodeAnnounce) -> bytes:
    """Announce data as LXMF 1.2 writes it."""
    packed: bytes = msgpack.packb(
        [
            False,
            node.timebase,
            node.enabled,
            node.message_kb,
            node.transfer_kb,
            [node.stamp_cost, node.flexibility, node.peering_cost],
            {META_NAME: node.name.encode()} if node.name else {},
        ]
    )
    return packed


def switched_off() -> bytes:
    """The announce data of a node that takes and gives no mail any more."""
    return pack(
        NodeAnnounce(
            enabled=False,
            timebase=int(time.time()),
            message_kb=0,
            transfer_kb=0,
            stamp_cost=0,
            flexibility=0,
            peering_cost=0,
        )
    )


def _whole(value: Any, most: int) -> int:
    """A number from 0 to ``most``; configured limits can be floats with LXMF's own program."""
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= most:
        raise ValueError(value)
    return int(value)
