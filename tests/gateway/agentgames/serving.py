"""The fake server behind real sockets and in memory, and a client's platform at each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import asyncssh
from aiohttp import web

from gateway.address import STREAM, parse_address
from gateway.agentgames.client.connection import Connection, Dialer, Limits
from gateway.agentgames.client.errors import Ended, Unauthorized, Unreachable
from gateway.agentgames.client.hostkeys import HostKeys
from gateway.agentgames.client.ssh import SshDialer
from gateway.agentgames.client.websocket import WebSocketDialer
from gateway.agentgames.place import Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import Account
from gateway.secret import Secret
from tests.gateway.agentgames.fake_server import FakeServer, Peer

TOKEN = "5e" * 32
OTHER_TOKEN = "0f" * 32
QUICK = Timing(move=2.0, queue=3.0, answer=2.0, grace=1.0, again=0.01, pauses=(0.02,))


def account(token: str = TOKEN, name: str = "main") -> Account:
    return Account(platform="agentgames", name=name, token=Secret(token))


def account_of(platform: AgentGamesPlatform) -> Account:
    """Alice's, as the platform's transport wants it."""
    return account(PEM if isinstance(platform._dialer, SshDialer) else TOKEN)


# WebSocket


def web_app(server: FakeServer) -> web.Application:
    async def play(request: web.Request) -> web.StreamResponse:
        if "token" in request.query:
            server.wrongs.append("the token is in the URL")
        if server.status:
            return web.Response(status=server.status, text="busy\n", headers=server.headers)
        header = request.headers.get("Authorization", "")
        name = server.accounts.get(header.removeprefix("Bearer ")) if header.startswith("Bearer ") else None
        if name is None:
            return web.Response(
                status=401, text="invalid or missing token (mint: agentbbs mint-token <user>)\n"
            )
        if name in server.banned:
            return web.Response(status=403, text="account unavailable\n")
        socket = web.WebSocketResponse(autoping=False, autoclose=False, heartbeat=None, compress=False)
        await socket.prepare(request)

        async def end() -> None:
            # The reference server closes the TCP connection and says nothing.
            if request.transport is not None:
                request.transport.close()

        async def write(line: str) -> None:
            if not socket.closed:
                with suppress(ConnectionError):
                    await socket.send_str(line)

        peer = Peer(server, name, write, end)
        served = asyncio.get_running_loop().create_task(
            server.serve(peer, request.query.get("game", "").lower())
        )
        pump = asyncio.get_running_loop().create_task(_pump(socket, peer))
        try:
            await served
        finally:
            pump.cancel()
            await end()
        return socket

    app = web.Application()
    app.router.add_get("/play", play)
    return app


async def _pump(socket: web.WebSocketResponse, peer: Peer) -> None:
    while True:
        message = await socket.receive()
        match message.type:
            case aiohttp.WSMsgType.TEXT:
                peer.arrived(str(message.data))
            case aiohttp.WSMsgType.PING | aiohttp.WSMsgType.PONG:
                peer.server.wrongs.append(f"{peer.name} pings")
            case _:
                peer.arrived(None)
                return


@asynccontextmanager
async def listening(app: web.Application) -> AsyncIterator[int]:
    """A web application on a free port."""
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


@asynccontextmanager
async def _platform(server: FakeServer, dialer: Dialer, timing: Timing) -> AsyncIterator[AgentGamesPlatform]:
    platform = AgentGamesPlatform("agentgames", dialer, timing=timing)
    try:
        yield platform
    finally:
        await platform.close()
        await server.stop()


@asynccontextmanager
async def over_websocket(server: FakeServer, timing: Timing = QUICK) -> AsyncIterator[AgentGamesPlatform]:
    server.accounts.setdefault(TOKEN, "alice")
    async with listening(web_app(server)) as port:
        dialer = WebSocketDialer(
            parse_address(f"ws://127.0.0.1:{port}", schemes=STREAM), limits=Limits(connect=5.0, close=0.2)
        )
        async with _platform(server, dialer, timing) as platform:
            yield platform


# SSH


OFFERED: list[str] = []
"""Every key that a client has shown to a server of this process."""


class _Knocked(asyncssh.SSHServer):
    """Takes every key, as the reference server does: who is unknown is told so in plain text."""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        OFFERED.append(" ".join(key.export_public_key().decode().split()[:2]))
        self._connection.set_extra_info(shown=" ".join(key.export_public_key().decode().split()[:2]))
        return True


def public(key: asyncssh.SSHKey) -> str:
    return " ".join(key.export_public_key().decode().split()[:2])


@asynccontextmanager
async def ssh_listening(server: FakeServer, host_key: asyncssh.SSHKey) -> AsyncIterator[int]:
    async def handle(process: asyncssh.SSHServerProcess[bytes]) -> None:
        shown = process.get_extra_info("connection").get_extra_info("shown", "")
        name = server.accounts.get(shown)
        if process.get_extra_info("username") != "game":
            server.wrongs.append("the user is not game")
        if name is None or name in server.banned:
            text = (
                "this account is suspended." if name else "key not registered \u2014 run: ssh join@localhost"
            )
            process.stdout.write(f"{text}\n".encode())
            process.exit(1)
            return

        async def write(line: str) -> None:
            with suppress(OSError, asyncssh.Error):
                process.stdout.write(line.encode())
                await process.stdout.drain()

        async def end() -> None:
            process.exit(0)

        peer = Peer(server, name, write, end)
        peer.leaves = True

        async def pump() -> None:
            with suppress(OSError, asyncssh.Error):
                while line := await process.stdin.readline():
                    peer.arrived(line.decode().strip())
            peer.arrived(None)

        reading = asyncio.get_running_loop().create_task(pump())
        try:
            await server.serve(peer, (process.command or "").split()[0].lower())
        finally:
            reading.cancel()
            await end()

    listener = await asyncssh.create_server(
        _Knocked, "127.0.0.1", 0, server_host_keys=[host_key], process_factory=handle, encoding=None
    )
    try:
        yield listener.get_port()
    finally:
        listener.close()
        await listener.wait_closed()


HOST_KEY = asyncssh.generate_private_key("ssh-ed25519")
CLIENT_KEY = asyncssh.generate_private_key("ssh-ed25519")
PEM = CLIENT_KEY.export_private_key("openssh").decode()


@asynccontextmanager
async def over_ssh(
    server: FakeServer, folder: Path, timing: Timing = QUICK
) -> AsyncIterator[AgentGamesPlatform]:
    server.accounts.setdefault(public(CLIENT_KEY), "alice")
    async with ssh_listening(server, HOST_KEY) as port:
        dialer = SshDialer(
            "127.0.0.1", port, HostKeys(folder / "known"), limits=Limits(connect=5.0, close=0.5)
        )
        async with _platform(server, dialer, timing) as platform:
            yield platform


# Memory


class MemoryDialer:
    """To a server in the same loop. ``leaves_queue`` as over SSH, or not, as over WebSocket."""

    def __init__(self, server: FakeServer, *, leaves_queue: bool = False) -> None:
        self._server = server
        self._leaves = leaves_queue
        self.down = False
        self.asked: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.open: list[_Memory] = []

    async def dial(self, game: str, secret: Secret) -> Connection:
        self.asked.append(game)
        name = self._server.accounts.get(secret.reveal())
        if self.down:
            raise Unreachable("The platform cannot be reached")
        if name is None:
            raise Unauthorized("The platform does not take the token")
        connection = _Memory(self._server, name, self._leaves)
        self.open.append(connection)
        task = asyncio.get_running_loop().create_task(connection.served(game))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return connection

    async def reach(self) -> None:
        if self.down:
            raise Unreachable("The platform cannot be reached")

    async def kill(self) -> None:
        """What the kernel does with the connections of a process that is killed."""
        for connection in self.open:
            await connection.close()
            await connection._ended()

    async def close(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class _Memory:
    def __init__(self, server: FakeServer, name: str, leaves_queue: bool) -> None:
        self.leaves_queue = leaves_queue
        self.closed = False
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.peer = Peer(server, name, self._take, self._ended)
        self.peer.leaves = leaves_queue

    async def served(self, game: str) -> None:
        await self.peer.server.serve(self.peer, game)
        await self._ended()

    async def receive(self) -> bytes:
        line = await self._inbox.get()
        if line is None:
            self._inbox.put_nowait(None)
            raise Ended("The platform has ended the connection")
        return line

    async def send(self, message: bytes) -> None:
        if self.closed:
            raise Ended("The connection to the platform is lost")
        self.peer.arrived(message.decode())

    async def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.peer.arrived(None)

    async def _take(self, line: str) -> None:
        self._inbox.put_nowait(line.encode())

    async def _ended(self) -> None:
        self._inbox.put_nowait(None)
