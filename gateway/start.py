"""Makes the gateway of a node out of its settings: platforms, house host, service, desk.

The one module that knows which platforms there are. What needs the web client is imported here, when the
gateway is on, and not before.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lrgpnode.airtime.roundtrip import RoundTrip
from lrgpnode.config import Settings
from lrgpnode.config.kinds import host_and_maybe_port, host_and_port
from lrgpnode.house.worker import ThinkingProcess
from lrgpnode.node import Identities
from storage.store import Store
from storage.writer import Writer

from .accounts import HOST, AccountError, Accounts
from .address import STREAM, BadAddress, parse_address
from .desk import GatewayDesk
from .gates import PlatformGate
from .limiter import Limiter
from .seat import Platform
from .service import Gateway, Kept, Publish
from .settings import RouteError, read

if TYPE_CHECKING:
    from .agentgames.client.connection import Dialer

log = logging.getLogger(__name__)

ARCADE: Final = "arcade"
RCADIA: Final = "rcadia"
AGENTGAMES: Final = "agentgames"

NEEDS: Final = "the gateway needs aiohttp: install lrgpnode with its extra, `lrgpnode[gateway]`"
NEEDS_SSH: Final = "over SSH it needs asyncssh: install lrgpnode with its extra, `lrgpnode[ssh]`"


def make(
    settings: Settings,
    own: Identities,
    store: Store,
    writer: Writer,
    publish: Publish,
    *,
    data: Path,
    name: Callable[[str], str],
    now: Callable[[], float],
    round_trip: Callable[[str], RoundTrip | None],
) -> tuple[Gateway, GatewayDesk] | None:
    """The gateway and its desk, not open yet; None where it cannot be, which must not stop the node."""
    try:
        from .rcadia.client.transport import Connections, Limits  # noqa: PLC0415 - loads the web client
        from .rcadia.platform import RcadiaPlatform  # noqa: PLC0415
    except ImportError:
        log.error("%s", NEEDS)
        return None
    try:
        read_settings = read(settings)
    except RouteError as error:
        log.error("there is no gateway: %s", error)
        return None
    limiter = Limiter(store.gateway.pauses(), Kept(store, writer))
    tasks: set[asyncio.Task[None]] = set()

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    # Every table of ours may hold a poll of the host, one for who sits down, and two of a seat.
    most = 100 + 4 * settings.hosting_max_tables * len(settings.hosting_games)
    connections = {}
    for platform, url, plain in _addresses(settings):
        try:
            address = parse_address(url, allow_plain=plain)
        except BadAddress as error:
            log.error("there is no platform %s: %s", platform, error)
            continue
        gate = PlatformGate(limiter, platform, now, spawn)
        connections[platform] = Connections(address, gate=gate, limits=Limits(connections=most))
    platforms: list[Platform] = [RcadiaPlatform(platform, each) for platform, each in connections.items()]
    if (agentgames := _agentgames(settings, data)) is not None:
        platforms.append(agentgames)
    for app, platform in read_settings.policy.routes.items():
        if platform not in {each.name for each in platforms}:
            log.warning("gateway.routes: the platform %s for %s is not set up", platform, app)
    gateway = Gateway(
        read_settings,
        platforms,
        own,
        store,
        writer,
        publish,
        limiter=limiter,
        data=data,
        name=name,
        round_trip=round_trip,
    )
    if settings.arcade_enabled:
        _provide(gateway.accounts, data)
    _host(settings, gateway, connections, store, writer, now)
    return gateway, GatewayDesk(gateway)


def _addresses(settings: Settings) -> list[tuple[str, str, bool]]:
    """(platform, URL, whether http is allowed in private networks)."""
    found = []
    if settings.arcade_enabled:
        found.append((ARCADE, _local(*host_and_port(settings.arcade_listen)), True))
    if settings.rcadia_url:
        found.append((RCADIA, settings.rcadia_url, settings.rcadia_plain_http))
    return found


def _agentgames(settings: Settings, data: Path) -> Platform | None:
    """AgentGames, if it is set up, over the transport that the settings name."""
    if not settings.agentgames_ssh and not settings.agentgames_url:
        return None
    from .agentgames.place import Timing  # noqa: PLC0415
    from .agentgames.platform import AgentGamesPlatform  # noqa: PLC0415 - see make()

    try:
        dialer = _over_ssh(settings, data) if settings.agentgames_ssh else _over_websocket(settings)
    except ImportError:
        log.error("there is no platform %s: %s", AGENTGAMES, NEEDS_SSH)
        return None
    except BadAddress as error:
        log.error("there is no platform %s: %s", AGENTGAMES, error)
        return None
    timing = Timing(
        move=float(settings.agentgames_move_seconds), queue=float(settings.agentgames_queue_seconds)
    )
    return AgentGamesPlatform(AGENTGAMES, dialer, timing=timing)


def _over_websocket(settings: Settings) -> Dialer:
    from .agentgames.client.websocket import WebSocketDialer  # noqa: PLC0415 - see make()

    url, plain = settings.agentgames_url, settings.agentgames_plain_http
    return WebSocketDialer(parse_address(url, allow_plain=plain, schemes=STREAM))


def _over_ssh(settings: Settings, data: Path) -> Dialer:
    from .agentgames.client.hostkeys import FILE_NAME, SSH_PORT, HostKeys  # noqa: PLC0415 - loads asyncssh
    from .agentgames.client.ssh import SshDialer  # noqa: PLC0415

    host, port = host_and_maybe_port(settings.agentgames_ssh, SSH_PORT)
    return SshDialer(host, port, HostKeys(data / FILE_NAME))


def arcade_is_open(gateway: Gateway, address: tuple[str, int]) -> None:
    """The arcade of this node listens there; its setting may have left the port to the system."""
    from .rcadia.platform import RcadiaPlatform  # noqa: PLC0415 - see make()

    platform = gateway.platforms.get(ARCADE)
    if isinstance(platform, RcadiaPlatform):
        platform.move(_local(*address))


def _local(host: str, port: int) -> str:
    """The URL at which this machine reaches what listens there."""
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - it is compared
    return f"http://[{local}]:{port}" if ":" in local else f"http://{local}:{port}"


def _provide(accounts: Accounts, data: Path) -> None:
    """Accounts of our own at the arcade of this node: nobody needs to make those by hand."""
    from .arcade.accounts import Accounts as ArcadeAccounts  # noqa: PLC0415 - see make()
    from .arcade.store import FILE_NAME, ArcadeStore, StoreError  # noqa: PLC0415

    wanted = [(name, scopes) for name, scopes in _OURS.items() if accounts.get(ARCADE, name) is None]
    if not wanted:
        return
    try:
        store = ArcadeStore(data / FILE_NAME)
        try:
            arcade = ArcadeAccounts(store)
            for name, scopes in wanted:
                shown = _SHOWN[name]
                if not any(account.name == shown for account in arcade.all()):
                    arcade.add(shown, house=name == HOST)
                accounts.put(ARCADE, name, arcade.new_token(shown, scopes, "gateway")[0])
        finally:
            store.close()
    except (StoreError, AccountError, OSError) as error:
        log.error("the gateway has no account at the arcade: %s", error)


_OURS: Final = {"main": ["play"], HOST: ["host", "play"]}
_SHOWN: Final = {"main": "gateway", HOST: "house"}


def _host(
    settings: Settings,
    gateway: Gateway,
    connections: dict[str, Any],
    store: Store,
    writer: Writer,
    now: Callable[[], float],
) -> None:
    """A house host, if there are games for it and it has an account."""
    platform = gateway.platforms.get(settings.hosting_platform)
    if not settings.hosting_games:
        return
    if platform is None:
        log.error("no tables are hosted: the platform %s is not set up", settings.hosting_platform)
        return
    from .rcadia.client.host import HostApi  # noqa: PLC0415 - see make()
    from .rcadia.client.transport import Transport  # noqa: PLC0415
    from .rcadia.host import HouseHost  # noqa: PLC0415
    from .rcadia.hosting.catalogue import words  # noqa: PLC0415
    from .rcadia.hosting.engine import Engine  # noqa: PLC0415
    from .rcadia.hosting.plan import HostSettings  # noqa: PLC0415

    known = words()
    games = tuple(app for app in settings.hosting_games if app in known)
    for app in set(settings.hosting_games) - set(games):
        log.warning("hosting.games: there are no tables of %s; of these there are: %s", app, ", ".join(known))
    account = gateway.accounts.get(platform.name, HOST)
    if account is None:
        log.error("no tables are hosted: there is no account %s for %s", HOST, platform.name)
        return
    gateway.hosts[platform.name] = HouseHost(
        HostSettings(
            games=games,
            min_open=settings.hosting_open_tables,
            max_tables=settings.hosting_max_tables,
            house=settings.hosting_house,
            house_after=float(settings.hosting_house_after_seconds),
            level=settings.house_level,
            turn_timeout=settings.hosting_turn_seconds,
            seek_seconds=settings.hosting_seek_minutes * 60.0,
        ),
        known,
        HostApi(Transport(connections[platform.name], account.token)),
        platform,
        account,
        Engine(ThinkingProcess(), settings.house_level, lambda: secrets.randbits(32)),
        _Shelf(store, writer),
        mesh=gateway,
        wall=now,
    )


class _Shelf:
    """Implements ``rcadia.hosting.memory.Shelf``."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    def load(self) -> str | None:
        from .rcadia.hosting.memory import META_KEY  # noqa: PLC0415 - see make()

        return self._store.book.meta(META_KEY)

    async def save(self, text: str) -> None:
        from .rcadia.hosting.memory import META_KEY  # noqa: PLC0415 - see make()

        await self._writer.run(self._store.book.put_meta, META_KEY, text)
