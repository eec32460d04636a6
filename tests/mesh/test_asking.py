"""The network is asked again for a sender whose message waits: by radio a question can be lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from lrgpnode.mesh.receiver import ASK_AGAIN, MAX_HELD_PER_SENDER, Receiver, _Arrival


def arrival(sender: bytes) -> _Arrival:
    return _Arrival(router=None, number=0, raw=bytes(16) + sender + bytes(100), method=1)  # type: ignore[arg-type]


@pytest.fixture
def scene(
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[Receiver, list[str], list[tuple[float, Callable[[], Any]]]]:
    asked: list[str] = []
    later: list[tuple[float, Callable[[], Any]]] = []
    receiver = Receiver(asked.append)
    monkeypatch.setattr(random, "uniform", lambda low, high: (low + high) / 2)
    monkeypatch.setattr(
        receiver._worker, "later", lambda delay, call, *args: later.append((delay, lambda: call(*args)))
    )
    return receiver, asked, later


def test_it_is_asked_again_with_growing_pauses_and_not_for_ever(scene: Any) -> None:
    receiver, asked, later = scene
    receiver._hold(arrival(b"a" * 16))
    pauses = []
    while later:
        pause, call = later.pop()
        pauses.append(pause)
        call()
    assert pauses == list(ASK_AGAIN)
    assert asked == [(b"a" * 16).hex()] * (1 + len(ASK_AGAIN))


def test_who_is_known_meanwhile_is_not_asked_for(scene: Any) -> None:
    receiver, asked, later = scene
    receiver._hold(arrival(b"a" * 16))
    receiver._held.clear()
    later.pop()[1]()
    assert (len(asked), later) == (1, [])


def test_several_messages_of_one_sender_are_one_question_at_a_time(scene: Any) -> None:
    receiver, _, later = scene
    for _ in range(MAX_HELD_PER_SENDER):
        receiver._hold(arrival(b"a" * 16))
    receiver._hold(arrival(b"b" * 16))
    assert len(later) == 2
