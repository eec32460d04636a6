"""Our own propagation node (off unless switched on); importing this module loads LXMF.

It is a router with an identity of its own, so that it outlives the players' identities and does not
tell who they are. Reticulum has no path from a process to itself: what comes in for an identity of
this node goes straight to that identity's inbox, and what they send by it is put into its store.
LXMF proves a message before it has stored it; here the proof waits until the file is on the disk.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import local
from typing import Any, Final

import LXMF
import RNS
from LXMF import LXStamper
from LXMF.LXMPeer import LXMPeer
from RNS.vendor import umsgpack

from .. import identity
from ..identity import sync_directory
from ..inbox import InboxFull
from ..lxmf import NodeRouter, announce_on
from ..parts import HeldProof
from ..receiver import Receiver
from ..worker import Worker
from .announced import META_NAME, NodeAnnounce
from .report import HostStatus, PeerStatus
from .settings import HostSettings

FOLDER: Final = "propagation"
ASK_AGAIN: Final = 900.0
"""Seconds between two path requests for a peer that has not been heard."""

_log = logging.getLogger(__name__)


class HostRouter(LXMF.LXMRouter):  # type: ignore[misc]  # LXMF has no types
    """LXMF's propagation node. ``for_us`` takes a message for an identity of this process: None where
    it is for somebody else, else whether it is safe."""

    def __init__(
        self, key: bytes, storage: Path, settings: HostSettings, for_us: Callable[[bytes], bool | None]
    ) -> None:
        self._for_us = for_us
        self._thread = local()
        super().__init__(
            identity=RNS.Identity.from_bytes(key),
            storagepath=str(storage),
            name=settings.name,
            autopeer=settings.max_peers > len(settings.peers),
            max_peers=max(settings.max_peers, len(settings.peers)),
            static_peers=[],
            propagation_limit=settings.message_kb,
            sync_limit=settings.transfer_kb,
            propagation_cost=settings.stamp_cost,
            peering_cost=settings.peering_cost,
            max_peering_cost=settings.max_peering_cost,
        )
        self.set_message_storage_limit(megabytes=settings.storage_mb)

    def announce_propagation_node(self) -> None:
        """LXMF would announce in 20 s, once; the mesh's announcer does it, again and again."""

    def lxmf_propagation(self, lxmf_data: bytes, *args: Any, **options: Any) -> bool:
        if self._for_us(lxmf_data):
            return True
        # What is for us and could not be kept in the inbox waits in the store as well.
        transient_id = RNS.Identity.full_hash(lxmf_data)
        had = transient_id in self.propagation_entries or transient_id in self.locally_processed_transient_ids
        stored = bool(super().lxmf_propagation(lxmf_data, *args, **options))
        if had:
            return stored
        entry = self.propagation_entries.get(transient_id)
        if entry is None or not _sync_file(Path(entry[1])):
            self._thread.lost = True
            # LXMF has noted it as seen before writing it: the sender must be able to try again.
            self.propagation_entries.pop(transient_id, None)
            self.locally_processed_transient_ids.pop(transient_id, None)
            return False
        return stored

    def update_stamp_cost(self, destination_hash: bytes, stamp_cost: int | None) -> None:
        """LXMF writes this to a file at every announce heard. A node sends nothing of its own."""

    def propagation_resource_transfer_began(self, resource: Any) -> None:
        super().propagation_resource_transfer_began(resource)
        resource.held_proof = HeldProof(resource)

    def propagation_resource_concluded(self, resource: Any) -> None:
        self._thread.lost = False
        super().propagation_resource_concluded(resource)
        # A stamp that is refused costs the sender the link: then there is nobody to prove it to.
        if resource.status != RNS.Resource.COMPLETE or resource.link.status != RNS.Link.ACTIVE:
            return
        if self._thread.lost:
            resource.link.teardown()
        else:
            resource.held_proof.release()

    def propagation_packet(self, data: bytes, packet: Any) -> None:
        self._thread.lost = False
        prove = packet.prove
        packet.prove = lambda: packet.link.teardown() if self._thread.lost else prove()
        super().propagation_packet(data, packet)


class Host:
    """Starts with Reticulum in the main thread; everything later runs on the mesh's worker."""

    def __init__(
        self,
        key: bytes,
        storage: Path,
        settings: HostSettings,
        routers: Mapping[str, NodeRouter],
        receiver: Receiver,
    ) -> None:
        self.settings = settings
        self._routers = routers
        self._receiver = receiver
        self._worker: Worker
        self._peers = tuple(bytes.fromhex(peer) for peer in settings.peers)
        self._router = HostRouter(key, storage, settings, self._for_us)
        self.hash: str = self._router.propagation_destination.hash.hex()

    def start(self, worker: Worker) -> None:
        """Open for business. LXMF reads the names of all stored messages first."""
        self._worker = worker
        worker.call(self._open)

    def _open(self) -> None:
        try:
            self._router.enable_propagation()
        except Exception:  # noqa: BLE001 - what LXMF saved of its peers is damaged
            peers = Path(self._router.storagepath) / "peers"
            _log.exception("%s is damaged and set aside", peers)
            peers.rename(peers.with_suffix(".damaged"))
            self._router.enable_propagation()
        self._router.static_peers = list(self._peers)
        for peer in self._peers:
            self._look_for(peer)

    def announce(self, interfaces: Sequence[Any] | None) -> None:
        router = self._router
        announce_on(router.propagation_destination, router.get_propagation_node_app_data(), interfaces)

    def stop(self) -> None:
        self._router.exit_handler()

    def heard(self, node: str, said: NodeAnnounce) -> None:
        """Another node's announce. LXMF begins with a peer only at its start, and fails if it has no key."""
        hashed = bytes.fromhex(node)
        if hashed not in self._peers or not said.enabled:
            return
        if hashed in self._router.peers:
            return
        peer = LXMPeer(self._router, hashed, sync_strategy=self._router.default_sync_strategy)
        if peer.destination is None:
            return
        self._router.peers[hashed] = peer
        self._router.peer(
            hashed,
            said.timebase,
            said.message_kb,
            said.transfer_kb,
            said.stamp_cost,
            said.flexibility,
            said.peering_cost,
            {META_NAME: said.name.encode()},
        )
        # A peer that begins now gets what came before it as well.
        for transient_id in list(self._router.propagation_entries):
            peer.queue_unhandled_message(transient_id)
        _log.info("propagation node %s is a peer of ours", node)

    def take(self, packed: bytes) -> bool:
        """Store a message of one of our identities, as it would be sent to a node."""
        stamped = umsgpack.unpackb(packed)[1][0]
        _, sealed, value, stamp = LXStamper.validate_pn_stamp(stamped, self._router.propagation_stamp_cost)
        return sealed is not None and self._router.lxmf_propagation(
            sealed, stamp_value=value, stamp_data=stamp
        )

    def collect(self, router: NodeRouter) -> int:
        """Take what the store holds for an identity. Raises nothing: what cannot be kept stays."""
        taken = 0
        for transient_id, entry in list(self._router.propagation_entries.items()):
            if entry[0] != router.hash:
                continue
            path = Path(entry[1])
            try:
                taken += self._receiver.mail(router, [path.read_bytes()[: -LXStamper.STAMP_SIZE]])
                self._router.propagation_entries.pop(transient_id, None)
                path.unlink()
            except (InboxFull, OSError) as error:
                _log.error("mail stays in our own propagation node: %s", error)
        return taken

    def status(self) -> HostStatus:
        router = self._router
        entries = list(router.propagation_entries.values())
        return HostStatus(
            hash=self.hash,
            messages=len(entries),
            bytes=sum(entry[3] for entry in entries),
            limit=int(router.message_storage_limit or 0),
            stamp_cost=router.propagation_stamp_cost,
            taken=router.client_propagation_messages_received,
            given=router.client_propagation_messages_served,
            peers=tuple(self._peer(peer) for peer in dict.fromkeys((*self._peers, *router.peers))),
        )

    def _peer(self, hashed: bytes) -> PeerStatus:
        peer = self._router.peers.get(hashed)
        return PeerStatus(
            hash=hashed.hex(),
            name=(peer.name or "") if peer is not None else "",
            static=hashed in self._peers,
            alive=peer is not None and bool(peer.alive),
            heard_at=float(peer.last_heard) if peer is not None else 0.0,
            waiting=len(peer.unhandled_messages) if peer is not None else 0,
            sent=peer.outgoing if peer is not None else 0,
            received=peer.incoming if peer is not None else 0,
        )

    def _look_for(self, peer: bytes) -> None:
        if peer not in self._router.peers:
            RNS.Transport.request_path(peer)
            self._worker.later(ASK_AGAIN, self._look_for, peer)

    def _for_us(self, sealed: bytes) -> bool | None:
        """On Reticulum's threads, and the worker."""
        router = self._routers.get(sealed[: RNS.Reticulum.TRUNCATED_HASHLENGTH // 8].hex())
        if router is None:
            return None
        transient_id = RNS.Identity.full_hash(sealed)
        if router.has_fetched(transient_id):
            return True
        try:
            self._receiver.mail(router, [sealed])
        except (InboxFull, OSError) as error:
            _log.error("mail waits in our own propagation node: %s", error)
            return False
        router.note_fetched(transient_id)
        with self._router.processed_transient_ids_lock:
            self._router.locally_processed_transient_ids[transient_id] = time.time()
        return True


def open_host(
    data: Path, settings: HostSettings | None, routers: Mapping[str, NodeRouter], receiver: Receiver
) -> tuple[Host | None, bytes | None]:
    """Our own node where it is switched on, and its key, which is made when it first is.

    In the main thread. Raises ``IdentityError``.
    """
    directory = data / FOLDER
    stored = identity.load_all(directory)
    if settings is None:
        return None, stored[0].key if stored else None
    own = stored[0] if stored else identity.create(directory)
    return Host(own.key, directory, settings, routers, receiver), own.key


def _sync_file(path: Path) -> bool:
    """Have a stored message on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        sync_directory(path.parent)
    except OSError as error:
        _log.error("a message could not be stored: %s", error)
        return False
    return True
