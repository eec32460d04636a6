"""The arcade: how soon waiting requests wake, calls a second, and what idle ones cost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .http_client import Connection, Crowd, request
from .processes import LRGPNODE, free_port, pss
from .timing import Row

API = "/api/v1/agent"
CONFIG = {"minPlayers": 2, "maxPlayers": 2, "sdkVersion": "2.0.0", "gameType": "bench", "turnTimeout": 0}
STATE = {"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}
LEGAL = ["e2e4", "d2d4", "g1f3"]

HOLDERS = 500
CHANGES = 20
IDLE_POLLS = 2000
CALLS = 400
ROUNDS = 20
BATCH = 40
"""Actions between two looks of the host; an account may have 64 that wait."""


class ArcadeProcess:
    """``lrgpnode arcade run`` with accounts for a host and two players."""

    def __init__(self, directory: Path) -> None:
        self._options = ["--data", str(directory), "arcade"]
        self.port = free_port()
        self.host = self._token("host", "host")
        self.players = [self._token("ann", "play"), self._token("ben", "play")]
        self.process = subprocess.Popen(
            [*LRGPNODE, *self._options, "run", "--listen", f"127.0.0.1:{self.port}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        assert "open" in self.process.stdout.readline()

    def _token(self, name: str, scope: str) -> str:
        for words in (["account", "add", name], ["token", "create", name, "--scope", scope]):
            done = subprocess.run(
                [*LRGPNODE, *self._options, *words], check=True, capture_output=True, text=True
            )
        return done.stdout.strip()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class Table:
    """A session with both players seated."""

    def __init__(self, arcade: ArcadeProcess, **config: Any) -> None:
        self._arcade = arcade
        self.connection = Connection(arcade.port)
        made = self._host("POST", f"{API}/bridge/sessions", {"config": {**CONFIG, **config}})
        self.id = made["sessionId"]
        self.path = f"{API}/sessions/{self.id}"
        self.seats = [
            self.connection.ask("POST", f"{self.path}/join", token, {})["playerId"]
            for token in arcade.players
        ]

    def _host(self, method: str, path: str, body: Any = None) -> Any:
        return self.connection.ask(method, path, self._arcade.host, body)

    def collect(self) -> None:
        self._host("GET", f"{API}/bridge/sessions/{self.id}/pending-actions")

    def ops(self, *ops: dict[str, Any]) -> int:
        """The version after them."""
        answer = self._host("POST", f"{API}/bridge/sessions/{self.id}/ops", {"ops": ops})
        return int(answer["version"])


def arcade(directory: Path) -> list[Row]:
    running = ArcadeProcess(directory / "arcade")
    try:
        rows = [_wake(running), _calls(running)]
    finally:
        running.stop()
    fresh = ArcadeProcess(directory / "arcade-idle")
    try:
        return [*rows, _idle(fresh)]
    finally:
        fresh.stop()


def _wake(running: ArcadeProcess) -> Row:
    """Spectators and both players wait; the host publishes the next turn."""
    table = Table(running)
    table.collect()
    turn = {"op": "legal_actions", "playerId": table.seats[0], "actions": LEGAL}
    table.ops({"op": "state", "state": STATE}, turn)
    crowd = Crowd(running.port, HOLDERS + 2)
    worst = []
    for change in range(CHANGES):
        mover = change % 2
        table.connection.ask("POST", f"{table.path}/action", running.players[mover], {"action": "e2e4"})
        table.collect()
        version = table.connection.ask("GET", f"{table.path}/public")["version"]
        query = f"?since={version}&wait=25"
        for member in crowd.members[2:]:
            member.socket.sendall(request("GET", f"{table.path}/public{query}"))
        for member, token in zip(crowd.members, running.players, strict=False):
            member.socket.sendall(request("GET", f"{table.path}/state{query}", token))
        # Long enough for all of them to be waiting; whoever came later would be answered at once, too.
        assert crowd.quiet(0.3)
        turn = {"op": "legal_actions", "playerId": table.seats[1 - mover], "actions": LEGAL}
        ops = {"ops": [{"op": "state", "state": {**STATE, "change": change}}, turn]}
        published = request("POST", f"{API}/bridge/sessions/{table.id}/ops", running.host, ops)
        began = time.perf_counter()
        table.connection.socket.sendall(published)
        taken = sorted(at - began for at in crowd.arrivals(20))
        table.connection.read()
        worst.append(taken[int(len(taken) * 0.99)] * 1000)
    crowd.close()
    return Row(
        name=f"wake of {HOLDERS} spectators and both players, p99 (median of {CHANGES} changes)",
        value=sorted(worst)[len(worst) // 2],
        baseline=0,
        unit="ms",
        limit=50,
        slack=True,
    )


def _calls(running: ArcadeProcess) -> Row:
    """State and action in turn, against the same over a bare handler."""
    port = free_port()
    bare = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("bare_web.py")), str(port)], stdout=subprocess.PIPE
    )
    assert bare.stdout is not None
    assert bare.stdout.readline() == b"ready\n"
    try:
        table = Table(running, turnBased=False)
        ours, theirs = Connection(running.port), Connection(port)
        best = [float("inf"), float("inf")]
        for _ in range(ROUNDS):
            best[0] = min(best[0], _burst(ours, table.path, running.players[0], table))
            best[1] = min(best[1], _burst(theirs, "/ses_0123456789ab", "token", None))
    finally:
        bare.kill()
        bare.wait()
    return Row(
        name="state and action calls of the arcade / a bare aiohttp handler, time of one",
        value=best[0],
        baseline=best[1],
        unit="us",
        limit=2,
    )


def _burst(connection: Connection, path: str, token: str, table: Table | None) -> float:
    """Microseconds of one call in the best batch; the host's work between is not counted."""
    state = request("GET", f"{path}/state", token)
    action = request("POST", f"{path}/action", token, {"action": {"type": "move", "to": "e4"}, "turn": 0})
    best = float("inf")
    for _ in range(CALLS // BATCH):
        if table is not None:
            table.collect()
            table.ops({"op": "state", "state": STATE})
        began = time.perf_counter()
        for _ in range(BATCH // 2):
            connection.call(state)
            connection.call(action)
        best = min(best, time.perf_counter() - began)
    return best / BATCH * 1e6


def _idle(running: ArcadeProcess) -> Row:
    """Spectators who wait and nothing happens."""
    table = Table(running)
    version = table.ops({"op": "state", "state": STATE})
    before = pss(running.process.pid)
    waiting = request("GET", f"{table.path}/public?since={version}&wait=25")
    crowd = Crowd(running.port, IDLE_POLLS)
    for member in crowd.members:
        member.socket.sendall(waiting)
    assert crowd.quiet(2.0)
    after = pss(running.process.pid)
    crowd.close()
    return Row(
        name=f"PSS of the arcade with {IDLE_POLLS} idle long-polls",
        value=after,
        baseline=before,
        unit="MiB",
        limit=35,
        slack=True,
    )
