"""``lrgpnode status`` for people."""

from __future__ import annotations

import time

import msgspec
import pytest

from lrgpnode.cli.text import age
from lrgpnode.control import models
from tests.cli.conftest import Run
from tests.cli.fakes import STATUS, FakeNode


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0 s"),
        (59.9, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (5460, "1 h 31 min"),
        (86_400, "1 d"),
        (86_400 * 3 + 7300, "3 d 2 h"),
    ],
)
def test_lengths_of_time(seconds: float, words: str) -> None:
    assert age(seconds) == words


def lines(node: FakeNode, run: Run, **changed: object) -> dict[str, str]:
    node.results["node.status"] = msgspec.structs.replace(STATUS, **changed)
    ran = run("status")
    assert (ran.code, ran.err) == (0, "")
    rows = (line.partition("  ") for line in ran.out.splitlines()[1:])
    return {name.strip(): value.strip() for name, _, value in rows}


def test_ages_of_the_parts(node: FakeNode, run: Run) -> None:
    now = time.time()
    activity = models.ActivityInfo(heard_at=now - 200, received_at=now - 90_000, written_at=now + 100)
    rows = lines(node, run, started_at=now - 7200, activity=activity)
    assert rows["up"].startswith("2 h, since ")
    assert rows["heard a peer"] == "3 min ago"
    assert rows["received"] == "1 d 1 h ago"
    assert rows["wrote to disk"] == "0 s ago"
    assert rows["delivered"] == rows["sent"] == "not yet"


def test_the_outbox(node: FakeNode, run: Run) -> None:
    now = time.time()
    assert lines(node, run, open_outbox=0)["outbox"] == "empty"
    assert lines(node, run, open_outbox=2)["outbox"] == "all arrived, 2 not answered yet"
    rows = lines(node, run, open_outbox=5, unsent=3, oldest_unsent_at=now - 600, inbox_entries=4)
    assert rows["outbox"] == "3 on their way, the oldest for 10 min"
    assert rows["inbox"] == "4 packets not handled yet"


def test_no_interface(node: FakeNode, run: Run) -> None:
    assert lines(node, run, interfaces=())["interfaces"] == "none: the node is reached by nobody"


def test_mail_by_propagation_nodes(node: FakeNode, run: Run) -> None:
    assert "mail" not in lines(node, run)
    assert lines(node, run, propagation_node="c" * 32)["mail"] == f"never fetched, node {'c' * 32}"
    rows = lines(node, run, propagation_node="c" * 32, mail_fetched_at=time.time() - 200)
    assert rows["mail"] == f"fetched 3 min ago, node {'c' * 32}"
