"""The worker, the log drain and stamps."""

from __future__ import annotations

import logging
import os
import queue
import threading

import pytest
from LXMF import LXStamper

from lrgpnode.mesh import lxmf
from lrgpnode.mesh.rnslog import LogDrain, split
from lrgpnode.mesh.worker import Worker


def test_the_worker_runs_jobs_in_order_and_timed_ones_when_due() -> None:
    worker, done = Worker("test"), queue.SimpleQueue[str]()
    worker.later(0.05, done.put, "late")
    worker.later(0.01, done.put, "soon")
    worker.call(done.put, "first")
    worker.start()
    worker.call(done.put, "second")
    assert [done.get(timeout=5) for _ in range(4)] == ["first", "second", "soon", "late"]
    worker.stop(timeout=5)


def test_a_job_that_raises_does_not_end_the_worker(caplog: pytest.LogCaptureFixture) -> None:
    worker, done = Worker("test"), threading.Event()
    worker.start()
    worker.call(int, "x")
    worker.call(done.set)
    assert done.wait(5)
    worker.stop(timeout=5)
    assert "a job failed" in caplog.text


@pytest.mark.parametrize(
    ("line", "level", "text"),
    [
        ("[Critical] down", logging.CRITICAL, "down"),
        ("[Error]    bad\nworse", logging.ERROR, "bad\nworse"),
        ("[2026-11-30 05:00:00] [Warning]  odd", logging.WARNING, "odd"),
        ("[Notice]   Could not assemble LXMF message", logging.DEBUG, "Could not assemble LXMF message"),
        ("no level at all", logging.DEBUG, "no level at all"),
    ],
)
def test_reticulums_lines_get_pythons_levels(line: str, level: int, text: str) -> None:
    assert split(line) == (level, text)


def test_the_log_is_written_out_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    drain = LogDrain()
    for number in range(100):
        drain.put(f"[Error]    line {number}")
    drain.stop()
    assert [record.getMessage() for record in caplog.records] == [f"line {number}" for number in range(100)]


@pytest.mark.parametrize("cost", [1, 8, 12])
def test_stamps_are_those_lxmf_accepts(cost: int) -> None:
    workblock = LXStamper.stamp_workblock(os.urandom(32), expand_rounds=4)
    stamp, tries = lxmf.fast_stamp(cost, workblock, b"id")
    assert LXStamper.stamp_valid(stamp, cost, workblock)
    assert tries > 0


def test_making_a_stamp_ends_when_the_node_stops() -> None:
    try:
        lxmf.cancel_stamps()
        assert lxmf.fast_stamp(254, b"block", b"id")[0] is None
    finally:
        lxmf.prepare()
    assert LXStamper.job_linux is lxmf.fast_stamp
