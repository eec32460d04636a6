"""The arcade as one aiohttp application, and running it."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import resource
import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aiohttp import web

from gateway.agentgames.server.arena import Arena, ArenaSettings
from gateway.agentgames.server.keys import Keys
from gateway.agentgames.server.play import PlayRoutes
from gateway.agentgames.server.records import MatchStore
from gateway.agentgames.server.routes import LadderRoutes
from gateway.agentgames.server.seat import Player
from gateway.arcade import openapi
from gateway.arcade.accounts import Accounts
from gateway.arcade.auth import Doorman, Rates
from gateway.arcade.connections import SERVER, Runner
from gateway.arcade.results import ResultKeeper, ResultRoutes
from gateway.arcade.sign_in import SignInRoutes
from gateway.arcade.store import FILE_NAME, ArcadeStore, StoreError
from gateway.arcade.watch import Watch
from gateway.arcade.web import site
from gateway.rcadia.server.engine import Engine, Limits
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.agent import AgentRoutes
from gateway.rcadia.server.web.bridge import BridgeRoutes
from gateway.rcadia.server.web.service import Service
from gateway.rcadia.server.web.skill import SkillRoutes
from lrgpnode.protocol.value import Value

if TYPE_CHECKING:
    from gateway.agentgames.server.ssh import SshServer

log = logging.getLogger("lrgpnode.arcade")

SHUTDOWN_SECONDS: Final = 5.0
KEEP_ALIVE_SECONDS: Final = 75.0
BACKLOG: Final = 1024
MAX_LINE: Final = 8190

LOCK_NAME: Final = ".arcade.lock"

MOST_FILES: Final = 8192
"""Open files: more than what may wait at a time."""


class ArcadeError(Exception):
    """The arcade cannot start; ``str()`` is a sentence for a person."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ArcadeSettings(Value):
    """``public_url`` as in ``Service``. Port 0 is the system's choice.

    ``play``: where it listens as well. ``ssh``: where agents play over SSH; None for nowhere.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8820
    public_url: str = ""
    rates: Rates | None = None
    limits: Limits | None = None
    arena: ArenaSettings | None = None
    play: tuple[str, int] | None = None
    ssh: tuple[str, int] | None = None


class Arcade:
    """``start`` and ``stop`` belong to one event loop. ``address`` is known after ``start``."""

    def __init__(self, settings: ArcadeSettings) -> None:
        self._settings = settings
        self._where = (settings.host, settings.port)
        self._runner: web.AppRunner | None = None
        self._store: ArcadeStore | None = None
        self._service: Service | None = None
        self._keeper: ResultKeeper | None = None
        self._watch: Watch | None = None
        self._lock: int | None = None
        self._ssh: SshServer | None = None
        self.arena: Arena | None = None
        self.address = ("", 0)
        self.ssh_address: tuple[str, int] | None = None

    @property
    def url(self) -> str:
        """Where it listens, for a person."""
        host, port = self.address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def player(self, name: str, *, make: bool = False) -> Player:
        """An account as a player of the arena, for a program in this process. ``make``: if it is not there.

        Raises ``StoreError``, also where it is disabled.
        """
        if self._store is None:
            raise StoreError("The arcade is not open.")
        return await asyncio.to_thread(_player, Accounts(self._store), name, make)

    async def start(self) -> None:
        """Raises ``ArcadeError``."""
        try:
            await self._start()
        except StoreError as error:
            await self.stop()
            raise ArcadeError(str(error)) from error
        except ArcadeError:
            await self.stop()
            raise
        except OSError as error:
            await self.stop()
            host, port = self._where
            why = error.strerror or error
            raise ArcadeError(f"The arcade cannot listen on {host} port {port}: {why}.") from error
        log.info("the arcade is open at %s", self.url)
        if self.ssh_address is not None:
            log.info("agents play over SSH at %s port %d", *self.ssh_address)

    async def _start(self) -> None:
        _allow_files(MOST_FILES)
        settings = self._settings
        self._store = store = ArcadeStore(settings.data / FILE_NAME)
        self._lock = _only_one(settings.data)
        doorman = Doorman(store, settings.rates)
        self._keeper = keeper = ResultKeeper(store)
        engine = Engine(next_boot_tag(store), secrets.token_hex, settings.limits)
        service = Service(engine, doorman, public_url=settings.public_url, ended=keeper.ended)
        self._service = service
        matches = MatchStore(store.database)
        self.arena = arena = Arena(matches, settings.arena)
        await arena.start()
        self._watch = watch = Watch(store, doorman, service, arena)
        doorman.arrived = arena.arrived = watch.arrived
        app = application(service, store, doorman, arena)
        self._runner = Runner(
            app,
            access_log=None,
            handle_signals=False,
            handler_cancellation=True,
            auto_decompress=False,
            keepalive_timeout=KEEP_ALIVE_SECONDS,
            max_line_size=MAX_LINE,
            max_field_size=MAX_LINE,
            shutdown_timeout=SHUTDOWN_SECONDS,
        )
        await self._runner.setup()
        for self._where in ((settings.host, settings.port), *([settings.play] if settings.play else ())):
            await web.TCPSite(self._runner, *self._where, backlog=BACKLOG).start()
        self.address = self._runner.addresses[0][:2]
        if settings.ssh is not None:
            self._where = settings.ssh
            self._ssh = server = ssh_server(arena, Keys(store.database), settings.data)
            await server.start(*settings.ssh)
            self.ssh_address = server.address

    async def stop(self) -> None:
        """Let everybody who waits go, and close the file."""
        if self._watch is not None:
            self._watch.close()
        if self._service is not None:
            self._service.close()
        if self.arena is not None:
            await self.arena.stop()
        if self._ssh is not None:
            await self._ssh.stop()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._keeper is not None:
            await self._keeper.close()
        if self._store is not None:
            self._store.close()
            self._store = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _player(accounts: Accounts, name: str, make: bool) -> Player:
    known = any(one.name.casefold() == name.casefold() for one in accounts.all())
    account = accounts.find(name) if known or not make else accounts.add(name)
    if account.disabled:
        raise StoreError(f"The account {account.name} is disabled.")
    return Player(account=account.id, name=account.name)


def _only_one(data: Path) -> int:
    """Hold the arcade's lock, until what is returned is closed. Raises ``ArcadeError``.

    Each of two on one directory would know the programs of both, and only its own tables.
    """
    try:
        handle = os.open(data / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ArcadeError(f"The arcade's directory {data} cannot be used: {error.strerror}.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        message = f"An arcade runs on {data} already: a node's, or another `lrgpnode arcade run`."
        raise ArcadeError(message) from None
    return handle


def ssh_server(arena: Arena, keys: Keys, data: Path) -> SshServer:
    """Raises ``ArcadeError`` without the extra."""
    try:
        from gateway.agentgames.server.ssh import SshServer  # noqa: PLC0415 - an extra of its own
    except ImportError as error:
        if not (error.name or "").startswith("asyncssh"):
            raise
        raise ArcadeError("SSH needs asyncssh: install lrgpnode with its extra, `lrgpnode[ssh]`.") from None
    return SshServer(arena, keys, data)


def application(service: Service, store: ArcadeStore, doorman: Doorman, arena: Arena) -> web.Application:
    """Every route of the arcade."""
    app = web.Application(client_max_size=requests.MAX_BODY, middlewares=[json_errors])
    app.add_routes(AgentRoutes(service).table())
    app.add_routes(BridgeRoutes(service).table())
    app.add_routes(SkillRoutes(service).table())
    app.add_routes(SignInRoutes(service, store, doorman).table())
    app.add_routes(ResultRoutes(service, store).table())
    app.add_routes(PlayRoutes(arena, doorman).table())
    app.add_routes(LadderRoutes(service, arena).table())
    app.add_routes(openapi.routes())
    app.add_routes(site.routes())
    app.on_response_prepare.append(_name_server)
    return app


async def _name_server(_: web.Request, response: web.StreamResponse) -> None:
    """Who attacks need not be told the versions of everything."""
    response.headers["Server"] = SERVER


@web.middleware
async def json_errors(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Unknown paths and methods in the same form as other errors."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        return answers.failed(error)


def next_boot_tag(store: ArcadeStore) -> str:
    """Four hexadecimal digits, other than those of the last start."""
    last = store.fact("boot_tag")
    tag = last
    while tag == last:
        tag = secrets.token_hex(2)
    assert tag is not None
    store.set_fact("boot_tag", tag)
    return tag


def _allow_files(most: int) -> None:
    """Each connection is an open file, and the usual limit of 1024 may be raised by ourselves."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def is_local(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(str(one[4][0]).startswith("127.") or one[4][0] == "::1" for one in found)
