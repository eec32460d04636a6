"""The pages' modules outside a browser, in Node.js."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.gateway.web.chromium import REQUIRED

JS = Path(__file__).parent / "js"


def executable() -> str:
    """Where Node.js is. Skips the test where there is none, or fails it if a browser is demanded."""
    found = shutil.which("node")
    if found is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"no Node.js is installed, and {REQUIRED} demands it: apt-get install nodejs")
        pytest.skip("no Node.js is installed (Debian: apt-get install nodejs)")
    return found


def run(*arguments: str, given: str | None = None) -> str:
    """What a run printed; fails the test with it if the run failed."""
    done = subprocess.run(
        [executable(), *arguments], input=given, capture_output=True, text=True, timeout=110, check=False
    )
    if done.returncode:
        pytest.fail(f"node {' '.join(arguments)}\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout
