"""Answers as JSON."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import Any, Final

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from gateway.rcadia import wire
from gateway.rcadia.server import views
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.web import direct

encode: Final = msgspec.json.Encoder().encode

_HEADERS: Final = CIMultiDict(
    {
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
)


def ok(request: web.Request, value: Any) -> web.StreamResponse:
    """Status 200."""
    return ok_raw(request, encode(value))


def ok_raw(request: web.Request, body: bytes) -> web.StreamResponse:
    """Status 200; ``body`` is JSON."""
    return direct.Written(direct.packet(body)) if direct.possible(request) else raw(body)


def json(value: Any, status: int = 200) -> web.Response:
    return raw(encode(value), status)


def raw(body: bytes, status: int = 200) -> web.Response:
    """``body`` is JSON."""
    return web.Response(body=body, status=status, headers=_HEADERS)


def refused(refusal: Refusal, base: str) -> web.Response:
    """``{error, code}``, and the snapshot of the player where one belongs to it."""
    answer = wire.ErrorAnswer(
        error=str(refusal),
        code=refusal.code,
        snapshot=msgspec.UNSET if refusal.seat is None else views.snapshot(refusal.seat, base),
    )
    response = json(answer, refusal.status)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(refusal.retry_after)))
    if refusal.status == HTTPStatus.REQUEST_TIMEOUT:
        response.force_close()
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def failed(error: web.HTTPException) -> web.Response:
    """What aiohttp itself refuses, such as a body that is too large, in the same form."""
    response = plain_error(HTTPStatus(error.status))
    if "Allow" in error.headers:
        response.headers["Allow"] = error.headers["Allow"]
    return response


def plain_error(status: HTTPStatus) -> web.Response:
    """An error of which nothing but the status is to be said."""
    code = status.phrase.lower().replace(" ", "_")
    return json(wire.ErrorAnswer(error=f"{status.phrase}.", code=code), status)
