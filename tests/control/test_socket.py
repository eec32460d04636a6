"""The socket file, events over the socket, and stopping."""

from __future__ import annotations

import socket
import stat
import threading
from pathlib import Path

import pytest

from lrgpnode.control.events import Events
from lrgpnode.control.methods import Methods
from lrgpnode.control.server import AlreadyRunning, ControlServer, SocketError
from tests.control.served import DEADLINE, Raw, Served


def subscribe(raw: Raw, after: int | None = None) -> dict[str, object]:
    params = {} if after is None else {"after": after}
    result = raw.call("events.subscribe", **params)["result"]
    assert isinstance(result, dict)
    return result


def sequence(raw: Raw, count: int) -> list[int]:
    lines = [raw.line() for _ in range(count)]
    assert all(line is not None and line["method"] == "event" for line in lines)
    return [line["params"]["seq"] for line in lines if line is not None]


def test_the_file_is_for_its_owner_only_and_goes_with_the_server(socket_path: Path) -> None:
    served = Served(socket_path)
    try:
        mode = socket_path.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
    finally:
        served.stop()
    assert not socket_path.exists()


def test_the_mode_for_a_group(served: Served, socket_path: Path) -> None:
    shared = ControlServer(socket_path.with_name("shared"), Methods(), Events(), mode=0o660)
    served.run(shared.start())
    assert stat.S_IMODE(shared.path.stat().st_mode) == 0o660
    served.run(shared.stop())
    served.run(shared.stop())


def test_a_stale_socket_is_replaced(socket_path: Path) -> None:
    socket_path.parent.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(socket_path))
    served = Served(socket_path)
    try:
        assert served.connect().call("test.echo", text="x")["result"]
    finally:
        served.stop()


def test_a_live_socket_is_left_alone(served: Served) -> None:
    second = ControlServer(served.path, Methods(), Events())
    with pytest.raises(AlreadyRunning, match=r"already running.*s\.sock"):
        served.run(second.start())
    served.run(second.stop())
    assert served.connect().call("test.echo", text="x")["result"]


def test_a_busy_socket_counts_as_live(served: Served, socket_path: Path) -> None:
    path = socket_path.with_name("busy")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(str(path))
        busy.listen(0)
        waiting.connect(str(path))
        with pytest.raises(AlreadyRunning):
            served.run(ControlServer(path, Methods(), Events()).start())
    assert path.exists()


def test_another_file_is_left_alone(served: Served, socket_path: Path) -> None:
    path = socket_path.with_name("notes.txt")
    path.write_text("mine")
    with pytest.raises(SocketError, match="not a socket"):
        served.run(ControlServer(path, Methods(), Events()).start())
    assert path.read_text() == "mine"


@pytest.mark.parametrize(("name", "words"), [("x" * 120, "longer than 107"), ("file/sock", "cannot make")])
def test_a_path_that_cannot_be(served: Served, socket_path: Path, name: str, words: str) -> None:
    socket_path.with_name("file").write_text("")
    with pytest.raises(SocketError, match=words):
        served.run(ControlServer(socket_path.parent / name, Methods(), Events()).start())


def test_stop_leaves_the_socket_of_a_successor(socket_path: Path) -> None:
    first = Served(socket_path)
    socket_path.unlink()
    second = Served(socket_path)
    try:
        first.stop()
        assert second.connect().call("test.echo", text="x")["result"]
    finally:
        second.stop()


def test_events_arrive_between_responses(served: Served) -> None:
    raw, other = served.connect(), served.connect()
    assert subscribe(raw) == {"seq": 0, "missed": False}
    served.publish(2, "é")
    event = raw.line()
    assert event is not None
    assert event["params"].pop("at") > 0
    assert event == {
        "jsonrpc": "2.0",
        "method": "event",
        "params": {"seq": 1, "type": "node.stopping", "data": {"reason": "é"}},
    }
    assert sequence(raw, 1) == [2]
    assert raw.call("test.echo", text="x")["result"]
    assert raw.call("events.subscribe")["error"]["data"]["kind"] == "already_subscribed"
    served.publish()
    assert sequence(raw, 1) == [3]
    assert other.call("test.echo", text="x")["result"]


def test_resume(socket_path: Path) -> None:
    served = Served(socket_path, ring=10)
    try:
        served.publish(20)
        raw, late = served.connect(), served.connect()
        assert subscribe(raw, 15) == {"seq": 20, "missed": False}
        assert sequence(raw, 5) == [16, 17, 18, 19, 20]
        assert subscribe(late, 3) == {"seq": 20, "missed": True}
        assert sequence(late, 10) == list(range(11, 21))
    finally:
        served.stop()


def test_a_slow_subscriber_is_dropped_and_holds_nobody_up(served: Served) -> None:
    slow, quick = served.connect(), served.connect()
    subscribe(slow)
    subscribe(quick)
    # Enough for the buffers of the kernel and of asyncio, and for the ring.
    for batch in range(60):
        served.publish(100, "x" * 200)
        assert sequence(quick, 100)[-1] == (batch + 1) * 100
    count = 0
    while slow.line() is not None:
        count += 1
    assert 0 < count < 6000


def test_a_subscriber_that_leaves_is_forgotten(served: Served) -> None:
    raw = served.connect()
    subscribe(raw)
    raw.socket.shutdown(socket.SHUT_WR)
    assert raw.line() is None
    served.publish()
    assert served.do(lambda: not served.events._subscriptions)


def test_stop_finishes_the_request_and_sends_the_last_event(served: Served) -> None:
    busy, listener, idle = served.connect(), served.connect(), served.connect()
    subscribe(listener)
    assert idle.call("test.echo", text="x")
    busy.send(
        b'{"jsonrpc":"2.0","id":1,"method":"test.wait"}\n{"jsonrpc":"2.0","id":2,"method":"test.wait"}\n'
    )
    assert served.called.wait(DEADLINE)
    stopping = threading.Thread(target=lambda: served.run(served.server.stop()))
    served.publish()
    stopping.start()
    assert idle.line() is None
    served.run(served.set_released())
    assert busy.line() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert busy.line() is None
    assert sequence(listener, 1) == [1]
    assert listener.line() is None
    stopping.join(DEADLINE)
    assert not stopping.is_alive()


def test_stop_does_not_wait_for_ever(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrgpnode.control.server.STOP_SECONDS", 0.05)
    raw, deaf = served.connect(), served.connect()
    raw.send(b'{"jsonrpc":"2.0","id":1,"method":"test.wait"}\n')
    subscribe(deaf)
    served.publish(900, "x" * 2000)
    assert served.called.wait(DEADLINE)
    served.run(served.server.stop())
    assert raw.line() is None
