"""Two hundred matches at a time, played from another process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gateway.agentgames.server import crowd
from tests.gateway.agentgames.server.rig import Rig, play

MATCHES = 200
MOVE_SECONDS = 4.0
PAUSE = 0.8
"""Seconds on average, twice as much at most; the programs' own delay counts as well."""


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_deadline_is_missed_by_our_own_delay(tmp_path: Path) -> None:
    names = tuple(f"p{number}" for number in range(2 * MATCHES))

    async def scene(rig: Rig) -> None:
        lines = [
            f"{rig.tokens[one]} {rig.tokens[two]}" for one, two in zip(names[::2], names[1::2], strict=True)
        ]
        port = str(rig.arcade.address[1])
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, crowd.__file__, port, str(PAUSE), "c4", "12"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                most = max(most, sum(one.playing for one in rig.arena.activity()))
                await asyncio.sleep(0.2)

        watching = asyncio.create_task(watch())
        out, _ = await process.communicate("\n".join(lines).encode())
        watching.cancel()
        assert process.returncode == 0
        seen = [json.loads(line) for line in out.splitlines()]
        assert most > 0.9 * MATCHES
        assert len(seen) >= 2 * MATCHES
        assert {one["last"]["type"] for one in seen} == {"result"}
        assert {one["last"].get("reason") for one in seen} == {None}
        delays = sorted(delay for one in seen for delay in one["delays"])
        p99 = delays[-len(delays) // 100]
        print(f"{most} at a time, {len(seen) // 2} matches, {len(delays)} moves, p99 {p99:.3f} s")
        assert (await rig.api("ladder?game=c4"))["total"] == 2 * MATCHES

    play(tmp_path, scene, names=names, move_seconds=MOVE_SECONDS, patience=300.0)
