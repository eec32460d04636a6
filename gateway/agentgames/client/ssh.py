"""AgentGames over SSH: ``ssh game@host GAME``, without a terminal.

Nothing of the user's own SSH is used: no configuration, no agent, no keys, no known hosts. The key of an
account is read from its secret and never leaves the process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import asyncssh

from gateway.secret import Secret

from .connection import USER, Connection, Limits
from .errors import Ended, Unauthorized, Unreachable, Unusable
from .hostkeys import HostKeys

CHUNK: Final = 4096
WINDOW: Final = 64 * 1024
"""Bytes that the server may send before they are read."""

logging.getLogger("asyncssh").setLevel(logging.WARNING)  # it tells of every connection

_FAILED: Final = (asyncssh.Error, OSError, ValueError, EOFError)


class SshDialer:
    """Implements ``connection.Dialer``."""

    def __init__(self, host: str, port: int, keys: HostKeys, *, limits: Limits | None = None) -> None:
        self._host = host
        self._port = port
        self._keys = keys
        self._limits = limits or Limits()
        self._open: set[SshConnection] = set()

    async def dial(self, game: str, secret: Secret) -> Connection:
        """As ``Dialer.dial``."""
        key = _key(secret)
        guard = _Guard(self._keys, self._host)
        try:
            async with asyncio.timeout(self._limits.connect):
                connection = await self._connect(guard, [key])
                try:
                    process = await connection.create_process(
                        game, stderr=asyncssh.DEVNULL, encoding=None, request_pty=False, window=WINDOW
                    )
                except BaseException:
                    connection.abort()
                    raise
        except TimeoutError:
            raise Unreachable("The platform did not answer in time") from None
        except asyncssh.PermissionDenied:
            raise Unauthorized("The platform does not take the key of the account") from None
        except _FAILED as error:
            raise guard.trouble or Unreachable(f"The platform cannot be reached ({_kind(error)})") from None
        opened = SshConnection(connection, process, self._limits, self._open.discard)
        self._open.add(opened)
        return opened

    async def reach(self) -> None:
        """As ``Dialer.reach``. Only the host key is looked at."""
        guard = _Guard(self._keys, self._host)
        try:
            async with asyncio.timeout(self._limits.connect):
                connection = await self._connect(guard, [])
        except asyncssh.PermissionDenied:
            return
        except TimeoutError:
            raise Unreachable("The platform did not answer in time") from None
        except _FAILED as error:
            raise guard.trouble or Unreachable(f"The platform cannot be reached ({_kind(error)})") from None
        connection.abort()

    async def close(self) -> None:
        """As ``Dialer.close``."""
        await asyncio.gather(*(connection.close() for connection in tuple(self._open)))

    async def _connect(self, guard: _Guard, keys: list[asyncssh.SSHKey]) -> asyncssh.SSHClientConnection:
        connection, _ = await asyncssh.create_connection(
            lambda: guard,
            self._host,
            self._port,
            username=USER,
            client_keys=keys or None,  # an empty list would mean those of ~/.ssh
            known_hosts=([], [], []),  # so that the guard is asked
            x509_trusted_certs=None,
            config=None,
            agent_path=None,
            preferred_auth="publickey",
            gss_host=None,
            compression_algs="none",
            keepalive_interval=0,
            login_timeout=self._limits.connect,
        )
        return connection


class _Guard(asyncssh.SSHClient):
    """Looks at the key of the host. ``trouble``: why it was refused."""

    def __init__(self, keys: HostKeys, host: str) -> None:
        self._keys = keys
        self._host = host
        self.trouble: Unreachable | None = None

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        try:
            self._keys.check(self._host, addr, port, key)
        except Unreachable as refused:
            self.trouble = refused
            return False
        return True


class SshConnection:
    """Implements ``connection.Connection``."""

    leaves_queue = True

    def __init__(
        self,
        connection: asyncssh.SSHClientConnection,
        process: asyncssh.SSHClientProcess[bytes],
        limits: Limits,
        closed: Callable[[SshConnection], None],
    ) -> None:
        self._connection = connection
        self._process = process
        self._limits = limits
        self._closed = closed
        self._buffer = bytearray()

    async def receive(self) -> bytes:
        """As ``Connection.receive``: one line."""
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > self._limits.message:
                raise Unusable("The platform sends a line that is too long")
            try:
                chunk = await self._process.stdout.read(CHUNK)
            except _FAILED:
                chunk = b""
            if not chunk:
                return self._rest()
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    async def send(self, message: bytes) -> None:
        """As ``Connection.send``."""
        try:
            self._process.stdin.write(message)
            await self._process.stdin.drain()
        except _FAILED:
            raise Ended("The connection to the platform is lost") from None

    async def close(self) -> None:
        """As ``Connection.close``."""
        self._closed(self)
        self._connection.close()
        try:
            async with asyncio.timeout(self._limits.close):
                await self._connection.wait_closed()
        except TimeoutError:
            self._connection.abort()

    def _rest(self) -> bytes:
        if not self._buffer:
            raise Ended("The platform has ended the connection")
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest


def _key(secret: Secret) -> asyncssh.SSHKey:
    try:
        return asyncssh.import_private_key(secret.reveal())
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError, ValueError) as error:
        if "passphrase" in str(error).lower():
            # No colon: the log takes out what follows one behind that word.
            raise Unauthorized("The SSH key of the account has a passphrase; give one without") from None
        raise Unauthorized("The account is no SSH key: AgentGames over SSH takes a private one") from None


def _kind(error: BaseException) -> str:
    return type(error).__name__
