"""Messages too large for one packet: kept before they are proved, and capped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lrgpnode.mesh.parts import HeldProof, prove_after
from tests.mesh.nodes import Node, hear_each_other

LARGE = os.urandom(2000).hex()
ENVELOPE = b"\x81\xa1a\xa5ttt.1"


class FakeLink:
    def __init__(self) -> None:
        self.closed = False

    def teardown(self) -> None:
        self.closed = True


class FakeResource:
    """As Reticulum treats one: ``assemble`` proves, then makes ``data`` a file."""

    def __init__(self) -> None:
        self.link = FakeLink()
        self.data: object = b""
        self.proved: list[object] = []

    def prove(self) -> None:
        self.proved.append(self.data)

    def assemble(self, content: bytes) -> None:
        self.data = content
        self.prove()
        self.data = "a file"


@pytest.mark.parametrize("kept", [True, False])
def test_a_resource_is_proved_when_it_has_been_kept_and_else_the_link_ends(kept: bool) -> None:
    resource = FakeResource()
    order: list[object] = []

    def keep(content: bytes) -> bool:
        order.append((content, list(resource.proved)))
        return kept

    prove_after(resource, keep)
    resource.assemble(b"content")
    assert order == [(b"content", [])]
    assert resource.proved == ([b"content"] if kept else [])
    assert resource.link.closed is not kept


def test_a_held_proof_is_that_of_the_content() -> None:
    resource = FakeResource()
    held = HeldProof(resource)
    resource.assemble(b"content")
    assert resource.proved == []
    held.release()
    assert resource.proved == [b"content"]
    assert resource.data == "a file"


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Node]:
    return lambda name, **settings: Node(tmp_path / name, name=name, **settings)


@pytest.mark.node
@pytest.mark.slow
def test_a_large_message_is_in_the_inbox_when_its_sender_has_the_proof(start: Callable[..., Node]) -> None:
    with (
        start("alice", listen="127.0.0.1:0") as alice,
        start("bob", connect=[alice.endpoint], keep=True) as bob,
    ):
        hear_each_other(alice, bob)
        alice.send(1, bob.identity, ENVELOPE, delivery="direct", content=LARGE)
        alice.wait("progress", ref=1, progress="delivered")
        assert bob.wait("received")["entry"] > 0
        bob.kill()
        with start("bob", connect=[alice.endpoint]) as again:
            assert again.wait("received")["content"] == LARGE


@pytest.mark.node
@pytest.mark.slow
def test_a_large_message_that_cannot_be_kept_is_not_proved(start: Callable[..., Node]) -> None:
    with (
        start("alice", listen="127.0.0.1:0") as alice,
        start("bob", connect=[alice.endpoint], inbox_full=True) as bob,
    ):
        hear_each_other(alice, bob)
        alice.send(1, bob.identity, ENVELOPE, delivery="direct", content=LARGE)
        bob.wait("log", text="messages are refused")
        bob.tell("inbox_free")
        bob.wait("freed")
        # LXMF tries again by itself.
        alice.wait("progress", ref=1, progress="delivered", deadline=30.0)
        assert bob.wait("received")["content"] == LARGE
        assert not bob.seen("received")


@pytest.mark.node
@pytest.mark.slow
def test_a_message_over_the_limit_is_refused(start: Callable[..., Node]) -> None:
    with (
        start("alice", listen="127.0.0.1:0") as alice,
        start("bob", connect=[alice.endpoint], message_kb=2) as bob,
    ):
        hear_each_other(alice, bob)
        alice.send(1, bob.identity, ENVELOPE, delivery="direct", content=LARGE)
        failed = alice.wait("progress", ref=1, progress="failed", deadline=30.0)
        assert failed["reason"] == "the peer's router refused the message"
