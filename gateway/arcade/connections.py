"""aiohttp's server with errors of its own in our form, and bounds on connections.

What cannot even be parsed never reaches an application. aiohttp would answer it with the parser's words,
which quote the offending header, and log it as an error of ours. It would also wait a long time for the first
request of a connection, take as many connections as there may be open files, and keep an answer for as long
as the other side does not read it.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from http import HTTPStatus
from typing import Any, Final

from aiohttp import web

from gateway.rcadia.server.web import answers

HEAD_SECONDS: Final = 20.0
"""In which the first request of a connection must be there, without its body. Later ones have the keep-alive
time."""

UNREAD_SECONDS: Final = 120.0
"""In which an answer must be read, but for what the system keeps of it."""

MAX_UNREAD: Final = 64 * 1024 * 1024
"""Bytes of all such answers."""

_BUFFERED: Final = 16 * 1024
"""Bytes that a connection may keep without being counted."""

MOST: Final = 8000
"""Connections; more than the requests that may wait."""

SERVER: Final = "lrgpnode"
"""What we call ourselves in headers."""

SPARE_FILES: Final = 200
"""Open files that connections leave to the rest of the process."""

_SAY_AGAIN: Final = 60.0

log = logging.getLogger("lrgpnode.arcade")


class Connection(web.RequestHandler):
    """One connection."""

    __slots__ = ("_head_timer", "_server", "_unread", "_unread_timer")

    def __init__(self, server: _Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._server = server
        self._unread = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self.transport is not None:
            self.transport.set_write_buffer_limits(high=_BUFFERED)
        self._head_timer = self._loop.call_later(HEAD_SECONDS, self._head_is_late)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        self._all_read()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The other side does not read."""
        super().pause_writing()
        if self.transport is None:
            return
        self._unread = self.transport.get_write_buffer_size()
        self._server.unread += self._unread
        self._unread_timer = self._loop.call_later(UNREAD_SECONDS, self.transport.abort)
        if self._server.unread > MAX_UNREAD:
            self.transport.abort()

    def resume_writing(self) -> None:
        self._all_read()
        super().resume_writing()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("a request failed because of a defect", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        response = answers.plain_error(HTTPStatus(status))
        response.headers["Server"] = SERVER
        response.force_close()
        return response

    def _all_read(self) -> None:
        self._server.unread -= self._unread
        self._unread = 0
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._request_count == 0:
            self.force_close()


class _Server(web.Server):
    """Connections are ours, and not more than there is place for. ``unread``: see ``MAX_UNREAD``."""

    most = 0
    unread = 0
    _said = float("-inf")

    def __call__(self) -> web.RequestHandler:
        return Connection(self, loop=self._loop, **self._kwargs)

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self._connections) <= self.most:
            return
        # Without a file left to open, nothing else would work either.
        transport.abort()
        if time.monotonic() - self._said >= _SAY_AGAIN:
            self._said = time.monotonic()
            log.warning("there are %d connections; new ones are refused", self.most)


class Runner(web.AppRunner):
    """``web.AppRunner`` whose connections are ours. Made after the limit of open files has been set."""

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        # There is no argument for the class of the server.
        server.__class__ = _Server
        assert isinstance(server, _Server)
        server.most = most_connections()
        return server


def most_connections() -> int:
    """How many connections there may be; fewer where the limit of open files does not leave place for all."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if limit == resource.RLIM_INFINITY else min(MOST, max(limit - SPARE_FILES, limit // 2))
