"""Serves the pages and their files from the package, with the headers that belong to each.

The files are few and small (under 300 kB), so each is read once, when it is first asked for, and kept with
its compressed form. Only what lies in ``static`` has an address: a path is looked up, never joined.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

from aiohttp import web

from .headers import FILE, GAME, PAGE

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.Response]]

PREFIX: Final = "/web/"

PAGES: Final[Mapping[str, str]] = {
    "/": "lobby.html",
    "/results": "results.html",
    "/sign-in": "sign-in.html",
    "/host": "host.html",
    "/host/{game}": "host.html",
    "/table/{session}": "table.html",
    "/ladder": "ladder.html",
    "/ladder/{game}": "ladder.html",
    "/replay/{number}": "replay.html",
    "/match/{game}": "match.html",
}
"""Which page is at which address; what stands in braces is read by the page's script."""

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".md": "text/plain; charset=utf-8",
    ".license": "text/plain; charset=utf-8",
}
_WORTH_COMPRESSING: Final = 600
"""Bytes; below, the headers are what takes the time."""


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is sent: ``etag`` names its content, ``packed`` is its gzip form or None."""

    body: bytes
    packed: bytes | None
    etag: str
    content_type: str


def routes() -> list[web.RouteDef]:
    """Every page and file, for an application's router."""
    static = files(__package__) / "static"
    known = {name: _reader(file) for name, file in _walk(static, "")}

    def page(name: str) -> Handler:
        async def handler(request: web.Request) -> web.Response:
            return _answer(request, known[name](), PAGE)

        return handler

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        # A page without its policy and address is of no use to anybody.
        if name not in known or name in PAGES.values():
            raise web.HTTPNotFound(text="There is no such file.\n")
        document = name.endswith(".html")
        return _answer(request, known[name](), GAME if document else FILE)

    return [
        *(web.get(path, page(name)) for path, name in PAGES.items()),
        web.get(PREFIX + "{name:.+}", file),
    ]


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def _reader(file: Traversable) -> Callable[[], Asset]:
    @cache
    def read() -> Asset:
        body = file.read_bytes()
        packed = gzip.compress(body, mtime=0) if len(body) >= _WORTH_COMPRESSING else None
        suffix = "." + file.name.rpartition(".")[2].lower()
        return Asset(
            body=body,
            packed=packed,
            etag=f'"{hashlib.sha256(body).hexdigest()[:24]}"',
            content_type=_TYPES.get(suffix, "application/octet-stream"),
        )

    return read


def _answer(request: web.Request, asset: Asset, headers: Mapping[str, str]) -> web.Response:
    sent = {**headers, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if asset.etag in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=sent)
    sent["Content-Type"] = asset.content_type
    if asset.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        sent["Content-Encoding"] = "gzip"
        return web.Response(body=asset.packed, headers=sent)
    return web.Response(body=asset.body, headers=sent)
