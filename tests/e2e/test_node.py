"""The process: one per data directory, a clean stop, and what it says when it cannot start."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port
from tests.e2e.replay import check_same
from tests.e2e.table import Table

pytestmark = pytest.mark.node


@pytest.fixture
def endpoint() -> str:
    return f"127.0.0.1:{free_port()}"


def test_one_node_per_data_directory(tmp_path: Path, endpoint: str) -> None:
    with NodeProcess(tmp_path / "node", "--listen", endpoint) as node:
        first, identity = node.process, node.identity
        log = node.log
        node.process = None
        node.socket = tmp_path / "other.sock"
        assert node.spawn().wait(10) == 1
        assert f"a node is already running on {node.data}" in node.log.removeprefix(log)
        node.process = first
        assert node.call("identity.show")["hash"] == identity
        # The lock goes with its holder, however that ends.
        node.kill()
        node.start()
        assert node.identity == identity


def test_sigterm_ends_it_cleanly_within_two_seconds(tmp_path: Path, endpoint: str) -> None:
    with (
        NodeProcess(tmp_path / "a", "--listen", endpoint) as a,
        NodeProcess(tmp_path / "b", "--connect", endpoint) as b,
    ):
        a.hears(b)
        b.hears(a)
        table = Table(a, b, "ttt")
        table.accept()
        table.play("5")
        for node in (a, b):
            started = time.monotonic()
            assert node.stop() == 0
            assert time.monotonic() - started < 2.0
            assert "the node has stopped" in node.log
            assert not node.socket.exists()
            assert not list(node.data.glob("lrgpnode.db-*"))  # the log is merged
        a.start()
        b.start()
        b.hears(a)
        table.play("1", "2", "3", "8")
        assert check_same(a, b, table.id).result == ("win", a.identity)


def test_node_stop_ends_it_too(tmp_path: Path, endpoint: str) -> None:
    with NodeProcess(tmp_path / "node", "--listen", endpoint) as node:
        node.call("node.stop")
        assert node.gone(2.0) == 0
        assert node.events.of("node.stopping")


def _corrupt(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xa5" * (len(content) - 100))


def _no_database(path: Path) -> None:
    path.write_bytes(b"something else entirely, " * 500)


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 9999")


def _foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA application_id = 77")
        database.execute("CREATE TABLE mail (id INTEGER)")
        database.commit()


def test_bad_databases_are_named_and_left_alone(tmp_path: Path, endpoint: str) -> None:
    cases: list[tuple[Callable[[Path], None], str]] = [
        (_corrupt, "damaged"),
        (_no_database, "database"),
        (_newer, "version 9999"),
        (_foreign, "another program"),
    ]
    with NodeProcess(tmp_path / "node", "--listen", endpoint) as node:
        assert node.stop() == 0
        good = node.database.read_bytes()
        for spoil, word in cases:
            node.database.write_bytes(good)
            spoil(node.database)
            before, log = node.database.read_bytes(), node.log
            assert node.spawn().wait(10) == 4
            said = node.log.removeprefix(log)
            assert said.startswith("lrgpnode: ")
            assert str(node.database) in said
            assert word in said
            assert "Traceback" not in said
            assert node.database.read_bytes() == before
        node.database.write_bytes(good)
        node.start()
