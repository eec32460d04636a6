"""Peers that share no code with the node: one that plays by the book, and some that do not."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.nodes import Json, NodeProcess, until
from tests.e2e.raw import EMPTY, RawPeer, envelope, move
from tests.e2e.replay import check_settled, replay

pytestmark = pytest.mark.node


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[RawPeer]:
    with RawPeer(tmp_path / "raw") as peer:
        yield peer


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[RawPeer]:
    with RawPeer(tmp_path / "stranger") as stranger:
        yield stranger


@pytest.fixture
def node(tmp_path: Path, peer: RawPeer, stranger: RawPeer) -> Iterator[NodeProcess]:
    way = ("--connect", peer.endpoint, "--connect", stranger.endpoint)
    with NodeProcess(tmp_path / "node", *way) as node:
        meet(node, peer)
        meet(node, stranger)
        yield node


def meet(node: NodeProcess, peer: RawPeer) -> None:
    # The announce at start may come before the connection does, or be of the process before.
    peer.forget("heard")
    node.client.call("node.announce")
    peer.wait("heard", peer=node.identity)
    peer.tell("announce")
    node.events.wait("peer.heard", peer=peer.identity)


def applied(node: NodeProcess, id: str) -> list[tuple[str, int]]:
    """What of the peer the node said it applied: (command, number) each."""
    return [(e["command"], e["action_num"]) for e in node.events.of("game.applied", id=id, own=False)]


def test_a_whole_game_with_every_envelope_doubled(node: NodeProcess, peer: RawPeer) -> None:
    """Each copy is a new LXMF message with a hash of its own, and changes nothing."""
    me, other, session = peer.identity, node.identity, secrets.token_hex(8)
    sent: list[Json] = []

    def send_twice(command: str, payload: Json) -> None:
        sent.append(envelope(command, session, payload))
        for _ in range(2):
            peer.send(other, sent[-1])
        node.events.wait("game.applied", id=session, own=False, command=command, action_num=2 * len(sent) - 1)

    send_twice("challenge", {})
    node.call("game.accept", id=session)
    assert peer.receive()["p"] == {"b": EMPTY, "t": me}
    board = EMPTY
    for mine, theirs in ((4, 0), (2, 6), (8, 5), (1, 7)):
        board, payload = move(board, mine, me, other)
        send_twice("move", payload)
        board, expected = move(board, theirs, other, me)
        node.call("game.move", id=session, intent={"i": theirs})
        assert peer.receive()["p"] == expected
    board, payload = move(board, 3, me, other)
    send_twice("move", payload)
    game = node.game(session)
    assert game is not None
    assert (game["status"], game["view"]["result"]["reason"]) == ("completed", "board_full")
    once = [("challenge", 1), ("move", 3), ("move", 5), ("move", 7), ("move", 9), ("move", 11)]
    assert applied(node, session) == once
    journal = node.actions(session)
    assert [row["nonce"] for row in journal[::2]] == [item["n"].hex() for item in sent]
    assert replay(journal).grid == game["view"]["grid"]
    check_settled(node)

    # Also after a restart: the nonces of committed actions are kept for ever.
    node.restart()
    meet(node, peer)
    for item in sent:
        peer.send(other, item)
    marker = secrets.token_hex(8)
    peer.send(other, envelope("challenge", marker, {}))
    node.events.wait("game.applied", id=marker)
    assert applied(node, session) == []
    assert node.actions(session) == journal
    assert peer.all("received") == []


def known(node: NodeProcess, id: str) -> tuple[Json, list[Json]]:
    """All of a session but the delivery state of our last action, which goes on by itself."""
    game = node.game(id)
    assert game is not None
    return game | {"last_own": None}, node.actions(id)


def junk(session: str, payload: Json) -> list[Any]:
    """Envelopes that break one rule of spec §3 each, all of them a move that would be legal."""
    good = envelope("move", session, payload)
    return [
        good | {"extra": 1},
        {key: good[key] for key in "acsp"},
        good | {"n": b"1234567"},
        good | {"n": "12345678"},
        good | {"s": session.upper() if session.upper() != session else session + "0"},
        good | {"a": "ttt.01"},
        good | {"a": "ttt"},
        good | {"c": "Move"},
        good | {"p": []},
        good | {"p": payload | {"pad": "x" * 150}},
        good | {"a": "ttt.2"},
        good | {"a": "nothing.1"},
        good | {"c": "castle"},
        [1, 2, 3],
        "text",
        b"\x85",
        None,
    ]


def test_strangers_and_forgers_change_nothing_and_draw_no_answer(
    node: NodeProcess, peer: RawPeer, stranger: RawPeer
) -> None:
    me, other, session = peer.identity, node.identity, secrets.token_hex(8)
    peer.send(other, envelope("challenge", session, {}))
    node.events.wait("game.challenged", id=session)
    node.call("game.accept", id=session)
    peer.receive()
    _, payload = move(EMPTY, 4, me, other)
    before = known(node, session)
    legal = envelope("move", session, payload)

    for bad in junk(session, payload):
        peer.send(other, bad)
    peer.send(other, legal, marker=b"lrgp.v1")  # a chat message, as far as the node is concerned
    peer.send(other, legal, marker="rlap.v1")
    peer.send(other, legal, source=None)  # its signature is broken
    stranger.send(other, legal)  # as itself
    stranger.send(other, legal, source=me)  # in the name of the peer
    for command in ("accept", "resign", "draw_offer", "decline"):
        stranger.send(other, envelope(command, session, {}))
        stranger.send(other, envelope(command, secrets.token_hex(8), {}))
    error = {"code": "invalid_move", "msg": "no", "ref": "move"}
    stranger.send(other, envelope("error", session, error))
    for bad in junk(secrets.token_hex(8), {}):
        stranger.send(other, bad)
    # Behind all that, one good message of each shows that the node is through.
    last = secrets.token_hex(8)
    stranger.send(other, envelope("challenge", last, {}))
    node.events.wait("game.applied", id=last)

    assert known(node, session) == before
    assert node.events.of("game.rejected") == []
    assert node.events.of("game.error") == []
    assert [e["id"] for e in node.events.of("game.challenged")] == [session, last]
    # None of them used up the nonce.
    peer.send(other, legal)
    node.events.wait("game.applied", id=session, own=False, command="move")
    node.call("game.resign", id=session)
    node.call("game.decline", id=last)
    assert peer.receive()["c"] == "resign"
    assert stranger.receive()["c"] == "decline"
    assert peer.all("received") == stranger.all("received") == []


def test_an_illegal_move_of_the_peer_is_answered_once(node: NodeProcess, peer: RawPeer) -> None:
    me, other, session = peer.identity, node.identity, secrets.token_hex(8)
    peer.send(other, envelope("challenge", session, {}))
    node.events.wait("game.challenged", id=session)
    node.call("game.accept", id=session)
    peer.receive()
    _, payload = move(EMPTY, 4, me, other)
    wrong = envelope("move", session, payload | {"b": "_" * 8 + "X"})
    peer.send(other, wrong)
    answer = peer.receive()
    assert answer["c"] == "error"
    assert (answer["p"]["code"], answer["p"]["ref"]) == ("invalid_move", "move")
    peer.send(other, wrong)
    peer.send(other, envelope("move", session, payload))
    node.events.wait("game.applied", id=session, own=False, command="move")
    assert len(node.events.of("game.rejected", id=session)) == 1
    node.call("game.move", id=session, move="1")
    assert peer.receive()["c"] == "move"
    until(lambda: not peer.all("received"), "no second error", 1.0)
