"""Answers that are written to the connection as one piece of bytes.

What aiohttp does for each response (headers as a mapping, cookies, a writer) takes longer than making our
answers. And where five hundred requests wait for one move, each answer must be on its way before the tasks of
the others have had their turn: ``Reply.send`` writes it in the very call that wakes them.

Only for what needs nothing of that: status 200, JSON, a connection of HTTP/1.1 that stays open.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Final

from aiohttp import web
from aiohttp.http import HttpVersion11

_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\n"
    b"Content-Type: application/json; charset=utf-8\r\n"
    b"Cache-Control: no-store\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"Content-Length: %d\r\n"
    b"Date: %b\r\n\r\n"
)


def possible(request: web.Request) -> bool:
    """Whether an answer to this request may be written directly."""
    return request.version == HttpVersion11 and request.method != "HEAD" and request.keep_alive


def packet(body: bytes) -> bytes:
    """``body``, which is JSON, with its head."""
    return _HEAD % (len(body), _date()) + body


class Written(web.StreamResponse):
    """A response of which nothing is left to do, or, with ``data``, only to write that."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__()
        self._data = data

    @property
    def keep_alive(self) -> bool:
        return True

    async def prepare(self, request: web.BaseRequest) -> None:
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the connection is gone")
        if self._data:
            transport.write(self._data)
            # Whoever does not read must not keep it twice.
            self._data = b""
        # Whoever asks on without reading must not fill our memory.
        if transport.get_write_buffer_size():
            await request.writer.drain()

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing: ``prepare`` has written everything."""


class Reply:
    """The answer of a long-poll. ``response`` is there once it is written."""

    __slots__ = ("_request", "response")

    def __init__(self, request: web.Request) -> None:
        self._request = request
        self.response: Written | None = None

    def send(self, packet: bytes) -> None:
        """Write the answer now, if that is possible; else the handler has to return one."""
        transport = self._request.transport
        if self.response is None and transport is not None and not transport.is_closing():
            transport.write(packet)
            self.response = Written()


_dated: list[tuple[int, bytes]] = [(0, b"")]


def _date() -> bytes:
    """The time for the header ``Date``, made once a second."""
    now = int(time.time())
    if _dated[0][0] != now:
        _dated[0] = (now, formatdate(now, usegmt=True).encode())
    return _dated[0][1]
