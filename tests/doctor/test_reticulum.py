"""Reticulum's configuration and instances: real Reticulum processes share one, or refuse our key."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from lrgpnode.doctor.checks import network, reticulum
from lrgpnode.mesh.probe import Answer, ask, config_dir, read_config
from tests.doctor.conftest import NOBODY, Ward, as_root

RNSD = """
import sys, RNS
RNS.Reticulum(configdir=sys.argv[1], loglevel=0)
print("up", flush=True)
sys.stdin.read()
"""
LISTEN = """
import socket, sys
for name in sys.argv[1:]:
    held = socket.socket(socket.AF_UNIX if "@" in name else socket.AF_INET)
    held.bind(name.replace("@", chr(0)) if "@" in name else ("127.0.0.1", int(name)))
    held.listen()
    globals()[name] = held
print("up", flush=True)
sys.stdin.read()
"""
UDP = """
import socket, sys
held = socket.socket(type=socket.SOCK_DGRAM)
held.bind(("127.0.0.1", 0))
print(held.getsockname()[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def only_these(ward: Ward) -> None:
    ward.checks = (*reticulum.CHECKS, *network.CHECKS[:1])


LOOPBACK = "[[Loop]]\ntype = UDPInterface\nenabled = Yes\nlisten_ip = 127.0.0.1\nlisten_port = 0\n"
LOOPBACK += "forward_ip = 127.0.0.1\nforward_port = 9\n"


def test_no_instance(ward: Ward) -> None:
    ward.interfaces(LOOPBACK, share="Yes")
    finding = ward.examine()["rns-none"]
    assert f"@rns/{ward.instance}" in finding.cause
    assert f"lrgpnode --data {ward.data}" in finding.fix


def test_of_another_program(ward: Ward) -> None:
    ward.interfaces(LOOPBACK, share="Yes")
    process = ward.process(RNSD, ward.rns)
    found = ward.examine()
    assert set(found) == {"rns-other"}
    assert f"(process {process.pid}) runs Reticulum" in found["rns-other"].cause
    assert ask(read_config(ward.rns), 5.0).interfaces == (("Loop", True),)


def test_of_another_program_without_an_interface(ward: Ward) -> None:
    ward.interfaces(share="Yes")
    process = ward.process(RNSD, ward.rns)
    found = ward.examine()
    assert set(found) == {"rns-other", "rns-no-interfaces"}
    assert f"(process {process.pid})" in found["rns-no-interfaces"].cause


def test_with_an_interface_that_is_down(ward: Ward) -> None:
    ward.interfaces(
        "[[Far]]\ntype = TCPClientInterface\nenabled = Yes\ntarget_host = 127.0.0.1\ntarget_port = 9\n",
        share="Yes",
    )
    ward.process(RNSD, ward.rns)
    assert "The interface Far is offline" in ward.examine()["interface-down"].cause


@pytest.mark.parametrize("known", [True, False])
def test_another_program_with_another_key(ward: Ward, tmp_path: Path, known: bool) -> None:
    """Two configuration directories, one instance name; we may have been there before, or not."""
    ward.interfaces(LOOPBACK, share="Yes")
    other = tmp_path / "other"
    other.mkdir()
    (other / "config").write_text((ward.rns / "config").read_text())
    if known:
        (ward.rns / "storage").mkdir()
        (ward.rns / "storage/transport_identity").write_bytes(bytes(range(64)))
    process = ward.process(RNSD, other)
    found = ward.examine()
    assert set(found) == {"rns-rpc-auth"}
    assert f"(process {process.pid}) shares its Reticulum" in found["rns-rpc-auth"].cause
    # What the fix says helps.
    ward.interfaces(LOOPBACK, share="Yes", more="rpc_key = " + "5a" * 32)
    assert "rns-rpc-auth" in ward.examine()
    (other / "config").write_text((ward.rns / "config").read_text())
    process.kill()
    process.wait()
    ward.process(RNSD, other)
    assert set(ward.examine()) == {"rns-other"}


def test_something_else_on_the_socket(ward: Ward) -> None:
    ward.interfaces(share="Yes")
    config = read_config(ward.rns)
    process = ward.process(LISTEN, f"@rns/{ward.instance}", f"@rns/{ward.instance}/rpc")
    ward.machine = replace(ward.machine, ask_seconds=0.2)
    assert ask(config, 0.2).answer is Answer.SILENT
    finding = ward.examine()["rns-foreign"]
    assert f"(process {process.pid}) has @rns/{ward.instance}" in finding.cause


def test_something_else_on_the_port(ward: Ward, unused_port: int) -> None:
    ward.interfaces(share="Yes", more=f"shared_instance_type = tcp\nshared_instance_port = {unused_port}\n")
    process = ward.process(LISTEN, unused_port)
    finding = ward.examine()["rns-foreign"]
    assert f"(process {process.pid}) has TCP port {unused_port}" in finding.cause


def test_no_interface(ward: Ward) -> None:
    ward.interfaces("[[Off]]\ntype = AutoInterface\nenabled = No\n")
    assert str(ward.rns / "config") in ward.examine()["rns-no-interfaces"].cause
    ward.interfaces("[[On]]\ntype = AutoInterface\ninterface_enabled = True\n")
    assert "rns-no-interfaces" not in ward.examine()


@pytest.mark.parametrize(
    "text", ["[reticulum\n", "[interfaces]\n[[[deep]]]\n", "[reticulum]\nshared_instance_port = x\n"]
)
def test_an_invalid_configuration(ward: Ward, text: str) -> None:
    (ward.rns / "config").write_text(text)
    finding = ward.examine()["rns-config-invalid"]
    assert str(ward.rns / "config") in finding.cause


def test_no_configuration_where_the_settings_say(ward: Ward) -> None:
    (ward.rns / "config").unlink()
    finding = ward.examine()["rns-config-missing"]
    assert str(ward.data / "lrgpnode.toml") in finding.fix


@as_root
def test_a_configuration_that_the_node_may_not_read(ward: Ward) -> None:
    os.chown(ward.data, NOBODY, NOBODY)
    (ward.rns / "config").chmod(0o640)
    finding = ward.examine()["rns-config-closed"]
    assert f"chgrp nobody {ward.rns / 'config'}" in finding.fix
    (ward.rns / "config").chmod(0o644)
    assert "rns-config-closed" not in ward.examine()


def test_where_reticulum_looks(tmp_path: Path) -> None:
    home, etc = tmp_path / "home", tmp_path / "etc"
    assert config_dir(home, etc) == home / ".reticulum"
    for folder in (home / ".config/reticulum", etc / "reticulum"):
        folder.mkdir(parents=True)
        (folder / "config").write_text("")
        assert config_dir(home, etc) == folder


def test_what_reticulum_would_write_is_known(tmp_path: Path) -> None:
    config = read_config(tmp_path)
    assert (config.shares, config.socket) == (True, "default")
    assert [item.kind for item in config.interfaces if item.enabled] == ["AutoInterface"]


# Ports to listen on


@pytest.fixture
def unused_port() -> int:
    from tests.e2e.nodes import free_port

    return free_port()


def server(port: int, kind: str = "TCPServerInterface", key: str = "listen_port") -> str:
    return f"[[Server]]\ntype = {kind}\nenabled = Yes\nlisten_ip = 127.0.0.1\n{key} = {port}\n"


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("TCPServerInterface", "listen_port"),
        ("TCPServerInterface", "port"),
        ("BackboneInterface", "listen_port"),
    ],
)
def test_a_port_that_is_taken(ward: Ward, unused_port: int, kind: str, key: str) -> None:
    ward.interfaces(server(unused_port, kind, key))
    assert "port-taken" not in ward.examine()
    process = ward.process(LISTEN, unused_port)
    finding = ward.examine()["port-taken"]
    assert f"TCP port {unused_port}" in finding.cause
    assert re.search(rf"which \S+ \(process {process.pid}\) has", finding.cause)


def test_a_udp_port_that_is_taken(ward: Ward) -> None:
    process = ward.process(UDP)
    table = Path("/proc/net/udp").read_text().splitlines()[1:]
    inodes = {str(link.readlink()) for link in Path(f"/proc/{process.pid}/fd").iterdir()}
    port = next(
        int(row.split()[1].split(":")[1], 16) for row in table if f"socket:[{row.split()[9]}]" in inodes
    )
    ward.interfaces(server(port, "UDPInterface"))
    assert f"UDP port {port}" in ward.examine()["port-taken"].cause


def test_the_port_of_the_program_that_shares(ward: Ward, unused_port: int) -> None:
    """It is that program's interface that listens: nothing is wrong."""
    ward.interfaces(server(unused_port), share="Yes")
    ward.process(RNSD, ward.rns)
    assert set(ward.examine()) == {"rns-other"}


def test_a_connection_needs_no_port(ward: Ward, unused_port: int) -> None:
    ward.process(LISTEN, unused_port)
    ward.interfaces(
        f"[[Out]]\ntype = BackboneInterface\nenabled = Yes\nremote = localhost\nport = {unused_port}\n"
    )
    assert "port-taken" not in ward.examine()
