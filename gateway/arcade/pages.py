"""The web pages: files of the package ``gateway.arcade.web``, nothing else, and nothing from elsewhere.

Every file under ``web/`` with a suffix of ``TYPES`` is served at its own path, ``index.html`` of a folder at
the folder's, and ``NAME.html`` also as ``NAME``. Files are read at start. Those under ``web/games/`` are
games for a sandboxed frame: they may only run scripts, have no origin of their own, and may be framed by our
pages.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from aiohttp import web
from multidict import CIMultiDict

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
}

GAMES: Final = "games/"

_COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

GAME_POLICY: Final = (
    "sandbox allow-scripts; default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)


class Page:
    """A file as it is sent."""

    __slots__ = ("body", "etag", "headers")

    def __init__(self, path: str, body: bytes) -> None:
        game = path.startswith(GAMES)
        self.body = body
        self.etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        self.headers = CIMultiDict(_COMMON)
        self.headers["Content-Type"] = TYPES[_suffix(path)]
        self.headers["Content-Security-Policy"] = GAME_POLICY if game else PAGE_POLICY
        self.headers["ETag"] = self.etag
        if game:
            # A frame without an origin asks for its scripts as a stranger.
            self.headers["Access-Control-Allow-Origin"] = "*"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == self.etag:
            return web.Response(status=304, headers=self.headers)
        return web.Response(body=self.body, headers=self.headers)


def routes(root: Traversable | None = None) -> list[web.RouteDef]:
    """A route for each file; none where there are no pages."""
    root = root if root is not None else files("gateway.arcade") / "web"
    found: list[web.RouteDef] = []
    if not root.is_dir():
        return found
    for path, file in sorted(_walk(root, "")):
        page = Page(path, file.read_bytes())
        found += [web.get(address, page.answer) for address in _addresses(path)]
    return found


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif _suffix(entry.name) in TYPES:
            found.append((prefix + entry.name, entry))
    return found


def _addresses(path: str) -> list[str]:
    addresses = [f"/{path}"]
    folder, _, name = path.rpartition("/")
    if name == "index.html":
        addresses.append(f"/{folder}/" if folder else "/")
    elif name.endswith(".html"):
        addresses.append(f"/{path.removesuffix('.html')}")
    return addresses


def _suffix(name: str) -> str:
    return "." + name.rpartition(".")[2]
