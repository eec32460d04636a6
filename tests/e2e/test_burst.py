"""The receiver is killed in a burst of messages: what was proved is there afterwards, and all of it once.

The sender shares no code with the node. It never repeats a message that was proved, so one that the
node lost would be missing in the end; all others it sends again as new LXMF messages, so most arrive twice.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from games.tictactoe import TicTacToe
from lrgpnode.protocol.session import SessionKey
from storage import maintenance
from storage.model import Commit
from storage.store import Store
from tests.e2e.nodes import Json, NodeProcess, until
from tests.e2e.raw import EMPTY, RawPeer, envelope, move
from tests.e2e.test_raw_peer import meet

pytestmark = pytest.mark.node

DEADLINE = 120.0
RESEND_SECONDS = 5.0


class Sender:
    """A peer with one message for each of its games, which it sends until it is proved."""

    def __init__(self, peer: RawPeer, to: str, messages: dict[str, Json]) -> None:
        self._peer, self._to, self._messages = peer, to, messages
        self._refs: dict[int, str] = {}
        self.sent = 0

    def send(self, sessions: list[str]) -> None:
        for session in sessions:
            self._refs[self._peer.post(self._to, self._messages[session])] = session
            self.sent += 1

    def text(self, count: int) -> None:
        """Messages that carry no game; the node takes them and keeps nothing of them."""
        for _ in range(count):
            self._peer.post(self._to, {}, marker="chat")

    def proved(self) -> set[str]:
        delivered = {event["ref"] for event in self._peer.all("delivered")}
        return {session for ref, session in self._refs.items() if ref in delivered}

    def missing(self) -> list[str]:
        proved = self.proved()
        return [session for session in self._messages if session not in proved]


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[RawPeer]:
    with RawPeer(tmp_path / "raw") as peer:
        yield peer


def games(node: NodeProcess, peer: str, count: int) -> dict[str, Json]:
    """Put games into a stopped node; the peer's next message in each: a move, or it resigns."""
    game, now = TicTacToe(), time.time()
    messages: dict[str, Json] = {}
    with Store(node.database) as store:
        for number in range(count):
            key = SessionKey(node.identity, f"{number:016x}")
            pending = game.open(key, peer, peer, now)
            payload = game.accept_payload(pending, lambda: False)
            store.commit(Commit(insert=game.apply(pending, node.identity, "accept", payload, now)))
            made = move(EMPTY, number % 9, peer, node.identity)[1]
            message = envelope("resign", key.session_id, {}) if number % 4 == 3 else None
            messages[key.session_id] = message or envelope("move", key.session_id, made)
    return messages


def journals(node: NodeProcess) -> dict[str, list[str]]:
    """The nonces of all actions by session, as they are in the file."""
    with closing(sqlite3.connect(f"file:{node.database}?mode=ro", uri=True)) as database:
        rows = database.execute(
            "SELECT session_id, hex(nonce) FROM game_actions ORDER BY session_id, action_num"
        )
        found: dict[str, list[str]] = {}
        for session, nonce in rows:
            found.setdefault(session, []).append(nonce.lower())
    return found


def told(node: NodeProcess) -> Counter[str]:
    """How often the node, since it started, said of a session that the peer has acted."""
    return Counter(event["id"] for event in node.events.of("game.applied", own=False))


def burst(node: NodeProcess, peer: RawPeer, count: int, kills: int, seed: int) -> Json:
    rng = random.Random(seed)
    node.start()
    node.stop()
    messages = games(node, peer.identity, count)
    expected = {session: [message["n"].hex()] for session, message in messages.items()}
    node.start()
    meet(node, peer)
    sender = Sender(peer, node.identity, messages)
    events: Counter[str] = Counter()
    killed_at: list[tuple[int, int]] = []
    for life in range(kills + 1):
        sender.send(sender.missing())
        sender.text(count // 10)
        if life == kills:
            break
        before, left = len(sender.proved()), len(sender.missing())
        # Early enough that something of the burst is still on its way.
        mark = before + rng.randrange(max(1, left * 3 // 2 // (kills - life + 1)))
        until(lambda mark=mark: len(sender.proved()) >= mark, f"{mark} messages are proved", DEADLINE)
        time.sleep(rng.uniform(0, 0.02))
        node.kill()
        events += told(node)
        report = maintenance.check(node.database)
        assert report.ok, report.problems
        killed_at.append((len(sender.proved()), len(journals(node))))
        node.start()
        meet(node, peer)

    asked = time.monotonic()

    def all_proved() -> bool:
        nonlocal asked
        missing = sender.missing()
        if missing and time.monotonic() - asked > RESEND_SECONDS:
            asked = time.monotonic()
            sender.send(missing)
        return not missing

    until(all_proved, "every message is proved", DEADLINE)
    until(lambda: len(journals(node)) == count, f"{count} games have gone on: none is lost", DEADLINE)
    # All of it once more, as new messages: nothing is applied twice.
    copies = Sender(peer, node.identity, messages)
    copies.send(list(messages))
    until(lambda: not copies.missing(), "every copy is proved", DEADLINE)
    until(lambda: node.call("node.status")["inbox_entries"] == 0, "the inbox is empty", DEADLINE)
    events += told(node)
    assert journals(node) == expected
    assert max(events.values()) == 1, "an action is told twice"
    for session, message in messages.items():
        game = node.game(session)
        assert game is not None
        if message["c"] == "resign":
            assert (game["status"], game["view"]["result"]["winner"]) == ("completed", node.identity)
        else:
            assert (game["status"], game["view"]["ply"], game["view"]["my_turn"]) == ("active", 1, True)
    assert node.events.of("game.rejected") == node.events.of("game.out_of_sync") == []
    return {"sent": sender.sent + count, "proved and committed at each kill": killed_at}


@pytest.mark.slow
def test_killed_once_in_a_burst_of_forty(
    tmp_path: Path, peer: RawPeer, record_property: pytest.RecordProperty
) -> None:
    run(tmp_path, peer, 40, 1, record_property)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_five_times_in_a_burst_of_two_hundred(
    tmp_path: Path, peer: RawPeer, record_property: pytest.RecordProperty
) -> None:
    run(tmp_path, peer, 200, 5, record_property)


def run(path: Path, peer: RawPeer, count: int, kills: int, record_property: pytest.RecordProperty) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    node = NodeProcess(path / "node", "--connect", peer.endpoint)
    try:
        result = burst(node, peer, count, kills, seed)
    except BaseException:
        print(f"--- log of {node.name}\n{node.log}")
        raise
    finally:
        node.kill()
    print(result)
    record_property("burst", result)
