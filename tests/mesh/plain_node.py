"""A propagation node made of nothing but RNS and LXMF, as others run it. Speaks like ``runner.py``."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import LXMF
import RNS

OUT = os.fdopen(os.dup(1), "w", buffering=1)


def emit(event: str, **values: Any) -> None:
    OUT.write(json.dumps({"event": event, **values}) + "\n")


def write_config(directory: Path, port: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config").write_text(
        "[reticulum]\nshare_instance = No\nenable_transport = No\n[interfaces]\n[[Listen]]\n"
        f"type = TCPServerInterface\nenabled = Yes\nlisten_ip = 127.0.0.1\nlisten_port = {port}\n"
    )


def run(settings: dict[str, Any]) -> None:
    data = Path(settings["data"])
    write_config(data / "reticulum", settings.get("port", 0))
    # A node that looks after its peers every 24 s would make tests slow.
    LXMF.LXMRouter.PROCESSING_INTERVAL = settings.get("interval", 4)
    RNS.Reticulum(configdir=str(data / "reticulum"), loglevel=2)
    key = data / "identity"
    identity = RNS.Identity.from_file(str(key)) if key.exists() else RNS.Identity()
    identity.to_file(str(key))
    router = LXMF.LXMRouter(
        identity=identity,
        storagepath=str(data / "store"),
        name="Plain",
        autopeer=False,
        static_peers=[],
        propagation_cost=settings.get("cost", 13),
        peering_cost=4,
        propagation_limit=settings.get("limit", 64),
    )
    LXMF.LXMRouter.NODE_ANNOUNCE_DELAY = 0
    store = router.lxmf_propagation

    def stored(*args: Any, **options: Any) -> Any:
        result = store(*args, **options)
        emit("stored")
        return result

    router.lxmf_propagation = stored
    router.enable_propagation()
    node = router.propagation_destination

    (listening,) = (each for each in RNS.Transport.interfaces if each.name == "Listen")
    if "announce_every" in settings:
        # Whoever connects later than the first announce must hear one.
        def announce() -> None:
            node.announce(app_data=router.get_propagation_node_app_data())
            again = threading.Timer(settings["announce_every"], announce)
            again.daemon = True
            again.start()

        announce()
    emit("ready", identities=[node.hash.hex()], port=listening.server.server_address[1])
    for line in sys.stdin:
        do = json.loads(line)["do"]
        if do == "announce":
            node.announce(app_data=router.get_propagation_node_app_data())
        elif do == "off":
            router.disable_propagation()
        elif do == "raise":
            # Only what is uploaded from now on: the announce that was heard says something else.
            router.propagation_stamp_cost = 30
        elif do == "count":
            emit("count", messages=len(router.propagation_entries))


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
    os._exit(0)
