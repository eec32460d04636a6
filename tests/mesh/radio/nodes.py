"""Real `lrgpnode run` processes with a Reticulum configuration of radios."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.e2e.nodes import Json, NodeProcess, until

COME_BACK = 60.0
"""A radio needs 3 to 8 s; a busy machine several times that."""


def section(port: Path | str, name: str = "LoRa", **options: object) -> str:
    values = {
        "frequency": 867_200_000,
        "bandwidth": 125_000,
        "txpower": 14,
        "spreadingfactor": 8,
        "codingrate": 5,
        "airtime_limit_long": 1.0,
    } | options
    lines = [f"[[{name}]]", "type = RNodeInterface", "enabled = Yes", f"port = {port}"]
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in values.items() if value is not None)])


def configure(folder: Path, *sections: str, general: str = "share_instance = No") -> Path:
    folder.mkdir(exist_ok=True)
    text = "\n".join(("[reticulum]", general, "enable_transport = No", "[interfaces]", *sections))
    (folder / "config").write_text(text + "\n")
    return folder


def radio_node(data: Path, *sections: str, general: str = "share_instance = No", **more: Any) -> NodeProcess:
    data.mkdir(mode=0o700, exist_ok=True)
    config = configure(data / "rns", *sections, general=general)
    node = NodeProcess(data, "--rns-config", str(config), **more)
    # Announced only when a test says so: by radio each is once an hour, and must not be in vain.
    (data / "lrgpnode.toml").write_text('[announce]\ninterval_minutes = 0\n[accept]\nfrom = "open"\n')
    return node


def radio(node: NodeProcess, name: str = "LoRa") -> Json:
    found: Json = next(one for one in node.call("radio.status")["radios"] if one["name"] == name)
    return found


def trouble(node: NodeProcess, name: str = "LoRa") -> str:
    """The id of why it is not online; empty where it is."""
    return str((radio(node, name).get("trouble") or {}).get("id", ""))


def wait_for(node: NodeProcess, what: str, name: str = "LoRa") -> Json:
    """Until the radio is ``online``, or has this trouble."""
    alive(node)
    if what == "online":
        until(lambda: radio(node, name)["state"] == "online", f"{name} is online", COME_BACK)
    else:
        until(lambda: trouble(node, name) == what, f"{name} has {what}", COME_BACK)
    return radio(node, name)


def alive(node: NodeProcess) -> None:
    assert node.process is not None
    assert node.process.poll() is None, node.log
    os.kill(node.process.pid, 0)
