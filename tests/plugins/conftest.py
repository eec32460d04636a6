from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.plugins import load_games
from lrgpnode.protocol.game import Game
from tests.plugins.pair import Pair

PACKAGE = Path(__file__).parents[1] / "example_game"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Where the example package is installed, once for all workers of a test run."""
    root = tmp_path_factory.getbasetemp()
    root = root if worker_id == "master" else root.parent
    target = root / "example_game"
    with (root / "example_game.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            pip = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ]
            subprocess.run([*pip, "--target", str(target), str(PACKAGE)], check=True, timeout=100)
    return target


@pytest.fixture(scope="session")
def games(installed: Path) -> dict[str, Game]:
    """Every game found with the example package on the path; the path is as before afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(installed)
        found, problems = load_games()
    assert problems == ()
    return found


@pytest.fixture
def pair(games: dict[str, Game]) -> Iterator[Pair]:
    pair = Pair(games)
    yield pair
    pair.close()
