"""AgentGames over WebSocket.

The token goes into the ``Authorization`` header of the opening request and nowhere else. Redirects are not
followed; cookies, proxies of the environment and compression are not used. Nobody sends pings from here: the
reference server answers none while we wait, and whatever takes that for a lost connection forfeits.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from types import SimpleNamespace
from typing import Final

import aiohttp

from gateway.address import Address
from gateway.http import carriable, retry_after
from gateway.resolver import PrivateResolver
from gateway.secret import Secret

from .connection import PROBE, Connection, Limits
from .errors import AgentGamesError, Ended, Unauthorized, Unreachable, Unusable

PATH: Final = "play"
"""Where the protocol is, if the address names nothing else."""


class WebSocketDialer:
    """``address``: of a ``wss`` or ``ws`` URL. Implements ``connection.Dialer``."""

    def __init__(self, address: Address, *, limits: Limits | None = None) -> None:
        self._url = address.base if address.base.count("/") > 2 else address.url(PATH)
        self._plain = address.plain
        self._limits = limits or Limits()
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def dial(self, game: str, secret: Secret) -> Connection:
        """As ``Dialer.dial``."""
        token = secret.reveal()
        if not carriable(token):
            raise Unauthorized(
                "The account is no token: AgentGames over WebSocket takes one of 64 hex digits"
            )
        return WebSocketConnection(await self._open(game, {"Authorization": f"Bearer {token}"}), self._limits)

    async def reach(self) -> None:
        """As ``Dialer.reach``."""
        try:
            await (await self._open(PROBE, {})).close()
        except Unauthorized:
            return

    async def close(self) -> None:
        """As ``Dialer.close``."""
        self._closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    # Inside

    async def _open(self, game: str, headers: dict[str, str]) -> aiohttp.ClientWebSocketResponse:
        limits = self._limits
        try:
            async with asyncio.timeout(limits.connect):
                return await self._client().ws_connect(
                    self._url,
                    params={"game": game},
                    headers=headers,
                    heartbeat=None,
                    compress=0,
                    max_msg_size=limits.message,
                    timeout=aiohttp.ClientWSTimeout(ws_close=limits.close),
                )
        except aiohttp.WSServerHandshakeError as error:
            # `from None` everywhere: aiohttp's exceptions know the request with its headers.
            raise _refusal(
                error.status, error.headers.get("Retry-After") if error.headers else None
            ) from None
        except TimeoutError:
            raise Unreachable("The platform did not answer in time") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Unreachable(f"The platform cannot be reached ({type(error).__name__})") from None

    def _client(self) -> aiohttp.ClientSession:
        if self._closed:
            raise Unreachable("The connections to the platform are closed")
        if self._session is None or self._session.closed:
            trace = aiohttp.TraceConfig()
            trace.on_request_redirect.append(_no_redirect)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(resolver=PrivateResolver() if self._plain else None, limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "lrgpnode"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect),
                trace_configs=[trace],
                trust_env=False,
            )
        return self._session


class WebSocketConnection:
    """Implements ``connection.Connection``."""

    leaves_queue = False

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, limits: Limits) -> None:
        self._socket = socket
        self._limits = limits

    async def receive(self) -> bytes:
        """As ``Connection.receive``. The server never closes properly: any end is an end."""
        message = await self._socket.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                return str(message.data).encode("utf-8", "replace")
            case aiohttp.WSMsgType.BINARY:
                return bytes(message.data)
            case aiohttp.WSMsgType.ERROR:
                if isinstance(message.data, aiohttp.WebSocketError):
                    raise Unusable("The platform sends what is no message, or one that is too long")
        raise Ended("The platform has ended the connection")

    async def send(self, message: bytes) -> None:
        """As ``Connection.send``."""
        try:
            await self._socket.send_str(message.decode())
        except (OSError, aiohttp.ClientError):
            raise Ended("The connection to the platform is lost") from None

    async def close(self) -> None:
        """As ``Connection.close``."""
        try:
            async with asyncio.timeout(2 * self._limits.close):
                await self._socket.close()
        except (TimeoutError, OSError, aiohttp.ClientError):
            # What was open is closed by now: only the server's word for it is missing.
            return


async def _no_redirect(
    session: aiohttp.ClientSession, context: SimpleNamespace, found: aiohttp.TraceRequestRedirectParams
) -> None:
    raise aiohttp.ClientPayloadError("a redirect")


def _refusal(status: int, pause: str | None) -> AgentGamesError:
    match status:
        case HTTPStatus.UNAUTHORIZED:
            return Unauthorized("The platform does not take the token")
        case HTTPStatus.FORBIDDEN:
            return Unauthorized("The platform does not let this account play")
        case HTTPStatus.NOT_FOUND:
            return Unreachable("There is no AgentGames at the address of the platform")
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            return Unreachable(f"The platform answers with status {status:d}", retry_after(pause))
    return Unreachable(f"The platform answers with status {status:d}")
