"""The link to a control server: answers, events, and what happens when the server goes away."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from interfaces.tui.live.link import Link
from lrgpnode.control.client import CallFailed, ClientError, Disconnected, NotRunning
from tests.control.served import Served
from tests.tui.live.turning import TurningLoop


@dataclass
class Told:
    """What a listener was told."""

    connections: list[tuple[int, bool]] = field(default_factory=list)
    losses: list[ClientError] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    failures: list[ClientError] = field(default_factory=list)

    def connected(self, seq: int, missed: bool) -> None:
        self.connections.append((seq, missed))

    def lost(self, why: ClientError) -> None:
        self.losses.append(why)

    def event(self, event: Any) -> None:
        self.events.append(event)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s"


@pytest.fixture
def link(path: Path) -> Iterator[tuple[Link, TurningLoop, Told]]:
    loop, told = TurningLoop(), Told()
    made = Link(loop, lambda: path, told)
    yield made, loop, told
    made.stop()


Linked = tuple[Link, TurningLoop, Told]


def test_calls_and_events_on_one_connection(link: Linked, path: Path) -> None:
    made, loop, told = link
    served = Served(path)
    try:
        served.publish(2)
        made.start()
        loop.until(lambda: len(told.events) == 2, "what was published before")
        assert told.connections == [(2, False)]
        made.call("test.echo", {"text": "a", "count": 3}, told.results.append, told.failures.append)
        made.call("test.fail", {"how": "control"}, told.results.append, told.failures.append)
        made.call("test.echo", {"text": "b", "count": None}, told.results.append, told.failures.append)
        served.publish()
        loop.until(lambda: len(told.results) == 2 and len(told.events) == 3, "answers and an event")
        assert told.results == [{"text": "aaa"}, {"text": "b"}]
        (refused,) = told.failures
        assert isinstance(refused, CallFailed)
        assert (refused.message, refused.hint) == ("That is not allowed.", "Do something else.")
        assert told.losses == []
    finally:
        served.stop()


def test_it_waits_for_a_node_and_finds_it_again(link: Linked, path: Path) -> None:
    made, loop, told = link
    made.start()
    assert [type(why) for why in told.losses] == [NotRunning]
    made.call("test.echo", {"text": "x"}, told.results.append, told.failures.append)
    assert isinstance(told.failures[0], NotRunning)
    served = Served(path)
    loop.until(lambda: made.up and told.connections, "the connection")
    served.publish(3)
    loop.until(lambda: len(told.events) == 3, "events")
    served.stop()
    loop.until(lambda: len(told.losses) == 2, "the loss")
    assert isinstance(told.losses[1], Disconnected)
    served = Served(path)
    try:
        loop.until(lambda: len(told.connections) == 2, "the connection again")
        assert told.connections[1] == (0, True), "another run: events are lost"
        served.publish()
        loop.until(lambda: len(told.events) == 4, "an event of the new run")
    finally:
        served.stop()


def test_what_waits_for_an_answer_fails_when_the_node_goes(link: Linked, path: Path) -> None:
    made, loop, told = link
    served = Served(path)
    made.start()
    loop.until(lambda: told.connections, "the connection")
    made.call("test.wait", {}, told.results.append, told.failures.append)
    assert served.called.wait(10)
    (connection,) = served.server._connections.values()
    served.do(connection._writer.transport.abort)
    loop.until(lambda: told.failures, "the failure")
    assert isinstance(told.failures[0], Disconnected)
    served.run(served.set_released())
    served.stop()


def test_a_node_that_does_not_answer_is_given_up(
    link: Linked, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interfaces.tui.live.link.ANSWER_SECONDS", 0.05)
    made, loop, told = link
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        made.start()
        loop.until(lambda: told.losses, "the loss")
        assert "did not answer" in str(told.losses[0])


@pytest.mark.parametrize("said", [b"SSH-2.0\n", b"[]\n", b"\xff\xfe\n", b'{"error": "full"}\n'])
def test_what_is_no_node_is_left(link: Linked, path: Path, said: bytes) -> None:
    made, loop, told = link
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        made.start()
        connection, _ = other.accept()
        with connection:
            connection.sendall(said)
            loop.until(lambda: told.losses, "the loss")
    assert told.connections == []


def test_a_stopped_link_leaves_nothing_behind(link: Linked, path: Path) -> None:
    made, loop, told = link
    made.start()
    assert loop.timers == 1, "the next try"
    made.stop()
    assert loop.timers == 0
    made.start()
    assert not made.up
    assert len(told.losses) == 1
