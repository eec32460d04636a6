"""Reading requests: bodies with bounds, and numbers of the query."""

from __future__ import annotations

import asyncio
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

BODY_SECONDS: Final = 30.0
"""In which a body must be there; a client that sends a byte a minute would hold its connection for ever."""

MAX_COMING: Final = 32 * 1024 * 1024
"""Bytes of all bodies that are not there yet."""

MAX_DEPTH: Final = 64
"""Of nesting. Other programs, written in whatever language, read what is passed on."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}\Z")
_STRINGS: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NOT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")


async def body(
    request: web.Request,
    decoder: msgspec.json.Decoder[T],
    *,
    empty: bytes = b"",
    most: int = MAX_BODY,
) -> T:
    """The body of at most ``most`` bytes, read by ``decoder``; ``empty`` stands for one that is not there.

    Raises ``Refusal`` (400, 408, 413, 429).
    """
    announced = request.content_length
    if announced is not None and announced > most:
        raise too_large(most)
    if request.content.is_eof():
        given = await request.read()
    else:
        given = await _coming.read(request, most if announced is None else announced)
    if len(given) > most:
        raise too_large(most)
    given = given or empty
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


def too_large(most: int = MAX_BODY) -> Refusal:
    return Refusal(413, "too_large", f"A body has at most {most} bytes.")


class _Coming:
    """Bodies that are not there yet: each has its time, and all together their place in memory."""

    def __init__(self) -> None:
        self._bytes = 0

    async def read(self, request: web.Request, size: int) -> bytes:
        """A body of at most ``size`` bytes. Raises ``Refusal`` (408, 429)."""
        if self._bytes + size > MAX_COMING:
            raise Refusal(429, "server_full", "Too many requests are under way.", retry_after=1)
        self._bytes += size
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await request.read()
        except TimeoutError:
            message = f"The body did not arrive within {BODY_SECONDS:g} seconds."
            raise Refusal(408, "request_timeout", message) from None
        finally:
            self._bytes -= size


_coming: Final = _Coming()
