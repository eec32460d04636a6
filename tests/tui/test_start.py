"""Opening the interface: the node of its own, no node, no terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lrgpnode.control.client import Client, ClientError
from tests.e2e.nodes import ROOT, until
from tests.tui.harness import Program

pytestmark = pytest.mark.node

COMMAND = [sys.executable, "-m", "tests.cli.command"]
RNS = "[reticulum]\n  enable_transport = No\n  share_instance = No\n[interfaces]\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of somebody who has a Reticulum that talks to nobody, and no node yet."""
    rns = tmp_path / "rns"
    rns.mkdir()
    (rns / "config").write_text(RNS)
    data = tmp_path / "node"
    data.mkdir(mode=0o700)
    (data / "lrgpnode.toml").write_text(f'[rns]\nconfig_dir = "{rns}"\n[announce]\nat_start_seconds = 0\n')
    return tmp_path


@contextmanager
def opened(home: Path, *words: str, size: tuple[int, int] = (80, 24)) -> Iterator[Program]:
    """``lrgpnode``, without a command if there are no words."""
    data = home / "node"
    env = {"HOME": str(home), "LRGPNODE_DATA": str(data), "LRGPNODE_SOCKET": str(data / "s")}
    with Program([*COMMAND, *words], size, USER="ann", LOGNAME="ann", **env) as ui:
        try:
            yield ui
        finally:
            if ui.process.poll() is None:
                ui.hang_up()
                ui.process.wait(30)
            pid = node_of(home)
            if pid is not None:
                os.kill(pid, signal.SIGKILL)


def node_of(home: Path) -> int | None:
    """The process of the node that answers, if one does."""
    try:
        with Client(home / "node" / "s") as client:
            return int(client.call("node.status")["pid"])
    except ClientError:
        return None


def test_the_first_run_asks_for_a_name_and_leads_to_a_game(home: Path) -> None:
    with opened(home) as ui:
        ui.until("Your name: ann").keys("ctrl u").type("Ann Lee").keys("enter").until("Starting the node")
        ui.until("Games of Ann Lee", 60).until("Play at once")
        ui.keys("enter").until("▸ 1 ").keys("enter").until("Your turn")
        ui.keys("esc").until("Your turn (1)").keys("q").until("ends with it").keys("q")
        assert ui.ended(60) == 0
        assert node_of(home) is None
        assert ui.terminal == ui.settings


@pytest.mark.slow
def test_a_node_of_its_own_may_stay(home: Path) -> None:
    with opened(home, "tui", "--stay") as ui:
        ui.until("Your name").keys("enter").until("Games of ann", 60).keys("q")
        assert ui.ended() == 0
        pid = node_of(home)
        assert pid is not None
        # The next one finds it.
        with opened(home, size=(40, 20)) as again:
            again.until("Games of ann").keys("q")
            assert again.ended() == 0
        # ``opened`` ends what is left.


@pytest.mark.slow
def test_a_lost_terminal_ends_the_node_as_well(home: Path) -> None:
    with opened(home) as ui:
        ui.until("Your name").keys("enter").until("Games of ann", 60)
        pid = node_of(home)
        assert pid is not None
        ui.hang_up()
        assert ui.process.wait(60) == 128 + signal.SIGHUP
        until(lambda: not Path(f"/proc/{pid}/exe").exists(), "the node has ended")


@pytest.mark.slow
def test_a_node_that_does_not_start_says_why(home: Path) -> None:
    (home / "node" / "lrgpnode.toml").write_text("[nonsense]\nx = 1\n")
    with opened(home) as ui:
        ui.until("Your name").keys("enter").until("did not start").until("nonsense")
        (home / "node" / "lrgpnode.toml").write_text(f'[rns]\nconfig_dir = "{home / "rns"}"\n')
        ui.keys("s").until("Games of", 60)


def test_without_a_terminal_one_line_names_the_commands(home: Path) -> None:
    env = os.environ | {"HOME": str(home), "LRGPNODE_DATA": str(home / "node"), "PYTHONPATH": str(ROOT)}
    for words in ([], ["tui"]):
        ran = subprocess.run(
            [*COMMAND, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env, check=False
        )
        assert ran.returncode == 2
        assert ran.stdout == ""
        assert ran.stderr.count("\n") == 1
        assert "lrgpnode --help" in ran.stderr
    with Program(COMMAND, term="dumb", HOME=str(home), LRGPNODE_DATA=str(home / "node")) as ui:
        assert ui.ended() == 2
        assert "lrgpnode --help" in ui.text
        assert b"\x1b" not in ui.raw
