"""Alice and Bob, who cannot reach each other, and the propagation nodes between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mesh.nodes import PLAIN, Event, Node

ENVELOPE = b"\x81\xa1a\xa5ttt.1"


class House:
    """``hub`` is a node that all others connect to, but passes nothing on; it has our own
    propagation node, ``node``. Whoever starts knows the keys of those that started before."""

    def __init__(self, directory: Path, **hub: Any) -> None:
        self.directory = directory
        self.nodes: list[Node] = []
        self.keys: dict[str, str] = {}
        self.hub = self.start("hub", **{"listen": "127.0.0.1:0", "propagation": {"host": {}}} | hub)
        self.node: str = status(self.hub)["host"]["hash"]

    def start(self, name: str, *others: Node, **settings: Any) -> Node:
        settings["connect"] = [other.endpoint for other in others]
        if "listen" not in settings:
            settings["connect"].insert(0, self.hub.endpoint)
        node = Node(self.directory / name, name=name, **settings)
        self.nodes.append(node)
        for peer, key in self.keys.items():
            node.tell("remember", peer=peer, key=key)
        return node

    def plain(self, name: str, **settings: Any) -> Node:
        node = Node(self.directory / name, program=PLAIN, **settings)
        self.nodes.append(node)
        return node

    def pair(self, *others: Node, **settings: Any) -> tuple[Node, Node]:
        """Alice and Bob, who know each other's keys. They connect to ``others`` as well."""
        pair = alice, bob = tuple(self.start(name, *others, **settings) for name in ("alice", "bob"))
        for node in pair:
            if "nodes" not in settings.get("propagation", {}):
                node.wait("node", node=self.node, reason="heard")
            for identity in node.identities:
                self.keys[identity] = self.hub.wait("heard", peer=identity)["key"]
        for one, other in (pair, pair[::-1]):
            for identity in other.identities:
                one.tell("remember", peer=identity, key=self.keys[identity])
        return alice, bob

    def stored(self) -> int:
        """Messages in our own node."""
        count: int = status(self.hub)["host"]["messages"]
        return count

    def close(self) -> None:
        for node in self.nodes:
            node.__exit__(None, None, None)


def status(node: Node) -> Event:
    node.tell("propagation", what="status")
    return node.wait("propagation")


def post(alice: Node, to: str, *refs: int, **values: Any) -> Event:
    """Send by a propagation node; how it ended for the last."""
    for ref in refs:
        alice.send(ref, to, ENVELOPE, via_propagation=True, **values)
    return [outcome(alice, ref) for ref in refs][-1]


def outcome(alice: Node, ref: int) -> Event:
    while True:
        news = alice.wait("progress", ref=ref, deadline=40.0)
        if news["progress"] in ("stored", "delivered", "failed"):
            return news


def store(alice: Node, to: str, *contents: str, **values: Any) -> None:
    for ref, content in enumerate(contents):
        alice.send(ref, to, ENVELOPE, via_propagation=True, content=content, **values)
    assert [outcome(alice, ref)["progress"] for ref in range(len(contents))] == ["stored"] * len(contents)


def fetch(bob: Node, identity: str = "") -> Event:
    """Sync, and how it ended for the first identity, or the one given."""
    bob.tell("propagation", what="sync")
    return bob.wait("sync", last=True, identity=identity or bob.identity, deadline=40.0)


def contents(bob: Node, count: int) -> list[str]:
    """What so many messages say, in alphabetical order."""
    return sorted(bob.wait("received")["content"] for _ in range(count))
