"""Fetching mail from a node that answers anything; and the order of keeping and deleting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, strategies as st
from LXMF import LXStamper

from lrgpnode.mesh.inbox import InboxFull
from lrgpnode.mesh.propagation import stamps
from lrgpnode.mesh.propagation.fetch import (
    ASK_AGAIN,
    BATCH,
    MAX_LISTED,
    NO_ACCESS,
    NO_IDENTITY,
    Fetch,
    Fetched,
)
from lrgpnode.mesh.propagation.stamps import StampMaker, StampWork
from lrgpnode.mesh.worker import Worker


class Node:
    """A propagation node as far as the fetcher sees it. ``deleted`` are those it was told to delete."""

    def __init__(self, *messages: bytes, limit: int = 10**9) -> None:
        self.store = {sha256(message).digest(): message for message in messages}
        self.limit = limit
        self.deleted: list[bytes] = []
        self.log: list[str] = []
        self.closed = False
        self.answers: list[Any] = []

    # the connection

    def identify(self, identity: Any) -> None:
        self.log.append("identify")

    def request(
        self,
        path: str,
        data: Any,
        *,
        most: int,
        answered: Callable[[Any], None],
        moved: Callable[[float], None] | None = None,
    ) -> None:
        answered(self.answers.pop(0) if self.answers else self._answer(data))

    def close(self) -> None:
        self.closed = True

    def _answer(self, data: list[Any]) -> Any:
        if data[0] is None and data[1] is None:
            return list(self.store)
        for each in data[1] or ():
            self.log.append("delete")
            self.deleted.append(each)
            self.store.pop(each, None)
        chosen: list[bytes] = []
        for each in data[0] or ():
            if sum(map(len, chosen)) + len(self.store[each]) <= self.limit:
                chosen.append(self.store[each])
        return chosen


class Home:
    """Router and receiver: what is kept, and what of it was fetched before."""

    identity = object()
    delivery_per_transfer_limit = 16

    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.kept: list[bytes] = []
        self.fetched: set[bytes] = set()
        self.error: Exception | None = None

    def has_fetched(self, transient_id: bytes) -> bool:
        return transient_id in self.fetched

    def note_fetched(self, transient_id: bytes) -> None:
        self.fetched.add(transient_id)

    def mail(self, router: Any, sealed: Iterable[bytes]) -> int:
        if self.error is not None:
            raise self.error
        found = list(sealed)
        self.log.append("keep")
        self.kept += found
        return len(found)


def fetch(node: Node, home: Home | None = None) -> tuple[Fetched, Home]:
    home = home or Home(node.log)
    ended: list[Fetched] = []
    fetch = Fetch(home, home, lambda *_: None, ended.append)  # type: ignore[arg-type]
    fetch.start(node)  # type: ignore[arg-type]
    (result,) = ended
    return result, home


def test_each_message_is_kept_before_it_is_deleted() -> None:
    messages = [b"%d" % number for number in range(2 * BATCH + 1)]
    node = Node(*messages)
    result, home = fetch(node)
    assert result == Fetched(received=len(messages))
    assert sorted(home.kept) == sorted(messages)
    assert node.store == {}
    kept = [entry for entry in node.log if entry in ("keep", "delete")]
    assert kept == (["keep"] + ["delete"] * BATCH) * 2 + ["keep", "delete"]
    assert node.closed


def test_an_empty_list_is_a_success() -> None:
    result, home = fetch(Node())
    assert result == Fetched()
    assert home.kept == []


def test_what_is_here_already_is_deleted_and_not_fetched_again() -> None:
    node = Node(b"old", b"new")
    home = Home(node.log)
    home.fetched = {sha256(b"old").digest()}
    assert fetch(node, home)[0] == Fetched(received=1)
    assert home.kept == [b"new"]
    assert node.store == {}


def test_what_does_not_fit_is_left_and_the_rest_comes() -> None:
    node = Node(b"x" * 50, b"a" * 9, b"b" * 9, b"c" * 9, b"y" * 60, limit=20)
    result, home = fetch(node)
    assert result == Fetched(received=3, left=2)
    assert sorted(home.kept) == [b"a" * 9, b"b" * 9, b"c" * 9]
    assert sorted(node.store.values()) == [b"x" * 50, b"y" * 60]


@pytest.mark.parametrize("error", [InboxFull("full"), OSError("no space")])
def test_what_cannot_be_kept_is_not_deleted(error: Exception) -> None:
    node = Node(b"one", b"two")
    home = Home(node.log)
    home.error = error
    result, _ = fetch(node, home)
    assert result.ours
    assert "cannot be kept here" in result.reason
    assert node.deleted == []
    assert home.fetched == set()
    assert node.closed


def test_messages_nobody_asked_for_are_not_taken() -> None:
    node = Node(b"mine")
    node.answers = [[sha256(b"mine").digest()], [b"another", b"mine"]]
    result, home = fetch(node)
    assert (result.received, home.kept) == (1, [b"mine"])


def test_a_node_that_did_not_get_who_asks_is_told_again() -> None:
    node = Node(b"one")
    node.answers = [NO_IDENTITY] * ASK_AGAIN
    assert fetch(node)[0] == Fetched(received=1)
    assert node.log.count("identify") == ASK_AGAIN + 1
    node.answers = [NO_IDENTITY] * (ASK_AGAIN + 1)
    assert "did not learn" in fetch(node)[0].reason


def test_a_node_that_does_not_serve_us_says_so() -> None:
    node = Node()
    node.answers = [NO_ACCESS]
    assert "does not serve" in fetch(node)[0].reason


def test_a_list_without_end_is_cut() -> None:
    node = Node(*(b"%d" % number for number in range(MAX_LISTED + 10)))
    assert fetch(node)[0].received == MAX_LISTED


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.binary(max_size=33) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(values, values)
def test_any_answer_ends_the_sync(first: Any, second: Any) -> None:
    node = Node()
    node.answers = [first, second]
    result, _ = fetch(node)
    assert node.closed
    assert result.received == 0 or result.reason == ""
    node.answers = [[bytes(32)], second]
    assert fetch(node)[0].received == 0


def test_a_stamp_is_what_lxmf_accepts_and_a_long_one_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "NOTICE_AFTER", 0.05)
    worker = Worker("test")
    told: list[tuple[int, bool]] = []
    made: list[bytes | None] = []
    done = threading.Event()
    maker = StampMaker(worker)

    def finish(stamp: bytes | None) -> None:
        made.append(stamp)
        done.set()

    def notice(work: StampWork) -> None:
        told.append((work.cost, work.finished))
        assert work.seconds > 0
        assert work.expected > 0
        if work.cost > 200:
            work.cancel()

    worker.start()
    transient_id = bytes(32)
    worker.call(maker.make, transient_id, 8, finish, notice)
    assert done.wait(10)
    workblock = LXStamper.stamp_workblock(transient_id, expand_rounds=LXStamper.WORKBLOCK_EXPAND_ROUNDS_PN)
    assert made[0] is not None
    assert LXStamper.stamp_valid(made[0], 8, workblock)

    done.clear()
    worker.call(maker.make, transient_id, 254, finish, notice)
    assert done.wait(10)
    assert made[1] is None
    assert told[-2:] == [(254, False), (254, True)]
    started = time.monotonic()
    worker.call(maker.make, transient_id, 254, finish, lambda _: None)
    worker.ask(lambda: None).result(5)
    maker.stop()
    worker.stop(1)
    assert time.monotonic() - started < 2
