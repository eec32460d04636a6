"""Whole processes: start-up, memory, and a move from one node to another over loopback."""

from __future__ import annotations

import contextlib
import queue
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .processes import Bare, NodeProcess, Watcher, bare_pair, node_pair, pss
from .store import GAP, DurableWrites
from .timing import Row

ROUNDS = 42
STARTS = 5
COLUMNS = (3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 1, 2)
"""Fourteen moves of four in a row that end nothing."""

GAMES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ttt": ({"i": 4}, {"i": 0}),
    "four_in_a_row": ({"c": 3}, {"c": 3}),
    "chess": ({"m": "e2e4"}, {"m": "e7e5"}),
}


def processes(directory: Path) -> list[Row]:
    """Start-up of the idle node and memory after one move of each game each way; a move over loopback.

    A move, a bare message and the bare writes take turns, so that a busy machine is busy for all.
    """
    startup, bare_startup = _startups(directory)
    with bare_pair(directory / "bare") as (a, b), node_pair(directory / "node") as (x, y):
        _message(a, b)
        _one_move_each(x, y)
        bare_pss = max(pss(a.process.pid), pss(b.process.pid))
        node_pss = max(pss(x.process.pid), pss(y.process.pid))
        messages, moves, durable = [], _Moves(x, y), DurableWrites(directory)
        for number in range(ROUNDS):
            messages.append(_message(*((a, b) if number % 2 == 0 else (b, a))))
            moves.make()
            durable.write()
        move, message = statistics.median(moves.taken()) * 1000, statistics.median(messages) * 1000
    writes = durable.medians()
    return [
        Row(name="start-up", value=startup, baseline=bare_startup, unit="s", limit=0.5, slack=True),
        Row(
            name="PSS of the process tree",
            value=node_pss,
            baseline=bare_pss,
            unit="MiB",
            limit=15,
            slack=True,
        ),
        Row(
            name=f"a move over loopback (bare message {message:.2f} ms + durable writes "
            f"{' + '.join(f'{ms:.2f}' for ms in writes.values())} ms)",
            value=move,
            baseline=message + sum(writes.values()),
            unit="ms",
            limit=1.0,
            slack=True,
        ),
    ]


def _startups(directory: Path) -> tuple[float, float]:
    """Median seconds until a node answers on its socket, and until a bare process is ready."""
    nodes, bares = [], []
    for number in range(STARTS):
        from .processes import free_port

        bare = Bare(directory / f"start-bare-{number}", "listen", free_port())
        bares.append(bare.startup)
        bare.stop()
        node = NodeProcess(directory / "start-node", "--listen", f"127.0.0.1:{free_port()}")
        nodes.append(node.startup)
        node.stop()
    return statistics.median(nodes), statistics.median(bares)


def _message(sender: Bare, receiver: Bare) -> float:
    """Seconds from handing a message to LXMF until the receiver's callback."""
    time.sleep(GAP)
    sender.command(f"send {receiver.hash} message")
    began = sender.wait("sent")["began"]
    taken: float = receiver.wait("received")["at"] - began
    # Reticulum can overlook a proof that comes back at once; the next message then need not wait for it.
    with contextlib.suppress(queue.Empty):
        sender.wait("delivered", 1.0)
    return taken


def applied(id: str, command: str, ply: int | None = None) -> Callable[[dict[str, Any]], bool]:
    def matches(event: dict[str, Any]) -> bool:
        data = event["data"]
        return (
            event["type"] == "game.applied"
            and data["id"] == id
            and data["command"] == command
            and ply in (None, data["ply"])
        )

    return matches


def open_game(x: NodeProcess, y: NodeProcess, watch_x: Watcher, watch_y: Watcher, app: str) -> str:
    id: str = x.client.call("game.challenge", peer=y.hash, app=app)["id"]
    watch_y.until(applied(id, "challenge"))
    y.client.call("game.accept", id=id)
    watch_x.until(applied(id, "accept"))
    return id


def _one_move_each(x: NodeProcess, y: NodeProcess) -> None:
    watch_x, watch_y = Watcher(x.socket), Watcher(y.socket)
    for app, intents in GAMES.items():
        id = open_game(x, y, watch_x, watch_y, app)
        view = x.client.call("game.show", id=id)["view"]
        first, second = (x, y) if view["my_turn"] else (y, x)
        for ply, (mover, intent) in enumerate(((first, intents[0]), (second, intents[1])), 1):
            mover.client.call("game.move", id=id, intent=intent)
            (watch_y if mover is x else watch_x).until(applied(id, "move", ply))


class _Moves:
    """Moves of four in a row, of both in turn; nobody watches meanwhile."""

    def __init__(self, x: NodeProcess, y: NodeProcess) -> None:
        self._nodes = (x, y)
        watch_x, watch_y = Watcher(x.socket), Watcher(y.socket)
        self._ids = [
            open_game(x, y, watch_x, watch_y, "four_in_a_row") for _ in range(ROUNDS // len(COLUMNS))
        ]
        watch_x.close()
        watch_y.close()
        self._left = [(id, ply, column) for id in self._ids for ply, column in enumerate(COLUMNS, 1)]

    def make(self) -> None:
        """The next move, until the peer has it and all is quiet again."""
        id, ply, column = self._left.pop(0)
        mover, peer = self._nodes if ply % 2 else self._nodes[::-1]
        time.sleep(GAP)
        mover.client.call("game.move", id=id, intent={"c": column})
        time.sleep(GAP)
        while peer.client.call("game.show", id=id)["view"]["ply"] < ply:
            time.sleep(GAP)

    def taken(self) -> list[float]:
        """Seconds from an accepted intent to "applied" at the peer, of every move.

        The intent's time is that of the mover's journal, taken when the node begins to act on it; the
        other is that of the peer's event, published after its commit. Both are wall clock times of
        this machine.
        """
        arrived: dict[tuple[str, int], float] = {}
        for event in (event for node in self._nodes for event in node.past_events()):
            data = event["data"]
            if event["type"] == "game.applied" and data["command"] == "move" and not data["own"]:
                arrived[data["id"], data["ply"]] = event["at"]
        return [
            arrived[id, row["payload"]["n"]] - row["timestamp"]
            for id in self._ids
            for node in self._nodes
            for row in node.client.call("game.actions", id=id)["actions"]
            if row["command"] == "move" and row["sender"] == node.hash
        ]
