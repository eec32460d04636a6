"""A headless Chromium spoken to by its own protocol (CDP), over aiohttp: no driver package is needed.

``browser()`` starts one with a profile of its own; ``Browser.page`` opens a tab in a context of its own (own
storage, as another person's browser), and a page collects what its console and its policies complain about.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.gateway.web.page import DEADLINE, BrowserError, Page

REQUIRED = "LRGPNODE_REQUIRE_CHROMIUM"
"""With this variable a machine without Chromium fails the tests instead of skipping them (.ci/run)."""

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--remote-debugging-port=0",
)


def executable() -> str:
    """Where Chromium is. Skips the test where there is none, or fails it if one is demanded."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"no Chromium is installed, and {REQUIRED} demands one: apt-get install chromium")
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    return found


class Browser:
    """One Chromium process."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._waiting: list[tuple[str, str, asyncio.Future[dict[str, Any]]]] = []
        self._pages: dict[str, Page] = {}
        self._frames: set[str] = set()
        self._news: asyncio.Future[None] | None = None
        self._reader = asyncio.create_task(self._read())

    async def send(self, method: str, *, session: str | None = None, **params: Any) -> dict[str, Any]:
        id = next(self._ids)
        answer = self._answers[id] = asyncio.get_running_loop().create_future()
        message: dict[str, Any] = {"id": id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        await self._socket.send_json(message)
        return await asyncio.wait_for(answer, DEADLINE + 15)

    def event(self, method: str, session: str) -> asyncio.Future[dict[str, Any]]:
        """The next event of that name in that tab."""
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append((method, session, future))
        return future

    async def page(self) -> Page:
        context = (await self.send("Target.createBrowserContext"))["browserContextId"]
        target = (await self.send("Target.createTarget", url="about:blank", browserContextId=context))[
            "targetId"
        ]
        session = (await self.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = self._pages[session] = Page(self, session)
        await self._listen(session)
        # Frames of other origins (a sandboxed game) may live in a process of their own.
        await self.send(
            "Target.setAutoAttach",
            session=session,
            autoAttach=True,
            waitForDebuggerOnStart=False,
            flatten=True,
        )
        await page.size(1200, 900)
        return page

    async def frame(self, page: Page, path: str) -> Page:
        """The frame in a page whose address ends so, as a page of its own to ask things of."""
        async with asyncio.timeout(DEADLINE):
            while True:
                for session in [one for one in self._frames if self._pages[one] is page]:
                    found = Page(self, session)
                    if str(await found.eval("location.href")).endswith(path):
                        return found
                await self.something()

    async def _listen(self, session: str) -> None:
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.send(f"{domain}.enable", session=session)

    async def close(self) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError, aiohttp.ClientError):
            await self.send("Browser.close")
        self._reader.cancel()

    async def _read(self) -> None:
        async for message in self._socket:
            data = json.loads(message.data)
            if "id" in data:
                self._answered(data)
            else:
                self._happened(data["method"], data.get("sessionId", ""), data["params"])
        for future in self._answers.values():
            if not future.done():
                future.set_exception(ConnectionError("the browser is gone"))

    def _answered(self, data: dict[str, Any]) -> None:
        future = self._answers.pop(data["id"])
        if future.done():
            return
        if "error" in data:
            future.set_exception(BrowserError(data["error"]["message"]))
        else:
            future.set_result(data["result"])

    async def something(self) -> None:
        """Until the browser reports anything."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
        await self._news

    def _happened(self, method: str, session: str, params: dict[str, Any]) -> None:
        if self._news is not None and not self._news.done():
            asyncio.get_running_loop().call_soon(_done, self._news)
        for waiting in [one for one in self._waiting if one[:2] == (method, session)]:
            self._waiting.remove(waiting)
            if not waiting[2].done():
                waiting[2].set_result(params)
        page = self._pages.get(session)
        if page is None:
            return
        if method == "Target.attachedToTarget":
            child = params["sessionId"]
            self._pages[child] = page
            self._frames.add(child)
            asyncio.get_running_loop().create_task(self._listen(child))
        elif method == "Network.requestWillBeSent":
            page.requests.append(params["request"]["url"])
        else:
            page.complaints.extend(_complaints(method, params))


def _complaints(method: str, params: dict[str, Any]) -> list[str]:
    if method == "Runtime.exceptionThrown":
        details = params["exceptionDetails"]
        return [details.get("exception", {}).get("description") or details["text"]]
    if method == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning", "assert"}:
        return [" ".join(str(one.get("value", one.get("description"))) for one in params["args"])]
    if method == "Log.entryAdded" and params["entry"]["level"] in {"error", "warning"}:
        entry = params["entry"]
        # A signed-in page asks whether its reader has a seat, and 403 is the answer that there is none.
        if "403" in entry["text"] and entry.get("url", "").endswith("/state"):
            return []
        return [f"{entry['text']} {entry.get('url', '')}"]
    return []


@contextlib.asynccontextmanager
async def browser() -> AsyncIterator[Browser]:
    """A Chromium of one's own, ended with everything it has started."""
    with tempfile.TemporaryDirectory(prefix="lrgp-web-", ignore_cleanup_errors=True) as folder:
        profile = Path(folder)
        log = profile / "log"
        with log.open("wb") as out:
            process = await asyncio.create_subprocess_exec(
                executable(),
                *_FLAGS,
                f"--user-data-dir={profile / 'data'}",
                "about:blank",
                stdout=out,
                stderr=out,
                env={**os.environ, "HOME": folder},
            )
        try:
            address = await _address(process, log)
            async with (
                aiohttp.ClientSession() as http,
                http.ws_connect(address, max_msg_size=0, heartbeat=None) as socket,
            ):
                running = Browser(socket)
                try:
                    yield running
                finally:
                    await running.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 10)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines()


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    """The socket of a starting browser, which it writes to its log."""
    mark = "DevTools listening on "
    loop = asyncio.get_running_loop()
    end = loop.time() + DEADLINE
    while loop.time() < end and process.returncode is None:
        for line in _lines(log):
            if line.startswith(mark):
                return line.removeprefix(mark).strip()
        await asyncio.sleep(0.05)
    raise BrowserError("\n".join(["Chromium did not start:", *_lines(log)[-20:]]))


def run(test: Callable[[Browser], Any]) -> None:
    """Carries out a test against a browser of its own."""

    async def main() -> None:
        async with browser() as running:
            await test(running)

    executable()
    asyncio.run(main())
