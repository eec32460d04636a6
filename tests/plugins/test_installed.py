"""The example package, really installed, in a process that knows nothing but its import path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from lrgpnode.plugins import load_games
from tests.plugins.pair import ANN, BEN, SALT

ROOT = Path(__file__).parents[2]


def test_both_games_load_beside_the_built_in_ones_and_play_whole_rounds(installed: Path) -> None:
    path = os.pathsep.join((str(installed), str(ROOT)))
    played = subprocess.run(
        [sys.executable, "-m", "tests.plugins.play"],
        env=os.environ | {"PYTHONPATH": path},
        cwd=installed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert played.returncode == 0, played.stderr
    found = json.loads(played.stdout)
    assert found["problems"] == []
    assert found["games"] == {
        "ttt": "games.tictactoe",
        "chess": "games.chess",
        "four_in_a_row": "games.four_in_a_row",
        "morra": "lrgp_morra.morra",
        "odd_even": "lrgp_morra.odd_even",
    }
    for app, winner in (("morra", ANN), ("odd_even", BEN)):
        anns, bens = found["sessions"][app]
        assert anns == bens
        assert (anns["status"], anns["winner"], anns["salt"]) == ("completed", winner, SALT)


def test_the_package_is_not_found_without_its_path() -> None:
    games, _ = load_games()
    assert "morra" not in games
