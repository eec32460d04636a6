"""What our announces say and what we read from those of others (rns-lxmf facts §7).

The data of an ``lxmf.delivery`` announce is a MessagePack array: name, stamp cost, supported
functionality and, from clients that follow Ratspeak, ``[1, capabilities, {"s": status}]``.
Everything read here comes from strangers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import msgpack

from lrgpnode.protocol.value import Value

MAX_NAME_BYTES: Final = 128
"""As in Ratspeak, the most used client."""

CLIENT: Final = 0x01
GAMES: Final = 0x02
CAPABILITIES: Final = [1, CLIENT | GAMES, {"s": ""}]

_ARRAY_HEADS: Final = frozenset((*range(0x90, 0xA0), 0xDC))


@dataclass(frozen=True, slots=True, repr=False)
class AnnounceData(Value):
    """``games`` is None where the announce says nothing about games, which is not a no."""

    name: str = ""
    games: bool | None = None
    stamp_cost: int | None = None


def with_capabilities(app_data: bytes) -> bytes:
    """LXMF's own announce data, extended by what this node can do."""
    packed: bytes = msgpack.packb([*msgpack.unpackb(app_data), CAPABILITIES])
    return packed


def parse(app_data: bytes | None) -> AnnounceData:
    """Read announce data of any origin; whatever is malformed counts as not said."""
    if not app_data:
        return AnnounceData()
    if app_data[0] not in _ARRAY_HEADS:
        # Before LXMF 0.5 the data was the name itself.
        return AnnounceData(name=clean_name(app_data))
    try:
        parts = msgpack.unpackb(app_data, strict_map_key=False, unicode_errors="replace")
    except (ValueError, TypeError, msgpack.UnpackException):
        return AnnounceData()
    if type(parts) is not list:
        return AnnounceData()
    cost = parts[1] if len(parts) > 1 else None
    return AnnounceData(
        name=clean_name(parts[0]) if parts else "",
        games=_games(parts[3]) if len(parts) > 3 else None,
        stamp_cost=cost if type(cost) is int and 0 < cost < 255 else None,
    )


def clean_name(name: Any) -> str:
    """A name that can be shown: printable, one line, at most 128 bytes."""
    if type(name) is bytes:
        name = name[: 4 * MAX_NAME_BYTES].decode(errors="replace")
    if type(name) is not str:
        return ""
    shown = "".join(char for char in name[: 4 * MAX_NAME_BYTES] if char.isprintable())
    return shown.strip().encode(errors="replace")[:MAX_NAME_BYTES].decode(errors="ignore")


def _games(part: Any) -> bool | None:
    if type(part) is not list or len(part) < 2 or part[0] != 1 or type(part[1]) is not int:
        return None
    return bool(part[1] & GAMES) if part[1] > 0 and part[1] & CLIENT else None
