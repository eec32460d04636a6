"""Real Reticulum processes over loopback TCP."""

from __future__ import annotations

import shutil
import socket
import struct
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgpack
import pytest

from lrgpnode.mesh import identity
from lrgpnode.mesh.inbox import Inbox
from lrgpnode.mesh.sender import UNHEARD
from tests.mesh.nodes import Node, hear_each_other

pytestmark = pytest.mark.node

Start = Callable[..., Node]
CHALLENGE = msgpack.packb(
    {"a": "ttt.1", "c": "challenge", "s": "0123456789abcdef", "p": {}, "n": b"\x00noncE\xff\x00"}
)
MOVE = msgpack.packb(
    {
        "a": "chess.1",
        "c": "move",
        "s": "ffffffffffffffff",
        "p": {
            "m": "e2e4",
            "n": 70_000,
            "x": "",
            "d": -5,
            "f": 1.5,
            "b": b"raw",
            "l": [True, None, {"é": 2**40}],
        },
        "n": b"87654321",
    }
)
FIELDS = b"\x82\xcc\xfb\xa7lrgp.v1\xcc\xfd" + CHALLENGE


def payload(content: str, fields: bytes = FIELDS) -> bytes:
    return b"\x94" + msgpack.packb(1.7e9) + b"\xc4\x00" + msgpack.packb(content.encode()) + fields


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Node, Node]]:
    """Two nodes that have heard each other, for tests that leave them as they were."""
    directory = tmp_path_factory.mktemp("pair")
    with (
        Node(directory / "alice", listen="127.0.0.1:0", name="Alice") as alice,
        Node(directory / "bob", connect=[alice.endpoint], name="Bob", identities=2) as bob,
    ):
        heard = alice.wait("heard", peer=bob.identity)
        assert heard["name"] == "Bob"
        assert heard["games"] is True
        assert heard["announced"] is True
        assert heard["hops"] == 1
        assert heard["interface"] == "Client on Listen"
        bob.wait("heard", peer=alice.identity, name="Alice", interface="Connect 1")
        yield alice, bob


def open_entries(node: Node) -> int:
    """How many messages a start after a crash right now would find; the node may be running."""
    count = 0
    for path in (node.data / "inbox").glob("*.log"):
        with tempfile.TemporaryDirectory() as directory:
            count += len(Inbox(Path(shutil.copy(path, directory))).left_over())
    return count


@pytest.mark.parametrize("delivery", ["opportunistic", "direct"])
@pytest.mark.parametrize("envelope", [CHALLENGE, MOVE])
def test_messages_go_both_ways_with_the_exact_envelope(
    pair: tuple[Node, Node], delivery: str, envelope: bytes
) -> None:
    for ref, (one, other) in enumerate((pair, pair[::-1])):
        one.send(ref, other.identity, envelope, delivery=delivery, content="[LRGP] e4 ♔")
        received = other.wait("received", identity=other.identity)
        states = [one.wait("progress", ref=ref)["progress"] for _ in range(3)]
        assert states == ["sending", "sent", "delivered"]
        assert received["envelope"] == envelope.hex()
        assert received["peer"] == one.identity
        assert (received["title"], received["content"]) == ("", "[LRGP] e4 ♔")
        assert received["entry"] > 0
        signed = one.wait("signed", ref=ref)
        assert signed["message"] == received["signed"]
        assert signed["hash"] == received["hash"]
        assert received["signed"].startswith(other.identity + one.identity)
        other.tell("status")
        other.wait("status", in_flight=0)
    assert open_entries(pair[0]) == open_entries(pair[1]) == 0


def test_a_text_without_envelope_is_no_lrgp(pair: tuple[Node, Node]) -> None:
    alice, bob = pair
    bob.send(1, alice.identity, b"", content="hello")
    received = alice.wait("received", content="hello")
    assert received["envelope"] is None
    assert not received["propagated"]
    bob.wait("progress", ref=1, progress="delivered")


def test_a_burst_arrives_whole_and_in_order(pair: tuple[Node, Node]) -> None:
    alice, bob = pair
    for ref in range(100, 130):
        bob.send(ref, alice.identity, CHALLENGE, content=str(ref))
    received = [alice.wait("received")["content"] for _ in range(30)]
    assert received == [str(ref) for ref in range(100, 130)]
    for ref in range(100, 130):
        bob.wait("progress", ref=ref, progress="delivered")


def test_a_forged_message_is_dropped(pair: tuple[Node, Node]) -> None:
    alice, bob = pair
    raw = payload("forged").hex()
    bob.tell("craft", peer=alice.identity, identity=bob.identity, raw=raw, sign="forged", tag="forged")
    bob.wait("proved", tag="forged")
    bob.send(2, alice.identity, CHALLENGE, content="honest")
    alice.wait("received", content="honest")
    assert not alice.seen("received", content="forged")
    assert open_entries(alice) == 0


def test_the_same_message_twice_is_received_once(pair: tuple[Node, Node]) -> None:
    alice, bob = pair
    for tag in ("first", "second"):
        bob.tell(
            "craft",
            peer=alice.identity,
            identity=bob.identity,
            raw=payload("twice").hex(),
            sign="yes",
            tag=tag,
        )
        bob.wait("proved", tag=tag)
    bob.send(3, alice.identity, CHALLENGE, content="after")
    alice.wait("received", content="twice")
    alice.wait("received", content="after")
    assert not alice.seen("received", content="twice")
    assert open_entries(alice) == 0


def test_a_stamped_message_in_longer_forms_is_verified_over_its_own_bytes(pair: tuple[Node, Node]) -> None:
    alice, bob = pair
    body = msgpack.packb(1.7e9) + b"\xc4\x00\xc5\x00\x07stamped" + FIELDS
    raw, unstamped = b"\x95" + body + b"\xc4\x20" + bytes(32), b"\x94" + body
    bob.tell(
        "craft",
        peer=alice.identity,
        identity=bob.identity,
        raw=raw.hex(),
        unstamped=unstamped.hex(),
        sign="yes",
    )
    received = alice.wait("received", content="stamped")
    assert received["envelope"] == CHALLENGE.hex()
    assert received["signed"].endswith(raw.hex())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"x",
        bytes(79),
        bytes(80),
        bytes(80) + b"\xc1",
        bytes(80) + b"\x91" * 200,
        bytes(80) + b"\x94\xc0\xc0\xc0\xc0",
        bytes(80) + b"\xdd\xff\xff\xff\xff",
    ],
    ids=len,
)
def test_hostile_packets_are_dropped(pair: tuple[Node, Node], raw: bytes) -> None:
    alice, bob = pair
    claimed = (bytes.fromhex(bob.identity) + raw[16:])[: len(raw)]
    bob.tell("craft", peer=alice.identity, raw=claimed.hex())
    bob.tell("craft", peer=alice.identity, identity=bob.identity, raw=raw.hex(), sign="yes")
    bob.send(4, alice.identity, CHALLENGE, content="still there")
    alice.wait("received", content="still there")
    assert open_entries(alice) == 0


def test_identities_of_one_node_reach_each_other(pair: tuple[Node, Node]) -> None:
    bob = pair[1]
    first, second = bob.identities
    bob.send(5, second, CHALLENGE, content="to myself")
    received = bob.wait("received", identity=second)
    assert received["peer"] == first
    assert received["envelope"] == CHALLENGE.hex()
    assert [bob.wait("progress", ref=5)["progress"] for _ in range(3)] == ["sending", "sent", "delivered"]
    assert bob.wait("signed", ref=5)["message"] == received["signed"]


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"identity": "0" * 32}, "not an identity of this node"),
        ({"peer": "xyz"}, "not an address"),
        ({"envelope": b"\xd9\x01a".hex()}, "differently"),
        ({"envelope": b"\xc1".hex()}, "not MessagePack"),
    ],
)
def test_what_cannot_be_sent_fails_with_the_reason(
    pair: tuple[Node, Node], values: dict[str, str], reason: str
) -> None:
    alice, bob = pair
    bob.send(6, alice.identity, CHALLENGE, **values)
    assert reason in bob.wait("progress", ref=6, progress="failed")["reason"]


def test_a_proved_message_survives_kill(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    bob = start(tmp_path / "bob", connect=[alice.endpoint], keep=True)
    hear_each_other(alice, bob)
    for ref, delivery in ((1, "opportunistic"), (2, "direct")):
        alice.send(ref, bob.identity, CHALLENGE, content=f"message {ref}", delivery=delivery)
        alice.wait("progress", ref=ref, progress="delivered")
    before = [bob.wait("received", content=f"message {ref}") for ref in (1, 2)]
    bob.kill()
    alice.terminate()

    # Nobody is there to tell the new process the sender's key.
    again = start(tmp_path / "bob", connect=[alice.endpoint], keep=True)
    after = [again.wait("received") for _ in range(2)]
    for old, new in zip(before, after, strict=True):
        assert {**new, "t": 0, "entry": 0} == {**old, "t": 0, "entry": 0}
    again.tell("done", entry=after[0]["entry"])
    # A clean stop does not make LXMF swallow the one still open either.
    assert again.terminate()[0] == 0

    third = start(tmp_path / "bob", connect=[alice.endpoint], keep=True)
    left = third.wait("received")
    assert left["content"] == "message 2"
    third.tell(
        "done", entry=third.seen("received")[0]["entry"] if third.seen("received") else after[1]["entry"]
    )
    assert third.terminate()[0] == 0
    assert open_entries(third) == 0


def test_what_cannot_be_kept_is_not_proved(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0", inbox_full=True)
    bob = start(tmp_path / "bob", connect=[alice.endpoint])
    hear_each_other(alice, bob)
    raw = payload("not kept").hex()
    bob.tell("craft", peer=alice.identity, identity=bob.identity, raw=raw, sign="yes", tag="refused")
    alice.wait("log", text="messages are refused")
    alice.tell("inbox_free")
    alice.wait("freed")
    bob.tell("craft", peer=alice.identity, identity=bob.identity, raw=raw, sign="yes", tag="kept")
    bob.wait("proved", tag="kept")
    alice.wait("received", content="not kept")
    assert not bob.seen("proved", tag="refused")


@pytest.mark.slow
@pytest.mark.parametrize("delivery", ["opportunistic", "direct"])
def test_a_peer_with_a_slow_disk_gets_a_message_once(tmp_path: Path, start: Start, delivery: str) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    bob = start(tmp_path / "bob", connect=[alice.endpoint], disk=1.2, rns_log=6, log="DEBUG")
    hear_each_other(alice, bob)
    alice.send(1, bob.identity, CHALLENGE, delivery=delivery)
    received = bob.wait("received")
    proved = alice.wait("progress", ref=1, progress="delivered")
    # The node has the message before the disk has it; the sender hears of it afterwards.
    assert proved["t"] - received["t"] > 1
    assert bob.log.count("ignored already received message") == 0


def test_a_peer_never_heard_fails_and_works_after_its_announce(tmp_path: Path, start: Start) -> None:
    carol = identity.create(tmp_path / "carol" / "identities").hash
    bob = start(tmp_path / "bob", listen="127.0.0.1:0", path_wait=0.2)
    bob.send(1, carol, CHALLENGE)
    assert bob.wait("progress", ref=1)["reason"] == UNHEARD
    node = start(tmp_path / "carol", connect=[bob.endpoint])
    assert node.identity == carol
    bob.wait("heard", peer=carol)
    bob.send(2, carol, CHALLENGE)
    node.wait("received")
    bob.wait("progress", ref=2, progress="delivered")


def test_strangers_ask_the_network_for_each_other(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0", announce_interval=0)
    bob = start(tmp_path / "bob", connect=[alice.endpoint], announce_interval=0)
    bob.send(1, alice.identity, CHALLENGE)
    heard = bob.wait("heard", peer=alice.identity)
    assert heard["announced"] is False
    assert heard["games"] is True
    # The message is kept until Alice, too, knows whom it is from.
    assert alice.wait("received", peer=bob.identity)["envelope"] == CHALLENGE.hex()
    bob.wait("progress", ref=1, progress="delivered")
    assert open_entries(alice) == 0


def test_messages_of_unknown_senders_wait_also_through_a_crash(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    port = alice.port
    bob = start(tmp_path / "bob", connect=[alice.endpoint])
    hear_each_other(alice, bob)
    stranger = identity.create(tmp_path / "carol" / "identities")
    signed = sign(stranger, alice.identity, payload("from carol"))
    made_up = [bytes([number]) * 16 + bytes(64) + payload("made up") for number in range(9)]
    for number, raw in enumerate([signed, *made_up[:1] * 6]):
        bob.tell("craft", peer=alice.identity, raw=raw.hex(), tag=number)
        bob.wait("proved", tag=number)
    bob.send(1, alice.identity, CHALLENGE, content="known")
    alice.wait("received", content="known")
    assert not alice.seen("received")
    # LXMF itself drops the repetitions of one message.
    assert open_entries(alice) == 2
    alice.kill()
    bob.terminate()

    again = start(tmp_path / "alice", listen=f"127.0.0.1:{port}")
    start(tmp_path / "carol", connect=[again.endpoint])
    assert again.wait("received")["content"] == "from carol"
    assert open_entries(again) == 1


def sign(author: identity.LocalIdentity, peer: str, raw: bytes) -> bytes:
    """What follows the destination in a packed message."""
    import RNS

    hashed = bytes.fromhex(peer + author.hash) + raw
    signature: bytes = RNS.Identity.from_bytes(author.key).sign(hashed + RNS.Identity.full_hash(hashed))
    return bytes.fromhex(author.hash) + signature + raw


def test_a_remembered_contact_is_known_from_the_start(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0", announce_interval=0)
    bob = start(tmp_path / "bob", connect=[alice.endpoint], announce_interval=0)
    bob.tell("remember", peer=alice.identity, key=identity_key(alice))
    bob.send(1, alice.identity, CHALLENGE)
    assert bob.wait("progress", ref=1)["progress"] == "sending"
    bob.wait("progress", ref=1, progress="delivered")


def identity_key(node: Node) -> str:
    import RNS

    stored = RNS.Identity.from_file(str(node.data / "identities" / node.identity))
    key: bytes = stored.get_public_key()
    return key.hex()


def test_stopping_with_links_open_is_clean_and_quick(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="[::1]:0")
    bob = start(tmp_path / "bob", connect=[f"[::1]:{alice.port}"])
    hear_each_other(alice, bob)
    for one, other in ((alice, bob), (bob, alice)):
        one.send(1, other.identity, MOVE, delivery="direct")
        other.wait("received")
        one.wait("progress", ref=1, progress="delivered")
    for node in (alice, bob):
        code, seconds = node.terminate()
        assert code == 0
        assert seconds < 2
        node.wait("stopped")
        assert "Traceback" not in node.log


def test_a_connection_made_later_is_announced_on(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    port = alice.port
    bob = start(tmp_path / "bob", connect=[alice.endpoint])
    hear_each_other(alice, bob)
    alice.kill()
    again = start(tmp_path / "alice", listen=f"127.0.0.1:{port}")
    again.wait("heard", peer=bob.identity)


def test_a_restart_within_the_second_of_an_announce_is_heard(tmp_path: Path, start: Start) -> None:
    """Reticulum takes a second announce of the same clock second for a copy of the first."""
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    bob = start(tmp_path / "bob", connect=[alice.endpoint], announce_delay=0.0)
    for _ in range(2):  # the second of two is sent when a clock second begins
        bob.tell("announce")
        alice.wait("heard", peer=bob.identity)
    bob.kill()
    start(tmp_path / "bob", connect=[alice.endpoint], announce_delay=0.0)
    alice.wait("heard", peer=bob.identity)


def test_bad_interfaces_do_not_end_the_process(tmp_path: Path, start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config = tmp_path / "config"
        config.mkdir()
        (config / "config").write_text(f"""
[reticulum]
share_instance = No
[interfaces]
[[taken]]
type = TCPServerInterface
enabled = Yes
listen_ip = 127.0.0.1
listen_port = {taken.getsockname()[1]}
[[no number]]
type = TCPServerInterface
enabled = Yes
listen_ip = 127.0.0.1
listen_port = many
[[no type]]
enabled = Yes
[[bad mode]]
type = TCPServerInterface
enabled = Yes
interface_mode = gateway
listen_ip = 127.0.0.1
listen_port = 0
[[radio]]
type = RNodeInterface
enabled = Yes
[[good]]
type = TCPServerInterface
enabled = Yes
listen_ip = 127.0.0.1
listen_port = 0
""")
        before = (config / "config").read_bytes()
        node = start(tmp_path / "node", config=str(config))
        node.tell("status")
        states = {name: (online, error) for name, _, online, error in node.wait("status")["interfaces"]}
        assert states.pop("good") == (True, "")
        assert set(states) == {"taken", "no number", "no type", "bad mode", "radio"}
        assert all(not online and error for online, error in states.values())
        assert "in use" in states["taken"][1]
        assert "many" in states["no number"][1]
        assert (config / "config").read_bytes() == before
        assert node.terminate()[0] == 0


@pytest.mark.parametrize(
    ("content", "says"), [(None, "no Reticulum configuration"), ("[reticulum\nx", "could not be started")]
)
def test_a_configuration_that_cannot_be_used_is_said_in_one_sentence(
    tmp_path: Path, content: str | None, says: str
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    if content is not None:
        (config / "config").write_text(content)
    with pytest.raises(AssertionError, match=f"MeshError: .*{says}"):
        Node(tmp_path / "node", config=str(config))


def test_a_damaged_ratchet_file_is_set_aside(tmp_path: Path, start: Start) -> None:
    alice = start(tmp_path / "alice", listen="127.0.0.1:0")
    alice.terminate()
    (ratchets,) = (tmp_path / "alice" / "lxmf").glob("*/lxmf/ratchets/*.ratchets")
    ratchets.write_bytes(struct.pack(">I", 7))
    again = start(tmp_path / "alice", listen="127.0.0.1:0")
    assert again.identity == alice.identity
    assert ratchets.with_suffix(".damaged").exists()


def test_two_nodes_share_one_reticulum(tmp_path: Path, start: Start) -> None:
    for name in ("one", "two"):
        config = tmp_path / name
        config.mkdir()
        (config / "config").write_text(f"""
[reticulum]
share_instance = Yes
instance_name = {tmp_path.name}
rpc_key = 000102030405060708090a0b0c0d0e0f
""")
    alice = start(tmp_path / "alice", config=str(tmp_path / "one"))
    bob = start(tmp_path / "bob", config=str(tmp_path / "two"), announce_delay=0.2)
    for node, instance in ((alice, "shared"), (bob, "client")):
        node.tell("status")
        node.wait("status", instance=instance)
    bob.tell("announce")
    alice.wait("heard", peer=bob.identity)
    alice.tell("announce")
    bob.wait("heard", peer=alice.identity)
    for one, other in ((alice, bob), (bob, alice)):
        one.send(1, other.identity, CHALLENGE)
        other.wait("received", peer=one.identity)
        one.wait("progress", ref=1, progress="delivered")
    assert bob.terminate()[0] == alice.terminate()[0] == 0
