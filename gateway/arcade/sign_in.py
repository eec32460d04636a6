"""Signing in to the pages with a local account, from a page of this server only.

The browser gets a cookie that scripts cannot read and other sites cannot send; it stands for a token with all
scopes, of which the store has a hash.
"""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Final

import msgspec
from aiohttp import web
from msgspec import Meta

from gateway.arcade import secret
from gateway.arcade.auth import COOKIE, Doorman, check_same_origin
from gateway.arcade.store import ArcadeStore
from gateway.rcadia import wire
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.gate import Who
from gateway.rcadia.server.web.service import Service

PATH: Final = "/api/v1/arcade/account"

SIGNED_IN_SECONDS: Final = 30 * 86400

MAX_BODY: Final = 8 * 1024
"""Bytes; whoever signs in is nobody yet."""

MAX_CHECKS: Final = 2
"""Passwords checked at a time; each takes memory and a processor."""

_ALL: Final = ("play", "host")


class SignInRequest(wire.Request, frozen=True, kw_only=True):
    """``POST`` here; a browser gets a cookie."""

    name: Annotated[str, Meta(min_length=1, max_length=64)]
    password: Annotated[str, Meta(min_length=1, max_length=secret.MAX_PASSWORD)]


class AccountAnswer(wire.Answer, frozen=True, kw_only=True):
    """Who is signed in; all null where nobody is."""

    account: str | None = None
    name: str | None = None
    scopes: tuple[str, ...] = ()


_decoder: Final = msgspec.json.Decoder(SignInRequest)


class SignInRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service, store: ArcadeStore, doorman: Doorman) -> None:
        self._service = service
        self._store = store
        self._doorman = doorman
        self._checks = asyncio.Semaphore(MAX_CHECKS)

    def table(self) -> list[web.RouteDef]:
        route = self._service.route
        return [
            web.get(PATH, route(self.show)),
            web.post(PATH, route(self.sign_in)),
            web.delete(PATH, route(self.sign_out)),
        ]

    async def show(self, request: web.Request) -> web.StreamResponse:
        if "Authorization" not in request.headers and COOKIE not in request.cookies:
            self._doorman.anybody(request)
            return answers.json(AccountAnswer())
        return answers.json(_answer(self._doorman.caller(request)))

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        self._doorman.anybody(request)
        check_same_origin(request)
        self._doorman.check_guesses(request)
        given = await requests.body(request, _decoder, most=MAX_BODY)
        known = await asyncio.to_thread(self._store.password, given.name)
        account, hashed = known or ("", secret.NOBODY)
        async with self._checks:
            matches = await asyncio.to_thread(secret.password_matches, given.password, hashed)
        if not matches or known is None:
            self._doorman.wrong_password(request)
            raise Refusal(401, "unauthorized", "The name or the password is wrong.")
        token = secret.new_token()
        now = time.time()
        await asyncio.to_thread(
            self._store.add_token,
            secret.new_id(),
            account,
            secret.token_hash(token),
            _ALL,
            kind="browser",
            label="signed in",
            now=now,
            expires_at=now + SIGNED_IN_SECONDS,
        )
        self._doorman.reload()
        who = self._doorman.known(token)
        response = answers.json(_answer(who))
        response.set_cookie(
            COOKIE,
            token,
            max_age=SIGNED_IN_SECONDS,
            httponly=True,
            samesite="Strict",
            secure=self._service.base(request).startswith("https:"),
            path="/",
        )
        return response

    async def sign_out(self, request: web.Request) -> web.StreamResponse:
        check_same_origin(request)
        token = request.cookies.get(COOKIE, "")
        hashed = secret.token_hash(token)
        for one in await asyncio.to_thread(self._store.tokens, live=False):
            if one.hash == hashed:
                await asyncio.to_thread(self._store.remove_token, one.id)
        self._doorman.reload()
        response = answers.json(AccountAnswer())
        response.del_cookie(COOKIE, path="/")
        return response


def _answer(who: Who) -> AccountAnswer:
    return AccountAnswer(account=who.account, name=who.name, scopes=tuple(sorted(who.scopes)))
