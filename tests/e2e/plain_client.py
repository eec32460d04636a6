"""Somebody with a plain LXMF client, made of nothing but RNS and LXMF.

Usage: plain_client.py DIR PORT. One JSON line per event on standard output. Reads ``announce`` and
``write HEX TEXT`` (TEXT as JSON) from standard input.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import LXMF
import RNS

CONFIG = """[reticulum]
share_instance = No
enable_transport = No
[interfaces]
  [[Link]]
    type = TCPClientInterface
    enabled = Yes
    target_host = 127.0.0.1
    target_port = {port}
"""


def say(event: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


class Heard:
    aspect_filter = "lxmf.delivery"

    def received_announce(self, destination_hash: bytes, announced_identity: object, app_data: bytes) -> None:
        say("heard", peer=destination_hash.hex())


def received(message: LXMF.LXMessage) -> None:
    say(
        "received",
        title=message.title.decode(),
        content=message.content.decode(),
        fields=len(message.fields),
        valid=bool(message.signature_validated),
        opportunistic=message.method == LXMF.LXMessage.OPPORTUNISTIC,
    )


def delivered(message: LXMF.LXMessage) -> None:
    say("delivered", content=message.content.decode())


def main(directory: Path, port: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config").write_text(CONFIG.format(port=port))
    RNS.Reticulum(configdir=str(directory), loglevel=0)
    identity = RNS.Identity()
    router = LXMF.LXMRouter(identity=identity, storagepath=str(directory / "lxmf"))
    source = router.register_delivery_identity(identity, display_name="Paul Plain")
    RNS.Transport.register_announce_handler(Heard())
    router.register_delivery_callback(received)
    say("ready", hash=source.hash.hex())
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "announce":
            router.announce(source.hash)
        elif command == "write":
            peer, _, text = rest.partition(" ")
            destination = RNS.Destination(
                RNS.Identity.recall(bytes.fromhex(peer)),
                RNS.Destination.OUT,
                RNS.Destination.SINGLE,
                "lxmf",
                "delivery",
            )
            message = LXMF.LXMessage(
                destination, source, json.loads(text), "A title", desired_method=LXMF.LXMessage.OPPORTUNISTIC
            )
            message.register_delivery_callback(delivered)
            router.handle_outbound(message)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
    os._exit(0)
