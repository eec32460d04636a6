"""One request to an RCADIA server, and what came of it. Agent and bridge clients share this.

The token goes into the ``Authorization`` header of a request and nowhere else. Redirects are followed only
within the same origin; cookies, proxies of the environment and compressed bodies are not used. Everything has
a time limit and a size limit. Nothing is sent while a pause that the server asked for is not over (`Gate`).
Requests are never repeated here: whether one may be depends on what it does.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar
from urllib.parse import urljoin, urlsplit

import aiohttp

from gateway.address import Address
from gateway.http import carriable, retry_after
from gateway.rcadia.wire import ErrorAnswer
from gateway.resolver import PrivateResolver
from gateway.secret import Secret
from lrgpnode.protocol.printable import printable
from lrgpnode.protocol.value import Value

from .errors import (
    Conflict,
    CoolingDown,
    Forbidden,
    RcadiaError,
    Refused,
    ServerRestarted,
    Unauthorized,
    UnknownSession,
    Unreachable,
    Unusable,
)
from .reading import lenient, read

T = TypeVar("T")
Query = Mapping[str, str | int]

MAX_REDIRECTS: Final = 3
MAX_SHOWN: Final = 200
_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_ABOUT_US: Final = frozenset((401, 403, 404, 409, 410))
"""What would cost a seat or an account, and is believed only in the platform's own form (§7)."""

_KEEP_METHOD: Final = frozenset((307, 308))
_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "lrgpnode"}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits(Value):
    """Seconds and bytes. A request may take ``total`` seconds beside those the server is asked to hold it."""

    connect: float = 10.0
    total: float = 20.0
    answer: int = 1 << 20
    connections: int = 100


class Gate(Protocol):
    """The pause that a platform asked for. One gate for all that goes to it from here."""

    def remaining(self) -> float:
        """Seconds until something may be sent, 0 for now."""
        ...

    def hold(self, seconds: float) -> None:
        """The server wants nothing for ``seconds``."""
        ...


class MemoryGate:
    """A `Gate` that lasts as long as the process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0

    def remaining(self) -> float:
        return max(0.0, self._until - self._clock())

    def hold(self, seconds: float) -> None:
        self._until = max(self._until, self._clock() + seconds)


class Connections:
    """The connections to one server, opened when first used. All seats and tokens share them."""

    def __init__(self, address: Address, *, limits: Limits | None = None, gate: Gate | None = None) -> None:
        self.address = address
        self.limits = limits or Limits()
        self.gate: Gate = gate or MemoryGate()
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    def session(self) -> aiohttp.ClientSession:
        """Raises ``Unreachable`` after ``close``."""
        if self._closed:
            raise Unreachable("The connections to the platform are closed")
        if self._session is None or self._session.closed:
            resolver = PrivateResolver() if self.address.plain else None
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self.limits.connections, resolver=resolver),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=_HEADERS,
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    async def close(self) -> None:
        """For good: whoever still asks for something must not open anything anew."""
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None


@dataclass(frozen=True, slots=True, repr=False)
class _Reply(Value):
    status: int
    retry_after: float | None
    location: str
    body: bytes


class Transport:
    """Requests with one token (None: without). Raises ``Unauthorized`` for one that no header can carry."""

    def __init__(self, connections: Connections, token: Secret | None = None) -> None:
        self.connections = connections
        self._token = token
        if token is not None and not carriable(token.reveal()):
            raise Unauthorized("The token is empty or has characters that no token has: give it again")

    async def request(
        self,
        method: str,
        path: tuple[str, ...],
        kind: type[T],
        *,
        query: Query | None = None,
        body: object = None,
        wait: float = 0,
        signed: bool = True,
    ) -> T:
        """Send one request and read the answer as ``kind``.

        ``path``: parts below the base address. ``body``: sent as JSON unless None. ``wait``: seconds for
        which the server was asked to hold the request. ``signed``: with the token. Raises `RcadiaError`.
        """
        return read(await self.fetch(method, path, query=query, body=body, wait=wait, signed=signed), kind)

    async def fetch(
        self,
        method: str,
        path: tuple[str, ...],
        *,
        query: Query | None = None,
        body: object = None,
        wait: float = 0,
        signed: bool = True,
    ) -> bytes:
        """The body of a good answer. Raises `RcadiaError`."""
        if (pause := self.connections.gate.remaining()) > 0:
            raise CoolingDown(f"The platform asked for a pause of {pause:.0f} more seconds", "", pause)
        url = self.connections.address.url(*path)
        data = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        reply = await self._follow(method, url, query, data, wait, signed)
        if reply.retry_after is not None and (reply.status == 429 or reply.status >= 500):
            self.connections.gate.hold(reply.retry_after)
        if 200 <= reply.status < 300:
            return reply.body
        raise self._error(reply)

    async def _follow(
        self, method: str, url: str, query: Query | None, data: bytes | None, wait: float, signed: bool
    ) -> _Reply:
        for _ in range(MAX_REDIRECTS + 1):
            reply = await self._send(method, url, query, data, wait, signed)
            if reply.status not in _REDIRECTS:
                return reply
            target = urljoin(url, reply.location)
            if not reply.location or _origin(target) != _origin(url):
                where = _shown(urlsplit(target).hostname or "nowhere")
                raise Unusable(f"The platform sends us to {where}: set its new address if that is right")
            if method != "GET" and reply.status not in _KEEP_METHOD:
                raise Unusable("The platform answers an action with a redirect")
            url, query = target, None
        raise Unusable("The platform redirects in a circle")

    async def _send(
        self, method: str, url: str, query: Query | None, data: bytes | None, wait: float, signed: bool
    ) -> _Reply:
        limits = self.connections.limits
        headers = {} if data is None else {"Content-Type": "application/json"}
        if signed and self._token is not None:
            headers["Authorization"] = f"Bearer {self._token.reveal()}"
        timeout = aiohttp.ClientTimeout(total=limits.total + wait, sock_connect=limits.connect)
        try:
            async with self.connections.session().request(
                method,
                url,
                params=query,
                data=data,
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                body = await _bounded(response, limits.answer)
                return _Reply(
                    response.status,
                    retry_after(response.headers.get("Retry-After")),
                    response.headers.get("Location", ""),
                    body,
                )
        except TimeoutError:
            raise Unreachable("The platform did not answer in time") from None
        except (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError) as error:
            # `from None`: aiohttp's exceptions know the request with its headers.
            raise Unreachable(f"The platform cannot be reached ({_kind(error)})") from None

    def _error(self, reply: _Reply) -> RcadiaError:
        try:
            answer = read(reply.body, ErrorAnswer)
        except Unusable:
            answer = lenient({}, ErrorAnswer)
            if reply.status in _ABOUT_US:
                return Unusable(f"Something before the platform answers with status {reply.status}")
        code = answer.code if isinstance(answer.code, str) else ""
        message = self._safe(answer.error) or f"The platform answered with status {reply.status}"
        match reply.status:
            case 401:
                return Unauthorized(f"The platform does not take the token: {message}", code)
            case 403:
                return Forbidden(message, code)
            case 404:
                return UnknownSession(message, code)
            case 409:
                snapshot = answer.snapshot or None
                return Conflict(message, self._safe(code), snapshot)
            case 410:
                return ServerRestarted(message, code)
            case 408 | 425 | 429:
                return Unreachable(message, code, reply.retry_after)
            case status if status >= 500:
                return Unreachable(f"The platform has trouble: {message}", code, reply.retry_after)
        return Refused(message, self._safe(code))

    def _safe(self, text: str) -> str:
        """A server's text for people: one bounded line, even if it echoes the token."""
        if self._token is not None:
            text = text.replace(self._token.reveal(), "<secret>")
        return _shown(text)


async def _bounded(response: aiohttp.ClientResponse, most: int) -> bytes:
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    if encoding != "identity":
        raise Unusable("The platform compresses its answers, which was not asked for")
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > most:
            response.close()
            raise Unusable(f"The platform's answer is longer than {most // 1024} KiB")
        parts.append(part)
    return b"".join(parts)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        port = None
    return parts.scheme, (parts.hostname or "").lower(), port


def _shown(text: str) -> str:
    return "".join(c if printable(c) else " " for c in text)[:MAX_SHOWN].strip()


def _kind(error: Exception) -> str:
    """What failed, without the address or anything that was sent."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is not known"
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return "its certificate is not accepted"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "no connection"
    return "the connection broke"
