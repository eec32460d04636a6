from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.e2e.nodes import ROOT, NodeProcess, free_port


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """One real node, on its own."""
    process = NodeProcess(tmp_path_factory.mktemp("operator") / "pi", "--listen", f"127.0.0.1:{free_port()}")
    with process:
        yield process


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def command(node: NodeProcess) -> Command:
    """A command of the command line for that node."""

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        options = ["--data", str(node.data), "--socket", str(node.socket)]
        return subprocess.run(
            [sys.executable, "-m", "tests.cli.command", *options, *words],
            cwd=ROOT,
            env=os.environ | {"TZ": "UTC"},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    return command


def as_json(ran: subprocess.CompletedProcess[str]) -> Any:
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
