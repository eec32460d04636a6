"""A peer made of Reticulum and LXMF alone; no code of lrgpnode.

`raw_peer.py DIRECTORY PORT NAME`: where it listens, and what it calls itself. It takes commands as JSON
lines on stdin and tells what happens as JSON lines on stdout. Binary data travel as the hex of their
MessagePack form.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import LXMF
import msgpack
import RNS

CONFIG = """
[reticulum]
share_instance = No
enable_transport = No
[interfaces]
[[Node]]
type = TCPServerInterface
enabled = Yes
listen_ip = 127.0.0.1
listen_port = {}
"""

_lock = threading.Lock()
# Reticulum and LXMF print what they like.
_out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def say(event: str, **values: Any) -> None:
    with _lock:
        _out.write(json.dumps({"event": event, **values}) + "\n")


class Heard:
    aspect_filter = "lxmf.delivery"

    def received_announce(self, destination_hash: bytes, announced_identity: Any, app_data: bytes) -> None:
        say("heard", peer=destination_hash.hex())


class Peer:
    def __init__(self, directory: Path, name: str) -> None:
        self.router = LXMF.LXMRouter(storagepath=str(directory / "lxmf"), autopeer=False)
        self.me = self.router.register_delivery_identity(RNS.Identity(), display_name=name)
        self.router.register_delivery_callback(self.received)

    def received(self, message: Any) -> None:
        fields = msgpack.packb(message.fields).hex()
        say("received", source=message.source_hash.hex(), fields=fields, content=message.content.decode())

    def message(self, to: str, fields: dict[int, Any], ref: int, content: str = "[LRGP] raw") -> Any:
        hashed = bytes.fromhex(to)
        identity = RNS.Identity.recall(hashed)
        target = RNS.Destination(identity, RNS.Destination.OUT, RNS.Destination.SINGLE, "lxmf", "delivery")
        message = LXMF.LXMessage(
            target, self.me, content, fields=fields, desired_method=LXMF.LXMessage.OPPORTUNISTIC
        )
        message.register_delivery_callback(lambda _: say("delivered", ref=ref))
        message.register_failed_callback(lambda _: say("failed", ref=ref))
        return message

    def send(self, ref: int, to: str, fields: str, stamp: int = 0, content: str = "[LRGP] raw") -> None:
        """``stamp``: the cost of a stamp to put on the message."""
        unpacked = msgpack.unpackb(bytes.fromhex(fields), strict_map_key=False)
        message = self.message(to, unpacked, ref, content)
        if stamp:
            message.stamp_cost, message.defer_stamp = stamp, False
            message.pack()
        self.router.handle_outbound(message)

    def forge(self, ref: int, to: str, fields: str, source: str | None) -> None:
        """Send with the source of somebody else and our signature, or with a broken signature."""
        unpacked = msgpack.unpackb(bytes.fromhex(fields), strict_map_key=False)
        message = self.message(to, unpacked, ref)
        message.pack()
        packed = bytearray(message.packed)
        if source is not None:
            packed[16:32] = bytes.fromhex(source)
        else:
            packed[40] ^= 1
        receipt = RNS.Packet(message.get_destination(), bytes(packed[16:])).send()
        receipt.set_delivery_callback(lambda _: say("delivered", ref=ref))
        receipt.set_timeout_callback(lambda _: say("failed", ref=ref))


def main() -> None:
    directory = Path(sys.argv[1])
    (directory / "config").write_text(CONFIG.format(sys.argv[2]))
    RNS.Reticulum(str(directory), loglevel=2)
    peer = Peer(directory, sys.argv[3])
    RNS.Transport.register_announce_handler(Heard())
    say("ready", identity=peer.me.hash.hex())
    for line in sys.stdin:
        order = json.loads(line)
        do = order.pop("do")
        if do == "announce":
            peer.router.announce(peer.me.hash)
        else:
            getattr(peer, do)(**order)
    os._exit(0)


if __name__ == "__main__":
    main()
