"""A bare RNS + LXMF process: the baseline that the node is measured against.

Usage: bare.py DIR listen|connect PORT [ROUTERS]. Prints one JSON line per event, with CLOCK_MONOTONIC
seconds, which is the same clock in every process. Reads commands from standard input: ``send HEX`` sends one
opportunistic message with an LRGP-sized field map to that destination and reports when it left. Of several
routers only the first is used; the others are there.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import LXMF
import RNS

CONFIG = """[reticulum]
share_instance = No
enable_transport = No
[interfaces]
  [[Link]]
    type = {type}
    enabled = Yes
    {host} = 127.0.0.1
    {port_key} = {port}
"""


def say(event: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"event": event, "at": time.monotonic(), **fields}) + "\n")
    sys.stdout.flush()


class Handler:
    aspect_filter = "lxmf.delivery"

    def received_announce(self, destination_hash: bytes, announced_identity: object, app_data: bytes) -> None:
        say("heard", peer=destination_hash.hex())


def main(directory: Path, role: str, port: str, routers: str = "1") -> None:
    directory.mkdir(parents=True, exist_ok=True)
    kinds = {
        "listen": {"type": "TCPServerInterface", "host": "listen_ip", "port_key": "listen_port"},
        "connect": {"type": "TCPClientInterface", "host": "target_host", "port_key": "target_port"},
    }
    (directory / "config").write_text(CONFIG.format(port=port, **kinds[role]))
    RNS.Reticulum(configdir=str(directory), loglevel=0)
    identity = RNS.Identity()
    router = LXMF.LXMRouter(identity=identity, storagepath=str(directory / "lxmf"))
    source = router.register_delivery_identity(identity, display_name=role)
    RNS.Transport.register_announce_handler(Handler())

    def received(message: LXMF.LXMessage) -> None:
        say("received", content=message.content.decode())

    router.register_delivery_callback(received)
    others = []
    for number in range(1, int(routers)):
        more = RNS.Identity()
        others.append(LXMF.LXMRouter(identity=more, storagepath=str(directory / f"lxmf-{number}")))
        others[-1].register_delivery_identity(more, display_name=f"{role} {number}")
    say("ready", hash=source.hash.hex())
    router.announce(source.hash)
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "announce":
            router.announce(source.hash)
        elif command == "send":
            target = RNS.Identity.recall(bytes.fromhex(rest[0]))
            destination = RNS.Destination(
                target, RNS.Destination.OUT, RNS.Destination.SINGLE, "lxmf", "delivery"
            )
            envelope = {
                "a": "ttt.1",
                "c": "move",
                "s": "0123456789abcdef",
                "p": {"i": 4, "b": "____X____", "n": 1, "t": "a" * 32, "x": ""},
                "n": bytes(8),
            }
            at = time.monotonic()
            message = LXMF.LXMessage(
                destination,
                source,
                rest[1],
                "",
                fields={0xFB: "lrgp.v1", 0xFD: envelope},
                desired_method=LXMF.LXMessage.OPPORTUNISTIC,
            )
            message.register_delivery_callback(lambda m: say("delivered", content=m.content.decode()))
            router.handle_outbound(message)
            say("sent", began=at, content=rest[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
