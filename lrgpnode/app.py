"""The composition root: makes a node out of its rooms, runs it, and takes it down again.

Order matters. Reticulum starts first, in the main thread and before the loop, because it takes the
signals; ours are set afterwards. Stopping goes the other way round: clients, node, mesh, database.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lrgpnode import __version__, config, metrics
from lrgpnode.airtime.budget import Purpose
from lrgpnode.airtime.modem import Modem
from lrgpnode.api import Api, Recording, Surroundings
from lrgpnode.api.lookup import Lookup
from lrgpnode.api.propagation import event as propagation_event
from lrgpnode.api.radio import trouble_info
from lrgpnode.api.status import node_status
from lrgpnode.cli.exits import Exit
from lrgpnode.config import SETTINGS, ConfigError, Loaded, Paths, RunOptions, Settings
from lrgpnode.config.configuration import Configuration
from lrgpnode.control import models
from lrgpnode.control.events import Events
from lrgpnode.control.server import ControlServer, SocketError
from lrgpnode.doctor import listening
from lrgpnode.house.host import House
from lrgpnode.logs.system import Log
from lrgpnode.mesh.airtime.settings import AirtimeSettings
from lrgpnode.mesh.floor import Moment
from lrgpnode.mesh.identity import IdentityError
from lrgpnode.mesh.propagation.report import News
from lrgpnode.mesh.propagation.settings import HostSettings, PropagationSettings
from lrgpnode.mesh.reticulum import ReticulumMesh
from lrgpnode.mesh.rns_config import Endpoint, EndpointError, parse_endpoint
from lrgpnode.mesh.settings import MeshSettings
from lrgpnode.metrics import Counters
from lrgpnode.node import Identities, Node
from lrgpnode.node.clock import MovableClock, system_synchronised
from lrgpnode.plugins import PluginProblem, load_games
from lrgpnode.service.heart import Heart
from lrgpnode.service.notify import Notifier
from lrgpnode.vitals import Vitals, count_event
from storage.errors import StorageError
from storage.model import Policy, Role
from storage.store import Store
from storage.writer import Writer

if TYPE_CHECKING:
    from gateway.agentgames.ladder.ladders import ArcadeLadders
    from gateway.arcade.app import Arcade
    from gateway.desk import GatewayDesk
    from gateway.service import Gateway
    from interfaces.text.service import TextService
    from interfaces.text.wiring import Texts
    from lrgpnode.backup.make import Made
    from lrgpnode.mesh.radio.watch import RadioState
    from lrgpnode.mesh.signing import Signer

log = logging.getLogger("lrgpnode")

RADIO_AWAY_SECONDS: Final = 60.0
"""After a radio was away for longer, what waits is tried again at once."""

REMEMBERED_PEERS: Final = 500
"""Peers whose public keys Reticulum is given at start; it forgets those it has no use for itself."""


_NAMED: Final = ("game.challenged", "game.request")
"""Events that say what the peer is called. Moves do not: they are many, and each would wait for it."""

_SERVICE: Final = (
    "this machine has lrgpnode as a service; start that with `sudo systemctl start lrgpnode`, "
    "or run a node of your own with `lrgpnode --data DIR run`"
)


class StartError(Exception):
    """The node cannot start; ``str()`` is a sentence for a person, ``code`` the exit code."""

    def __init__(self, message: str, code: int = Exit.FAILED) -> None:
        super().__init__(message)
        self.code = code


def run(options: RunOptions) -> int:
    """Run a node until it is told to stop; the exit code. Must be called in the main thread.

    Turns the garbage collector on once everything is loaded.
    """
    notifier = Notifier()
    try:
        loaded = config.load(options)
        if loaded.paths.service and not options.service:
            raise StartError(_SERVICE, Exit.CONFIG)
        process_log = Log(loaded.settings.node_log_level)
        process_log.start()
        with _only_one(loaded.paths):
            return _Application(options, loaded, process_log, notifier).run()
    except ConfigError as error:
        return _refuse(notifier, str(error), Exit.CONFIG)
    except StorageError as error:
        return _refuse(notifier, str(error), Exit.DATABASE)
    except StartError as error:
        return _refuse(notifier, str(error), error.code)


def _refuse(notifier: Notifier, message: str, code: int) -> int:
    notifier.status(message)
    sys.stderr.write(f"lrgpnode: {message}\n")
    return code


@contextmanager
def _only_one(paths: Paths) -> Iterator[None]:
    """Hold the data directory's lock: two nodes on one database would each miss what the other does."""
    data = paths.data
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(data / config.LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartError(f"cannot use the data directory {data}: {error.strerror}", Exit.CONFIG) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = config.read_lock(data)
            process = f" (process {holder[0]})" if holder is not None else ""
            raise StartError(
                f"a node is already running on {data}{process}; stop it with `lrgpnode --data {data} stop`"
            ) from None
        config.write_lock(handle, paths.socket)
        yield
    finally:
        os.close(handle)


def _nothing() -> None:
    """Something to do for a thread, to see that it does it."""


def propagation_settings(settings: Settings) -> PropagationSettings:
    """What the mesh is told of mail by way of propagation nodes."""
    host = HostSettings(
        name=settings.node_name,
        storage_mb=settings.propagation_host_megabytes,
        message_kb=settings.propagation_host_message_kilobytes,
        transfer_kb=settings.propagation_host_transfer_kilobytes,
        stamp_cost=settings.propagation_host_stamp_cost,
        peering_cost=settings.propagation_host_peering_cost,
        peers=settings.propagation_host_peers,
        max_peers=settings.propagation_host_max_peers,
    )
    return PropagationSettings(
        nodes=settings.propagation_nodes,
        auto=settings.propagation_auto,
        sync_interval=settings.propagation_sync_minutes * 60.0,
        max_cost=settings.propagation_max_stamp_cost,
        host=host if settings.propagation_host else None,
    )


def airtime_settings(settings: Settings) -> AirtimeSettings:
    """What the mesh is told of airtime. Raises ``StartError``."""
    try:
        modem = shared_modem(settings)
    except ValueError as error:
        raise StartError(f"airtime: {error}", Exit.CONFIG) from None
    return AirtimeSettings(
        enabled=settings.airtime_enabled,
        region=settings.airtime_region,
        percent=settings.airtime_limit_percent,
        reserve=settings.airtime_reserve_percent / 100,
        shares={
            Purpose.MOVES: 1.0,
            Purpose.TEXTS: settings.airtime_texts_percent / 100,
            Purpose.ANNOUNCES: settings.airtime_announces_percent / 100,
            Purpose.SYNC: settings.airtime_sync_percent / 100,
            Purpose.GATEWAY: settings.airtime_gateway_percent / 100,
        },
        peer=settings.airtime_peer_percent / 100,
        modem=modem,
        frequency=round(settings.airtime_frequency_mhz * 1e6) or None,
    )


def shared_modem(settings: Settings) -> Modem | None:
    """The modem of another program's radio; None where nothing is said of one. Raises ``ValueError``."""
    if settings.airtime_preset:
        from firmware_configs.catalogue import preset  # noqa: PLC0415 - most nodes need none

        named = preset(settings.airtime_preset)
        return Modem(named.bandwidth, named.spreading_factor, named.coding_rate)
    if settings.airtime_bandwidth or settings.airtime_spreading_factor:
        return Modem(
            settings.airtime_bandwidth, settings.airtime_spreading_factor, settings.airtime_coding_rate
        )
    return None


def boot_id() -> str:
    """What tells this boot of the machine from every other."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


class _Application:
    def __init__(self, options: RunOptions, loaded: Loaded, process_log: Log, notifier: Notifier) -> None:
        self._options = options
        self._paths = loaded.paths
        self._settings = loaded.settings
        self._configuration = Configuration(loaded)
        self._log = process_log
        self._notifier = notifier
        self._counters = Counters()
        process_log.also(lambda line: self._counters.add(metrics.LOG_LINES, line.level_name))
        self._started_at = time.time()
        self._events = Events(start=int(self._started_at * 1000))
        self._problems: tuple[PluginProblem, ...] = ()
        self._stop = asyncio.Event()
        self._reason = "stopped"
        self._radio_away: dict[str, float] = {}
        self._arcade: Arcade | None = None
        self._text: TextService | None = None
        self._gateway: Gateway | None = None
        self._ladders: ArcadeLadders | None = None

    def run(self) -> int:
        # First of all: a run that is refused must not have made an identity under a name nobody chose.
        endpoints = self._endpoints()
        with Store(self._paths.data / config.DATABASE_NAME, boot_id=boot_id()) as store:
            self._store = store
            self._own = self._identities(store)
            self._games, self._problems = load_games()
            for problem in self._problems:
                log.warning("game %s is not in use: %s", problem.name, problem.reason)
            self._movable = MovableClock() if self._settings.test_clock else None
            self._mesh = ReticulumMesh(self._mesh_settings(*endpoints))
            self._vitals = Vitals(
                name=self._settings.node_name,
                started_at=self._started_at,
                store=store,
                mesh=self._mesh,
                counters=self._counters,
                seq=lambda: self._events.seq,
                identities=lambda: self._own.rows,
                mail_fetched_at=lambda: self._mesh.propagation.fetched_at,
                people=lambda: (row.hash for row in self._own.rows.values() if row.role is Role.PERSON),
            )
            # What is loaded by now stays: the collector need not look at it, now or later.
            gc.freeze()
            self._start_reticulum()
            gc.freeze()
            gc.enable()
            self._log.on_level(self._mesh.set_log_level)
            asyncio.run(self._main())
        return Exit.OK

    def _identities(self, store: Store) -> Identities:
        """The identities of this node; the first run makes one."""
        name = self._settings.node_name
        try:
            # The house is for the people of this node, unless they open it.
            silent = () if self._settings.house_open_to_peers else (Role.HOUSE,)
            return Identities(self._paths.data / "identities", store, lambda: name, silent)
        except IdentityError as error:
            raise StartError(str(error), Exit.CONFIG) from None

    def _endpoints(self) -> tuple[Endpoint | None, tuple[Endpoint, ...]]:
        """Where to listen, which is free, and where to connect to."""
        options = self._options
        try:
            listen = parse_endpoint(options.listen, any_port=True) if options.listen else None
            connect = tuple(parse_endpoint(text) for text in options.connect)
        except EndpointError as error:
            raise StartError(str(error), Exit.CONFIG) from None
        if (listen is not None or connect) and options.rns_config is not None:
            raise StartError("--rns-config cannot be combined with --listen or --connect", Exit.CONFIG)
        if listen is not None and (refused := listening.refusal(listen.host, listen.port)):
            raise StartError(f"--listen: {refused}")
        return listen, connect

    def _mesh_settings(self, listen: Endpoint | None, connect: tuple[Endpoint, ...]) -> MeshSettings:
        settings = self._settings
        private = listen is not None or bool(connect)
        return MeshSettings(
            data=self._paths.data,
            identities=self._own.active,
            silent=self._own.silent,
            display_names=self._own.names,
            rns_config_dir=None if private else settings.rns_config_dir,
            listen=listen,
            connect=connect,
            announce_delay=settings.announce_at_start_seconds,
            announce_interval=settings.announce_interval_minutes * 60.0,
            shared_is_slow=settings.announce_shared_is_radio,
            boot_id=boot_id(),
            moment=self._moment if self._movable is not None else None,
            synchronised=system_synchronised,
            message_kb=settings.messages_max_kilobytes,
            propagation=propagation_settings(settings),
            airtime=airtime_settings(settings),
            automatic=self._plays_itself,
        )

    def _plays_itself(self, identity: str) -> bool:
        """Whether the node plays and writes as this identity, and no person does."""
        row = self._own.rows.get(identity)
        return row is not None and row.role is not Role.PERSON

    def _moment(self) -> Moment:
        """By the clock that tests move."""
        assert self._movable is not None
        clock = self._movable.clock
        return Moment(clock.wall(), clock.boot(), boot_id(), clock.synchronised())

    def _start_reticulum(self) -> None:
        from lrgpnode.mesh.instance import MeshError  # noqa: PLC0415 - loads Reticulum

        try:
            self._mesh.start_reticulum()
        except MeshError as error:
            raise StartError(str(error)) from error
        for peer in self._store.book.peers(REMEMBERED_PEERS):
            self._mesh.remember(peer.peer, peer.public_key)
        for contact in self._store.book.contacts():
            if contact.public_key is not None:
                self._mesh.remember(contact.peer, contact.public_key)

    async def _main(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._ask_to_stop, signal.Signals(number).name)
        writer = Writer(self._store, observe=self._counters.wrote)
        self._house = house = House(self._settings, self._own, self._store, writer)
        texts = self._texts(writer)
        node = Node(
            store=self._store,
            writer=writer,
            games=self._games,
            transport=self._mesh if texts is None else texts.transport,
            publish=self._publish,
            local=self._own.rows,
            accept=Policy(self._settings.accept_from),
            introduce=self._mesh.introduce,
            counters=self._counters,
            airtime=self._mesh.airtime if texts is None else texts.airtime,
            clock=self._movable.clock if self._movable is not None else None,
        )
        self._follow_settings(node)
        self._time = node.time
        self._lookup = Lookup(node, self._store, self._own)
        self._own.attach(writer, self._mesh, node, self._publish)
        desk = self._make_gateway(writer)
        api = Api(
            node,
            self._store,
            writer,
            self._own,
            self._surroundings(),
            self._recording(),
            house,
            desk,
            lambda: self._ladders,
        )
        server = ControlServer(self._paths.socket, api.methods(), self._events, mode=self._paths.socket_mode)
        parts = {"database's thread": lambda: writer.run(_nothing), "mesh's thread": self._mesh.answers}
        heart = Heart(self._notifier, parts, self._vitals.line)
        try:
            await node.start(self._own.rows, paused=self._own.resting)
            if self._mesh.airtime is not None:
                self._mesh.airtime.on_released(lambda: self._released(loop, node))
            self._mesh.watch_propagation(lambda news: self._propagation_news(node, news))
            self._mesh.watch_radios(lambda state: self._radio_news(node, state))
            self._mesh.attach(loop, node)
            await house.open(node)
            await self._open_arcade()
            await self._open_gateway(node)
            if self._text is not None:
                await self._text.open(node, desk, self._ladders)
            heart.start()
            await self._serve(server)
        finally:
            self._notifier.stopping(self._reason)
            await heart.stop()
            self._events.close()
            self._log.ring.close()
            await server.stop()
            if self._text is not None:
                await self._text.close()
            if self._gateway is not None:
                await self._gateway.close()
            await self._close_arcade()
            await house.close()
            await node.stop()
            await asyncio.to_thread(self._mesh.stop)
            writer.close()
            log.info("the node has stopped")

    def _follow_settings(self, node: Node) -> None:
        """Settings that act at once."""
        follow = self._configuration.on_change
        follow("node.log_level", self._set_log_level)
        follow("announce.interval_minutes", lambda minutes: self._mesh.announce_every(minutes * 60.0))
        follow("accept.from", lambda policy: node.admission.use_default(Policy(policy)))
        for key in ("gateway.players", "gateway.allow", "gateway.block", "gateway.routes"):
            follow(key, partial(self._use_gate_policy, SETTINGS[key].field))
        for key, row in SETTINGS.items():
            if row.section == "tui":
                follow(key, lambda _: None)  # Windows ask for these; the node has nothing to do.

    def _use_gate_policy(self, field: str, value: Any) -> None:
        if self._gateway is not None:
            self._gateway.use_policy(replace(self._configuration.settings, **{field: value}))

    def _name_of(self, peer: str) -> str:
        return self._lookup.name(peer)

    def _texts(self, writer: Writer) -> Texts | None:
        """Text commands, where there may be an identity that answers them."""
        settings = self._settings
        if not settings.text_enabled or not (settings.gateway_enabled or settings.text_identities):
            return None
        from interfaces.text.wiring import Texts  # noqa: PLC0415 - most nodes answer nobody

        own, store, mesh = self._own, self._store, self._mesh
        texts = Texts(settings, own, store, writer, mesh, mesh.airtime, self._name_of)
        self._text = texts.service
        return texts

    async def _serve(self, server: ControlServer) -> None:
        try:
            await server.start()
        except SocketError as error:
            raise StartError(str(error)) from error
        self._publish("node.started", {"name": self._settings.node_name, "version": __version__})
        for row in self._own.rows.values():
            log.info("identity %s (%s)", row.hash, row.name)
        log.info("the node is running; control socket %s", self._paths.socket)
        self._notifier.ready(self._vitals.line())
        await self._stop.wait()
        log.info("stopping: %s", self._reason)
        self._publish("node.stopping", {"reason": self._reason})

    def _make_gateway(self, writer: Writer) -> GatewayDesk | None:
        if not self._settings.gateway_enabled:
            return None
        from gateway.start import make  # noqa: PLC0415 - most nodes have no gateway

        made = make(
            self._settings,
            self._own,
            self._store,
            writer,
            self._publish,
            data=self._paths.data,
            name=self._lookup.name,
            now=self._time.now,
            round_trip=self._mesh.round_trip,
        )
        if made is None:
            return None
        self._gateway, desk = made
        return desk

    async def _open_gateway(self, node: Node) -> None:
        if self._gateway is not None:
            if self._text is not None:
                self._gateway.matched = self._text.take_challenge
                self._gateway.seated = self._text.seated
            await self._gateway.open(node)
            return
        # Off the mesh, so that nobody challenges what does not answer.
        for row in tuple(self._own.rows.values()):
            if row.role is Role.GATEWAY and row.enabled:
                try:
                    await self._own.disable(row.hash)
                except (IdentityError, StorageError) as error:
                    log.warning("the gateway's identity is still on the mesh: %s", error)

    async def _open_arcade(self) -> None:
        if not self._settings.arcade_enabled:
            self._open_ladders()
            return
        from gateway.arcade.mounted import open_arcade  # noqa: PLC0415 - most nodes have no web server

        self._arcade = await open_arcade(self._settings, self._paths.data)
        self._open_ladders()
        if self._gateway is None:
            return
        if self._arcade is None:
            await self._gateway.withdraw("arcade", "the arcade of this node is not open; its log says why")
            return
        from gateway.start import arcade_is_open  # noqa: PLC0415 - most nodes have no gateway

        arcade_is_open(self._gateway, self._arcade.address)

    def _open_ladders(self) -> None:
        arena = self._arcade.arena if self._arcade is not None else None
        if arena is None and not self._settings.arcade_ladder_url:
            return
        from gateway.agentgames.ladder.start import ladders  # noqa: PLC0415 - most nodes show no ladder

        self._ladders = ladders(self._settings, arena)

    async def _close_arcade(self) -> None:
        if self._ladders is not None:
            await self._ladders.close()
        if self._arcade is not None:
            await self._arcade.stop()

    def _released(self, loop: asyncio.AbstractEventLoop, node: Node) -> None:
        """Airtime that was held has been given back, on any thread."""
        if not self._stop.is_set():
            loop.call_soon_threadsafe(node.airtime_freed)

    def _is_known(self, peer: str) -> None:
        if self._gateway is not None:
            self._gateway.look_again(peer)

    def _set_log_level(self, level: str) -> None:
        self._log.level = level

    def _ask_to_stop(self, reason: str = "asked to stop") -> None:
        self._reason = reason
        self._stop.set()

    def _publish(self, type: str, fields: Mapping[str, Any]) -> None:
        if type in _NAMED:
            fields = {**fields, "peer_name": self._lookup.name(fields["peer"])}
        count_event(self._counters, type, fields)
        self._events.publish(type, models.EVENTS[type](**fields))
        self._house.told(type, fields)
        if self._text is not None:
            self._text.told(type, fields)
        if self._gateway is not None:
            self._gateway.told(type, fields)

    def _propagation_news(self, node: Node, news: News) -> None:
        type, fields = propagation_event(news)
        self._publish(type, fields)
        if type == "propagation.node" and fields["node"]:
            node.reachable()

    def _radio_news(self, node: Node, state: RadioState) -> None:
        fields = {"name": state.name, "up": state.up, "trouble": trouble_info(state.trouble)}
        self._publish("radio.changed", fields)
        if not state.up:
            self._radio_away.setdefault(state.name, time.monotonic())
            return
        since = self._radio_away.pop(state.name, None)
        # Until then LXMF tries again by itself; and a loose plug must not use up all attempts.
        if since is not None and time.monotonic() - since > RADIO_AWAY_SECONDS:
            node.radio_back()

    def _mesh_load(self) -> int:
        status = self._mesh.status()
        return status.in_flight + status.waiting

    def _surroundings(self) -> Surroundings:
        return Surroundings(
            status=self._status,
            stop=self._ask_to_stop,
            announce=self._mesh.ask_announce,
            announced_at=self._mesh.announced_at,
            request_path=self._mesh.request_path,
            remember=self._mesh.remember,
            known=self._is_known,
            propagation=self._mesh.propagation,
            radios=self._mesh.radio_view,
            publish=self._publish,
            mesh_load=self._mesh_load,
            unsent=self._vitals.unsent,
            airtime=self._mesh.airtime_report,
            configuration=self._configuration,
            backup=self._backup,
            log=self._log,
            metrics=self._vitals.families,
            clock=self._movable,
        )

    def _recording(self) -> Recording:
        return Recording(
            games=lambda: load_games()[0],
            signer=self._signer,
            peer_key=self._peer_key,
        )

    def _signer(self, hash: str) -> Signer:
        from lrgpnode.mesh.signing import Signer  # noqa: PLC0415 - most runs of a node sign no record

        return Signer(self._own.loaded(hash))

    def _peer_key(self, peer: str) -> bytes:
        from lrgpnode.mesh import known  # noqa: PLC0415 - loads Reticulum

        return self._own.public_key(peer) if peer in self._own.rows else known.public_key(bytes.fromhex(peer))

    def _backup(self, file: Path) -> Made:
        from lrgpnode.backup.make import make  # noqa: PLC0415 - most runs of a node need none

        return make(self._paths.data, self._paths.config, file, now=time.time(), program=__version__)

    def _status(self) -> models.NodeStatus:
        return node_status(
            self._vitals,
            self._paths,
            games=self._games.values(),
            problems=[
                *(f"Game {one.name} is not in use: {one.reason}" for one in self._problems),
                *(self._gateway.problems() if self._gateway is not None else ()),
            ],
            airtime=self._mesh.airtime_report(),
            propagation_node=self._mesh.propagation.current,
            time=self._time,
        )
