"""The floor between real nodes: a link as slow as radio beside a fast one, restarts, a broken connection."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.nodes import until
from tests.mesh.nodes import Node

Start = Callable[..., Node]


def configure(folder: Path, **ports: int | None) -> str:
    """A Reticulum configuration of TCP connections; the one called radio has the bitrate of one.

    So slow a TCP client has no MTU in Reticulum unless it is given, and fails at the first packet.
    """
    folder.mkdir()
    interfaces = "".join(
        f"[[{name}]]\ntype = TCPClientInterface\nenabled = Yes\ntarget_host = 127.0.0.1\n"
        f"target_port = {port}\n" + ("bitrate = 50000\nfixed_mtu = 500\n" if name == "radio" else "")
        for name, port in ports.items()
    )
    (folder / "config").write_text(f"[reticulum]\nshare_instance = No\n[interfaces]\n{interfaces}")
    return str(folder)


@pytest.mark.slow
def test_a_restart_is_announced_by_cable_and_not_by_radio(tmp_path: Path, start: Start) -> None:
    far = start(tmp_path / "far", listen="127.0.0.1:0")
    near = start(tmp_path / "near", listen="127.0.0.1:0")
    config = configure(tmp_path / "config", radio=far.port, cable=near.port)
    bob = start(tmp_path / "bob", config=config)
    far.wait("heard", peer=bob.identity)
    near.wait("heard", peer=bob.identity)
    announced = tmp_path / "bob" / "announced.json"  # written after the announce
    rows = until(lambda: announced.exists() and json.loads(announced.read_text())["last"], "it is noted")
    assert [row[:2] for row in rows] == [[bob.identity, "radio"]]
    bob.kill()
    bob = start(tmp_path / "bob", config=config)
    near.wait("heard", peer=bob.identity)
    bob.tell("ask_announce")
    assert bob.wait("announcement")["held"] == ["radio"]
    near.wait("heard", peer=bob.identity)
    # One extra is allowed before a first challenge, and no second one.
    bob.tell("introduce", identity=bob.identity, peer=far.identity)
    far.wait("heard", peer=bob.identity)
    bob.tell("introduce", identity=bob.identity, peer=far.identity)
    bob.tell("ask_announce")
    assert bob.wait("announcement")["media"] == ["cable"]
    near.wait("heard", peer=bob.identity)
    near.wait("heard", peer=bob.identity)
    assert not far.seen("heard", peer=bob.identity)


def test_an_interface_that_comes_back_is_announced_on(tmp_path: Path, start: Start) -> None:
    near = start(tmp_path / "near", listen="127.0.0.1:0")
    port = near.port
    bob = start(tmp_path / "bob", config=configure(tmp_path / "config", cable=port))
    near.wait("heard", peer=bob.identity)
    near.kill()
    start(tmp_path / "near", listen=f"127.0.0.1:{port}").wait("heard", peer=bob.identity)


def test_the_first_message_follows_the_announce(tmp_path: Path, start: Start) -> None:
    """Whoever has never heard the sender could not believe it otherwise."""
    bob = start(tmp_path / "bob", listen="127.0.0.1:0")
    alice = start(tmp_path / "alice", connect=[bob.endpoint], announce_interval=0.0)
    alice.wait("heard", peer=bob.identity)
    alice.tell("announce")
    bob.wait("heard", peer=alice.identity)
    alice.tell("announce")  # the clock second is taken: the next announce waits
    alice.tell("introduce", identity=alice.identity, peer=bob.identity)
    alice.send(1, bob.identity, b"")
    heard = bob.wait("heard", peer=alice.identity)["t"]
    # Two threads tell of them, a moment apart; the announce had to wait for much longer than that.
    assert bob.wait("received", peer=alice.identity)["t"] > heard - 0.1
