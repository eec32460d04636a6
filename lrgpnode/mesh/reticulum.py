"""The transport over Reticulum and LXMF.

One ``LXMRouter`` for each identity, since LXMF allows no more (rns-lxmf facts §2). Threads beside
Reticulum's own: one that receives (``receiver``), one for everything that may block when sending or
announcing (``worker``), one for the log. Their results are posted to the node's loop.

Reticulum and LXMF are loaded by ``start_reticulum``, not by importing this module.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lrgpnode.airtime.roundtrip import Paces, RoundTrip, estimate

from . import rns_config
from .airtime.floor import AirtimeFloor
from .announcer import Announcement, Announcer
from .floor import Moment, this_moment
from .identity import LocalIdentity
from .inbox import Inbox
from .propagation.report import News
from .rnslog import RNS_LEVELS, LogDrain
from .sender import CannotCarry, Sender
from .settings import MeshSettings, MeshStatus
from .transport import Heard, Listener, Outgoing, Progress, Received
from .worker import Worker

if TYPE_CHECKING:
    from lrgpnode.airtime.report import AirtimeReport

    from .airtime.radios import Radios
    from .carrier import LxmfCarrier
    from .instance import Instance
    from .lxmf import NodeRouter
    from .propagation.service import Propagation
    from .radio.status import RadioStatus, RadioView
    from .radio.watch import RadioState
    from .receiver import Receiver

RADIO_SECONDS: Final = 3.5
"""How long the start waits for the radios: one that works takes 2.8 s, one that is silent 2.3 s."""

_log = logging.getLogger(__name__)


class ReticulumMesh:
    """Implements ``Transport``. Call in this order: start_reticulum, attach, …, stop."""

    _airtime_report: Callable[[], AirtimeReport]

    def __init__(self, settings: MeshSettings) -> None:
        if settings.rns_config_dir is not None and (settings.listen or settings.connect):
            raise ValueError("listen and connect have a Reticulum configuration of their own")
        self._settings = settings
        self._routers: dict[str, NodeRouter] = {}
        self._instance: Instance
        self._receiver: Receiver
        self._sender: Sender
        self.radio_view: RadioView
        self._carrier: LxmfCarrier
        self._log: LogDrain
        self._worker = Worker("mesh-send")
        self._paces = Paces(time.monotonic)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener: Listener | None = None
        self._news: Callable[[News], None] | None = None
        self._radio_news: Callable[[RadioState], None] | None = None
        self.propagation: Propagation
        self._radios: Radios
        self._announcer = Announcer(
            (identity.hash for identity in settings.identities),
            self._announce,
            self._worker,
            settings.announce_interval,
            floor=AirtimeFloor(settings.data / "announced.json", self._moment, lambda: self.airtime),
            media=lambda: self._instance.media(shared_is_slow=settings.shared_is_slow),
        )
        self._introducing: set[tuple[str, str]] = set()
        for hash in settings.silent:
            self._announcer.hush(hash)

    def set_log_level(self, level: str) -> None:
        """How much Reticulum logs, by the name of a level of ours. Once it is started."""
        self._instance.set_log_level(RNS_LEVELS[level])

    async def answers(self) -> None:
        """Return when each thread of ours has come to a job that is put in now."""
        sending, receiving = asyncio.Event(), asyncio.Event()
        self._worker.call(self._post, sending.set)
        self._receiver.ask(lambda: self._post(receiving.set))
        await sending.wait()
        await receiving.wait()

    def inbox_entries(self) -> int:
        """Packets that are kept and not handled yet."""
        return self._receiver.entries()

    @property
    def airtime(self) -> Radios | None:
        """Those who count airtime; None on a node without a radio. Once Reticulum is started."""
        return self._radios if self._radios.active else None

    def round_trip(self, peer: str) -> RoundTrip | None:
        """How long a move and its answer take with a peer; None where nothing is known. Does not block."""
        return estimate(self._radios.way(peer), self._paces.of(peer))

    def airtime_report(self) -> AirtimeReport:
        """What was used of the hour, and what is left."""
        return self._airtime_report()

    def radios(self) -> Sequence[RadioStatus]:
        """The radios of this process's own Reticulum."""
        return self.radio_view.own()

    def traffic(self) -> tuple[int, int]:
        """Bytes received and sent over all interfaces of this process's Reticulum."""
        import RNS  # noqa: PLC0415

        return RNS.Transport.traffic_rxb, RNS.Transport.traffic_txb

    # --- starting and stopping

    def start_reticulum(self) -> None:
        """Start Reticulum and the routers. Before the loop, in the main thread. Raises ``MeshError``."""
        from . import lxmf  # noqa: PLC0415 - loads Reticulum, see above
        from .airtime.radios import Radios  # noqa: PLC0415
        from .carrier import LxmfCarrier  # noqa: PLC0415
        from .instance import Instance, quiet_signals  # noqa: PLC0415
        from .propagation.service import Propagation  # noqa: PLC0415
        from .radio.status import RadioView  # noqa: PLC0415
        from .radio.watch import RadioWatch  # noqa: PLC0415
        from .receiver import Receiver  # noqa: PLC0415

        private = self._settings.listen is not None or bool(self._settings.connect)
        watch = RadioWatch(self._radio_changed)
        self._log = LogDrain(watch.line)
        self._instance = Instance(self._config_dir(), self._log.put, self._settings.rns_loglevel, watch)
        if private:
            self._instance.on_interface_up(self._announcer.connected)
        else:
            self._instance.on_online(self._announcer.connected)
        lxmf.prepare()
        radios = self._radios = Radios(
            self._settings.airtime,
            self._settings.data,
            self._worker,
            self._moment,
            self._boot_clock,
            local=self._routers,
            stamped=self._asks_for_stamp,
            mail_node=lambda: self.propagation.current,
            house=self._settings.automatic,
        )
        radios.start(self._instance)
        self._airtime_report = radios.report
        self._receiver = Receiver(self.request_path)
        self.radio_view = RadioView(self._instance, self._receiver)
        for identity in self._settings.identities:
            self._open(identity, self._settings.display_names.get(identity.hash, ""))
        with quiet_signals():
            self.propagation = Propagation(
                self._settings.propagation,
                self._settings.data,
                self._worker,
                self._routers,
                self._receiver,
                path_wait=self._path_wait,
                airtime=self._airtime,
                silent=self._announcer.is_hushed,
                progress=self._progress,
                tell=self._told,
                counted=self.airtime,
            )
        self._carrier = LxmfCarrier(
            self._routers,
            self._receiver,
            self._sending,
            self._sent,
            self._ended,
            self.propagation.send,
            radios.may_send if radios.active and not radios.metered else None,
            by_radio=lambda message: bool(radios.by(message)),
        )
        self._sender = Sender(
            self._carrier, self._progress, self._worker.later, self._path_wait, self._paces.took
        )
        self._watch_announces()
        self._instance.settle(RADIO_SECONDS)

    def attach(self, loop: asyncio.AbstractEventLoop, listener: Listener) -> None:
        """Begin to report to ``listener`` on ``loop``, left-over messages first, and to announce."""
        self._loop, self._listener = loop, listener
        self._receiver.start(self._received)
        self._announcer.start(self._settings.announce_delay)
        self.propagation.start(self._settings.announce_delay)
        if self.propagation.announced:
            self._worker.later(self._settings.announce_delay, self._announcer.add, self.propagation.announced)
        self._worker.start()

    def stop(self) -> None:
        """Save and close everything, within a second. Not on the loop's thread."""
        from . import lxmf  # noqa: PLC0415

        lxmf.cancel_stamps()
        self._loop = None
        self.propagation.stop()
        self._worker.stop(timeout=0.3)
        for router in self._routers.values():
            router.exit_handler()
        self._instance.radios.stop()
        self._instance.stop()
        self._radios.stop()
        self._receiver.stop()
        self._log.stop()

    # --- Transport, and what else the node asks for; from any thread

    def prepare(self, message: Outgoing) -> None:
        self._worker.call(self._prepare, message)

    def discard(self, ref: int) -> None:
        self._worker.call(self._carrier.discard, ref)
        self._worker.call(self.propagation.cancel, ref)

    def send(self, message: Outgoing) -> None:
        self._worker.call(self._submit, message)

    def done(self, entry: int) -> None:
        self._receiver.done(entry)

    def wipe(self, entry: int) -> None:
        self._receiver.wipe(entry)

    def hurry(self, peer: str) -> None:
        self._worker.call(self._carrier.hurry, peer)

    def propagation_available(self) -> bool:
        return bool(self.propagation.current)

    def watch_propagation(self, told: Callable[[News], None]) -> None:
        """Have ``told`` called on the loop with what happens; before ``attach``."""
        self._news = told

    def watch_radios(self, told: Callable[[RadioState], None]) -> None:
        """Have ``told`` called on the loop when a radio comes up or goes down; before ``attach``."""
        self._radio_news = told

    def announce(self, identity: str | None = None) -> None:
        """Announce one identity, or all."""
        self._worker.call(self._announcer.request, identity)

    def ask_announce(self, identity: str | None = None) -> Future[tuple[Announcement, ...]]:
        """As ``announce``; what goes out where, and what is held back."""
        return self._worker.ask(self._announcer.request, identity)

    def announced_at(self, identity: str) -> float | None:
        """When the identity was last announced since the start, Unix seconds."""
        return self._announcer.last.get(identity)

    def introduce(self, identity: str, peer: str) -> None:
        """The next message may be the first that the peer ever sees of the identity: announce before it."""
        self._worker.call(self._introduce, identity, peer)

    # --- identities at run time; from any thread, and not to be waited for on the loop's

    def open_identity(
        self, identity: LocalIdentity, display_name: str, *, silent: bool = False
    ) -> Future[None]:
        """Bring one more identity on the mesh, and announce it unless it is silent."""
        if silent:
            self._announcer.hush(identity.hash)
        return self._worker.ask(self._join, identity, display_name)

    def close_identity(self, identity: str) -> Future[None]:
        """Take an identity off the mesh. What it has under way is forgotten, without a report."""
        return self._worker.ask(self._leave, identity)

    def erase_identity(self, identity: str) -> Future[None]:
        """Delete what was kept for an identity that is off the mesh: its inbox, and its router's files."""
        return self._worker.ask(self._erase, identity)

    def rename_identity(self, identity: str, display_name: str) -> Future[None]:
        """The name that others see, from the next announce on."""
        return self._worker.ask(self._rename, identity, display_name)

    def announce_every(self, interval: float) -> None:
        """Announce in this interval, in seconds, from now on; 0 for only when asked to."""
        self._worker.call(self._announcer.every, interval)

    def request_path(self, peer: str) -> None:
        """Ask the network for a peer; the answer comes as ``heard``."""
        self._worker.call(self._request_path, peer)

    def remember(self, peer: str, public_key: bytes) -> None:
        """Make a stored contact's key known to Reticulum. Raises ``ValueError``."""
        from . import known  # noqa: PLC0415

        known.remember(peer, public_key)
        self._known(peer)

    def status(self) -> MeshStatus:
        import RNS  # noqa: PLC0415

        return MeshStatus(
            instance=self._instance.kind,
            interfaces=self._instance.interfaces(),
            identities=tuple(self._routers),
            peers_known=len(RNS.Identity.known_destinations),
            in_flight=self._sender.in_flight,
            waiting=self._sender.waiting,
        )

    # --- from Reticulum's threads to the loop

    def _post(self, call: Callable[..., None], *args: Any) -> bool:
        loop = self._loop
        if loop is None:
            return False
        try:
            loop.call_soon_threadsafe(call, *args)
        except RuntimeError:  # the loop has been closed
            return False
        return True

    def _received(self, message: Received) -> bool:
        assert self._listener is not None
        return self._post(self._listener.received, message)

    def _progress(self, ref: int, progress: Progress, reason: str) -> None:
        if self._listener is not None:
            self._post(self._listener.progress, ref, progress, reason)

    def _told(self, news: News) -> None:
        if self._news is not None:
            self._post(self._news, news)

    def _radio_changed(self, state: RadioState) -> None:
        if self._radio_news is not None:
            self._post(self._radio_news, state)

    def _sending(self, ref: int) -> None:
        self._progress(ref, Progress.SENDING, "")

    def _sent(self, ref: int, message_hash: bytes, packed: bytes) -> None:
        if self._listener is not None:
            self._post(self._listener.signed, ref, message_hash, packed)
        self._progress(ref, Progress.SENT, "")

    def _ended(self, ref: int, delivered: bool, reason: str) -> None:
        self._progress(ref, Progress.DELIVERED if delivered else Progress.FAILED, reason)
        self._worker.call(partial(self._sender.ended, delivered=delivered), ref)

    def _watch_announces(self) -> None:
        import RNS  # noqa: PLC0415

        from .heard import AnnounceHandler  # noqa: PLC0415

        RNS.Transport.register_announce_handler(AnnounceHandler(self._heard))

    def _known(self, peer: str) -> None:
        self._worker.call(self._sender.heard, peer)
        self._receiver.heard(bytes.fromhex(peer))

    def _heard(self, peer: Heard, interface: Any) -> None:
        self._known(peer.peer)
        self._announcer.heard(interface)
        if self._listener is not None:
            self._post(self._listener.heard, peer)

    # --- on the worker

    def _prepare(self, message: Outgoing) -> None:
        # What cannot be built now is built when it is sent, and then says why it cannot be.
        with suppress(CannotCarry):
            self._carrier.build(message)

    def _submit(self, message: Outgoing) -> None:
        introduction = (message.identity, message.peer)
        if introduction not in self._introducing:
            self._sender.submit(message)
            return

        def introduced() -> None:
            self._introducing.discard(introduction)
            self._sender.submit(message)

        self._announcer.afterwards(message.identity, introduced)

    def _introduce(self, identity: str, peer: str) -> None:
        if peer not in self._routers:
            self._announcer.request(identity, extra=True)
            self._introducing.add((identity, peer))

    def _announce(self, identity: str, interfaces: Sequence[Any] | None) -> None:
        router = self._routers.get(identity)
        if identity == self.propagation.announced:
            self.propagation.announce(interfaces)
        elif router is not None:
            router.announce_on(interfaces)

    def _open(self, identity: LocalIdentity, display_name: str) -> None:
        from . import lxmf  # noqa: PLC0415
        from .instance import quiet_signals  # noqa: PLC0415

        settings = self._settings
        with quiet_signals():
            router = lxmf.NodeRouter(
                identity.key,
                settings.data / "lxmf" / identity.hash,
                self._receiver.packet,
                self._receiver.in_parts,
                settings.message_kb,
            )
        # The inbox is there before the first packet can come.
        file = settings.data / "inbox" / f"{identity.hash}.log"
        self._receiver.add(router, Inbox(file, max_entry=(settings.message_kb + 1) * 1000))
        router.open(_shown(display_name, identity.hash))
        self._routers[identity.hash] = router

    def _join(self, identity: LocalIdentity, display_name: str) -> None:
        if identity.hash not in self._routers:
            self._open(identity, display_name)
            self._announcer.add(identity.hash)
            self.propagation.joined(identity.hash)

    def _leave(self, identity: str) -> None:
        router = self._routers.pop(identity, None)
        if router is not None:
            self._announcer.remove(identity)
            self._sender.leave(identity)
            self.propagation.left(identity)
            router.close()
            self._receiver.remove(router)

    def _erase(self, identity: str) -> None:
        (self._settings.data / "inbox" / f"{identity}.log").unlink(missing_ok=True)
        shutil.rmtree(self._settings.data / "lxmf" / identity, ignore_errors=True)

    def _rename(self, identity: str, display_name: str) -> None:
        router = self._routers.get(identity)
        if router is not None:
            router.rename(_shown(display_name, identity))
            self._announcer.request(identity)

    def _request_path(self, peer: str) -> None:
        router = next(iter(self._routers.values()), None)
        if router is not None:
            router.request_path(bytes.fromhex(peer))

    def _moment(self) -> Moment:
        if self._settings.moment is not None:
            return self._settings.moment()
        return this_moment(self._settings.boot_id, self._settings.synchronised)

    def _boot_clock(self) -> float:
        """As ``_moment`` has it, without asking the system whether it vouches for the other clock."""
        if self._settings.moment is not None:
            return self._settings.moment().boot
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def _asks_for_stamp(self, peer: str) -> bool:
        """Whether the peer has said that it wants one, to any of our identities."""
        hashed = bytes.fromhex(peer)
        return any(router.get_outbound_stamp_cost(hashed) for router in tuple(self._routers.values()))

    def _path_wait(self) -> float:
        """Longer on slow media, where the request and its answer, and a repeater's, take seconds."""
        return self._settings.path_wait + 4 * self._airtime()

    def _airtime(self) -> float:
        return max((router.path_airtime() for router in self._routers.values()), default=0.0)

    def _config_dir(self) -> Path | None:
        settings = self._settings
        if settings.listen is None and not settings.connect:
            return settings.rns_config_dir
        return rns_config.write(settings.data / "reticulum", settings.listen, settings.connect)


def _shown(display_name: str, identity: str) -> str:
    """Never empty: without a name LXMF leaves out of its path responses what a sender has to know."""
    return display_name or f"lrgpnode {identity[:6]}"
