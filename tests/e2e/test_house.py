"""The opponent in the house, in a real node: play, levels, responsiveness, restarts, the mesh."""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.control.client import CallFailed, Client
from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.house.test_worker import children

pytestmark = pytest.mark.node

THINKING = 60.0
"""Seconds for a thought that takes one: it has low priority, and the machine of the tests is busy."""


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    """Started again by whoever ends it."""
    node = NodeProcess(tmp_path_factory.mktemp("house") / "ann", "--listen", "127.0.0.1:0")
    node.start()
    yield node
    node.kill()


def my_turn(node: NodeProcess, id: str) -> Json:
    """The game, once something is asked of the person: a move, or nothing any more."""

    def ready() -> Json | None:
        game = node.call("game.show", id=id)
        done = game["status"] in ("completed", "declined")
        return game if done or (game["status"] == "active" and game["view"]["my_turn"]) else None

    return until(ready, f"the house answers in game {id}", THINKING)


def play_out(node: NodeProcess, id: str) -> Json:
    """The person plays the first legal move until the game is over."""
    while (game := my_turn(node, id))["status"] == "active":
        node.call("game.move", id=id, intent=game["view"]["legal"][0]["intent"])
    return game


def test_a_newcomer_plays_at_once(ann: NodeProcess) -> None:
    house = ann.call("house.show")
    assert house["enabled"]
    assert not house["open_to_peers"]
    assert {game["app"] for game in house["games"]} == {"ttt", "four_in_a_row", "chess"}
    for app, level in (("ttt", 3), ("four_in_a_row", 2)):
        id = ann.call("game.challenge", peer="house", app=app, level=level)["id"]
        game = play_out(ann, id)
        assert game["status"] == "completed"
        assert game["peer_name"] == "house"
        (listed,) = ann.call("game.list", limit=1)["games"]
        assert listed["winner"] == game["view"]["result"]["winner"]
    sent = ann.call("outbox.list", all=True)["messages"]
    assert {row["identity"] for row in sent} == {ann.identity, house["identity"]}
    assert {row["identity"] for row in ann.call("outbox.list")["messages"]} <= {ann.identity}
    assert ann.call("game.list", filter="live")["games"] == []
    status = ann.call("node.status")
    assert status["live_games"] == 0


def test_the_level_is_one_of_the_game(ann: NodeProcess) -> None:
    for app, level, words in (("ttt", 4, "levels 1 to 3"), ("chess", 9, "levels 1 to 5")):
        with pytest.raises(CallFailed, match=words):
            ann.call("game.challenge", peer="house", app=app, level=level)
    with pytest.raises(CallFailed, match="Only the house"):
        ann.call("game.challenge", peer="e5" * 16, app="ttt", level=1)


def thinking(node: NodeProcess) -> bool:
    assert node.process is not None
    return bool(children(node.process.pid))


def begin_to_think(node: NodeProcess) -> str:
    """A game of chess at the top level in which the house has begun to think."""
    id: str = node.call("game.challenge", peer="house", app="chess", level=5)["id"]
    until(lambda: thinking(node) or my_turn_now(node, id), "the house thinks, or has Black")
    if not thinking(node):
        node.call("game.move", id=id, move="e4")
        until(lambda: thinking(node), "the house thinks")
    return id


def my_turn_now(node: NodeProcess, id: str) -> bool:
    game = node.call("game.show", id=id)
    return bool(game["status"] == "active" and game["view"]["my_turn"])


def test_the_node_answers_while_the_house_thinks(ann: NodeProcess) -> None:
    id = begin_to_think(ann)
    times = []
    with Client(ann.socket) as client:
        while thinking(ann):
            began = time.perf_counter()
            client.call("game.list")
            times.append(time.perf_counter() - began)
    assert len(times) > 5
    # The machine of the tests is busy with others; a node that thought itself would take a second.
    assert statistics.quantiles(times, n=10)[-1] < 0.1
    assert my_turn(ann, id)["status"] == "active"
    ann.call("game.resign", id=id)


def test_a_killed_node_leaves_no_thought_and_a_new_one_goes_on(ann: NodeProcess) -> None:
    id = begin_to_think(ann)
    assert ann.process is not None
    (child,) = children(ann.process.pid)
    ann.kill()
    until(lambda: not Path(f"/proc/{child}/cmdline").exists() or not _alive(child), "the thought ends")
    ann.start()
    assert my_turn(ann, id)["status"] == "active"
    ann.call("game.resign", id=id)


def _alive(process: int) -> bool:
    return b"lrgpnode.house.think" in Path(f"/proc/{process}/cmdline").read_bytes()


def test_resigning_ends_the_thought(ann: NodeProcess) -> None:
    id = begin_to_think(ann)
    ann.call("game.resign", id=id)
    until(lambda: not thinking(ann), "nobody thinks", deadline=2.0)
    until(lambda: ann.call("house.show")["live_games"] == 0, "the game is over on the house's side")


def test_a_stop_ends_the_thought(ann: NodeProcess) -> None:
    begin_to_think(ann)
    assert ann.process is not None
    (child,) = children(ann.process.pid)
    assert ann.stop() == 0
    assert not Path(f"/proc/{child}").exists()
    ann.start()


@pytest.mark.slow
def test_without_a_house(tmp_path: Path) -> None:
    node = NodeProcess(tmp_path / "ann", "--listen", "127.0.0.1:0")
    settings = node.data / "lrgpnode.toml"
    try:
        node.start()
        house = node.call("house.show")["identity"]
        node.stop()
        settings.write_text(settings.read_text() + "[house]\nenabled = false\n")
        node.start()
        assert not node.call("house.show")["enabled"]
        with pytest.raises(CallFailed, match="Only the house"):
            node.call("game.challenge", peer=house, app="ttt", level=1)
        node.stop()
        settings.write_text(settings.read_text().replace("enabled = false", "enabled = true"))
        node.start()
        assert node.call("house.show")["identity"] == house
        id = node.call("game.challenge", peer="house", app="ttt")["id"]
        assert my_turn(node, id)["status"] == "active"
    finally:
        node.kill()


@pytest.mark.slow
@pytest.mark.parametrize("open", [False, True])
def test_the_house_and_the_mesh(tmp_path: Path, open: bool) -> None:
    """Off the mesh nobody hears of it, and who knows its hash gets no answer; open, it plays."""
    address = f"127.0.0.1:{free_port()}"
    ann = NodeProcess(tmp_path / "ann", "--listen", address)
    settings = ann.data / "lrgpnode.toml"
    if open:
        settings.write_text(settings.read_text() + "[house]\nopen_to_peers = true\npause_seconds = 0\n")
    ann.start()
    ben = NodeProcess(tmp_path / "ben", "--connect", address)
    try:
        ben.start()
        me = ann.call("identity.list")["identities"][0]["hash"]
        house = ann.call("house.show")["identity"]
        ben.events.wait("peer.heard", peer=me)
        if not open:
            assert not ann.call("node.announce", identity="house")["identities"]
            assert ben.events.of("peer.heard", peer=house) == []
            unwanted = ben.call("game.challenge", peer=house, app="ttt")["id"]
            ben.events.wait("game.delivery", id=unwanted, state="delivered")
            wanted = ben.call("game.challenge", peer=me, app="ttt")["id"]
            ann.events.wait("game.challenged", id=wanted)
            assert ann.events.of("game.challenged", id=unwanted) == []
            assert ann.call("house.show")["live_games"] == 0
            return
        ben.events.wait("peer.heard", peer=house)
        id = ben.call("game.challenge", peer=house, app="ttt")["id"]
        assert play_out(ben, id)["status"] == "completed"
    finally:
        ben.kill()
        ann.kill()
