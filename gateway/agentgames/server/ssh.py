"""``ssh game@host``: the protocol over SSH, for programs with a registered key. Needs asyncssh.

Nothing but the game is served: no shell, no terminal, no files, no forwarding of anything. Every key is let
in, and told in words why it may not play, as the specification's server does.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import asyncssh

from gateway.agentgames.server.arena import Arena
from gateway.agentgames.server.connection import CLOSE_SECONDS, KEEP_ALIVE_SECONDS, KEEP_ALIVE_TIMES
from gateway.agentgames.server.keys import Key, Keys
from gateway.agentgames.server.ssh_session import Session
from gateway.arcade.database import StoreError
from gateway.arcade.limits import Limiter, Rate

log = logging.getLogger("lrgpnode.arcade")

HOST_KEY: Final = "arcade_ssh_host_key"
USERS: Final = ("game", "games")
MAX_CONNECTIONS: Final = 1000
LOGIN_SECONDS: Final = 20
WINDOW: Final = 256 * 1024
"""Bytes that a client may send before they are read."""
CONNECTIONS: Final = Rate(per_second=10, burst=300)
"""New ones from one address; each costs an exchange of keys."""

NO_KEY: Final = "game@ needs your registered SSH key. New here? Ask whoever runs this arcade."
UNKNOWN_KEY: Final = "key not registered \u2014 ask for: lrgpnode arcade key add ACCOUNT"
SUSPENDED: Final = "this account is suspended."
TROUBLE: Final = "the arcade has trouble \u2014 try again later"


class SshServer:
    """``start`` and ``stop`` belong to one event loop. ``address`` is known after ``start``."""

    def __init__(self, arena: Arena, keys: Keys, data: Path) -> None:
        self._arena = arena
        self._keys = keys
        self._data = data
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self._connections: set[_Connection] = set()
        self._limiter = Limiter(CONNECTIONS)
        self.address = ("", 0)

    async def start(self, host: str, port: int) -> None:
        """Raises ``OSError``."""
        # It tells of every login, with names and addresses, where we tell what we think matters.
        logging.getLogger("asyncssh").setLevel(logging.ERROR)
        key = await asyncio.to_thread(host_key, self._data / HOST_KEY)
        self._acceptor = await asyncssh.listen(
            host,
            port,
            server_host_keys=[key],
            server_factory=lambda: _Connection(self._arena, self._keys, self._connections, self._limiter),
            reuse_address=True,
            encoding=None,
            line_editor=False,
            allow_scp=False,
            allow_pty=False,
            agent_forwarding=False,
            x11_forwarding=False,
            compression_algs=None,
            window=WINDOW,
            password_auth=False,
            gss_host=None,
            login_timeout=LOGIN_SECONDS,
            keepalive_interval=KEEP_ALIVE_SECONDS,
            keepalive_count_max=KEEP_ALIVE_TIMES,
        )
        self.address = self._acceptor.sockets[0].getsockname()[:2]

    async def stop(self) -> None:
        """Call after the arena was stopped, so that everybody was told."""
        if self._acceptor is None:
            return
        self._acceptor.close()
        for connection in list(self._connections):
            await connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._acceptor.wait_closed()


def host_key(path: Path) -> asyncssh.SSHKey:
    """The key by which clients know this server again; made when there is none. Raises ``OSError``."""
    try:
        return asyncssh.read_private_key(path)
    except FileNotFoundError:
        key = asyncssh.generate_private_key("ssh-ed25519", comment="lrgpnode arcade")
        made = path.with_name(path.name + ".new")
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key.export_private_key("openssh"))
            file.flush()
            os.fsync(file.fileno())
        made.rename(path)
        return key
    except asyncssh.KeyImportError as error:
        raise OSError(f"{path} is no SSH key: {error}") from error


class _Connection(asyncssh.SSHServer):
    """One client: who it is, and its one session."""

    def __init__(self, arena: Arena, keys: Keys, everybody: set[_Connection], limiter: Limiter) -> None:
        self._limiter = limiter
        self._arena = arena
        self._keys = keys
        self._all = everybody
        self._connection: asyncssh.SSHServerConnection | None = None
        self._offered = ""
        self.session: Session | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        address = str((conn.get_extra_info("peername") or ("",))[0])
        often = self._limiter.take(address, asyncio.get_running_loop().time())
        if often or len(self._all) >= MAX_CONNECTIONS:
            conn.abort()
            return
        self._all.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.discard(self)
        if self.session is not None:
            self.session.gone()

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        if username.lower() not in USERS:
            return False
        self._offered = " ".join(key.export_public_key("openssh").decode().split()[:2])
        return True

    def kbdint_auth_supported(self) -> bool:
        """How somebody without a key gets as far as to be told that one is needed."""
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> Any:
        return ("", "", "", []) if username.lower() in USERS else False

    def validate_kbdint_response(self, username: str, responses: Any) -> bool:
        self._offered = ""
        return username.lower() in USERS

    def session_requested(self) -> asyncssh.SSHServerSession[bytes] | bool:
        if self.session is not None:
            return False
        self.session = Session(self._arena, self._owner, self._permitted)
        return self.session

    def _owner(self) -> Key | str:
        """Whose key it is, or why its owner may not play."""
        if not self._offered:
            return NO_KEY
        try:
            key = self._keys.owner(self._offered)
        except StoreError as error:
            log.error("%s", error)
            return TROUBLE
        if key is None:
            return UNKNOWN_KEY
        return SUSPENDED if key.disabled else key

    def _permitted(self, account: str) -> bool:
        """Whether the key is still that account's, and it may play. Raises ``StoreError``."""
        key = self._keys.owner(self._offered)
        return key is not None and key.account == account and not key.disabled

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
