"""The arcade as part of a node, by setting."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port
from tests.gateway.arcade.served import (
    AGENT,
    BRIDGE,
    CONFIG,
    LRGPNODE,
    Arcade,
    Client,
    Later,
    made_token,
    until,
)


@pytest.mark.node
def test_a_node_with_an_arcade(tmp_path: Path) -> None:
    data = tmp_path / "node"
    node = NodeProcess(data, "--listen", f"127.0.0.1:{free_port()}")
    with (data / "lrgpnode.toml").open("a") as settings:
        settings.write('[arcade]\nenabled = true\nlisten = "127.0.0.1:0"\n')
        settings.write('public_url = "http://games.example/"\n')
    token = made_token(data, "cat", "play", "host")
    node.start()
    try:
        found = re.search(r"the arcade is open at http://127\.0\.0\.1:(\d+)", node.log)
        assert found, node.log
        client = Client(int(found[1]), token)
        made = client.ok("POST", BRIDGE, {"config": CONFIG, "gameTitle": "Chess"}, 201)
        assert made["skillUrl"] == "http://games.example/games/chess/skill.md"
        client.ok("POST", f"{AGENT}/{made['sessionId']}/join", {})
        ladder = node.call("ladder.show", game="c4")
        assert [one["game"] for one in ladder["games"]] == ["ttt", "c4", "chess"]
        assert ladder["rows"] == []
        assert client.ok("GET", "/api/v1/arcade/ladder?game=c4")["players"] == []
        poll = Later(client, "GET", f"{BRIDGE}/{made['sessionId']}/pending-actions?after=0&wait=25")
        until(lambda: client.get(f"{AGENT}/available").status, lambda status: status == 200)
        client.close()
        # Whoever waits must not keep the node from stopping.
        assert node.stop(20) == 0
        poll.join(20)
        assert token not in node.log
        assert "Traceback" not in node.log
    finally:
        node.kill()


@pytest.mark.slow
@pytest.mark.node
def test_a_port_that_is_taken_does_not_stop_the_node(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "node", "--listen", f"127.0.0.1:{free_port()}")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (node.data / "lrgpnode.toml").open("a") as settings:
            settings.write(f'[arcade]\nenabled = true\nlisten = "127.0.0.1:{port}"\n')
        with node:
            assert f"the arcade is not open: The arcade cannot listen on 127.0.0.1 port {port}" in node.log
            assert node.call("node.status")["name"] == "node"


@pytest.mark.node
def test_who_has_taken_the_port_gets_no_token(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "node", "--listen", f"127.0.0.1:{free_port()}")
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0)
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        with (node.data / "lrgpnode.toml").open("a") as settings:
            settings.write(f'[arcade]\nenabled = true\nlisten = "{listen}"\n')
            settings.write('[gateway]\nenabled = true\nroutes = ["chess=arcade", "ttt=rcadia"]\n')
            settings.write('[hosting]\ngames = ["chess"]\n')
        with node:
            status = node.call("gateway.status")
            assert status["enabled"]
            assert (status["platforms"], status["hosts"]) == ([], [])
            problems = node.call("node.status")["problems"]
            assert "Platform arcade: the arcade of this node is not open; its log says why" in problems
            assert "the platform rcadia for ttt is not set up" in node.log
            assert node.stop(20) == 0
        assert "Traceback" not in node.log
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_second_arcade_on_the_same_directory_says_why_it_is_none(data: Path, arcade: Arcade) -> None:
    command = [*LRGPNODE, "--data", str(data), "arcade", "run", "--listen", "127.0.0.1:0"]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 1
    assert f"An arcade runs on {data} already" in second.stderr
    assert "Traceback" not in second.stderr
    assert arcade.client().get("/skill.md").status == 200


def test_without_it_nothing_of_the_web_is_loaded() -> None:
    program = (
        "import sys; import lrgpnode.app, lrgpnode.cli.root, lrgpnode.cli.arcade; "
        "assert not {'aiohttp', 'gateway.arcade.app'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
