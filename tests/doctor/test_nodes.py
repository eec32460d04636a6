"""The doctor at real nodes: one that is well, and ones that are not."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.doctor.checks import network, running
from tests.doctor.conftest import Ward
from tests.doctor.test_reticulum import LOOPBACK, RNSD, server
from tests.e2e.nodes import NodeProcess, free_port, until

COMMAND = str(Path(sys.executable).with_name("lrgpnode"))

PROPAGATION = """
import sys, LXMF, RNS
RNS.Reticulum(configdir=sys.argv[1], loglevel=0)
router = LXMF.LXMRouter(storagepath=sys.argv[1] + "/lxmf", autopeer=False)
router.enable_propagation()
announced = router.get_propagation_node_app_data()
hash = router.propagation_destination.hash
RNS.Identity.remember(b"x" * 16, hash, router.identity.get_public_key(), announced)
RNS.Identity.save_known_destinations()
print("up", flush=True)
sys.stdin.read()
"""


def doctor(node: NodeProcess, code: int) -> dict[str, Any]:
    # Else another Reticulum program of this machine would be found, too.
    config = node.data / ".reticulum" / "config"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        f"[reticulum]\nshare_instance = Yes\ninstance_name = {node.data.parent.name}\n"
        "[interfaces]\n[[Default Interface]]\ntype = AutoInterface\nenabled = Yes\n"
    )
    ran = subprocess.run(
        [COMMAND, "--data", str(node.data), "doctor", "--json"],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"LRGPNODE_SOCKET": str(node.socket), "HOME": str(node.data)},
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    return {finding["id"]: finding for finding in json.loads(ran.stdout)["findings"]}


@pytest.fixture
def base() -> Iterator[Path]:
    # Not tmp_path: a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="lrgp") as folder:
        yield Path(folder)


@pytest.mark.node
def test_a_node_that_is_well(base: Path) -> None:
    """Its own listening port, lock and socket are no faults. A killed one leaves its socket."""
    port = free_port()
    node = NodeProcess(base / "alice", "--listen", f"127.0.0.1:{port}")
    try:
        node.start()
        assert set(doctor(node, 0)) <= {"propagation-none", "clock-untrusted"}
    finally:
        node.kill()
    found = doctor(node, 0)
    assert set(found) <= {"propagation-none", "clock-untrusted", "rns-none", "socket-stale"}
    assert str(node.socket) in found["socket-stale"]["cause"]


@pytest.mark.node
@pytest.mark.slow
def test_a_node_that_does_not_answer(base: Path) -> None:
    with NodeProcess(base / "alice", "--listen", f"127.0.0.1:{free_port()}") as node:
        assert node.process is not None
        node.process.send_signal(signal.SIGSTOP)
        try:
            finding = doctor(node, 1)["node-silent"]
        finally:
            node.process.send_signal(signal.SIGCONT)
        assert f"(process {node.process.pid})" in finding["cause"]


@pytest.mark.node
@pytest.mark.slow
def test_a_node_whose_interface_cannot_be_made(base: Path, ward: Ward) -> None:
    ward.interfaces(
        "[[Wrong]]\ntype = TCPServerInterface\nenabled = Yes\nlisten_ip = 192.0.2.1\nlisten_port = 4\n"
    )
    with NodeProcess(base / "alice", "--rns-config", str(ward.rns)) as node:
        cause = doctor(node, 1)["interface-failed"]["cause"]
    assert cause.startswith("The interface Wrong could not be brought up: ")


@pytest.mark.node
@pytest.mark.slow
def test_a_node_whose_interface_failed(base: Path, ward: Ward) -> None:
    """A port that another program has, and no other interface: the running node says so.

    The interface is one of the machine's configuration; with --listen the node would not start.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ward.interfaces(server(port))
        with NodeProcess(base / "alice", "--rns-config", str(ward.rns)) as node:
            found = doctor(node, 1)
    assert not {"interface-failed", "rns-no-interfaces"} & set(found)  # the same again
    assert re.search(
        rf"TCP port {port}, which \S+ \(process {os.getpid()}\) has", found["port-taken"]["cause"]
    )


@pytest.mark.node
@pytest.mark.slow
def test_a_node_that_uses_the_reticulum_of_another_program(base: Path, ward: Ward) -> None:
    ward.interfaces(LOOPBACK, share="Yes")
    other = ward.process(RNSD, ward.rns)
    with NodeProcess(base / "alice", "--rns-config", str(ward.rns)) as node:
        found = doctor(node, 0)
        assert f"(process {other.pid})" in found["rns-other"]["cause"]
        other.kill()
        other.wait()
        found = doctor(node, 1)
        assert f"@rns/{ward.instance}" in found["rns-lost"]["cause"]


@pytest.mark.node
@pytest.mark.slow
def test_a_game_that_does_not_load(base: Path) -> None:
    """A broken plugin is left out by the node, and the doctor passes on what it says."""
    info = base / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[lrgpnode.games]\nbroken = nowhere:Game\n")
    node = NodeProcess(base / "alice", "--listen", f"127.0.0.1:{free_port()}")
    root = Path(__file__).parents[2]
    try:
        node.start(PYTHONPATH=f"{root}:{base}")
        assert "is not in use: ModuleNotFoundError" in doctor(node, 0)["node-problem"]["cause"]
    finally:
        node.kill()


@pytest.mark.node
@pytest.mark.slow
def test_a_platform_that_does_not_answer(base: Path) -> None:
    node = NodeProcess(base / "alice", "--listen", f"127.0.0.1:{free_port()}")
    settings = f'[gateway]\nenabled = true\n[rcadia]\nurl = "http://127.0.0.1:{free_port()}"\n'
    (node.data / "lrgpnode.toml").write_text(settings)
    try:
        node.start()
        until(lambda: node.call("node.status")["problems"], "the platform was looked for")
        finding = doctor(node, 0)["platform-down"]
        assert finding["cause"].startswith("The gateway cannot use the platform rcadia: ")
        assert "gateway account list" in finding["fix"]
    finally:
        node.kill()


def test_something_that_is_no_socket(ward: Ward) -> None:
    ward.checks = running.CHECKS
    (ward.data / "control.sock").write_text("")
    assert str(ward.data / "control.sock") in ward.examine()["socket-blocked"].cause


def test_propagation_nodes(ward: Ward) -> None:
    ward.checks = network.CHECKS[1:]
    assert "config set propagation.nodes HASH" in ward.examine()["propagation-none"].fix
    ward.process(PROPAGATION, ward.rns)
    assert ward.all() == ()
    settings = ward.data / "lrgpnode.toml"
    before = settings.read_text()
    settings.write_text(before + "[propagation]\nauto = false\n")
    assert "propagation-none" in ward.examine()
    settings.write_text(before + f'[propagation]\nauto = false\nnodes = ["{"ab" * 16}"]\n')
    assert ward.all() == ()
    settings.write_text(before)
    (ward.rns / "storage/known_destinations").write_bytes(b"\xc1damaged")
    assert "known_destinations" in ward.examine()["not-looked"].cause


def test_the_table_for_people(ward: Ward, capfd: pytest.CaptureFixture[str]) -> None:
    from lrgpnode.cli.root import main

    (ward.data / "identities").chmod(0o755)
    key = next((ward.data / "identities").iterdir())
    key.chmod(0o644)
    code = main(["--data", str(ward.data), "--socket", str(ward.data / "s"), "doctor"])
    out = capfd.readouterr().out
    assert code == 1
    assert f"ERROR  key-open\n  The private key {key} can be read" in out
    assert f"\n  Fix: `chmod 600 {key}`.\n" in out
    assert re.search(r"\n\d+ checks: 1 error, \d+ warnings?\.\n$", out)
