"""Real processes: a node with an arcade and tables of its own, a peer on the mesh, and an agent from the web."""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.gateway.rcadia.hosting.arcade import Agent, first_legal

pytestmark = pytest.mark.node

SETTINGS = """
[gateway]
enabled = true
players = "everyone"
[arcade]
enabled = true
listen = "127.0.0.1:{port}"
[hosting]
games = ["chess", "ttt"]
house_after_seconds = {after}
"""


class Web:
    """The arcade of a node, as ``arcade.Town`` is one of a test."""

    def __init__(self, node: NodeProcess, port: int) -> None:
        self.node = node
        self.url = f"http://127.0.0.1:{port}"
        self.tokens: dict[str, str] = {}
        self.web: aiohttp.ClientSession

    def account(self, name: str) -> None:
        """By the command of the operator, while the node runs."""
        command = [str(Path(".venv/bin/lrgpnode").resolve()), "--data", str(self.node.data), "arcade"]
        subprocess.run([*command, "account", "add", name], check=True, capture_output=True)
        made = subprocess.run(
            [*command, "token", "add", name, "--json"], check=True, capture_output=True, text=True
        )
        self.tokens[name] = made.stdout
