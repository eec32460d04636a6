"""The address book of a real node: keys that belong to their addresses, pages, who is meant by a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.control.client import CallFailed
from lrgpnode.mesh import identity as keys
from tests.e2e.nodes import NodeProcess, free_port, until

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[NodeProcess, NodeProcess]]:
    base, endpoint = tmp_path_factory.mktemp("contacts"), f"127.0.0.1:{free_port()}"
    with (
        # The one that is restarted connects: Reticulum tries again only after five seconds.
        NodeProcess(base / "bob", "--listen", endpoint) as bob,
        NodeProcess(base / "ann", "--connect", endpoint) as ann,
    ):
        ann.hears(bob)
        bob.hears(ann)
        yield ann, bob


def test_who_was_heard_is_added_with_key_and_name(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    ann, bob = nodes
    added = ann.call("contact.add", peer=bob.identity[:8], note="from the club")
    assert (added["name"], added["trust"]) == ("bob", "known")
    assert added["public_key"] == bob.call("identity.show")["public_key"]
    assert ann.call("contact.rename", peer="bob", name="Robert")["name"] == "Robert"
    assert ann.call("contact.trust", peer="ROBERT", trust="trusted")["note"] == "from the club"
    (peer,) = ann.call("peer.list", search="rob")["peers"]
    assert (peer["contact"], peer["name"], peer["games"]) == ("Robert", "bob", True)
    (contact,) = ann.call("contact.list")["contacts"]
    assert (contact["name"], contact["own_name"]) == ("Robert", "bob")
    # Meant by either name.
    blocked = ann.call("contact.block", peer="bob")
    assert (blocked["peer"], blocked["name"], blocked["own_name"]) == (bob.identity, "Robert", "bob")
    ann.call("contact.unblock", peer="Robert")
    with pytest.raises(CallFailed) as caught:
        ann.call("game.challenge", peer="Robret", app="ttt")
    assert caught.value.hint.startswith("Did you mean Robert?")
    ann.call("contact.remove", peer="robert")
    with pytest.raises(CallFailed, match="no such entry"):
        ann.call("contact.trust", peer="bob", trust="trusted")


def test_a_key_must_be_that_of_its_address(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    ann, _ = nodes
    one, other = keys.generate(), keys.generate()
    public = keys.public_key(one).hex()
    with pytest.raises(CallFailed, match="belongs to another address"):
        ann.call("contact.add", peer=other.hash, name="Mallory", public_key=public)
    assert ann.call("contact.add", peer=one.hash, name="Carol", public_key=public)["public_key"] == public
    with pytest.raises(CallFailed, match="identity of this node"):
        ann.call("contact.add", peer=ann.identity)
    assert [contact["name"] for contact in ann.call("contact.list")["contacts"]] == ["Carol"]
    # Never heard and no path: but it is known, and so are its words to come, also after a restart.
    ann.restart()
    assert ann.call("contact.list")["contacts"][0]["public_key"] == public
    ann.call("contact.remove", peer="carol")


def test_a_contact_never_heard_is_asked_for(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    ann, bob = nodes
    dora = bob.call("identity.create", name="Dora")["hash"]
    added = ann.call("contact.add", peer=dora, name="Dora from work")

    def key() -> bool:
        contacts = ann.call("contact.list")["contacts"]
        return any(one["peer"] == dora and one["public_key"] is not None for one in contacts)

    assert added["peer"] == dora
    until(key, "the key of the contact")
    ann.call("contact.remove", peer=dora)


def test_pages(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    ann, _ = nodes
    for number in range(7):
        ann.call("contact.add", peer=f"{number:032x}", name=f"Name {number % 3}")
    found, cursor = [], None
    while True:
        page = ann.call("contact.list", limit=2, cursor=cursor)
        found += [(one["name"], one["peer"]) for one in page["contacts"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert found == sorted(found)
    assert len(set(found)) == 7
    with pytest.raises(CallFailed, match="means 3"):
        ann.call("game.challenge", peer="name 0", app="ttt")
    with pytest.raises(CallFailed, match="no cursor"):
        ann.call("peer.list", cursor="nonsense")


def test_identity_show_says_when_it_was_announced(nodes: tuple[NodeProcess, NodeProcess]) -> None:
    _, bob = nodes
    shown = bob.call("identity.show", identity="bob")
    assert shown["announced_at"] is not None
    result = bob.call("node.announce", identity="bob")
    assert (result["identities"], result["held"]) == ([bob.identity], [])
    until(
        lambda: bob.call("identity.show", identity="bob")["announced_at"] > shown["announced_at"], "announced"
    )


def test_before_a_first_challenge_it_is_announced_once(tmp_path: Path) -> None:
    """Deployed clients do not believe, and do not ask for, somebody of whom they have heard nothing."""
    endpoint = f"127.0.0.1:{free_port()}"
    quiet = NodeProcess(tmp_path / "quiet", "--connect", endpoint)
    (quiet.data / "lrgpnode.toml").write_text('[announce]\ninterval_minutes = 0\n[accept]\nfrom = "open"\n')
    with NodeProcess(tmp_path / "other", "--listen", endpoint) as other, quiet:
        quiet.hears(other)
        assert not other.events.of("peer.heard", peer=quiet.identity)
        for _ in range(2):
            id = quiet.call("game.challenge", peer="other", app="ttt")["id"]
            other.events.wait("game.challenged", id=id)
        told = [event["type"] for event in other.events.all() if quiet.identity in event["data"].values()]
        assert told[:2] == ["peer.heard", "game.challenged"]
        assert told.count("peer.heard") == 1
