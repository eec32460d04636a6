"""The arcade's ladder: how soon a state comes after a move, while two hundred matches are played."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.gateway.agentgames.server.rig import accounts

from .processes import LRGPNODE, free_port
from .timing import Row

MATCHES = 200
SECONDS = 10
PAUSE = 0.8
CROWD = Path(__file__).parents[1] / "gateway" / "agentgames" / "server" / "crowd.py"


def agentgames(directory: Path) -> list[Row]:
    data = directory / "agentgames"
    tokens = list(accounts(data, tuple(f"p{number}" for number in range(2 * MATCHES))).values())
    port = free_port()
    process = subprocess.Popen(
        [*LRGPNODE, "--data", str(data), "arcade", "run", "--listen", f"127.0.0.1:{port}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "open" in process.stdout.readline()
        pairs = "\n".join(f"{one} {two}" for one, two in zip(tokens[::2], tokens[1::2], strict=True))
        done = subprocess.run(
            [sys.executable, str(CROWD), str(port), str(PAUSE), "c4", str(SECONDS)],
            input=pairs,
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        process.terminate()
        process.wait()
    seen: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    delays = sorted(delay for one in seen for delay in one["delays"])
    assert {one["last"].get("reason") for one in seen} == {None}, "a deadline was missed"
    return [
        Row(
            name=f"state after a move, {MATCHES} matches at a time, p99 as the programs see it",
            value=delays[-len(delays) // 100] * 1000,
            baseline=0,
            unit="ms",
            limit=100,
            slack=True,
        )
    ]
