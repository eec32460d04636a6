"""A token that is handed over, or added, is in its file and nowhere else: not even in the database's log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.gateway.e2e.players import Mesh

pytestmark = [pytest.mark.node, pytest.mark.slow]

SENTINEL = "tok-SENTINEL-b53c9e1f"
ADDED = "tok-SENTINEL-ADDED-77"
MALFORMED = "tok-SENTINEL-MALFORMED"


@pytest.fixture
def mesh(tmp_path: Path) -> Iterator[Mesh]:
    endpoint = f"127.0.0.1:{free_port()}"
    gate = NodeProcess(tmp_path / "gate", "--listen", endpoint, "--log-level", "debug")
    player = NodeProcess(tmp_path / "ann", "--connect", endpoint)
    with (gate.data / "lrgpnode.toml").open("a") as file:
        file.write(
            '[gateway]\nenabled = true\nplayers = "everyone"\n'
            f'[rcadia]\nurl = "http://127.0.0.1:{free_port()}"\n'
        )
    try:
        gate.start()
        player.start()
        mesh = Mesh(player, gate)
        mesh.heard()
        yield mesh
    finally:
        player.kill()
        gate.kill()


def holders(folder: Path, secret: str) -> list[str]:
    """Files below a folder that have the secret in them, however it is encoded."""
    raw = secret.encode()
    spellings = (raw, raw.hex().encode(), json.dumps(secret)[1:-1].encode())
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(one in path.read_bytes() for one in spellings)
    )


def test_a_token_is_in_its_file_and_nowhere_else(mesh: Mesh) -> None:
    player, gate = mesh.player, mesh.gate
    own = f"gateway-tokens/rcadia/player-{player.identity}"
    player.call("message.send", peer=mesh.address, text="hello")
    for text in (f"token rcadia {SENTINEL}", f"Token: nowhere {MALFORMED}"):
        player.call("message.send", peer=mesh.address, text=text)
    for beginning in ("I have your token for rcadia", "Write: token PLATFORM TOKEN"):
        until(lambda start=beginning: any(text.startswith(start) for text in mesh.texts()), beginning)
    command = [str(Path(sys.executable).with_name("lrgpnode")), "--data", str(gate.data)]
    subprocess.run(
        [*command, "gateway", "account", "add", "rcadia", "main"],
        input=ADDED + "\n",
        text=True,
        check=True,
        capture_output=True,
        env=os.environ | {"LRGPNODE_SOCKET": str(gate.socket)},
    )
    # It is used, and refused by nobody: the platform is not there.
    id = mesh.challenge("chess")
    gate.events.wait("game.challenged", id=id)
    with (gate.data / own).open() as file:
        assert file.read().strip() == SENTINEL
    assert (gate.data / own).stat().st_mode & 0o777 == 0o600
    # What was written and is read by people, or by programs.
    told = [json.dumps(gate.events.all())]
    told += [
        json.dumps(gate.call(name)) for name in ("gateway.status", "gateway.account.list", "node.status")
    ]
    told += [json.dumps(gate.call("gateway.seats", ended=True)), json.dumps(gate.call("node.log"))]
    gateway = {"identity": mesh.address, "peer": player.identity}
    mail = gate.call("message.list", **gateway)["messages"]
    told.append(json.dumps(mail))
    assert not [one for one in told if "SENTINEL" in one]
    assert "hello" in {message["text"] for message in mail}
    # While it runs: database, its log, inbox, LXMF's own files, the log on standard error.
    for secret, files in ((SENTINEL, [own]), (ADDED, ["gateway-tokens/rcadia/main"]), (MALFORMED, [])):
        assert holders(gate.data, secret) == files
    gate.restart()
    assert holders(gate.data, SENTINEL) == [own]
    assert "SENTINEL" not in gate.log
    player.call("message.send", peer=mesh.address, text="token rcadia forget")
    until(lambda: not (gate.data / own).exists(), "it is forgotten")
    assert holders(gate.data, SENTINEL) == []
