"""Serves the pages and their files from the package, with the headers that belong to each.

The files are few and small (under 300 kB), so each is read once, when it is first asked for, and kept with
its compressed form. Only what lies in ``static`` has an address: a path is looked up, never joined.

``static/pages`` has what is in each page, and the frame around all of them.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeAlias

from aiohttp import web

from lrgpnode.protocol.value import Value

from .headers import FILE, GAME, PAGE

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.Response]]

PREFIX: Final = "/web/"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Page(Value):
    """``name`` is that of its content and of its script, ``at`` its place in the navigation."""

    name: str
    title: str = "Arcade"
    at: str = ""
    styles: tuple[str, ...] = ("base",)


_BOARDS: Final = ("base", "boards", "table")
_MATCH: Final = (*_BOARDS, "ladder")
_LADDER: Final = Page(name="ladder", title="Ladder · Arcade", at="/ladder", styles=("base", "ladder"))
_HOST: Final = Page(name="host", title="Host a game · Arcade", at="/host", styles=_BOARDS)

PAGES: Final[Mapping[str, Page]] = {
    "/": Page(name="lobby", at="/"),
    "/results": Page(name="results", title="Results · Arcade", at="/results"),
    "/sign-in": Page(name="sign-in", title="Sign in · Arcade"),
    "/host": _HOST,
    "/host/{game}": _HOST,
    "/table/{session}": Page(name="table", title="Table · Arcade", styles=_BOARDS),
    "/ladder": _LADDER,
    "/ladder/{game}": _LADDER,
    "/replay/{number}": Page(name="replay", title="Replay · Arcade", styles=_MATCH),
    "/match/{game}": Page(name="match", title="Match · Arcade", styles=_MATCH),
}
"""Which page is at which address; what stands in braces is read by the page's script."""

_PARTS: Final = "pages/"
"""Where the content of the pages is, which has no address of its own."""

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
    known = {name: _reader(file) for name, file in _walk(static, "") if not name.startswith(_PARTS)}

    def page(shown: Page) -> Handler:
        @cache
        def made() -> Asset:
            return _asset(_document(static / _PARTS, shown).encode(), ".html")

        async def handler(request: web.Request) -> web.Response:
            return _answer(request, made(), PAGE)

        return handler

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in known:
            raise web.HTTPNotFound(text="There is no such file.\n")
        document = name.endswith(".html")
        return _answer(request, known[name](), GAME if document else FILE)

    return [
        *(web.get(path, page(shown)) for path, shown in PAGES.items()),
        web.get(PREFIX + "{name:.+}", file),
    ]


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry


def _document(parts: Traversable, page: Page) -> str:
    """The page in its frame; its place in the navigation is marked."""
    frame = (parts / "frame.html").read_text("utf-8")
    document = frame.format(
        title=page.title,
        script=f'<script type="module" src="/web/js/{page.name}.js"></script>',
        styles="\n".join(f'<link rel="stylesheet" href="/web/css/{one}.css">' for one in page.styles),
        main=(parts / f"{page.name}.html").read_text("utf-8"),
    )
    return document.replace(f'\n<a href="{page.at}">', f'\n<a href="{page.at}" aria-current="page">')


def _reader(file: Traversable) -> Callable[[], Asset]:
    @cache
    def read() -> Asset:
        return _asset(file.read_bytes(), "." + file.name.rpartition(".")[2].lower())

    return read


def _asset(body: bytes, suffix: str) -> Asset:
    return Asset(
        body=body,
        packed=gzip.compress(body, mtime=0) if len(body) >= _WORTH_COMPRESSING else None,
        etag=f'"{hashlib.sha256(body).hexdigest()[:24]}"',
        content_type=_TYPES.get(suffix, "application/octet-stream"),
    )


def _answer(request: web.Request, asset: Asset, headers: Mapping[str, str]) -> web.Response:
    sent = {**headers, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if asset.etag in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=sent)
    sent["Content-Type"] = asset.content_type
    if asset.packed is not None and takes_gzip(request.headers.get("Accept-Encoding", "")):
        sent["Content-Encoding"] = "gzip"
        return web.Response(body=asset.packed, headers=sent)
    return web.Response(body=asset.body, headers=sent)


def takes_gzip(accepted: str) -> bool:
    """Whether a header ``Accept-Encoding`` allows gzip (RFC 9110, section 12.5.3)."""
    weights = {}
    for one in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in one.split(";"))
        weight = next((text[2:] for text in parameters if text.startswith("q=")), "1")
        weights[name] = _WEIGHT.match(weight) is not None and weight.strip("0.") != ""
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


_WEIGHT: Final = re.compile(r"(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\Z")
