"""Somebody with a plain LXMF client in a rated match, with help of the node; all of them are real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.nodes import NodeProcess, free_port, until
from tests.e2e.test_text_commands import Guest
from tests.gateway.agentgames.e2e.club import Club, result

pytestmark = [pytest.mark.node, pytest.mark.timeout(300)]

WAIT = 60.0


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[NodeProcess, Club, Guest, str]]:
    """A node with a gateway, the server, a guest, and the address that the guest writes to."""
    club = Club(tmp_path / "arcade", 5.0)
    port = free_port()
    gate = NodeProcess(tmp_path / "gate", "--listen", f"127.0.0.1:{port}")
    club.configure(gate, thinking_seconds=3)
    gate.start()
    paul = Guest(tmp_path / "paul", port)
    try:
        address: str = until(lambda: gate.call("gateway.status")["identity"], "the gateway is open", WAIT)
        paul.node = gate
        paul.tell("announce")
        until(lambda: gate.call("peer.list", search=paul.hash)["peers"], "he is heard", WAIT)
        gate.call("node.announce")
        paul.wait("heard", peer=address)
        yield gate, club, paul, address
    finally:
        print(gate.log)
        paul.close()
        gate.kill()
        club.close()


def test_a_match_that_the_node_finishes_for_him(place: tuple[NodeProcess, Club, Guest, str]) -> None:
    """He makes the first move and says no more: two more are chosen in time, and win; the record says so."""
    gate, club, paul, address = place

    def hears(words: str) -> str:
        while words not in (text := paul.hears()):
            pass
        return text

    paul.write("play ttt agentgames assist", to=address)
    club.waits("ttt")
    rival = club.rival("ttt", ["1", "*", "*", "*"])
    shown = hears("Your turn.")
    assert "(X, assisted)" in shown
    assert " s left." in shown
    paul.write("1", to=address)
    hears("You won")
    assert result(rival.result(WAIT)) == ("loss", "")

    def over() -> dict[str, object] | None:
        seats = gate.call("gateway.seats", ended=True)["seats"]
        return seats[0] if seats and seats[0]["stage"] == "over" else None

    seat = until(over, "the seat is over", WAIT)
    assert (seat["result"], seat["assisted"]) == ("won", True)
    game = gate.call("game.show", id=seat["session"], identity=address)
    remark = game["flags"]["assisted"]
    assert remark.startswith("the node's search has chosen for the player by text: move 3, 5")
    plain = gate.call("game.export", id=seat["session"], identity=address)["content"]
    assert plain.splitlines()[-1] == f"; Assisted: {remark}"
    (match,) = club.api("matches")["matches"]
    assert [player["name"] for player in match["players"]] == ["gateway", "rival"]
