"""An RNode that is attached to the Reticulum of a running node, and reloaded there."""

from __future__ import annotations

from contextlib import ExitStack
from multiprocessing.connection import Client
from pathlib import Path

import msgpack
import pytest

from tests.e2e.nodes import until
from tests.e2e.table import Table
from tests.radio.air import Air, RadioNode
from tests.radio.test_airtime import check, limited, metered

pytestmark = [pytest.mark.node, pytest.mark.slow, pytest.mark.timeout(300)]

KEY = bytes.fromhex("5a" * 16)


def manage(instance: str, what: str) -> object:
    """What an operator's tool asks of Reticulum."""
    with Client(f"\0rns/{instance}/rpc", family="AF_UNIX", authkey=KEY) as connection:
        connection.send_bytes(msgpack.packb({"manage": what, "name": "Radio"}))
        return msgpack.unpackb(connection.recv_bytes())


def online(node: RadioNode) -> bool:
    return any(one["state"] == "online" for one in node.call("radio.status")["radios"])


def test_every_packet_is_counted_all_the_same(tmp_path: Path) -> None:
    with ExitStack() as stack:
        air = stack.enter_context(Air(tmp_path / "air", "alice", "bob", "--scale", "20"))
        alice, bob = (RadioNode(tmp_path / name, port, announce_cap=100) for name, port in air.ports.items())
        limited(alice.data, 'region = "EU868"\n')
        config = alice.data / "reticulum" / "config"
        shared = f"  share_instance = yes\n  instance_name = {tmp_path.name}\n  rpc_key = {KEY.hex()}\n"
        text = config.read_text().replace("  share_instance = no\n", shared)
        config.write_text(text.replace("enabled = yes", "enabled = no"))
        for node in (alice, bob):
            stack.callback(lambda node=node: print(f"--- {node.name}\n{node.log}"))
            stack.callback(node.kill)
            node.start()
        assert alice.call("radio.airtime")["radios"] == []
        assert manage(tmp_path.name, "attach_interface") is True
        until(lambda: online(alice), "the radio is up", 30.0)
        table = Table(alice, bob, "ttt", 60.0)
        table.accept()
        table.play(*"14")
        check(air, "alice", alice)
        used = metered(alice)["used"]
        assert used > 1.0
        assert manage(tmp_path.name, "reload_interface") is True
        until(lambda: online(alice), "the radio is up again", 30.0)
        table.play(*"253")
        table.check_ended("win", alice)
        check(air, "alice", alice)
        assert metered(alice)["used"] > used
        (radio,) = alice.call("radio.status")["radios"]
        assert radio["state"] == "online"
