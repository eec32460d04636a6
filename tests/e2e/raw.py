"""Driving ``raw_peer.py``, and the LRGP a minimal client needs, written from the specification."""

from __future__ import annotations

import itertools
import json
import os
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgpack

from tests.e2e.nodes import DEADLINE, Json, free_port

PROGRAM = Path(__file__).with_name("raw_peer.py")
EMPTY = "_" * 9
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def envelope(command: str, session: str, payload: Json, **changes: Any) -> Json:
    """An envelope of ttt.1, with ``changes`` that may make it anything else."""
    base = {"a": "ttt.1", "c": command, "s": session, "p": payload, "n": secrets.token_bytes(8)}
    return base | changes


def move(board: str, cell: int, me: str, other: str) -> tuple[str, Json]:
    """The board after a move of mine, and its payload (appendix A)."""
    number = 10 - board.count("_")
    mark = "OX"[number % 2]
    board = board[:cell] + mark + board[cell + 1 :]
    won = any(all(board[i] == mark for i in line) for line in LINES)
    end = "win" if won else "" if "_" in board else "draw"
    payload = {"i": cell, "b": board, "n": number, "t": "" if end else other, "x": end}
    return board, payload | ({"w": me} if won else {})


class RawPeer:
    def __init__(self, directory: Path, name: str = "raw") -> None:
        directory.mkdir()
        port = free_port()
        self.endpoint = f"127.0.0.1:{port}"
        self._numbers = itertools.count(1)
        self._events: list[Json] = []
        self._news = threading.Condition()
        self._log = (directory / "log").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(directory), str(port), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=os.environ | {"HOME": str(directory)},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.identity: str = self.wait("ready")["identity"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self._events.append(json.loads(line))
                self._news.notify_all()

    def wait(self, event: str, **fields: Any) -> Json:
        """The first such event, which is taken out."""

        def find() -> Json | None:
            wanted = {"event": event, **fields}
            return next((e for e in self._events if e.items() >= wanted.items()), None)

        with self._news:
            if not self._news.wait_for(find, DEADLINE):
                raise AssertionError(f"no {event} {fields}; there is {self._events}")
            found = find()
            assert found is not None
            self._events.remove(found)
            return found

    def all(self, event: str) -> list[Json]:
        with self._news:
            return [e for e in self._events if e["event"] == event]

    def forget(self, event: str) -> None:
        with self._news:
            self._events = [e for e in self._events if e["event"] != event]

    def tell(self, do: str, **values: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **values}).encode() + b"\n")
        self.process.stdin.flush()

    def send(
        self,
        to: str,
        meta: Any,
        *,
        marker: Any = "lrgp.v1",
        stamp: int = 0,
        content: str | None = None,
        **forged: str | None,
    ) -> None:
        """One LXMF message with this envelope; returns when it is proved. ``stamp`` is the cost of its stamp.

        With ``source`` it is forged: None breaks its signature, an address names another sender.
        """
        ref = next(self._numbers)
        fields = msgpack.packb({0xFB: marker, 0xFD: meta}).hex()
        more: dict[str, Any] = {"stamp": stamp} if stamp else dict(forged)
        if content is not None:
            more["content"] = content
        self.tell("forge" if forged else "send", ref=ref, to=to, fields=fields, **more)
        self.wait("delivered", ref=ref)

    def post(self, to: str, meta: Any, *, marker: Any = "lrgp.v1") -> int:
        """As ``send``, but returns at once, with the ``ref`` of the event that will tell of its proof."""
        ref = next(self._numbers)
        self.tell("send", ref=ref, to=to, fields=msgpack.packb({0xFB: marker, 0xFD: meta}).hex())
        return ref

    def receive(self) -> Json:
        """The envelope of the next message."""
        fields = msgpack.unpackb(bytes.fromhex(self.wait("received")["fields"]), strict_map_key=False)
        assert fields[0xFB] == "lrgp.v1"
        meta: Json = fields[0xFD]
        assert list(meta) == ["a", "c", "s", "p", "n"]
        return meta

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(DEADLINE)
        for stream in (self.process.stdin, self.process.stdout, self._log):
            assert stream is not None
            stream.close()
