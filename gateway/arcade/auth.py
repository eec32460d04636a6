"""Who calls: by a token in the header, or by the cookie of a signed-in browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from gateway.arcade.limits import Limiter, Rate
from gateway.arcade.secret import token_hash
from gateway.arcade.store import ArcadeStore, Token
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.web.gate import Scope, Who
from lrgpnode.protocol.value import Value

COOKIE: Final = "arcade_session"

LOOK_AGAIN: Final = 1.0
"""Seconds after which it is seen what the command line has taken away; what it has made is seen at once."""

_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_MAX_TOKEN: Final = 256


_CALLS: Final = Rate(per_second=5000, burst=50_000)
_SESSIONS: Final = Rate(per_second=5, burst=1000)
_TOKENS: Final = Rate(per_second=1, burst=300)
_PASSWORDS: Final = Rate(per_second=0.1, burst=20)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rates(Value):
    """How often: calls of one account, and of one address without an account; new sessions of one account;
    wrong tokens, and wrong passwords, from one address."""

    calls: Rate = _CALLS
    public: Rate = _CALLS
    sessions: Rate = _SESSIONS
    tokens: Rate = _TOKENS
    passwords: Rate = _PASSWORDS


class Doorman:
    """``gate.Gate`` over the tokens of the store."""

    def __init__(self, store: ArcadeStore, rates: Rates | None = None) -> None:
        rates = rates or Rates()
        self._store = store
        self._calls = Limiter(rates.calls)
        self._public = Limiter(rates.public)
        self._sessions = Limiter(rates.sessions)
        self._tokens = Limiter(rates.tokens)
        self._passwords = Limiter(rates.passwords)
        self._known: dict[bytes, tuple[Who, float | None]] = {}
        self.arrived: Callable[[], None] = lambda: None
        """Called whenever somebody with an account does something."""
        self._version = -1
        self._looked = 0.0
        self.reload()

    def reload(self) -> None:
        """Read the tokens again."""
        self._version = self._store.version()
        self._known = {token.hash: (_who(token), token.expires_at) for token in self._store.tokens(live=True)}
        self._looked = time.monotonic()

    # Gate

    def who(self, request: web.Request, scope: Scope) -> Who:
        who = self.caller(request)
        who.check(scope)
        return who

    def anybody(self, request: web.Request) -> None:
        self._limit(self._public, request.remote or "")

    def costly(self, who: Who, what: str) -> None:
        self._limit(self._sessions, f"{who.account} {what}")

    def permit(self, request: web.Request) -> Callable[[], bool]:
        _, token = _token_of(request)
        return self.permit_of(token)

    def permit_of(self, token: str) -> Callable[[], bool]:
        """Says at any time whether this token may still be used. Does not keep the token."""
        hashed = token_hash(token)
        return lambda: self._holder(hashed) is not None

    def caller(self, request: web.Request) -> Who:
        by_cookie, token = _token_of(request)
        who = self.account_of(request, token)
        if who is None:
            raise _unknown(token)
        if by_cookie and request.method not in _SAFE:
            check_same_origin(request)
        return who

    def _look_again(self) -> bool:
        """Read the tokens again if something has changed them; whether it has."""
        self._looked = time.monotonic()
        if self._store.version() == self._version:
            return False
        self.reload()
        return True

    def check_guesses(self, request: web.Request) -> None:
        """Raises ``Refusal`` (429) if too many wrong passwords came from this address."""
        seconds = self._passwords.wait(request.remote or "", asyncio.get_running_loop().time())
        if seconds:
            raise _too_often(seconds)

    def wrong_password(self, request: web.Request) -> None:
        """One more came from this address."""
        self._passwords.take(request.remote or "", asyncio.get_running_loop().time())

    def account_of(self, request: web.Request, token: str) -> Who | None:
        """Whose token it is; None for nobody who may use the arcade now. Raises ``Refusal`` (429)."""
        if time.monotonic() - self._looked > LOOK_AGAIN:
            self._look_again()
        who = self._lookup(token)
        if who is None and token and self._look_again():
            who = self._lookup(token)  # It was made a moment ago.
        if who is not None:
            self.arrived()
            self._limit(self._calls, who.account)
        elif token:
            self._limit(self._tokens, request.remote or "")
        return who

    def suspended(self, token: str) -> bool:
        """Whether it is a token of an account that was disabled."""
        return bool(token) and len(token) <= _MAX_TOKEN and self._store.suspended(token_hash(token))

    def known(self, token: str) -> Who:
        """The account of a token that was just made. Raises ``Refusal`` (401) if it is gone already."""
        who = self._lookup(token)
        if who is None:
            raise Refusal(401, "unauthorized", "This account was disabled.")
        return who

    def _lookup(self, token: str) -> Who | None:
        if not token or len(token) > _MAX_TOKEN:
            return None
        return self._holder(token_hash(token))

    def _holder(self, hashed: bytes) -> Who | None:
        known = self._known.get(hashed)
        if known is None:
            return None
        who, expires_at = known
        return who if expires_at is None or expires_at > time.time() else None

    def _limit(self, limiter: Limiter, name: str) -> None:
        seconds = limiter.take(name, asyncio.get_running_loop().time())
        if seconds:
            raise _too_often(seconds)


def _token_of(request: web.Request) -> tuple[bool, str]:
    """Whether it is that of a cookie, and the token."""
    header = request.headers.get("Authorization")
    if header is None:
        return True, request.cookies.get(COOKIE, "")
    scheme, _, token = header.partition(" ")
    return False, token.strip() if scheme.lower() == "bearer" else ""


def _unknown(token: str) -> Refusal:
    if not token:
        return Refusal(401, "unauthorized", "This needs an `Authorization: Bearer` header with a token.")
    return Refusal(401, "unauthorized", "This token is not known.")


def _too_often(seconds: float) -> Refusal:
    return Refusal(429, "rate_limited", "Too many requests.", retry_after=seconds)


def check_same_origin(request: web.Request) -> None:
    """A cookie goes along with whatever page sends the request. Raises ``Refusal`` (403)."""
    origin = request.headers.get("Origin", "")
    try:
        host = urlsplit(origin).netloc.lower()
    except ValueError:  # half an IPv6 address, for one
        host = ""
    if not host or host != request.host.lower():
        raise Refusal(403, "cross_origin", "This may only be called from a page of this server.")


def _who(token: Token) -> Who:
    kind = "house" if token.house else "player" if token.kind == "browser" else "agent"
    return Who(account=token.account, name=token.account_name, scopes=frozenset(token.scopes), kind=kind)
