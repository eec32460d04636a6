"""The control server: JSON-RPC 2.0 over a Unix socket, one object a line (architecture §8).

Requests of one connection are answered in order. A connection that subscribes to events gets them
as notifications between its responses; one that does not read them is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import stat
from pathlib import Path
from typing import Final

import msgspec

from .events import Event, Events, Lagged, Subscription
from .methods import ControlError, Methods, RpcCode, RpcError, Translate, notification, refusal
from .models import Subscribed, SubscribeParams

__all__ = ["AlreadyRunning", "ControlError", "ControlServer", "Methods", "SocketError", "Translate"]

MAX_LINE: Final = 64 * 1024
"""Longest request in bytes, without its newline."""

MAX_CONNECTIONS: Final = 32

STOP_SECONDS: Final = 2.0
"""How long a stop waits for requests that are being answered and for events that are being sent."""

_PROBE_SECONDS: Final = 1.0
_MAX_PATH: Final = 107
"""What the kernel takes for the path of a socket, in bytes."""

_TOO_MANY: Final = ControlError(
    "too_many_connections", "The node has too many control connections.", "Close another client."
)

log = logging.getLogger("lrgpnode.control")


class SocketError(Exception):
    """The socket cannot be made; ``str()`` is a sentence for a person."""


class AlreadyRunning(SocketError):
    """Another node answers on the socket."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"a node is already running: it answers on {path}")
        self.path = path


class ControlServer:
    """Serves ``methods`` and the stream ``events`` on a Unix socket at ``path``.

    ``events.subscribe`` is built in. ``stop`` is not to be awaited by a handler: it waits for them.
    """

    def __init__(
        self,
        path: Path,
        methods: Methods,
        events: Events,
        *,
        mode: int = 0o600,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        self.path = path
        self.methods = methods
        self.events = events
        self._mode = mode
        self._max_connections = max_connections
        self._server: asyncio.Server | None = None
        self._inode: tuple[int, int] | None = None
        self._connections: dict[asyncio.Task[None], _Connection] = {}

    async def start(self) -> None:
        """Listen. Raises ``AlreadyRunning`` or another ``SocketError``."""
        sock = _bind(self.path, self._mode)
        try:
            status = self.path.lstat()
            self._inode = (status.st_dev, status.st_ino)
            self._server = await asyncio.start_unix_server(self._connected, sock=sock, limit=MAX_LINE)
        except BaseException:
            sock.close()
            self._unlink()
            raise

    async def stop(self) -> None:
        """Accept nothing more, finish what is being answered, send what was published; idempotent."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        self._unlink()
        for connection in self._connections.values():
            connection.finish()
        tasks = tuple(self._connections)
        if tasks:
            _, slow = await asyncio.wait(tasks, timeout=STOP_SECONDS)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)
        await server.wait_closed()

    def _unlink(self) -> None:
        # Somebody may have removed the file and put another node's socket in its place.
        with contextlib.suppress(OSError):
            status = self.path.lstat()
            if (status.st_dev, status.st_ino) == self._inode:
                self.path.unlink()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= self._max_connections or self._server is None:
            writer.write(refusal(_TOO_MANY))
            writer.close()
            return
        connection = _Connection(self, reader, writer)
        task = asyncio.get_running_loop().create_task(connection.serve())
        self._connections[task] = connection
        task.add_done_callback(self._connections.pop)


class _Connection:
    """One client: reads lines, answers them one after the other, sends events in between."""

    def __init__(
        self, server: ControlServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._events = server.events
        self._reader = reader
        self._writer = writer
        self._reading: asyncio.Task[bytes | None] | None = None
        self._subscription: Subscription | None = None
        self._pump: asyncio.Task[None] | None = None
        self._finishing = False
        self._methods = server.methods.copy()
        self._methods.add("events.subscribe", SubscribeParams, Subscribed, self._subscribe)

    def finish(self) -> None:
        """End after the request that is being answered and the events published so far."""
        self._finishing = True
        if self._reading is not None:
            self._reading.cancel()

    async def serve(self) -> None:
        try:
            while not self._finishing and (line := await self._next_line()) is not None:
                response = await self._methods.answer(line)
                if response is not None:
                    self._writer.write(response)
                if self._subscription is not None and self._pump is None:
                    self._pump = asyncio.create_task(self._send_events(self._subscription))
                await self._writer.drain()
            if self._finishing and self._subscription is not None and self._pump is not None:
                self._subscription.finish()
                await self._pump
            self._writer.close()
            await self._writer.wait_closed()
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            # A client that does not read would keep a closing transport alive for ever.
            self._writer.transport.abort()
            raise
        finally:
            if self._subscription is not None:
                self._subscription.close()
            if self._pump is not None:
                self._pump.cancel()
            self._writer.close()

    async def _next_line(self) -> bytes | None:
        """The next request; None at the end of the connection or when it is to finish."""
        self._reading = asyncio.create_task(self._read_line())
        try:
            return await self._reading
        except asyncio.CancelledError:
            # Ours to swallow only if the reading was cancelled by ``finish``, not this task.
            if self._reading.cancelled() and self._finishing:
                return None
            self._reading.cancel()
            raise
        finally:
            self._reading = None

    async def _read_line(self) -> bytes | None:
        try:
            return await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError:
            error = RpcError(RpcCode.INVALID_REQUEST, f"a line is longer than {MAX_LINE} bytes")
            self._writer.write(refusal(error))
            return None

    async def _subscribe(self, params: SubscribeParams) -> Subscribed:
        if self._subscription is not None:
            raise ControlError(
                "already_subscribed",
                "This connection receives events already.",
                "Open another connection to start at another place.",
            )
        transport = self._writer.transport
        self._subscription = self._events.subscribe(params.after, on_drop=transport.abort)
        return Subscribed(seq=self._subscription.seq, missed=self._subscription.missed)

    async def _send_events(self, subscription: Subscription) -> None:
        with contextlib.suppress(ConnectionError, Lagged):
            async for event in subscription:
                self._writer.write(_event_line(event))
                await self._writer.drain()


def _event_line(event: Event) -> bytes:
    try:
        return notification("event", event)
    except (TypeError, ValueError, OverflowError):
        # A defect of the publisher: its number must not be missing for the reader.
        log.exception("an event of type %s cannot be sent", event.type)
        return notification("event", msgspec.structs.replace(event, data=_Unsendable()))


class _Unsendable(msgspec.Struct, frozen=True):
    """Stands for the data of an event that has no JSON form."""


def _bind(path: Path, mode: int) -> socket.socket:
    """A socket bound at ``path``, not listening yet; a dead one in its place is removed."""
    name = str(path)
    if len(name.encode()) > _MAX_PATH:
        raise SocketError(f"the path of the control socket is longer than {_MAX_PATH} bytes: {name}")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_stale(path)
        sock.bind(name)
        # Nobody can connect before the socket listens, so there is no moment with a wider mode.
        path.chmod(mode)
    except OSError as error:
        sock.close()
        raise SocketError(f"cannot make the control socket {name}: {error.strerror or error}") from error
    except SocketError:
        sock.close()
        raise
    return sock


def _remove_stale(path: Path) -> None:
    """Remove a socket on which nobody listens. Raises ``AlreadyRunning`` if somebody does."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise SocketError(f"{path} exists and is not a socket; the control socket cannot be made there")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_SECONDS)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
            return
        except FileNotFoundError:
            return
        except (TimeoutError, BlockingIOError):
            # Its queue of new connections is full: busy, but alive.
            pass
    raise AlreadyRunning(path)
