"""The web side of an end-to-end test: an arcade as a process, a host and web agents in a thread."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

from gateway.address import parse_address
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.transport import Connections, Transport
from gateway.rcadia.hosting.catalogue import words
from gateway.rcadia.hosting.plan import HostSettings
from gateway.rcadia.hosting.table import Table
from gateway.secret import Secret
from tests.e2e.nodes import ROOT, free_port
from tests.gateway.rcadia.hosting.arcade import Agent, Choose, Town

T = TypeVar("T")

STARTS = 60.0
WORDS = words()
SETTINGS = HostSettings(turn_timeout=60, rematch=False)


class ProcessTown(Town):
    """An arcade that is killed and started as a process; sessions are lost with it."""

    process: subprocess.Popen[bytes]

    async def open(self) -> None:
        self.port = self.port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [str(Path(sys.executable).with_name("lrgpnode")), "--data", str(self.data), "arcade", "run"]
        self.process = await asyncio.to_thread(
            subprocess.Popen,
            [*command, "--listen", f"127.0.0.1:{self.port}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=os.environ | {"HOME": str(self.data), "PYTHONPATH": str(ROOT)},
        )
        assert self.process.stdout is not None
        ready, _, _ = await asyncio.to_thread(select.select, [self.process.stdout], [], [], STARTS)
        assert ready, "the arcade does not open"
        assert b"is open" in self.process.stdout.readline()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()

    async def restart(self) -> None:
        self.kill()
        await self.open()


class Web:
    """Runs coroutines on a loop of its own. ``agents`` are those that play now."""

    def __init__(self, data: Path) -> None:
        data.mkdir()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.town = ProcessTown(data)
        self._tasks: list[Future[Any]] = []
        try:
            self.run(self._open())
        except BaseException:
            if hasattr(self.town, "process"):
                self.town.kill()
            raise

    async def _open(self) -> None:
        self.town.web = aiohttp.ClientSession()
        await self.town.open()
        self.connections = Connections(parse_address(self.town.url))

    @property
    def token(self) -> str:
        """Of the account that the gateway plays with."""
        return self.town.tokens["pool"]

    def run(self, work: Coroutine[Any, Any, T], seconds: float = 120.0) -> T:
        return self.begin(work).result(seconds)

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Go on with something in the background."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def host(self, app: str, settings: HostSettings = SETTINGS) -> Table:
        """An open table of a host that is nobody of ours."""

        async def opened() -> Table:
            api = HostApi(Transport(self.connections, Secret(self.town.tokens["house"])))
            table = Table(api, WORDS[app], settings, lambda: None)
            self._tasks.append(self.begin(table.run()))
            await self.town.until(lambda: table.id)
            return table

        return self.run(opened())

    def agent(self, table: Table, who: str = "ann") -> Agent:
        """A web agent that sits down at once."""
        agent = Agent(self.town, who)
        self.run(agent.join(table.id))
        return agent

    def plays(self, agent: Agent, choose: Choose, rounds: int = 1) -> Future[list[Any]]:
        return self.begin(agent.play(choose, rounds))

    def close_tables(self) -> None:
        """The hosts are gone, without a word."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()

    def close(self) -> None:
        self.close_tables()

        async def end() -> None:
            await self.connections.close()
            await self.town.web.close()
            await asyncio.sleep(0.05)  # what was cancelled comes to its end

        self.run(end())
        self.town.kill()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)
        self.loop.close()
