"""The pages as files: what each may do, that nothing comes from elsewhere, and how they are sent."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from gateway.arcade.web import site

STATIC = Path(str(files("gateway.arcade.web"))) / "static"
OWN = [path for path in STATIC.rglob("*") if path.is_file() and "vendor" not in path.parts]
SCRIPTS = [path for path in OWN if path.suffix == ".js"]
PAGES = (
    *("/", "/results", "/sign-in", "/host", "/host/chess", "/table/ses_0123456789ab"),
    *("/ladder", "/ladder/c4", "/replay/12", "/match/ttt"),
)
LADDER = ("arena", "duel", "ladder", "match", "match-stream", "match-view", "replay")
"""Files that only the ladder's pages load."""

GAME = "/web/games/chess/index.html"

Client = TestClient[web.Request, web.Application]


def served(test: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        app = web.Application()
        app.add_routes(site.routes())
        async with TestClient(TestServer(app), auto_decompress=False) as client:
            await test(client)

    asyncio.run(main())


def policy(text: str) -> dict[str, str]:
    return {rule.split()[0]: " ".join(rule.split()[1:]) for rule in text.split(";")}


def test_pages_run_our_scripts_only_and_stand_in_no_frame() -> None:
    async def test(client: Client) -> None:
        for page in PAGES:
            answer = await client.get(page)
            assert answer.status == 200
            assert answer.content_type == "text/html"
            rules = policy(answer.headers["Content-Security-Policy"])
            assert rules["default-src"] == "'none'"
            assert (
                rules["script-src"]
                == rules["style-src"]
                == rules["connect-src"]
                == rules["frame-src"]
                == "'self'"
            )
            assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "Access-Control-Allow-Origin" not in answer.headers

    served(test)


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("br;q=1.0, GZIP ; q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
        ("gzip;q=much", False),
        ("not-gzip", False),
        ("", False),
    ],
)
def test_pages_are_packed_for_those_who_take_that(accepted: str, packed: bool) -> None:
    async def test(client: Client) -> None:
        answer = await client.get("/web/css/base.css", headers={"Accept-Encoding": accepted})
        assert answer.headers.get("Content-Encoding") == ("gzip" if packed else None)
        assert answer.headers["Vary"] == "Accept-Encoding"

    served(test)


def test_each_page_is_whole_and_says_where_it_is() -> None:
    expected = {
        "/": ("Arcade", "lobby", "Tables"),
        "/results": ("Results · Arcade", "results", "Results"),
        "/sign-in": ("Sign in · Arcade", "sign-in", None),
        "/host": ("Host a game · Arcade", "host", "Host a game"),
        "/host/chess": ("Host a game · Arcade", "host", "Host a game"),
        "/table/ses_0123456789ab": ("Table · Arcade", "table", None),
    }

    async def test(client: Client) -> None:
        for path, (title, script, current) in expected.items():
            text = await (await client.get(path, headers={"Accept-Encoding": "identity"})).text()
            assert text.startswith('<!doctype html>\n<html lang="en">')
            assert 'name="viewport"' in text
            assert f"<title>{title}</title>" in text
            assert f'<script type="module" src="/web/js/{script}.js"></script>' in text
            assert text.count('href="/web/css/base.css"') == text.count("<main ") == 1
            assert re.findall(r'aria-current="page">([^<]+)<', text) == ([current] if current else [])
            assert text.count('id="note"') == 1
            assert "{" not in text
            for named in re.findall(r'(?:src|href)="(/[^"#]*)"', text):
                assert (await client.get(named)).status == 200, (path, named)

    served(test)


def test_the_navigation_names_each_page_once_and_marks_the_one_that_is_open() -> None:
    async def test(client: Client) -> None:
        for page in PAGES:
            answer = await client.get(page, headers={"Accept-Encoding": "identity"})
            shown = (await answer.text()).split("<nav")[1].split("</nav>")[0]
            links = re.findall(r'<a href="([^"]+)"( aria-current="page")?>', shown)
            assert [path for path, _ in links] == ["/", "/results", "/ladder", "/host"]
            here = page if page == "/" else f"/{page.split('/')[1]}"
            assert [path for path, current in links if current] == [path for path, _ in links if path == here]

    served(test)


def test_a_game_is_sandboxed_wherever_it_is_opened() -> None:
    async def test(client: Client) -> None:
        answer = await client.get(GAME)
        rules = policy(answer.headers["Content-Security-Policy"])
        assert rules["sandbox"] == "allow-scripts"
        assert rules["default-src"] == "'none'"
        assert "connect-src" not in rules
        assert rules["script-src"] == rules["frame-ancestors"] == "'self'"

    served(test)


def test_every_file_that_a_file_names_is_there() -> None:
    async def test(client: Client) -> None:
        for path in OWN:
            address = site.PREFIX + path.relative_to(STATIC).as_posix()
            if path.suffix == ".html" and "games" not in path.parts:
                assert (await client.get(address)).status == 404, "a page has its address only"
            else:
                assert (await client.get(address)).status == 200
            text = path.read_text()
            named = re.findall(r'(?:src|href)="([^"#]+)"', text) if path.suffix == ".html" else []
            named += re.findall(r'from "(\.[^"]+)"', text) if path.suffix == ".js" else []
            for name in named:
                target = URL(address).join(URL(name)).path
                assert (await client.get(target)).status == 200, (path, name)

    served(test)


def test_what_is_not_a_file_of_ours_is_not_found() -> None:
    async def test(client: Client) -> None:
        for path in (
            "/web/",
            "/web/js",
            "/web/../site.py",
            "/web/%2e%2e/site.py",
            "/web/js/../../site.py",
            "/web/js/%2e%2e%2f%2e%2e%2fsite.py",
            "/web//etc/passwd",
            "/web/lobby.html",
            "/web/pages/lobby.html",
            "/web/pages/frame.html",
            "/web/js/api.js%00",
            "/lobby.html",
            "/table",
            "/table/a/b",
        ):
            async with client.session.get(f"http://{client.host}:{client.port}" + path) as answer:
                assert answer.status == 404, path

    served(test)


def test_files_are_sent_small_and_once() -> None:
    async def test(client: Client) -> None:
        whole = await client.get("/web/vendor/chess.js", headers={"Accept-Encoding": "identity"})
        packed = await client.get("/web/vendor/chess.js", headers={"Accept-Encoding": "gzip, br"})
        assert "Content-Encoding" not in whole.headers
        assert packed.headers["Content-Encoding"] == "gzip"
        body = await packed.read()
        assert len(body) < 40_000
        assert gzip.decompress(body) == await whole.read()
        again = await client.get("/web/vendor/chess.js", headers={"If-None-Match": whole.headers["ETag"]})
        assert (again.status, await again.read()) == (304, b"")
        assert whole.content_type == "text/javascript"

    served(test)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere_and_nothing_is_inline(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    if path.suffix == ".html":
        assert not re.search(r"<script(?![^>]*\bsrc=)", text)
        assert not re.search(r"\s(on\w+|style)=", text)
        assert "<style" not in text
        # A page's content is judged with its frame, below.
        if path.parent.name != "pages" or path.name == "frame.html":
            assert 'name="viewport"' in text
            assert '<html lang="en">' in text
    if path.suffix == ".css":
        assert "@import" not in text
        assert "url(" not in text


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_of_texts_and_stay_readable_for_browsers_of_2019(path: Path) -> None:
    text = re.sub(r"(?m)//.*$|/\*.*?\*/", "", path.read_text())
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
        "DOMParser",
        "localStorage",
    ):
        assert word not in text
    # Optional chaining, ??, private fields, replaceAll, Array.at: later than what phones in use understand.
    assert not re.search(
        r"\?\.[a-zA-Z_(\[]|\?\?|\s#[a-z]+\s*[=;(]|\.replaceAll\(|\.at\(|\bstructuredClone\b", text
    )


def test_the_pages_fit_a_slow_network() -> None:
    pages = [path for path in OWN if "games" not in path.parts]
    ladder = [path for path in pages if path.stem in LADDER]
    assert len(ladder) == 11
    assert sum(map(_sent, (path for path in pages if path not in ladder))) < 50_000
    assert sum(map(_sent, ladder)) < 16_000


def _sent(path: Path) -> int:
    """Bytes over the network."""
    return len(gzip.compress(path.read_bytes()))
