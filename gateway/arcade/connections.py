"""aiohttp's server with errors of its own in our form.

What cannot even be parsed never reaches an application. aiohttp would answer it with the parser's words,
which quote the offending header, and log it as an error of ours.
"""

from __future__ import annotations

import logging
from http import HTTPStatus

from aiohttp import web

from gateway.rcadia.server.web import answers

log = logging.getLogger("lrgpnode.arcade")


class Connection(web.RequestHandler):
    """One connection."""

    __slots__ = ()

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


class _Server(web.Server):
    def __call__(self) -> web.RequestHandler:
        made = super().__call__()
        made.__class__ = Connection
        return made


class Runner(web.AppRunner):
    """``web.AppRunner`` whose connections are ours."""

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        # There is no argument for the class of connections.
        server.__class__ = _Server
        return server
