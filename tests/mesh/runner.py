"""A mesh in a process of its own: commands as JSON lines on stdin, events as JSON lines on stdout.

The command ``craft`` sends what a hostile or merely different peer might.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lrgpnode.mesh import identity
from lrgpnode.mesh.inbox import MAX_ENTRY_BYTES, Inbox
from lrgpnode.mesh.propagation.report import News, NodeNews, StampNews, SyncNews
from lrgpnode.mesh.propagation.settings import HostSettings, PropagationSettings
from lrgpnode.mesh.reticulum import ReticulumMesh
from lrgpnode.mesh.rns_config import parse_endpoint
from lrgpnode.mesh.settings import MeshSettings
from lrgpnode.mesh.transport import Heard, Outgoing, Progress, Received
from lrgpnode.protocol.game import Delivery

OUT = os.fdopen(os.dup(1), "w", buffering=1)


def emit(event: str, **values: Any) -> None:
    OUT.write(json.dumps({"event": event, "t": time.monotonic(), **values}) + "\n")


class Teller(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        emit("log", text=record.getMessage().partition(",")[0])


class Printer:
    def __init__(self, mesh: ReticulumMesh, *, keep: bool) -> None:
        self.mesh = mesh
        self.keep = keep

    def received(self, message: Received) -> None:
        if not self.keep:
            self.mesh.done(message.entry)
        emit(
            "received",
            entry=message.entry,
            identity=message.identity,
            peer=message.peer,
            hash=message.message_hash.hex(),
            envelope=None if message.envelope is None else message.envelope.hex(),
            title=message.title,
            content=message.content,
            signed=message.signed.hex(),
            propagated=message.propagated,
        )

    def progress(self, ref: int, progress: Progress, reason: str) -> None:
        emit("progress", ref=ref, progress=str(progress), reason=reason)

    def signed(self, ref: int, message_hash: bytes, message: bytes) -> None:
        emit("signed", ref=ref, hash=message_hash.hex(), message=message.hex())

    def heard(self, peer: Heard) -> None:
        emit(
            "heard",
            peer=peer.peer,
            name=peer.name,
            key=peer.public_key.hex(),
            hops=peer.hops,
            interface=peer.interface,
            games=peer.games,
            announced=peer.announced,
        )


def command(mesh: ReticulumMesh, line: dict[str, Any]) -> None:
    do = line.pop("do")
    if do == "send":
        line["envelope"] = bytes.fromhex(line["envelope"])
        line["delivery"] = Delivery(line["delivery"])
        mesh.send(Outgoing(**line))
    elif do == "done":
        mesh.done(line["entry"])
    elif do == "announce":
        mesh.announce()
    elif do == "ask_announce":
        for one in mesh.ask_announce().result(5):
            emit("announcement", media=one.media, held=[name for name, _ in one.held])
    elif do == "introduce":
        mesh.introduce(**line)
    elif do == "remember":
        mesh.remember(line["peer"], bytes.fromhex(line["key"]))
    elif do == "status":
        status = mesh.status()
        emit(
            "status",
            instance=status.instance,
            interfaces=[[item.name, item.kind, item.online, item.error] for item in status.interfaces],
            identities=status.identities,
            peers_known=status.peers_known,
            in_flight=status.in_flight,
            waiting=status.waiting,
        )
    elif do == "discard":
        mesh.discard(line["ref"])
    elif do == "propagation":
        tell_propagation(mesh, **line)
    elif do == "inbox_free":
        for inbox in mesh._receiver._inboxes:
            inbox._max_entry = MAX_ENTRY_BYTES
        emit("freed")
    elif do == "craft":
        craft(mesh, line)
    else:
        raise ValueError(do)


def tell_propagation(mesh: ReticulumMesh, what: str, node: str = "") -> None:
    propagation = mesh.propagation
    if what == "sync":
        propagation.sync(())
    elif what == "status":
        status = asdict(propagation.status().result())
        emit("propagation", available=mesh.propagation_available(), **status)
    else:
        {"add": propagation.add, "remove": propagation.remove, "use": propagation.use}[what](node).result()
        emit("changed")


def news(item: News) -> None:
    name = {SyncNews: "sync", StampNews: "stamp", NodeNews: "node"}[type(item)]
    emit(name, **asdict(item))


def craft(mesh: ReticulumMesh, line: dict[str, Any]) -> None:
    """Send a packet whose bytes after the destination are exactly ``raw``, as a hostile peer would."""
    import RNS

    hashed = bytes.fromhex(line["peer"])
    destination = RNS.Destination(
        RNS.Identity.recall(hashed), RNS.Destination.OUT, RNS.Destination.SINGLE, "lxmf", "delivery"
    )
    raw = bytes.fromhex(line["raw"])
    if line.get("sign"):
        router = mesh._routers[line["identity"]]
        # A sender that stamps signs the payload as it was before the stamp was added.
        hashed_part = hashed + router.hash + bytes.fromhex(line.get("unstamped", line["raw"]))
        digest = RNS.Identity.full_hash(hashed_part)
        signature = router.identity.sign(hashed_part + digest)
        if line["sign"] == "forged":
            signature = bytes(64)
        raw = router.hash + signature + raw
    receipt = RNS.Packet(destination, raw).send()
    told: list[object] = []

    def proved(_: object) -> None:
        told.append(None)
        if len(told) == 1:
            emit("proved", tag=line.get("tag"))

    receipt.set_delivery_callback(proved)
    if receipt.status == RNS.PacketReceipt.DELIVERED:
        # The proof came before there was a callback.
        proved(receipt)


async def main(settings: dict[str, Any], mesh: ReticulumMesh) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    mesh.watch_propagation(news)
    mesh.attach(loop, Printer(mesh, keep=settings.get("keep", False)))

    buffer = b""

    def read() -> None:
        nonlocal buffer
        data = os.read(0, 65536)
        if not data:
            # The test is gone, however that came about.
            loop.remove_reader(0)
            stop.set()
        buffer += data
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            command(mesh, json.loads(line))

    loop.add_reader(0, read)
    status = mesh.status()
    emit("ready", identities=status.identities, port=listening_port())
    await stop.wait()
    loop.remove_reader(0)
    await asyncio.to_thread(mesh.stop)


def die(mesh: ReticulumMesh, when: str) -> None:
    """Be killed when mail has come: before it is on the disk, or after, when the node does not know."""
    mail = mesh._receiver.mail

    def fatal(*args: Any) -> int:
        if when == "kept":
            mail(*args)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    mesh._receiver.mail = fatal


def slow(inbox: Inbox, seconds: float) -> None:
    """A disk that takes its time."""
    sync = inbox.sync

    def later() -> None:
        time.sleep(seconds)
        sync()

    inbox.sync = later


def listening_port() -> int | None:
    import RNS

    for interface in RNS.Transport.interfaces:
        if interface.name == "Listen":
            port: int = interface.server.server_address[1]
            return port
    return None


def propagation(host: dict[str, Any] | None = None, **options: Any) -> PropagationSettings:
    """A cheap node of our own, if any, and syncs only on request unless said otherwise."""
    own = {"name": "C", "stamp_cost": 13, "peering_cost": 4} | host if host is not None else None
    return PropagationSettings(
        **{"sync_interval": 0.0} | options, host=HostSettings(**own) if own is not None else None
    )


def run(settings: dict[str, Any]) -> None:
    logging.basicConfig(level=settings.get("log", "INFO"), stream=sys.stderr)
    logging.getLogger("lrgpnode.mesh.receiver").addHandler(Teller())
    data = Path(settings["data"])
    identities = identity.load_all(data / "identities")
    while len(identities) < settings.get("identities", 1):
        identity.create(data / "identities")
        identities = identity.load_all(data / "identities")
    mesh = ReticulumMesh(
        MeshSettings(
            data=data,
            identities=identities,
            display_names={item.hash: settings.get("name", "Alice") for item in identities},
            rns_config_dir=Path(settings["config"]) if "config" in settings else None,
            listen=parse_endpoint(settings["listen"], any_port=True) if "listen" in settings else None,
            connect=tuple(map(parse_endpoint, settings.get("connect", ()))),
            announce_delay=settings.get("announce_delay", 0.0),
            announce_interval=settings.get("announce_interval", 3600.0),
            path_wait=settings.get("path_wait", 15.0),
            boot_id=settings.get("boot_id", "this"),
            message_kb=settings.get("message_kb", 16),
            propagation=propagation(**settings.get("propagation", {})),
            rns_loglevel=settings.get("rns_log", 2),
        )
    )
    import RNS.Interfaces.TCPInterface

    RNS.Interfaces.TCPInterface.TCPClientInterface.RECONNECT_WAIT = 0.1
    if "interval" in settings:
        import LXMF

        LXMF.LXMRouter.PROCESSING_INTERVAL = settings["interval"]
    # How long a link may take that nobody answers.
    RNS.Link.ESTABLISHMENT_TIMEOUT_PER_HOP = settings.get("hop_timeout", 6)
    RNS.Reticulum.DEFAULT_PER_HOP_TIMEOUT = settings.get("hop_timeout", 6)
    mesh.start_reticulum()
    if "disk" in settings:
        for inbox in mesh._receiver._inboxes:
            slow(inbox, settings["disk"])
    if settings.get("inbox_full"):
        for inbox in mesh._receiver._inboxes:
            inbox._max_entry = 0
    if "die" in settings:
        die(mesh, settings["die"])
    asyncio.run(main(settings, mesh))
    emit("stopped")


if __name__ == "__main__":
    try:
        run(json.loads(sys.argv[1]))
    except Exception:  # noqa: BLE001 - whatever it is, it is told
        # In one piece: Reticulum's log comes from another thread.
        sys.stderr.write(traceback.format_exc())
        sys.exit(1)
