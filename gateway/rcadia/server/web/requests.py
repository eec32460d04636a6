"""Reading requests: bodies with bounds, and numbers of the query."""

from __future__ import annotations

import math
import re
from typing import Final, TypeVar

import msgspec
from aiohttp import web

from gateway.rcadia import wire
from gateway.rcadia.server.refusal import Refusal, bad

T = TypeVar("T")

MAX_BODY: Final = 512 * 1024
"""Bytes; the application must have it as its ``client_max_size``."""

MAX_DEPTH: Final = 64
"""Of nesting. Other programs, written in whatever language, read what is passed on."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}\Z")
_STRINGS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")


async def body(request: web.Request, decoder: msgspec.json.Decoder[T], *, empty: bytes = b"") -> T:
    """The body, read by ``decoder``; ``empty`` stands for one that is not there. Raises ``Refusal`` (400)."""
    given = await request.read() or empty
    if _too_deep(given):
        raise bad(f"The body is nested more than {MAX_DEPTH} deep.", "too_deep")
    try:
        return decoder.decode(given)
    except msgspec.ValidationError as error:
        raise bad(f"The body cannot be used: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise bad("The body is not JSON.") from None


def wait(request: web.Request) -> float:
    """Seconds of a long-poll, cut to what is allowed. Raises ``Refusal`` (400)."""
    text = _given(request, "wait")
    if text is None:
        return 0.0
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isnan(seconds):
        raise bad("wait must be a number of seconds.")
    return min(max(seconds, 0.0), float(wire.MAX_WAIT))


def whole(request: web.Request, name: str) -> int | None:
    """A whole number of the query; None where it is not given. Raises ``Refusal`` (400)."""
    text = _given(request, name)
    if text is None:
        return None
    if not _WHOLE.match(text):
        raise bad(f"{name} must be a whole number.")
    return int(text)


def _given(request: web.Request, name: str) -> str | None:
    return request.query.get(name) if request.rel_url.raw_query_string else None


def _too_deep(given: bytes) -> bool:
    """Whether brackets are nested too deep, told without reading the values."""
    if given.count(b"[") + given.count(b"{") <= MAX_DEPTH:
        return False
    left = _STRINGS.sub(b"", given).translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if not left:
            return False
    return True


def too_large() -> Refusal:
    return Refusal(413, "too_large", f"A body has at most {MAX_BODY} bytes.")
