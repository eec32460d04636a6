"""Signs of life: only while every part answers."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lrgpnode.service.heart import Heart
from lrgpnode.service.notify import Notifier

DEADLINE = 5.0


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        # Relative, because the path of a socket must be short.
        listener.bind(os.path.relpath(tmp_path / "notify"))
        listener.settimeout(DEADLINE)
        yield listener


def notifier(listener: socket.socket, **more: str) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": listener.getsockname(), **more})


def test_messages(listener: socket.socket) -> None:
    tell = notifier(listener)
    tell.ready("two\nlines")
    assert listener.recv(999).decode() == f"READY=1\nSTATUS=two lines\nMAINPID={os.getpid()}"
    tell.status("two\nlines")
    tell.status("other")
    assert listener.recv(999).decode() == "STATUS=other"
    tell.alive()
    assert listener.recv(999).decode() == "WATCHDOG=1"
    tell.stopping("asked to")
    assert listener.recv(999).decode() == "STOPPING=1\nSTATUS=asked to"


def test_abstract_sockets() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0lrgpnode-test-{os.getpid()}")
        listener.settimeout(DEADLINE)
        Notifier({"NOTIFY_SOCKET": f"@lrgpnode-test-{os.getpid()}"}).alive()
        assert listener.recv(99) == b"WATCHDOG=1"


def test_nobody_listens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    silent = Notifier({})
    silent.ready("x")
    assert not silent.wanted
    assert caplog.records == []
    Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).alive()
    assert "systemd cannot be told WATCHDOG" in caplog.text


def test_the_environment_is_for_this_process_only() -> None:
    environ = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}
    assert Notifier(environ).watchdog == 3.0
    assert environ == {}
    assert Notifier({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}).watchdog is None
    assert Notifier({"WATCHDOG_USEC": "x"}).watchdog is None


async def _next(listener: socket.socket) -> str:
    return (await asyncio.to_thread(listener.recv, 999)).decode()


def _until_quiet(listener: socket.socket) -> list[bytes]:
    """What comes until nothing has come for a while."""
    listener.settimeout(0.3)
    heard: list[bytes] = []
    with suppress(TimeoutError):
        while True:
            heard.append(listener.recv(999))
    return heard


def test_a_part_that_does_not_answer_stops_the_beat(
    listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        gate = asyncio.Event()
        gate.set()
        tell = notifier(listener, WATCHDOG_USEC="80000")
        heart = Heart(tell, {"gate": gate.wait}, lambda: "fine")
        heart.start()
        assert await _next(listener) == "WATCHDOG=1"
        assert await _next(listener) == "STATUS=fine"
        assert await _next(listener) == "WATCHDOG=1"
        gate.clear()
        # At most one more was on its way.
        assert len(await asyncio.to_thread(_until_quiet, listener)) <= 1
        assert "the gate has not answered" in caplog.text
        listener.settimeout(DEADLINE)
        gate.set()
        assert await _next(listener) == "WATCHDOG=1"
        await heart.stop()

    asyncio.run(main())


def test_a_broken_part_stops_it_for_good_and_a_broken_status_does_not(
    listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    def no_status() -> str:
        raise RuntimeError("no status")

    async def good() -> None:
        pass

    async def broken() -> None:
        raise RuntimeError("gone")

    async def main() -> None:
        heart = Heart(notifier(listener, WATCHDOG_USEC="40000"), {"good": good}, no_status)
        heart.start()
        assert [await _next(listener) for _ in range(3)] == ["WATCHDOG=1"] * 3
        await heart.stop()
        assert "the status of the node cannot be told" in caplog.text
        _until_quiet(listener)
        heart = Heart(notifier(listener, WATCHDOG_USEC="40000"), {"b": broken, "good": good}, lambda: "x")
        heart.start()
        assert await asyncio.to_thread(_until_quiet, listener) == []
        assert "the b is broken" in caplog.text
        await heart.stop()

    asyncio.run(main())


def test_without_a_watchdog_only_the_status_is_told(listener: socket.socket) -> None:
    async def main() -> None:
        heart = Heart(notifier(listener), {}, lambda: "fine")
        heart.start()
        assert await _next(listener) == "STATUS=fine"
        await heart.stop()

    asyncio.run(main())
