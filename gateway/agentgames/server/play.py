"""``/play``: the protocol over WebSocket, for programs with a token and for pages of somebody signed in.

One task reads and one writes, so that pings are answered and somebody who leaves is missed at any time.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from gateway.agentgames import wire
from gateway.agentgames.server import messages
from gateway.agentgames.server.arena import Arena, TooMany
from gateway.agentgames.server.connection import (
    CLOSE_SECONDS,
    KEEP_ALIVE_SECONDS,
    KEEP_ALIVE_TIMES,
    Throttle,
)
from gateway.agentgames.server.seat import Player, Seat
from gateway.arcade.auth import COOKIE, Doorman, check_same_origin
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.web.gate import Who

PATH: Final = "/play"
HEALTH: Final = "/healthz"

NOT_FOUND: Final = "404 page not found\n"
BAD_REQUEST: Final = "Bad Request\n"

_BEARER: Final = "Bearer "

_CODES: Final = (*range(1000, 1004), *range(1007, 1015), *range(3000, 5000))
"""What a Close may carry."""

log = logging.getLogger("lrgpnode.arcade")


class PlayRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, arena: Arena, doorman: Doorman) -> None:
        # It warns of every subprotocol that a client would like, in the client's words.
        logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
        self._arena = arena
        self._doorman = doorman

    def table(self) -> list[web.RouteDef]:
        return [
            web.get(PATH, self.play, allow_head=False),
            web.get(PATH + "/{rest:.*}", _not_found, allow_head=False),
            web.get(HEALTH, _healthy),
        ]

    async def play(self, request: web.Request) -> web.StreamResponse:
        try:
            who, permit = self._who(request)
        except Refusal as refusal:
            return _text(refusal.status, f"{refusal}\n", refusal.retry_after)
        upgrade = web.WebSocketResponse(
            max_msg_size=wire.MAX_LINE, compress=False, timeout=CLOSE_SECONDS, autoclose=False
        )
        if not upgrade.can_prepare(request).ok or request.headers.get("Sec-WebSocket-Version") != "13":
            response = _text(400, BAD_REQUEST)
            response.headers["Sec-WebSocket-Version"] = "13"
            return response
        try:
            seat = self._arena.seat(Player(account=who.account, name=who.name), permit)
        except TooMany as error:
            return _text(429, f"{error}\n", error.retry_after)
        try:
            await upgrade.prepare(request)
            _keep_alive(request)
            self._enter(request, seat)
            await _converse(request, upgrade, seat)
        finally:
            seat.leave()
        return upgrade

    def _enter(self, request: web.Request, seat: Seat) -> None:
        game = request.query.get("game", "").lower()
        if not game:
            return
        if messages.wants_practice(request.query.get("practice")):
            seat.practise(game, messages.level(request.query.get("level")))
        else:
            seat.join(game)

    def _who(self, request: web.Request) -> tuple[Who, Callable[[], bool]]:
        """Who it is, and what says later whether it still may play.

        Raises ``Refusal``, in whose text there is what the specification's server says.
        """
        given = request.headers.get("Authorization") or request.query.get("token") or ""
        by_cookie = not given and COOKIE in request.cookies
        token = request.cookies[COOKIE] if by_cookie else given.removeprefix(_BEARER)
        who = self._doorman.account_of(request, token)
        if who is None:
            if self._doorman.suspended(token):
                raise Refusal(403, "suspended", wire.ACCOUNT_UNAVAILABLE)
            raise Refusal(401, "unauthorized", wire.BAD_TOKEN)
        if by_cookie:
            check_same_origin(request)
        who.check("play")
        return who, self._doorman.permit_of(token)


async def _converse(request: web.Request, upgrade: web.WebSocketResponse, seat: Seat) -> None:
    reading = asyncio.create_task(_read(upgrade, seat))
    writing = asyncio.create_task(_write(upgrade, seat))
    try:
        await seat.until_over()
        # The rest is written and the other side's Close awaited, but not for ever.
        async with asyncio.timeout(CLOSE_SECONDS):
            await writing
            # Who closed is answered with the same code.
            code = reading.result() if reading.done() else WSCloseCode.OK
            # Closing would not await the answer while another task reads.
            await _ended(reading)
            await upgrade.close(code=code)
    except (ConnectionError, TimeoutError, RuntimeError) as error:
        log.debug("a connection of a player is lost: %r", error)
        if request.transport is not None:
            request.transport.abort()
    finally:
        await _ended(reading)
        await _ended(writing)


async def _ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError, ConnectionError, RuntimeError):
        await task


async def _write(upgrade: web.WebSocketResponse, seat: Seat) -> None:
    try:
        async for message in seat.messages():
            await upgrade.send_str(wire.encode(message).decode())
    finally:
        seat.leave()


async def _read(upgrade: web.WebSocketResponse, seat: Seat) -> int:
    """The code to close with."""
    throttle = Throttle()
    try:
        while True:
            message = await upgrade.receive()
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                named = message.type is WSMsgType.CLOSE and message.data in _CODES
                return int(message.data) if named else WSCloseCode.OK
            seat.hear(message.data)
            seconds = throttle.wait(len(message.data))
            if seconds:
                await asyncio.sleep(seconds)
    finally:
        # Whatever ended it: nobody is there any more.
        seat.leave()


def _keep_alive(request: web.Request) -> None:
    """Find out about clients that vanish without a word; the protocol's own pings are the clients' affair."""
    found = request.transport.get_extra_info("socket") if request.transport is not None else None
    if found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEP_ALIVE_SECONDS)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEP_ALIVE_TIMES)


def _text(status: int, text: str, retry_after: float | None = None) -> web.Response:
    headers = {"X-Content-Type-Options": "nosniff"}
    if retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
    return web.Response(status=status, text=text, headers=headers)


async def _not_found(_: web.Request) -> web.StreamResponse:
    return _text(404, NOT_FOUND)


async def _healthy(_: web.Request) -> web.StreamResponse:
    return _text(200, "ok")
