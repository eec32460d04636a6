"""A node whose arcade listens where the system lets it: its gateway finds it all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until

pytestmark = [pytest.mark.node, pytest.mark.slow]

SETTINGS = """
[arcade]
enabled = true
listen = "127.0.0.1:0"
[gateway]
enabled = true
routes = ["ttt=arcade"]
[hosting]
games = ["ttt"]
"""


def test_the_port_is_the_system_s_choice(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "node", "--listen", f"127.0.0.1:{free_port()}")
    with (node.data / "lrgpnode.toml").open("a") as file:
        file.write(SETTINGS)
    try:
        node.start()

        def tables() -> list[str]:
            (host,) = node.call("gateway.status")["hosts"]
            return [table["id"] for table in host["tables"] if table["stage"] == "open"]

        assert until(tables, "a table is open at the arcade of the node", 60.0)
        assert node.call("gateway.status")["platforms"][0]["trouble"] == ""
        assert node.call("gateway.tables")["troubles"] == {}
    finally:
        node.kill()
