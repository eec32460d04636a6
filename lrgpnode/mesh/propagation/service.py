"""Propagation as the mesh uses it: which node, sending, fetching, and what is told about it.

State belongs to the mesh's worker. What is asked from other threads is either a value that is
replaced as a whole (``current``) or comes as a future.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final

import RNS

from ..identity import IdentityError
from ..instance import MeshError
from ..lxmf import NodeRouter, announce_on
from ..receiver import Receiver
from ..transport import Progress
from ..worker import Worker
from . import announced
from .book import NodeBook
from .connection import Connection
from .host import open_host
from .report import News, NodeNews, PropagationStatus, StampNews
from .routes import Routes
from .settings import PropagationSettings
from .stamps import StampMaker, StampWork
from .state import StateFile
from .syncs import Airtime, Syncs
from .upload import Parcel, Uploads

FILE: Final = "propagation.json"

_log = logging.getLogger(__name__)


class Propagation:
    """Implements ``upload.Nodes``. ``airtime`` gives the seconds a packet and its answer take; ``counted``
    is asked before mail is fetched by radio;
    identities that are ``silent`` have no mail, since nobody on the mesh knows them.

    Opened in the main thread, once the routers are there. Raises ``MeshError``.
    """

    def __init__(
        self,
        settings: PropagationSettings,
        data: Path,
        worker: Worker,
        routers: Mapping[str, NodeRouter],
        receiver: Receiver,
        *,
        path_wait: Callable[[], float],
        airtime: Callable[[], float],
        silent: Callable[[str], bool],
        progress: Callable[[int, Progress, str], None],
        tell: Callable[[News], None],
        counted: Airtime | None = None,
    ) -> None:
        self._settings = settings
        self._worker = worker
        self._airtime = airtime
        self._routers = routers
        self._silent = silent
        try:
            host, key = open_host(data, settings.host, routers, receiver)
        except IdentityError as error:
            raise MeshError(str(error)) from error
        self._host = host
        self._tell = tell
        file = StateFile(data / FILE)
        self._book = NodeBook(
            file.load(),
            file.save,
            listed=settings.nodes,
            auto=settings.auto,
            own=host.hash if host else "",
            max_cost=settings.max_cost,
            now=time.time(),
        )
        self._routes = Routes(worker, path_wait)
        self._stamps = StampMaker(worker)
        self._uploads = Uploads(
            worker,
            self,
            self._stamps,
            stored=lambda parcel: progress(parcel.ref, Progress.STORED, ""),
            failed=lambda parcel, reason: progress(parcel.ref, Progress.FAILED, reason),
            slow_stamp=self._slow_stamp,
        )
        self._syncs = Syncs(
            worker,
            self._book,
            self,
            routers,
            self._with_mail,
            receiver,
            settings.sync_interval,
            tell,
            counted,
        )
        self._current = self._book.current(time.time())
        self._farewell = Farewell(key if host is None and self._book.hosting else None)

    # --- from any thread

    @property
    def current(self) -> str:
        """The node in use, "" where there is none."""
        return self._current

    @property
    def fetched_at(self) -> float | None:
        """When the mail of all identities had last been fetched."""
        records = [self._book.synced(identity) for identity in self._with_mail()]
        times = [record.at for record in records if record is not None]
        return min(times) if times and len(times) == len(records) else None

    def send(self, parcel: Parcel) -> None:
        """Store a message at the current node. On the worker."""
        self._uploads.add(parcel)

    def cancel(self, ref: int) -> None:
        """Do not send this after all. On the worker."""
        self._uploads.cancel(ref)

    def sync(self, identities: tuple[str, ...]) -> None:
        self._worker.call(self._syncs.request, identities)

    def joined(self, identity: str) -> None:
        """An identity more has come on the mesh: there may be mail for it. On the worker."""
        if self._settings.sync_interval > 0:
            self._syncs.request((identity,))

    def left(self, identity: str) -> None:
        """An identity has left the mesh: what it has under way is forgotten. On the worker."""
        self._uploads.leave(identity)

    def status(self) -> Future[PropagationStatus]:
        return self._worker.ask(self._status)

    def add(self, node: str) -> Future[None]:
        """The future raises ``NotListed``, as those of ``remove`` and ``use``."""
        return self._worker.ask(self._change, self._book.add, node)

    def remove(self, node: str) -> Future[None]:
        return self._worker.ask(self._change, self._book.remove, node)

    def use(self, node: str) -> Future[None]:
        return self._worker.ask(self._change, self._book.use, node)

    def start(self, delay: float) -> None:
        """Begin to fetch mail after about ``delay`` seconds. Before the worker is started."""
        RNS.Transport.register_announce_handler(_AnnounceHandler(self._worker, self._on_announce))
        self._syncs.start(delay)
        if self._host is not None:
            self._host.start(self._worker)

    @property
    def announced(self) -> str:
        """What to call ``announce`` for regularly, "" for nothing: our own node's address."""
        return self._host.hash if self._host is not None else self._farewell.hash

    def announce(self, interfaces: Sequence[Any] | None) -> None:
        """Announce our own node, or that it is no more, on these interfaces or all. On the worker."""
        if self._host is not None:
            self._host.announce(interfaces)
        else:
            self._farewell.announce(interfaces)
        self._book.note_hosting(self._host is not None)

    def stop(self) -> None:
        self._stamps.stop()
        if self._host is not None:
            self._host.stop()

    # --- upload.Nodes

    def terms(self, node: str) -> tuple[int, int] | None:
        if self._host is not None and node == self._host.hash:
            return self._host.settings.stamp_cost, self._host.settings.message_kb
        info = self._book.info(node)
        if info is not None:
            return info.stamp_cost, info.message_kb
        said = announced.parse(RNS.Identity.recall_app_data(bytes.fromhex(node)))
        return (said.stamp_cost, said.message_kb) if said is not None else None

    def max_cost(self) -> int:
        return self._settings.max_cost

    def node(self) -> str:
        return self._book.current(time.time())

    def worked(self, node: str) -> None:
        self._book.worked(node, time.time())
        self._chosen("works")

    def failed(self, node: str, reason: str) -> None:
        self._book.failed(node, reason, time.time())
        self._chosen(reason)

    def find(self, node: str, found: Callable[[bool], None]) -> None:
        self._routes.need(node, found)

    def connect(
        self,
        node: str,
        opened: Callable[[Connection], None],
        lost: Callable[[str], None],
        *,
        rests: bool = False,
    ) -> None:
        def gone(reason: str) -> None:
            if not connection.was_open:
                self._routes.lost(node)
            lost(reason)

        try:
            connection = Connection(
                self._worker,
                node,
                lambda: opened(connection),
                gone,
                slack=4 * self._airtime(),
                rests=rests,
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits to be told
            _log.exception("no link to propagation node %s", node)
            self._worker.call(lost, f"no link could be opened: {error}")

    def is_own(self, node: str) -> bool:
        return self._host is not None and node == self._host.hash

    def keep(self, data: bytes) -> bool:
        return self._host is not None and self._host.take(data)

    def collect(self, router: NodeRouter) -> int:
        """Mail for an identity at our own node, and how much."""
        return self._host.collect(router) if self._host is not None else 0

    def _with_mail(self) -> tuple[str, ...]:
        return tuple(identity for identity in tuple(self._routers) if not self._silent(identity))

    # --- on the worker

    def _on_announce(self, node: str, app_data: bytes | None, hops: int) -> None:
        said = announced.parse(app_data)
        if said is not None:
            if self._host is not None:
                self._host.heard(node, said)
            if self._book.heard(node, said, hops, time.time()):
                self._chosen("heard" if said.enabled else "switched off")
        self._routes.heard(node)

    def _chosen(self, reason: str) -> None:
        """The current node may be another one now."""
        current = self._book.current(time.time())
        if current == self._current:
            return
        before, self._current = self._current, current
        info = self._book.info(current)
        _log.info("propagation node %s is used from now on: %s", current or "none", reason)
        self._tell(NodeNews(node=current, name=info.name if info else "", reason=reason))
        if not before:
            self._syncs.node_found()

    def _change(self, change: Callable[[str], None], node: str) -> None:
        change(node)
        self._chosen("chosen")

    def _slow_stamp(self, parcel: Parcel, node: str, work: StampWork) -> None:
        self._tell(
            StampNews(
                ref=parcel.ref,
                identity=parcel.identity,
                peer=parcel.peer,
                node=node,
                cost=work.cost,
                seconds=work.seconds,
                expected=work.expected,
                finished=work.finished,
            )
        )

    def _status(self) -> PropagationStatus:
        return PropagationStatus(
            current=self._book.current(time.time()),
            auto=self._book.auto,
            nodes=self._book.status(time.time()),
            identities=self._syncs.status(),
            uploads=len(self._uploads),
            next_sync=self._syncs.next_at,
            host=self._host.status() if self._host is not None else None,
        )


class Farewell:
    """The address of our own node while it is switched off; ``hash`` is "" where it never was on."""

    def __init__(self, key: bytes | None) -> None:
        self.hash = ""
        if key is not None:
            self._destination = RNS.Destination(
                RNS.Identity.from_bytes(key),
                RNS.Destination.IN,
                RNS.Destination.SINGLE,
                "lxmf",
                "propagation",
            )
            self._destination.set_default_app_data(announced.switched_off)
            self.hash = self._destination.hash.hex()

    def announce(self, interfaces: Sequence[Any] | None) -> None:
        announce_on(self._destination, announced.switched_off(), interfaces)


class _AnnounceHandler:
    """Registered with Reticulum, which calls it on a thread of its own."""

    aspect_filter: Final = "lxmf.propagation"
    receive_path_responses: Final = True

    def __init__(self, worker: Worker, heard: Callable[[str, bytes | None, int], None]) -> None:
        self._worker = worker
        self._heard = heard

    # The parameters' names and number are Reticulum's.
    def received_announce(
        self,
        destination_hash: bytes,
        announced_identity: object,
        app_data: bytes | None,
        announce_packet_hash: bytes,
        is_path_response: bool,
    ) -> None:
        hops = RNS.Transport.hops_to(destination_hash)
        self._worker.call(self._heard, destination_hash.hex(), app_data, hops)
