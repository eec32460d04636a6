"""``kill -9`` of a writing process: what it was told is saved is there, whole, and nothing else."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from storage.maintenance import check
from storage.store import Store
from tests.storage.samples import ME

WRITE = """
    import sys
    from storage.model import Commit
    from storage.store import Store
    from storage.writer import Writer
    from tests.storage.samples import action, key, outgoing, session

    store = Store(sys.argv[1])
    writer = Writer(store)
    start = len(store.actions.of(key()))
    if start == 0:
        writer.submit(store.commit, Commit(insert=session(metadata={"n": 0}))).result()
    for n in range(start + 1, 1_000_000):
        unit = Commit(
            insert=session(n + 1, metadata={"text": "x" * (n % 7 * 900)}),
            update=session(metadata={"n": n}),
            action=action(nonce=n),
            outbox=outgoing(nonce=n),
        )
        writer.submit(store.commit, unit).result()
        print(n, flush=True)
"""


def run_and_kill(path: Path, seconds: float) -> int:
    """The number of the last commit the process reported before it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITE), str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGKILL)
    rest = process.stdout.read().split("\n")
    process.wait()
    process.stdout.close()
    return int(([first.strip()] + [line for line in rest[:-1] if line])[-1])


def killed(path: Path, times: int) -> None:
    chance = random.Random(20)
    for _ in range(times):
        reported = run_and_kill(path, chance.uniform(0.0, 0.06))
        report = check(path)
        assert report.problems == ()
        with Store(path) as store:
            newest = store.sessions.page(ME, which="live", limit=1)[0]
            first = next(s for s in store.sessions.list(ME) if s.key.session_id == f"{1:016x}")
            count = first.metadata["n"]
            assert reported <= count <= reported + 1
            assert newest.key.session_id == f"{count + 1:016x}"
            assert report.rows["game_actions"] == report.rows["outbox"] == count
            assert report.rows["game_sessions"] == count + 1
            assert [row.action_num for row in store.outbox.pending()] == list(range(1, count + 1))


def test_killed_a_few_times(path: Path) -> None:
    killed(path, 4)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_many_times(path: Path) -> None:
    killed(path, 25)
