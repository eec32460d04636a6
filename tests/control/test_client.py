"""The synchronous client."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lrgpnode.control.client import CallFailed, Client, Disconnected, NotRunning
from tests.control.served import DEADLINE, Served


@contextmanager
def impostor(path: Path, behave: Callable[[socket.socket], None]) -> Iterator[None]:
    """A server that accepts one connection and does to it what it likes."""
    path.parent.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(DEADLINE)

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(DEADLINE)
                behave(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join(DEADLINE)
        assert not thread.is_alive()


def test_calls(served: Served) -> None:
    with Client(served.path) as client:
        assert client.call("test.echo", text="é") == {"text": "é"}
        assert client.call("test.echo", text="y", count=None) == {"text": "y"}
        with pytest.raises(CallFailed, match="That is not allowed") as failed:
            client.call("test.fail", how="control")
        assert (failed.value.kind, failed.value.hint) == ("illegal", "Do something else.")
        with pytest.raises(CallFailed, match="unknown field") as failed:
            client.call("test.echo", text="x", more=1)
        assert failed.value.kind == "rpc-32602"
        assert client.call("test.echo", text="z") == {"text": "z"}


def test_nobody_there(socket_path: Path) -> None:
    with pytest.raises(NotRunning, match=r"no node is running at .*s\.sock"):
        Client(socket_path).call("node.status")
    socket_path.parent.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(socket_path))
    with pytest.raises(NotRunning):
        Client(str(socket_path)).events()


def test_a_path_too_long() -> None:
    with pytest.raises(NotRunning, match="too long"):
        Client("/tmp/" + "x" * 200).call("node.status")


def test_events(served: Served) -> None:
    client = Client(served.path)
    served.publish(3)
    with client.events(after=1) as events:
        assert (events.seq, events.missed) == (3, False)
        assert [next(events)["seq"], next(events)["seq"]] == [2, 3]
        served.publish(reason="last")
        event = next(events)
        assert (event["seq"], event["type"], event["data"]) == (4, "node.stopping", {"reason": "last"})
    assert list(events) == []
    with client.events(after=99) as events:
        assert events.missed


def test_events_end_with_the_node(served: Served) -> None:
    events = Client(served.path).events()
    served.publish()
    served.run(served.server.stop())
    assert [event["seq"] for event in events] == [1]


def test_a_full_node_says_so(served: Served) -> None:
    others = [served.connect() for _ in range(32)]
    assert all(raw.call("test.echo", text="x")["result"] for raw in others)
    with Client(served.path) as client, pytest.raises(CallFailed) as failed:
        client.call("test.echo", text="x")
    assert failed.value.kind == "too_many_connections"


def test_a_request_too_long(served: Served) -> None:
    with Client(served.path) as client:
        with pytest.raises(CallFailed, match="longer than"):
            client.call("test.echo", text="x" * 500_000)
        assert client.call("test.echo", text="x") == {"text": "x"}


@pytest.mark.parametrize("answer", [b"", b"{half", b"not json\n", b"[]\n", b"\xff\n"])
def test_a_node_that_breaks_off_or_talks_nonsense(socket_path: Path, answer: bytes) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(answer)

    with impostor(socket_path, behave), Client(socket_path) as client, pytest.raises(Disconnected):
        client.call("node.status")


def test_a_node_that_does_not_answer(socket_path: Path) -> None:
    def behave(connection: socket.socket) -> None:
        while connection.recv(1000):
            pass

    with (
        impostor(socket_path, behave),
        Client(socket_path, timeout=0.05) as client,
        pytest.raises(Disconnected, match=r"did not answer node\.status"),
    ):
        client.call("node.status")


def test_it_imports_nothing_heavy() -> None:
    heavy = "asyncio msgspec storage lrgpnode.protocol logging sqlite3 RNS"
    code = f"import sys, lrgpnode.control.client; print([m for m in {heavy.split()} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
