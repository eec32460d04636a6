"""Settings and log of a real node, through its socket."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from lrgpnode.config import SETTINGS
from lrgpnode.config.kinds import plain
from lrgpnode.control.client import Client
from tests.e2e.nodes import NodeProcess
from tests.operator.conftest import Command

pytestmark = pytest.mark.node


def test_a_setting_that_can_act_at_once_does(node: NodeProcess, command: Command) -> None:
    file = node.data / "lrgpnode.toml"
    file.write_text("# mine\n[announce]\nat_start_seconds = 0 # at once\n")
    ran = command("config", "set", "node.log_level", "debug")
    assert (ran.code, ran.out) == (0, "node.log_level is changed and acts now.\n")
    assert file.read_text() == (
        '# mine\n[announce]\nat_start_seconds = 0 # at once\n\n[node]\nlog_level = "debug"\n'
    )
    shown = command("config", "show", "node.log_level", "--json").json["settings"][0]
    assert (shown["value"], shown["origin"], shown["pending"]) == ("debug", "file", False)
    assert node.call("node.log", limit=1)["level"] == "debug"
    assert command("config", "unset", "node.log_level", "--json").json["acts"] == "now"
    assert command("config", "set", "announce.interval_minutes", "600", "--json").json["acts"] == "now"
    assert command("config", "set", "accept.from", "nobody", "--json").json["acts"] == "now"
    assert node.call("identity.policy", identity=node.identity)["policy"] == "nobody"
    assert node.call("node.log", limit=1)["level"] == "info"


def test_every_setting_that_is_said_to_act_at_once_does(node: NodeProcess) -> None:
    live = [row for row in SETTINGS.values() if row.live]
    assert live
    for row in live:
        value = plain(row.default())
        assert node.call("node.config_set", key=row.key, value=value)["acts"] == "now", row.key
        assert node.call("node.config_unset", key=row.key)["acts"] == "now", row.key


def test_a_setting_that_acts_at_the_next_start_says_so(node: NodeProcess, command: Command) -> None:
    ran = command("config", "set", "announce.at_start_seconds", "7")
    assert "acts when the node starts next" in ran.out
    shown = command("config", "show", "announce.at_start_seconds", "--json").json["settings"][0]
    assert (shown["value"], shown["pending"], shown["next_value"]) == (0, True, 7)
    ran = command("config", "set", "node.name", "Harbour")
    assert "the node was started with --name, which goes before" in ran.out
    ran = command("config", "set", "node.nmae", "Harbour")
    assert ran.code == 5
    assert "did you mean node.name?" in ran.err


def test_the_log_is_followed_and_its_level_changed(node: NodeProcess, command: Command) -> None:
    lines = command("log", "--json").json["lines"]
    assert any(line["text"].startswith("the node is running") for line in lines)
    seen: list[str] = []
    began = threading.Event()

    def follow() -> None:
        with Client(node.socket, timeout=30) as client:
            after = client.call("node.log", limit=1)["number"]
            began.set()
            page = client.call("node.log", after=after, wait=20.0)
            seen.extend(line["text"] for line in page["lines"])

    thread = threading.Thread(target=follow)
    thread.start()
    assert began.wait(10)
    assert command("log", "--set-level", "debug").code == 0
    shown = command("config", "show", "node.log_level", "--json").json["settings"][0]
    assert (shown["value"], shown["origin"]) == ("debug", "until it stops")
    thread.join(10)
    assert seen == ["the log level is now debug"]
    assert command("log", "--set-level", "info").out.startswith("The node logs info and above")


def test_the_end_of_the_node_ends_following_at_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    node = NodeProcess(tmp_path_factory.mktemp("leaving") / "pi", "--listen", "127.0.0.1:0")
    with node, socket.socket(socket.AF_UNIX) as follower:
        params = {"after": node.call("node.log", limit=1)["number"], "level": "error", "wait": 20.0}
        request = {"jsonrpc": "2.0", "id": 1, "method": "node.log", "params": params}
        follower.connect(str(node.socket))
        follower.sendall(json.dumps(request).encode() + b"\n")
        node.call("node.status")
        assert node.stop(20.0) == 0
        # An answer, and not the end of the connection, which a request gets that takes longer.
        follower.settimeout(10)
        assert json.loads(follower.makefile().readline())["result"]["lines"] == []
