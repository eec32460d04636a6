"""``--listen`` on a port that cannot be had: the node says so and does not start."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.cli.exits import Exit
from lrgpnode.doctor import listening
from tests.e2e.nodes import free_port

COMMAND = str(Path(sys.executable).with_name("lrgpnode"))


LISTEN = """
import socket, sys
taken = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print(flush=True)
sys.stdin.read()
"""
PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


def test_a_port_that_is_taken_is_named_with_its_owner() -> None:
    port = free_port()
    assert listening.refusal("127.0.0.1", 0) == ""
    assert listening.refusal("127.0.0.1", port) == ""
    with subprocess.Popen([sys.executable, "-c", LISTEN, str(port)], **PIPES) as listener:
        assert listener.stdin is not None
        assert listener.stdout is not None
        listener.stdout.readline()  # it listens
        said = listening.refusal("127.0.0.1", port)
        listener.stdin.close()
    assert re.search(rf"port {port}: \S+ \(process {listener.pid}\) has it", said)
    # Those who just hung up do not keep a restarted node from its port.
    assert listening.refusal("127.0.0.1", port) == ""


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_that_is_not_of_this_machine(host: str) -> None:
    assert listening.refusal(host, 4242).startswith(f"cannot listen on {host}")


@pytest.mark.node
def test_a_node_does_not_start_without_its_port(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = subprocess.run(
            [COMMAND, "--data", str(tmp_path / "node"), "run", "--listen", f"127.0.0.1:{port}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | {"HOME": str(tmp_path)},
        )
    assert ran.returncode == Exit.FAILED
    owner = rf"\S+ \(process {os.getpid()}\)"
    assert re.search(rf"lrgpnode: --listen: cannot listen on port {port}: {owner}", ran.stderr)
    assert "Traceback" not in ran.stderr
    # Its first identity is made by the first run that runs, under the name that is given then.
    assert {path.name for path in (tmp_path / "node").iterdir()} <= {"lock"}
