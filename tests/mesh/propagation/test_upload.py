"""Storing messages at propagation nodes: order, failover, what a failure is blamed on. No Reticulum."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import pytest

from lrgpnode.mesh.propagation import upload
from lrgpnode.mesh.propagation.upload import NO_NODE, NO_PATH, REFUSED, Uploads

ONE, TWO, OWN = "1" * 32, "2" * 32, "f" * 32


class FakeWorker:
    """Runs everything in this thread; time moves by ``pass_time``."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timed: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._count = 0

    def call(self, function: Callable[..., None], *args: Any) -> None:
        self.later(0.0, function, *args)

    def later(self, delay: float, function: Callable[..., None], *args: Any) -> None:
        self._count += 1
        heapq.heappush(self._timed, (self.now + delay, self._count, function, args))

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while self._timed and self._timed[0][0] <= end:
            self.now, _, function, args = heapq.heappop(self._timed)
            function(*args)
        self.now = end


class FakeLink:
    round_trip = 0.0

    def __init__(self, node: str, lost: Callable[[str], None]) -> None:
        self.node = node
        self.lost = lost
        self.open = True
        self.transfers: list[tuple[bytes, Callable[[], None]]] = []

    def send(self, data: bytes, sent: Callable[[], None]) -> None:
        self.transfers.append((data, sent))

    def close(self) -> None:
        self.open = False

    def break_off(self, reason: str) -> None:
        self.open = False
        self.lost(reason)


class FakeWork:
    def __init__(self, done: Callable[[bytes | None], None]) -> None:
        self.done = done
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeStamps:
    def __init__(self) -> None:
        self.works: list[tuple[int, FakeWork]] = []
        self.slow = False

    def make(self, transient_id: bytes, cost: int, done: Callable[[bytes | None], None], _: Any) -> FakeWork:
        work = FakeWork(done)
        self.works.append((cost, work))
        if not self.slow:
            done(b"S%d" % cost)
        return work

    def pack(self, pack: Callable[[], None], done: Callable[[], None]) -> None:
        pack()
        done()


class FakeParcel:
    identity, peer = "a" * 32, "b" * 32

    def __init__(self, ref: int, size: int = 10) -> None:
        self.ref = ref
        self.size = size
        self.packed = False
        self.sent = 0

    def pack(self) -> None:
        self.packed = True

    def transient_id(self) -> bytes:
        return b"id%d" % self.ref

    def stamped(self, stamp: bytes) -> bytes:
        return b"%d:" % self.ref + b"x" * self.size + stamp

    def tell_sent(self) -> None:
        self.sent += 1


class Nodes:
    """The nodes of a test; the current one is the first with less than two failures."""

    def __init__(self, *order: str) -> None:
        self.order = order
        self.costs = dict.fromkeys(order, 16)
        self.failures: list[tuple[str, str]] = []
        self.good: list[str] = []
        self.links: list[FakeLink] = []
        self.paths = dict.fromkeys(order, True)
        self.kept: list[bytes] = []
        self.full = False

    def node(self) -> str:
        usable = [node for node in self.order if sum(name == node for name, _ in self.failures) < 2]
        return usable[0] if usable else next(iter(self.order), "")

    def terms(self, node: str) -> tuple[int, int] | None:
        cost = self.costs[node]
        return None if cost is None else (cost, 1)

    def max_cost(self) -> int:
        return 20

    def worked(self, node: str) -> None:
        self.good.append(node)

    def failed(self, node: str, reason: str) -> None:
        self.failures.append((node, reason))

    def find(self, node: str, found: Callable[[bool], None]) -> None:
        found(self.paths[node])

    def connect(
        self,
        node: str,
        opened: Callable[[Any], None],
        lost: Callable[[str], None],
        *,
        rests: bool = False,
    ) -> None:
        assert rests
        self.links.append(FakeLink(node, lost))
        opened(self.links[-1])

    def is_own(self, node: str) -> bool:
        return node == OWN

    def keep(self, data: bytes) -> bool:
        self.kept.append(data)
        return not self.full


class Desk:
    def __init__(self, *order: str) -> None:
        self.worker = FakeWorker()
        self.nodes = Nodes(*order)
        self.stamps = FakeStamps()
        self.told: list[tuple[int, str]] = []
        self.uploads = Uploads(
            self.worker,  # type: ignore[arg-type]
            self.nodes,
            self.stamps,  # type: ignore[arg-type]
            stored=lambda parcel: self.told.append((parcel.ref, "stored")),
            failed=lambda parcel, reason: self.told.append((parcel.ref, reason)),
            slow_stamp=lambda *_: None,
        )

    def add(self, *refs: int, size: int = 10) -> list[FakeParcel]:
        parcels = [FakeParcel(ref, size) for ref in refs]
        for parcel in parcels:
            self.uploads.add(parcel)
        self.worker.pass_time(0.0)
        return parcels

    def prove(self, link: int = -1) -> bytes:
        data, sent = self.nodes.links[link].transfers.pop(0)
        sent()
        return data


def test_without_a_node_each_fails_at_once() -> None:
    desk = Desk()
    desk.add(1, 2)
    assert desk.told == [(1, NO_NODE), (2, NO_NODE)]
    assert len(desk.uploads) == 0


def test_one_transfer_after_the_other_over_one_link() -> None:
    desk = Desk(ONE)
    first, second = desk.add(1, 2)
    assert (first.sent, second.sent) == (1, 0)
    assert desk.prove() == b"1:xxxxxxxxxxS16"
    assert second.sent == 1
    desk.prove()
    assert desk.told == []
    desk.worker.pass_time(upload.VERDICT)
    assert desk.told == [(1, "stored"), (2, "stored")]
    assert len(desk.nodes.links) == 1
    assert desk.nodes.good == [ONE, ONE]
    desk.worker.pass_time(upload.LINGER)
    assert not desk.nodes.links[0].open


def test_a_link_that_is_cut_after_the_proof_is_a_refusal() -> None:
    desk = Desk(ONE)
    desk.add(1)
    desk.prove()
    desk.nodes.links[0].break_off("closed")
    desk.worker.pass_time(60.0)
    assert desk.told == [(1, REFUSED)]
    assert desk.nodes.failures == [(ONE, REFUSED)]


def test_a_link_that_is_cut_before_is_tried_again_and_then_the_next_node() -> None:
    desk = Desk(ONE, TWO)
    (parcel,) = desk.add(1)
    for _ in range(2):
        desk.nodes.links[-1].break_off("closed")
    assert [link.node for link in desk.nodes.links] == [ONE, ONE, TWO]
    desk.prove()
    desk.worker.pass_time(upload.VERDICT)
    assert desk.told == [(1, "stored")]
    assert parcel.sent == 3
    # The stamp is made once: the second node asks for no more.
    assert len(desk.stamps.works) == 1


def test_a_dearer_node_gets_a_stamp_of_its_own() -> None:
    desk = Desk(ONE, TWO)
    desk.nodes.costs[TWO] = 18
    desk.add(1)
    for _ in range(2):
        desk.nodes.links[-1].break_off("closed")
    assert desk.prove().endswith(b"S18")


def test_when_every_node_has_been_tried_twice_it_fails_with_the_last_reason() -> None:
    desk = Desk(ONE, TWO)
    desk.nodes.paths = {ONE: False, TWO: True}
    desk.add(1)
    for _ in range(2):
        desk.nodes.links[-1].break_off("silent")
    assert desk.told == [(1, "silent")]
    assert desk.nodes.failures == [(ONE, NO_PATH), (ONE, NO_PATH), (TWO, "silent"), (TWO, "silent")]


@pytest.mark.parametrize("cost", [None, 21])
def test_a_node_with_unknown_or_too_dear_stamps_counts_as_failed(cost: int | None) -> None:
    desk = Desk(ONE)
    desk.nodes.costs[ONE] = cost  # type: ignore[assignment]
    desk.add(1)
    assert len(desk.told) == 1
    assert "stamp" in desk.told[0][1]
    assert len(desk.nodes.failures) == 2


def test_too_large_a_message_is_not_the_nodes_fault() -> None:
    desk = Desk(ONE)
    desk.add(1, size=1001)
    assert "larger than the 1 kB" in desk.told[0][1]
    assert desk.nodes.failures == []


def test_a_link_lost_while_a_stamp_is_made_is_opened_again() -> None:
    desk = Desk(ONE)
    desk.add(1)
    desk.prove()
    desk.worker.pass_time(upload.VERDICT)
    desk.stamps.slow = True
    desk.add(2)
    desk.nodes.links[0].break_off("idle")
    assert desk.nodes.failures == []
    desk.stamps.works[-1][1].done(b"S16")
    assert len(desk.nodes.links) == 2
    desk.prove()
    desk.worker.pass_time(upload.VERDICT)
    assert desk.told == [(1, "stored"), (2, "stored")]


def test_cancelling_what_waits_is_stamped_or_transferred() -> None:
    desk = Desk(ONE)
    desk.stamps.slow = True
    desk.add(1, 2, 3)
    desk.uploads.cancel(2)
    desk.uploads.cancel(1)
    desk.worker.pass_time(0.0)
    assert desk.stamps.works[0][1].cancelled
    desk.stamps.works[0][1].done(None)
    desk.stamps.works[1][1].done(b"S16")
    desk.uploads.cancel(3)
    assert not desk.nodes.links[0].open
    desk.uploads.cancel(3)
    desk.worker.pass_time(60.0)
    assert desk.told == [(2, "cancelled"), (1, "cancelled"), (3, "cancelled")]
    assert len(desk.uploads) == 0


def test_an_identity_that_leaves_takes_its_messages_with_it() -> None:
    desk = Desk(ONE)
    others = FakeParcel(9)
    others.identity = "c" * 32
    desk.uploads.add(FakeParcel(1))
    desk.uploads.add(others)
    desk.uploads.add(FakeParcel(2))
    desk.uploads.leave("a" * 32)
    desk.worker.pass_time(0.0)
    assert desk.prove().startswith(b"9:")
    desk.worker.pass_time(upload.VERDICT)
    assert desk.told == [(9, "stored")]


def test_our_own_node_keeps_a_message_without_a_link() -> None:
    desk = Desk(OWN)
    desk.add(1)
    assert desk.told == [(1, "stored")]
    assert desk.nodes.kept == [b"1:xxxxxxxxxxS16"]
    assert desk.nodes.links == []
    desk.nodes.full = True
    desk.add(2)
    assert desk.told[-1] == (2, "our own propagation node could not store the message")


def test_only_so_many_wait() -> None:
    desk = Desk(ONE)
    desk.stamps.slow = True
    desk.add(*range(upload.MAX_WAITING + 2))
    assert len(desk.told) == 1
    assert desk.told[0][0] == upload.MAX_WAITING + 1
