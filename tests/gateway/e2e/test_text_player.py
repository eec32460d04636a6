"""Somebody with a plain LXMF client at a table of the web: client, node and arcade are real processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.test_text_commands import Guest
from tests.gateway.e2e.players import WAIT, configure
from tests.gateway.e2e.web import Web
from tests.gateway.rcadia.hosting.arcade import script

pytestmark = [pytest.mark.node, pytest.mark.slow]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[NodeProcess, Web, Guest, str]]:
    """A node with a gateway, the web, a guest, and the address that the guest writes to."""
    web = Web(tmp_path / "arcade")
    port = free_port()
    gate = NodeProcess(tmp_path / "gate", "--listen", f"127.0.0.1:{port}")
    configure(gate, web)
    gate.start()
    paul = Guest(tmp_path / "paul", port)
    try:
        address: str = until(lambda: gate.call("gateway.status")["identity"], "the gateway is open", WAIT)
        paul.node = gate
        paul.tell("announce")
        until(lambda: gate.call("peer.list", search=paul.hash)["peers"], "he is heard", WAIT)
        gate.call("node.announce")
        paul.wait("heard", peer=address)
        yield gate, web, paul, address
    finally:
        print(gate.log)
        paul.close()
        gate.kill()
        web.close()


def test_a_game_of_chess_over_a_kill(place: tuple[NodeProcess, Web, Guest, str]) -> None:
    gate, web, paul, address = place

    def says(text: str) -> None:
        paul.write(text, to=address)

    def hears(words: str) -> str:
        """What comes until the words are in it."""
        while words not in (text := paul.hears()):
            pass
        return text

    table = web.host("chess")
    ann = web.agent(table)
    plays = web.plays(ann, script("f2f3", "g2g4"))
    says("tables chess")
    assert "1 chess:" in paul.hears()
    says("1")
    assert "1.f3" in hears("Your turn")
    gate.kill()
    gate.start()
    paul.tell("announce")
    until(lambda: gate.call("peer.list", search=paul.hash)["peers"], "he is heard", WAIT)
    says("e5")
    assert "2.g4" in hears("2.g4")
    says("Queen to h4, please")
    hears("You won by checkmate.")
    assert plays.result(WAIT)[0]["winner"] != ann.snapshots[-1]["playerId"]

    def over() -> str:
        seats = gate.call("gateway.seats", ended=True)["seats"]
        return str(seats[0]["result"]) if seats and seats[0]["stage"] == "over" else ""

    assert until(over, "the seat is over", WAIT) == "won"
