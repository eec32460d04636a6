"""A node's files and a machine whose /dev and /boot are directories of the test, with real files in them."""

from __future__ import annotations

import os
import subprocess
import sys
import tty
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lrgpnode.cli.context import Context
from lrgpnode.cli.doctor import look
from lrgpnode.doctor.checks import CHECKS, Check
from lrgpnode.doctor.examine import examine
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Machine
from lrgpnode.mesh import identity as keys
from storage.store import Store
from tests.e2e.nodes import free_port

NOBODY = 65534
DIALOUT = 20

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


@dataclass
class Ward:
    """A data directory with a Reticulum configuration of its own, and what the doctor says of it."""

    data: Path
    rns: Path
    machine: Machine
    instance: str
    checks: Sequence[Check] = CHECKS
    _stack: ExitStack = field(default_factory=ExitStack)

    def examine(self) -> dict[str, Finding]:
        """The findings by id."""
        return {finding.id: finding for finding in self.all()}

    def all(self) -> tuple[Finding, ...]:
        context = Context(data=self.data, socket=self.data / "control.sock")
        return examine(look(context, self.machine), self.checks)

    def interfaces(self, *sections: str, share: str = "No", more: str = "") -> None:
        """Write Reticulum's configuration with these sections under [interfaces]."""
        text = (
            f"[reticulum]\nshare_instance = {share}\ninstance_name = {self.instance}\n{more}\n[interfaces]\n"
        )
        (self.rns / "config").write_text(text + "\n".join(sections))

    def rnode(self, port: str, more: str = "", name: str = "Radio") -> str:
        return f"[[{name}]]\ntype = RNodeInterface\nenabled = Yes\nport = {port}\n{more}\n"

    def pty(self, *names: str) -> tuple[int, Path]:
        """A real terminal device under these names in /dev; the other end of it, and its true path."""
        master, slave = os.openpty()
        tty.setraw(slave)
        device = Path(os.ttyname(slave))
        for handle in (master, slave):
            self._stack.callback(os.close, handle)
        for name in names:
            link = self.machine.dev / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(device)
        return master, device

    def process(self, code: str, *arguments: object) -> subprocess.Popen[str]:
        """Another process, running Python; returns when it has printed a line."""
        process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(_end, process)
        assert process.stdout is not None
        assert process.stdout.readline()
        return process


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@pytest.fixture(scope="session")
def private_key() -> keys.LocalIdentity:
    return keys.generate()


@pytest.fixture
def ward(tmp_path: Path, private_key: keys.LocalIdentity, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ward]:
    monkeypatch.delenv("LRGPNODE_DATA", raising=False)
    monkeypatch.delenv("LRGPNODE_SOCKET", raising=False)
    data, rns = tmp_path / "node", tmp_path / "rns"
    data.mkdir(mode=0o700)
    rns.mkdir()
    (tmp_path / "dev").mkdir()
    keys.save(data / "identities", private_key)
    Store(data / "lrgpnode.db", boot_id="boot").close()
    (data / "lrgpnode.toml").write_text(f'[rns]\nconfig_dir = "{rns}"\n')
    machine = Machine(
        dev=tmp_path / "dev", boot=(tmp_path / "boot",), etc=tmp_path / "etc", radio_seconds=0.1
    )
    instance = f"test{os.getpid()}x{tmp_path.name}"
    ward = Ward(data, rns, machine, instance)
    # Ports of its own: another Reticulum of this machine may have the usual ones.
    ports = f"discovery_port = {free_port()}\ndata_port = {free_port()}\n"
    ward.interfaces(f"[[Network]]\ntype = AutoInterface\nenabled = Yes\n{ports}")
    with ward._stack:
        yield ward
