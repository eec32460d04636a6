"""Texts between a node and somebody with a plain LXMF client, over real Reticulum."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until

pytestmark = pytest.mark.node

DEADLINE = 60.0


class PlainClient:
    """``plain_client.py``; what it said and nobody waited for yet is kept."""

    def __init__(self, folder: Path, port: int) -> None:
        program = Path(__file__).with_name("plain_client.py")
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(folder), str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"HOME": str(folder.parent)},
        )
        self._buffer = b""
        self.said: list[dict[str, Any]] = []
        self.hash: str = self.wait("ready")["hash"]

    def tell(self, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words).encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, event: str, **fields: Any) -> dict[str, Any]:
        """Take the first event with these fields."""
        end = time.monotonic() + DEADLINE
        while True:
            for one in self.said:
                if one["event"] == event and all(one[name] == value for name, value in fields.items()):
                    self.said.remove(one)
                    return one
            assert self._read(end - time.monotonic()), f"no {event} {fields}; had {self.said}"

    def _read(self, seconds: float) -> bool:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], max(0.0, seconds))[0]:
            return False
        data = os.read(self.process.stdout.fileno(), 65536)
        *whole, self._buffer = (self._buffer + data).split(b"\n")
        self.said += map(json.loads, whole)
        return bool(data)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def people(tmp_path: Path) -> Iterator[tuple[NodeProcess, PlainClient]]:
    """A node, and somebody it has heard and who has heard it."""
    port = free_port()
    node = NodeProcess(tmp_path / "ann", "--listen", f"127.0.0.1:{port}")
    node.start()
    paul = PlainClient(tmp_path / "paul", port)
    try:
        paul.tell("announce")
        until(lambda: node.call("peer.list", search=paul.hash)["peers"], "Paul is heard", DEADLINE)
        paul.wait("heard", peer=node.identity)
        yield node, paul
    finally:
        paul.close()
        node.kill()


def states(node: NodeProcess, peer: str) -> list[str]:
    return [one["state"] for one in node.call("message.list", peer=peer)["messages"] if one["own"]]


def test_any_client_can_read_and_answer(people: tuple[NodeProcess, PlainClient]) -> None:
    node, paul = people
    text = "Grüß dich, Paul! " + "x" * (287 - 19)
    sent = node.call("message.send", peer="paul plain", text=text)
    assert sent["bytes_left"] == 0
    # One packet, with nothing in it but the text.
    got = paul.wait("received")
    assert (got["title"], got["content"], got["fields"]) == ("", text, 0)
    assert got["valid"]
    assert got["opportunistic"]
    until(lambda: states(node, paul.hash) == ["delivered"], "the proof")
    deliveries = [event["state"] for event in node.events.of("message.delivery")]
    assert deliveries[-1] == "delivered"

    # A longer one goes over a link.
    node.call("message.send", peer=paul.hash, text="y" * 1024)
    assert paul.wait("received", content="y" * 1024)["opportunistic"] is False
    until(lambda: states(node, paul.hash) == ["delivered"] * 2, "the proof")

    paul.tell("write", node.identity, json.dumps("Hello\x1b[31m Ann\u202e"))
    paul.wait("delivered")
    event = node.events.wait("message.received", deadline=DEADLINE)
    assert event["text"] == "A title\nHello\x1b[31m Ann\u202e"
    assert node.call("node.status")["unread_texts"] == 1
    node.kill()
    node.start()
    # Nothing is lost, doubled or sent again.
    texts = [one["text"] for one in node.call("message.list", peer=paul.hash)["messages"]]
    assert texts == [event["text"], "y" * 1024, text]
    assert not node.call("outbox.list")["messages"]
    assert node.call("message.read", peer=paul.hash)["count"] == 1
    assert not [one for one in paul.said if one["event"] == "received"]


@pytest.mark.slow
def test_a_text_for_somebody_who_is_away_waits_over_a_restart(
    people: tuple[NodeProcess, PlainClient],
) -> None:
    node, paul = people
    paul.process.send_signal(signal.SIGSTOP)  # nothing is proved
    node.call("message.send", peer=paul.hash, text="Are you there?")
    until(lambda: states(node, paul.hash) != ["queued"], "it goes out")
    node.kill()
    node.start()
    assert states(node, paul.hash) != ["delivered"]
    paul.said.clear()
    paul.process.send_signal(signal.SIGCONT)
    assert paul.wait("received")["content"] == "Are you there?"
    # His connection was that to the killed node. Until he has another, nobody hears his announce.
    paul.wait("heard", peer=node.identity)
    paul.tell("announce")
    until(lambda: states(node, paul.hash) == ["delivered"], "the proof", 90)
    # Both lives of the node have sent it; it is one message, so it is shown once.
    paul.tell("announce")
    node.call("message.send", peer=paul.hash, text="Ah.")
    assert paul.wait("received")["content"] == "Ah."
