"""One Chromium for all tests that a worker runs, and an arcade for each of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.web.arcade import Village, village
from tests.gateway.web.chromium import Browser, browser, executable

Test = Callable[[Village, Browser], Awaitable[None]]


class Runner:
    """Runs coroutines of tests in the loop that the browser lives in."""

    def __init__(self, loop: asyncio.AbstractEventLoop, running: Browser) -> None:
        self._loop = loop
        self._browser = running

    def __call__(self, folder: Path, test: Test) -> None:
        async def main() -> None:
            async with village(folder) as there:
                await test(there, self._browser)

        self._loop.run_until_complete(main())

    def alone(self, test: Callable[[Browser], Coroutine[Any, Any, None]]) -> None:
        """With an arcade that somebody else runs."""
        self._loop.run_until_complete(test(self._browser))


@pytest.fixture(scope="session")
def in_browser() -> Iterator[Runner]:
    executable()
    loop = asyncio.new_event_loop()
    context = browser()
    try:
        yield Runner(loop, loop.run_until_complete(context.__aenter__()))
    finally:
        loop.run_until_complete(context.__aexit__(None, None, None))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
