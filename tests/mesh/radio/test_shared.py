"""The radio of another program, whose Reticulum the node shares; and a node without pyserial."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.mesh.radio.board import Board
from tests.mesh.radio.nodes import alive, radio, radio_node, section, wait_for

pytestmark = [pytest.mark.node, pytest.mark.slow]

NO_SERIAL = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "serial" else real(name, package)
sys.modules["serial"] = None
"""


def shared(instance: str, key: str) -> str:
    return f"share_instance = Yes\ninstance_name = {instance}\nrpc_key = {key}"


def test_through_the_reticulum_of_another_program(tmp_path: Path) -> None:
    instance = f"test{os.getpid()}{tmp_path.name}"
    key = "ab" * 32
    with ExitStack() as stack:
        board = stack.enter_context(Board(tmp_path / "ttyRadio"))
        board.load = 3.0
        owner = stack.enter_context(
            radio_node(tmp_path / "owner", section(board.link), general=shared(instance, key))
        )
        wait_for(owner, "online")
        assert owner.call("radio.status")["instance"] == "shared"
        client = stack.enter_context(radio_node(tmp_path / "client", general=shared(instance, key)))
        seen = client.call("radio.status")
        assert (seen["instance"], seen["problem"]) == ("client", "")
        until(lambda: radio(client)["noise_floor"] == -115, "the noise floor is visible", 30)
        (one,) = client.call("radio.status")["radios"]
        assert (one["name"], one["state"], one["load_short"], one["airtime_long"]) == (
            "LoRa",
            "online",
            3.0,
            0.25,
        )
        assert one["frequency"] is one["port"] is one["heard"] is one["limit_long"] is None
        # What the client receives itself has the signal strength, asked for by RPC.
        peer = stack.enter_context(Board(tmp_path / "ttyPeer"))
        board.join(peer)
        far = stack.enter_context(radio_node(tmp_path / "far", section(peer.link)))
        wait_for(far, "online")
        client.call("node.announce")
        far.hears(client)
        far.call("game.challenge", peer=client.identity, app="ttt")
        until(lambda: client.call("radio.status")["last"], "a packet for the client", 60)
        last = client.call("radio.status")["last"]
        assert (last["rssi"], last["snr"]) == (-70, 9.5)
        # A key that is not the other program's.
        other = stack.enter_context(radio_node(tmp_path / "other", general=shared(instance, "cd" * 32)))
        seen = other.call("radio.status")
        assert seen["problem"].startswith("RPC authentication failed")
        assert seen["radios"] == []


def test_without_pyserial(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_SERIAL)
    node = radio_node(tmp_path / "node", section("/dev/ttyUSB0"))
    path = f"{tmp_path}:{Path(__file__).parents[3]}"
    try:
        node.start(PYTHONPATH=path)
        assert wait_for(node, "radio-module")["state"] == "failed"
        assert "-m pip install pyserial" in radio(node)["trouble"]["fix"]
        alive(node)
        assert node.stop() == 0
    finally:
        node.kill()
