"""Reticulum's RNode driver, unmodified, in a process of its own: one or several, without the rest of it.

The argument is JSON: the settings of each interface by its name. Commands come as JSON lines on stdin
(``send``: name, ``data``: hex), and what happens goes out as JSON lines on stdout.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import RNS
from RNS.Interfaces.RNodeInterface import RNodeInterface

LOOK = 0.02

_said = threading.Lock()


def say(event: str, **values: Any) -> None:
    with _said:
        print(json.dumps({"event": event, **values}), flush=True)


class Owner:
    """What an interface takes for Reticulum's transport."""

    def inbound(self, data: bytes, interface: RNodeInterface) -> None:
        rssi, snr = interface.r_stat_rssi, interface.r_stat_snr
        say("received", name=interface.name, data=data.hex(), rssi=rssi, snr=snr)


def watch(interface: RNodeInterface) -> None:
    """The driver tells nobody of its state: look at it."""
    last: dict[str, Any] = {}
    while True:
        now = {
            "online": interface.online,
            "airtime": getattr(interface, "r_airtime_short", 0.0),
            "load": getattr(interface, "r_channel_load_short", 0.0),
            "errors": len(interface.hw_errors),
        }
        if now != last:
            say("state", name=interface.name, **now)
            last = now
        time.sleep(LOOK)


def run(settings: dict[str, dict[str, Any]]) -> None:
    folder = Path(os.environ["HOME"])
    (folder / "config").write_text("[reticulum]\n  share_instance = no\n[interfaces]\n")
    # An interface takes its defaults from it.
    RNS.Reticulum(str(folder), loglevel=4, logdest=RNS.LOG_FILE)
    interfaces: dict[str, RNodeInterface] = {}

    def start(name: str, options: dict[str, Any]) -> None:
        lines = [f"{key} = {value}" for key, value in {"name": name, **options}.items()]
        interfaces[name] = interface = RNodeInterface(Owner(), lines)
        watch(interface)

    usual = threading.excepthook

    def failed(args: Any) -> None:
        """What the driver refuses to begin with ends the test; what fails later is its own affair."""
        usual(args)
        if args.thread.name.startswith("start "):
            os._exit(1)

    threading.excepthook = failed
    for name, options in settings.items():
        threading.Thread(target=start, name=f"start {name}", args=(name, options), daemon=True).start()
    for line in sys.stdin:
        order = json.loads(line)
        interface = interfaces[order["name"]]
        if order["do"] == "send":
            try:
                interface.process_outgoing(bytes.fromhex(order["data"]))
            except OSError as error:
                # Its port has just gone; Reticulum's Transport takes this, too.
                say("not_sent", name=order["name"], reason=str(error))
        elif order["do"] == "show":
            shown = {key: getattr(interface, key, None) for key in order["what"]}
            say("shown", name=order["name"], **shown)
        elif order["do"] == "detach":
            interface.detach()
            say("detached", name=order["name"])


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
