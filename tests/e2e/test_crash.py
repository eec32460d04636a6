"""Nodes are killed at chosen moments, again and again; nothing committed is lost, and games go on.

A *seat* is a node that plays against the hub and dies on a schedule; several sit at the hub at the
same time, because LXMF waits ten seconds before it repeats what nobody proved.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from lrgpnode.control.client import Disconnected, NotRunning
from storage import maintenance
from tests.e2e.nodes import NodeProcess, free_port
from tests.e2e.replay import check_same, check_settled

pytestmark = pytest.mark.node

DOOMED = [sys.executable, str(Path(__file__).with_name("doomed_node.py"))]
DEADLINE = 90.0
POLL = 0.04

BEFORE_PROOF, BEFORE_COMMIT, BEFORE_EVENT = "send → proof", "proof → commit", "commit → event"
AFTER_EVENT, REPLAY, SENDER = "after the event", "inbox replay", "sender: commit → LXMF"
MOMENTS = {
    "arrived": BEFORE_PROOF,
    "appended": BEFORE_PROOF,
    "synced": BEFORE_PROOF,
    "commit": BEFORE_COMMIT,
    "in commit": BEFORE_COMMIT,
    "committed": BEFORE_EVENT,
    "event": BEFORE_EVENT,
    "told": AFTER_EVENT,
    "replay commit": REPLAY,
    "replay committed": REPLAY,
    "own in commit": SENDER,
    "own committed": SENDER,
}

Chain = tuple[str, ...]
"""Points of one life after the other."""


class Seat:
    def __init__(self, hub: NodeProcess, node: NodeProcess, rng: random.Random) -> None:
        self.hub, self.node, self._rng = hub, node, rng
        self.games: list[str] = []
        self.histogram: Counter[str] = Counter()
        self._died_at = 0.0
        self._known: dict[str, list[str]] = {}

    def die_by(self, chains: deque[Chain]) -> None:
        """Take chains until there are none left. Those that died at another moment are taken again."""
        while chains:
            chain = chains.popleft()
            if not all(map(self.die_at, chain)):
                chains.append(chain)
        self.start()
        self.settle()
        while not self.ended():
            self.step()
            self.settle()
        for id in self.games:
            check_same(self.hub, self.node, id)
        check_settled(self.node)

    def die_at(self, point: str) -> bool:
        report = self.node.data / "doom.json"
        report.unlink(missing_ok=True)
        delay = self._rng.choice(("0", "1", "3"))
        passage = "1" if point.startswith("replay") else self._rng.choice("12")
        try:
            self.start(DOOM=point, DOOM_PASSAGE=passage, DOOM_DELAY=delay, DOOM_REPORT=str(report))
            # A replay that has nothing to replay survives; the game goes on for a while.
            for _ in range(4 if point.startswith("replay") else 100):
                self.settle()
                self.step()
        except (NotRunning, Disconnected):
            code = self.node.gone()
        else:
            self.node.kill()
            code = 0
        assert code in (0, -9), self.node.log
        self._died_at = time.time()
        self.check_database()
        if code == 0:
            self.histogram["elsewhere"] += 1
            return point.startswith("replay")
        moment = _moment(json.loads(report.read_text()))
        self.histogram[moment] += 1
        return moment == MOMENTS[point]

    def start(self, **env: str) -> None:
        # Reticulum takes only one announce of a destination in each second of the clock.
        self.wait(lambda: int(time.time()) > int(self._died_at), "a new second")
        since = time.time()
        self.node.spawn(DOOMED if env else None, **env)
        try:
            self.node.ready()
        except AssertionError:
            # Doomed nodes may die before they answer.
            if self.node.process is None or self.node.process.poll() != -9:
                raise
            raise NotRunning(self.node.socket) from None
        # A packet that goes out before the hub has the new path takes LXMF ten seconds to repeat.
        self.wait(lambda: _heard_at(self.hub, self.node) >= since, "the hub hears the restarted seat")

    def settle(self) -> None:
        """Wait until both sides have the same number of actions."""
        if self.games:
            id = self.games[-1]
            self.wait(lambda: self.count(self.hub, id) == self.count(self.node, id), f"{id} is equal")

    def count(self, node: NodeProcess, id: str) -> int:
        actions = node.actions(id) if node.game(id) is not None else []
        if node is self.node:
            self._known[id] = [action["nonce"] for action in actions]
        return len(actions)

    def ended(self) -> bool:
        game = self.hub.game(self.games[-1]) if self.games else None
        return game is None or game["status"] not in ("pending", "active")

    def step(self) -> None:
        """One action of whoever is to act; both sides are equal before it."""
        if self.ended():
            app = self._rng.choice(("ttt", "four_in_a_row"))
            self.games.append(self.hub.call("game.challenge", peer=self.node.identity, app=app)["id"])
            return
        id = self.games[-1]
        game = self.hub.game(id)
        assert game is not None
        if game["status"] == "pending":
            self.node.call("game.accept", id=id)
            return
        mover = self.hub if game["view"]["my_turn"] else self.node
        shown = mover.game(id)
        assert shown is not None
        mover.call("game.move", id=id, intent=self._rng.choice(shown["view"]["legal"])["intent"])

    def wait(self, condition: object, what: str) -> None:
        assert callable(condition)
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"{self.node.name}: not within {DEADLINE} s: {what}")
            time.sleep(POLL)

    def check_database(self) -> None:
        """The file of the dead node: sound, and with everything that was ever told of it."""
        report = maintenance.check(self.node.database)
        assert report.ok, report.problems
        with closing(sqlite3.connect(f"file:{self.node.database}?mode=ro", uri=True)) as database:
            for id, nonces in self._known.items():
                rows = database.execute(
                    "SELECT hex(nonce) FROM game_actions WHERE session_id = ? ORDER BY action_num", (id,)
                ).fetchall()
                assert [row[0].lower() for row in rows][: len(nonces)] == nonces
            finished = database.execute(
                "SELECT count(*), sum(json_extract(metadata, '$.winner') = identity_id) "
                "FROM game_sessions WHERE status = 'completed'"
            ).fetchone()
            counted = database.execute("SELECT sum(won + drawn + lost), sum(won) FROM scores").fetchone()
            assert (counted[0] or 0, counted[1]) == finished


def _heard_at(node: NodeProcess, peer: NodeProcess) -> float:
    peers = node.call("peer.list")["peers"]
    return max((p["heard_at"] for p in peers if p["peer"] == peer.identity), default=0.0)


def _moment(report: dict[str, object]) -> str:
    if str(report["point"]).startswith("own"):
        return SENDER
    if not report["arrived"]:
        return REPLAY
    if not report["proved"]:
        return BEFORE_PROOF
    if not report["committed"]:
        return BEFORE_COMMIT
    return AFTER_EVENT if report["told"] else BEFORE_EVENT


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[NodeProcess]:
    with NodeProcess(tmp_path / "hub", "--listen", f"127.0.0.1:{free_port()}") as node:
        yield node


def kill(hub: NodeProcess, chains: list[Chain], seats: int, seed: int) -> Counter[str]:
    """Let ``seats`` nodes die by the chains, in random order; the moments they died at."""
    rng = random.Random(seed)
    rng.shuffle(chains)
    queue = deque(chains)
    nodes = [NodeProcess(hub.data.parent / f"seat{n}", "--connect", hub.way[1]) for n in range(seats)]
    taken = [Seat(hub, node, random.Random(rng.random())) for node in nodes]
    try:
        with ThreadPoolExecutor(seats) as pool:
            for done in [pool.submit(seat.die_by, queue) for seat in taken]:
                done.result()
        check_settled(hub)
    finally:
        for node in nodes:
            node.kill()
    return sum((seat.histogram for seat in taken), Counter())


def show(histogram: Counter[str], seconds: float) -> str:
    lines = [f"{moment:24} {count:3} {'#' * count}" for moment, count in sorted(histogram.items())]
    return "\n".join([f"kill -9 at, in {seconds:.0f} s:", *lines])


def run(hub: NodeProcess, chains: list[Chain], seats: int, tmp_path: Path) -> Counter[str]:
    seed = random.randrange(10**6)
    print("seed", seed)
    started = time.monotonic()
    histogram = kill(hub, chains, seats, seed)
    text = show(histogram, time.monotonic() - started)
    print(text)
    (tmp_path / "histogram.txt").write_text(text + "\n")
    return histogram


def test_killed_at_every_kind_of_moment(
    hub: NodeProcess, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    chains: list[Chain] = [("synced",), ("in commit", "replay commit"), ("committed",), ("own committed",)]
    histogram = run(hub, chains, 3, tmp_path)
    record_property("kills", dict(histogram))
    assert min(histogram[moment] for moment in (BEFORE_PROOF, BEFORE_COMMIT, BEFORE_EVENT, SENDER)) >= 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_fifty_times(
    hub: NodeProcess,
    tmp_path: Path,
    record_property: pytest.RecordProperty,
    capsys: pytest.CaptureFixture[str],
) -> None:
    chains: list[Chain] = [
        *[("arrived",), ("appended",), ("synced",)] * 5,
        *[("commit",), ("in commit",)] * 5,
        *[("in commit", "replay commit"), ("commit", "replay committed")] * 3,
        *[("committed",), ("event",)] * 8,
        *[("told",)] * 3,
        *[("own in commit",), ("own committed",)] * 4,
    ]
    histogram = run(hub, chains, 6, tmp_path)
    record_property("kills", dict(histogram))
    # Shown whether or not pytest captures what tests print.
    with capsys.disabled():
        print("\n" + (tmp_path / "histogram.txt").read_text())
    assert min(histogram[moment] for moment in (BEFORE_PROOF, BEFORE_COMMIT, BEFORE_EVENT)) >= 10
    assert sum(histogram.values()) >= 50
