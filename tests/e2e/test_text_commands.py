"""Playing by text with plain LXMF clients (``plain_client.py``: RNS and LXMF, nothing of ours)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.test_texts import PlainClient

pytestmark = pytest.mark.node

DEADLINE = 60.0


class Guest(PlainClient):
    """Somebody who plays by text. His client puts a title before whatever he writes."""

    node: NodeProcess

    def write(self, text: str, *, to: str = "") -> None:
        self.tell("write", to or self.node.identity, json.dumps(text))

    def says(self, text: str) -> str:
        """The next text that comes back."""
        self.write(text)
        return self.hears()

    def hears(self) -> str:
        got = self.wait("received")
        assert (got["fields"], got["valid"], got["opportunistic"]) == (0, True, True)
        content: str = got["content"]
        assert len(content.encode()) <= 287
        return content


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[NodeProcess, Guest, Guest]]:
    """A node that answers, and two people who know it."""
    port = free_port()
    node = NodeProcess(tmp_path / "ann", "--listen", f"127.0.0.1:{port}")
    with (node.data / "lrgpnode.toml").open("a") as settings:
        settings.write('[text]\nidentities = ["ann"]\ncommands_per_minute = 30\n[gateway]\nenabled = true\n')
        settings.write(f'[arcade]\nenabled = true\nlisten = "127.0.0.1:{free_port()}"\n')
    node.start()
    guests = [Guest(tmp_path / name, port) for name in ("paul", "eve")]
    try:
        for guest in guests:
            guest.node = node
            guest.tell("announce")
            until(lambda: node.call("peer.list", search=guest.hash)["peers"], "he is heard", DEADLINE)  # noqa: B023
        node.call("node.announce")
        for guest in guests:
            guest.wait("heard", peer=node.identity)
        yield node, guests[0], guests[1]
    finally:
        for guest in guests:
            guest.close()
        node.kill()


def test_a_game_with_the_house_and_one_between_two_over_a_kill(
    place: tuple[NodeProcess, Guest, Guest],
) -> None:
    node, paul, eve = place
    assert "play GAME" in paul.says("/help")
    shown = paul.says("/play ttt house 3")
    for _ in range(5):
        if "Your turn" not in shown:
            break
        free = re.findall(r"\b[1-9]\b", shown.split("\n", 1)[1])
        shown = paul.says(f"/{free[0]}")
    assert "Draw" in shown or "You lost" in shown

    assert "3 Chess: nobody yet" in eve.says("/ladder")
    assert eve.says("/replay 1") == "~There is no match 1."
    assert "You wait" in eve.says("/seek ttt")
    assert "1 ttt:" in paul.says("/tables")
    assert "Your turn" in paul.says("/1")
    assert "Waiting" in eve.hears()
    assert "1.b2" in paul.says("/move 5")
    assert "Your turn" in eve.hears()
    node.kill()
    node.start()
    for guest in (paul, eve):
        guest.tell("announce")
        until(lambda: node.call("peer.list", search=guest.hash)["peers"], "he is heard", DEADLINE)  # noqa: B023
    assert "2.a1" in eve.says("/A1")
    assert "Your turn" in paul.hears()
    paul.says("/3")
    eve.hears()
    eve.says("/2")
    paul.hears()
    assert "You won." in paul.says("/7")
    assert "You lost." in eve.hears()
    # The gateway's identity takes commands without anything in front, and has games of its own.
    gateway = node.call("gateway.status")["identity"]
    node.call("node.announce")
    paul.wait("heard", peer=gateway)
    paul.write("Play Four with the House, please", to=gateway)
    assert "#1 four v house (A)" in paul.hears()
    # Nothing came twice, and what was no command is there for Ann to read.
    eve.write("Thank you, Ann!")
    eve.wait("delivered", content="Thank you, Ann!")
    until(lambda: node.call("node.status")["unread_texts"] == 1, "the text is there")
    assert not [one for guest in (paul, eve) for one in guest.said if one["event"] == "received"]


@pytest.mark.slow
def test_a_flood_of_garbage_gets_few_answers_and_the_node_goes_on(
    place: tuple[NodeProcess, Guest, Guest],
) -> None:
    node, paul, eve = place
    flood = ["\x1b[2J\x00" + "ä" * 60, "/help", "/move e4", "~/who", "/play ttt house"]
    for number in range(60):
        paul.write(f"{flood[number % len(flood)]} {number}")
    for number in range(60):
        paul.wait("delivered", content=f"{flood[number % len(flood)]} {number}")
    assert "play GAME" in eve.says("/help")
    eve.tell("announce")
    assert "You wait" in eve.says("/seek chess")
    answers = [one for one in node.call("message.list", peer=paul.hash)["messages"] if one["own"]]
    assert 1 <= len(answers) <= 31
