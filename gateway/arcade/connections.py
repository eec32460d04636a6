"""aiohttp's server with errors of its own in our form, and bounds on connections.

What cannot even be parsed never reaches an application. aiohttp would answer it with the parser's words,
which quote the offending header, and log it as an error of ours. It would also wait a long time for the first
request of a connection, and take as many connections as there may be open files.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from http import HTTPStatus
from typing import Final

from aiohttp import web

from gateway.rcadia.server.web import answers

HEAD_SECONDS: Final = 20.0
"""In which the first request of a connection must be there, without its body. Later ones have the keep-alive
time."""

SPARE_FILES: Final = 200
"""Open files that connections leave to the rest of the process."""

_SAY_AGAIN: Final = 60.0

log = logging.getLogger("lrgpnode.arcade")


class Connection(web.RequestHandler):
    """One connection."""

    __slots__ = ("_head_timer",)

    _head_timer: asyncio.TimerHandle | None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._head_timer = self._loop.call_later(HEAD_SECONDS, self._head_is_late)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        super().connection_lost(exc)

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
        response.force_close()
        return response

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._request_count == 0:
            self.force_close()


class _Server(web.Server):
    """Connections are ours, and not more than there is place for."""

    _most = 0
    _said = float("-inf")

    def __call__(self) -> web.RequestHandler:
        return Connection(self, loop=self._loop, **self._kwargs)

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self._connections) <= self._most:
            return
        # Without a file left to open, nothing else would work either.
        transport.abort()
        if time.monotonic() - self._said >= _SAY_AGAIN:
            self._said = time.monotonic()
            log.warning("there are %d connections; new ones are refused", self._most)


class Runner(web.AppRunner):
    """``web.AppRunner`` whose connections are ours. Made after the limit of open files has been set."""

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        # There is no argument for the class of the server.
        server.__class__ = _Server
        assert isinstance(server, _Server)
        server._most = most_connections()
        return server


def most_connections() -> int:
    """How many connections the limit of open files leaves place for."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 100_000 if limit == resource.RLIM_INFINITY else max(limit - SPARE_FILES, limit // 2)
