"""Walking over MessagePack bytes without decoding them.

A decoder hands over values and forgets how they were written; the canonical form of an envelope
(spec §3) is partly about how. These functions find where a value ends, so that its exact bytes can
be looked at. They are bounded in depth and never read outside the data.
"""

from __future__ import annotations

from typing import Final

from .errors import Kind, PeerError

MAX_DEPTH: Final = 16
"""Deepest nesting of arrays and maps. The deepest known payload is flat; hostile ones are not."""


class WireError(PeerError):
    """The bytes are not the MessagePack that was expected; ``nesting``: they are nested too deep."""

    def __init__(self, message: str, *, nesting: bool = False) -> None:
        super().__init__(Kind.INVALID_ENVELOPE, message)
        self.nesting = nesting


# First byte -> bytes that follow it, for every form of fixed size.
_FIXED: Final = {
    **dict.fromkeys((0xC0, 0xC2, 0xC3), 0),
    0xCA: 4,
    0xCB: 8,
    0xCC: 1,
    0xCD: 2,
    0xCE: 4,
    0xCF: 8,
    0xD0: 1,
    0xD1: 2,
    0xD2: 4,
    0xD3: 8,
    0xD4: 2,
    0xD5: 3,
    0xD6: 5,
    0xD7: 9,
    0xD8: 17,
}
# First byte -> (bytes of the length that follows, bytes beside the length's own count).
_SIZED: Final = {
    0xC4: (1, 0),
    0xC5: (2, 0),
    0xC6: (4, 0),
    0xC7: (1, 1),
    0xC8: (2, 1),
    0xC9: (4, 1),
    0xD9: (1, 0),
    0xDA: (2, 0),
    0xDB: (4, 0),
}
# First byte -> length of the whole value, where the first byte alone says it; else 0.
_WHOLE: Final = bytes(
    1
    if first <= 0x7F or first >= 0xE0
    else 1 + (first & 0x1F)
    if 0xA0 <= first <= 0xBF
    else 1 + _FIXED.get(first, -1)
    for first in range(256)
)
# First byte -> (bytes of the count that follows, values per counted item).
_NESTED: Final = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}


def header(data: bytes, index: int) -> tuple[int, int, int]:
    """(next index, bytes of content to pass over, nested values) of the value at ``index``."""
    if not 0 <= index < len(data):
        raise WireError("a MessagePack value is cut short")
    first = data[index]
    index += 1
    if first <= 0x7F or first >= 0xE0:
        return index, 0, 0
    if first <= 0x8F:
        return index, 0, 2 * (first & 0x0F)
    if first <= 0x9F:
        return index, 0, first & 0x0F
    if first <= 0xBF:
        return index, first & 0x1F, 0
    fixed = _FIXED.get(first)
    if fixed is not None:
        return index, fixed, 0
    width, extra = _SIZED.get(first) or _NESTED.get(first) or (0, 0)
    if not width:
        raise WireError("0xC1 is not MessagePack")
    if index + width > len(data):
        raise WireError("a MessagePack length is cut short")
    count = int.from_bytes(data[index : index + width], "big")
    if first in _NESTED:
        return index + width, 0, count * extra
    return index + width, count + extra, 0


def skip(data: bytes, index: int, depth: int = MAX_DEPTH) -> int:
    """The index after the value at ``index``; ``depth`` levels of nesting are allowed.

    Raises ``WireError``. Takes time in the number of values that are really there, whatever the
    counts claim.
    """
    size, left = len(data), 1
    outer: list[int] = []
    while True:
        if not left:
            if not outer:
                return index
            left = outer.pop()
            continue
        left -= 1
        whole = _WHOLE[data[index]] if 0 <= index < size else 0
        nested = 0
        if whole:
            index += whole
        else:
            index, content, nested = header(data, index)
            index += content
        if index > size:
            raise WireError("a MessagePack value is cut short")
        if nested:
            if len(outer) >= depth:
                raise WireError("MessagePack values are nested too deep", nesting=True)
            outer.append(left)
            left = nested


def text(data: bytes, start: int, end: int) -> str | None:
    """The string encoded at ``data[start:end]``, or None where the value is no valid string."""
    first = data[start]
    if not (0xA0 <= first <= 0xBF or first in (0xD9, 0xDA, 0xDB)):
        return None
    content = header(data, start)[0]
    try:
        return data[content:end].decode()
    except UnicodeDecodeError:
        return None


def unsigned(data: bytes, start: int, end: int) -> int | None:
    """The non-negative integer encoded at ``data[start:end]`` in any width, or None."""
    first = data[start]
    if first <= 0x7F:
        return first
    if 0xCC <= first <= 0xCF:
        return int.from_bytes(data[start + 1 : end], "big")
    if 0xD0 <= first <= 0xD3:
        value = int.from_bytes(data[start + 1 : end], "big", signed=True)
        return value if value >= 0 else None
    return None


def fields(payload: bytes) -> dict[int, tuple[int, int]]:
    """Where each integer-keyed value of an LXMF payload's field map lies: key -> (start, end).

    The payload is an array of [timestamp, title, content, fields], with a stamp as fifth element
    where there is one. Raises ``WireError``, also for a field key that is given twice.
    """
    index, _, elements = header(payload, 0)
    if payload[0] not in (0x94, 0x95, 0xDC, 0xDD) or elements not in (4, 5):
        raise WireError("an LXMF payload is an array of 4 or 5")
    for _ in range(3):
        index = skip(payload, index)
    first = payload[index : index + 1]
    index, _, nested = header(payload, index)
    if not (b"\x80" <= first <= b"\x8f" or first in (b"\xde", b"\xdf")):
        raise WireError("the LXMF fields are not a map")
    found: dict[int, tuple[int, int]] = {}
    for _ in range(nested // 2):
        start = skip(payload, index)
        end = skip(payload, start)
        key = unsigned(payload, index, start)
        if key is not None:
            if key in found:
                raise WireError("an LXMF field is given twice")
            found[key] = (start, end)
        index = end
    return found
