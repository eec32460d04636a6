"""The sender against a carrier that only takes notes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lrgpnode.mesh.sender import MAX_IN_FLIGHT, MAX_PER_PEER, UNHEARD, CannotCarry, Sender
from lrgpnode.mesh.transport import Outgoing, Progress
from lrgpnode.protocol.game import Delivery


class Notes:
    def __init__(self) -> None:
        self.peers = {"bob"}
        self.carried: list[int] = []
        self.requested: list[str] = []
        self.told: list[tuple[int, Progress, str]] = []
        self.timers: list[tuple[float, Callable[[str], None], str]] = []
        self.error: Exception | None = None
        self.sender = Sender(self, lambda *told: self.told.append(told), self.later, lambda: 15.0)

    def later(self, delay: float, call: Callable[[str], None], peer: str) -> None:
        self.timers.append((delay, call, peer))

    def known(self, peer: str) -> bool:
        if peer == "nonsense":
            raise CannotCarry("no address")
        return peer in self.peers

    def request_path(self, identity: str, peer: str) -> None:
        self.requested.append(peer)

    def carry(self, message: Outgoing) -> None:
        if self.error is not None:
            raise self.error
        self.carried.append(message.ref)

    def submit(self, ref: int, peer: str = "bob") -> None:
        self.sender.submit(
            Outgoing(
                ref=ref, identity="me", peer=peer, envelope=b"", content="", delivery=Delivery.OPPORTUNISTIC
            )
        )


@pytest.fixture
def notes() -> Notes:
    return Notes()


def test_a_message_to_a_known_peer_goes_at_once(notes: Notes) -> None:
    notes.submit(1)
    assert notes.carried == [1]
    assert notes.told == []
    assert notes.sender.in_flight == 1


def test_few_are_in_flight_for_a_peer_and_in_order(notes: Notes) -> None:
    for ref in range(6):
        notes.submit(ref)
    assert notes.carried == list(range(MAX_PER_PEER))
    notes.sender.ended(1)
    notes.sender.ended(1)
    assert notes.carried == list(range(MAX_PER_PEER + 1))
    for ref in range(6):
        notes.sender.ended(ref)
    assert notes.carried == list(range(6))
    assert (notes.sender.in_flight, notes.sender.waiting) == (0, 0)


def test_a_peer_out_of_reach_does_not_hold_up_others(notes: Notes) -> None:
    notes.peers.add("carol")
    for ref in range(5):
        notes.submit(ref)
    notes.submit(10, "carol")
    assert notes.carried == [0, 1, 2, 10]


def test_few_are_in_flight_altogether(notes: Notes) -> None:
    for ref in range(MAX_IN_FLIGHT + 5):
        notes.peers.add(f"peer {ref}")
        notes.submit(ref, f"peer {ref}")
    assert len(notes.carried) == MAX_IN_FLIGHT
    assert notes.sender.waiting == 5
    notes.sender.ended(0)
    assert len(notes.carried) == MAX_IN_FLIGHT + 1


def test_a_peer_never_heard_is_asked_for_once_and_the_messages_wait(notes: Notes) -> None:
    notes.submit(1, "dave")
    notes.submit(2, "dave")
    assert notes.requested == ["dave"]
    assert notes.told == []
    notes.sender.heard("somebody else")
    assert notes.carried == []
    notes.peers.add("dave")
    notes.sender.heard("dave")
    assert notes.carried == [1, 2]
    (_, give_up, peer) = notes.timers[0]
    give_up(peer)
    assert notes.told == []


def test_the_wait_for_a_peer_ends(notes: Notes) -> None:
    notes.submit(1, "dave")
    (delay, give_up, peer) = notes.timers[0]
    assert delay == 15.0
    give_up(peer)
    assert notes.told == [(1, Progress.FAILED, UNHEARD)]
    assert notes.sender.waiting == 0


@pytest.mark.parametrize("error", [CannotCarry("too large"), RuntimeError("too large")])
def test_what_cannot_be_carried_fails_and_takes_no_place(notes: Notes, error: Exception) -> None:
    notes.error = error
    for ref in range(10):
        notes.submit(ref)
    assert (
        sum(progress is Progress.FAILED and "too large" in reason for _, progress, reason in notes.told) == 10
    )
    assert (notes.sender.in_flight, notes.sender.waiting) == (0, 0)
    notes.error = None
    notes.submit(11)
    assert notes.carried == [11]


def test_what_is_no_address_fails(notes: Notes) -> None:
    notes.submit(1, "nonsense")
    assert notes.told == [(1, Progress.FAILED, "no address")]


def test_how_long_a_message_took_that_has_arrived() -> None:
    took: list[tuple[str, float]] = []
    now = [100.0]
    notes = Notes()
    notes.sender = Sender(
        notes,
        lambda *told: notes.told.append(told),
        notes.later,
        lambda: 15.0,
        lambda *told: took.append(told),
        lambda: now[0],
    )
    for ref in (1, 2):
        notes.submit(ref)
    now[0] += 4.5
    notes.sender.ended(1, delivered=True)
    notes.sender.ended(1, delivered=True)
    notes.sender.ended(2)
    assert took == [("bob", 4.5)]
