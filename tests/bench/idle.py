"""What a node costs that does nothing, and what games that are over cost."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from games.tictactoe import TicTacToe
from lrgpnode.protocol.session import SessionKey
from storage.model import Commit
from storage.store import Store

from .processes import Bare, NodeProcess, cpu, free_port, pss
from .timing import Row

SETTLE_SECONDS = 10.0
IDLE_SECONDS = 60.0
GAMES = (100, 10_000)
STARTS = 5
PAGES = 50


def idle(directory: Path) -> list[Row]:
    """A node with two identities, a person's and the house's, against Reticulum with two LXMF routers."""
    bare = Bare(directory / "idle-bare", "listen", free_port(), routers=2)
    node = NodeProcess(directory / "idle-node", "--listen", f"127.0.0.1:{free_port()}")
    processes = (node.process.pid, bare.process.pid)
    try:
        assert node.client.call("node.status")["identities"] == 2
        time.sleep(SETTLE_SECONDS)
        before = [cpu(pid) for pid in processes]
        time.sleep(IDLE_SECONDS)
        percent = [(cpu(pid) - was) / IDLE_SECONDS * 100 for pid, was in zip(processes, before, strict=True)]
        memory = [pss(pid) for pid in processes]
    finally:
        node.stop()
        bare.stop()
    return [
        Row(
            name="PSS of an idle node, two identities",
            value=memory[0],
            baseline=memory[1],
            unit="MiB",
            limit=15,
            slack=True,
        ),
        Row(
            name="processor of an idle node, two identities",
            value=percent[0],
            baseline=percent[1],
            unit="%",
            limit=0.3,
            slack=True,
        ),
    ]


def stored_games(directory: Path) -> list[Row]:
    """Start-up and the first page of games, with 10,000 ended ones against 100."""
    folders = {count: directory / f"games-{count}" for count in GAMES}
    starts: dict[int, list[float]] = {count: [] for count in GAMES}
    pages: dict[int, float] = {}
    for count, folder in folders.items():
        first = NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")
        first.process.terminate()
        first.process.wait()
        with Store(folder / "lrgpnode.db") as store:
            fill(store, first.hash, count)
    for _ in range(STARTS):
        for count, folder in folders.items():
            node = NodeProcess(folder, "--listen", f"127.0.0.1:{free_port()}")
            starts[count].append(node.startup)
            taken = []
            for _ in range(PAGES):
                began = time.perf_counter()
                assert len(node.client.call("game.list")["games"]) == 50
                taken.append((time.perf_counter() - began) * 1000)
            pages[count] = min(pages.get(count, float("inf")), *taken)
            node.process.terminate()
            node.process.wait()
    few, many = GAMES
    return [
        Row(
            name="start-up with 10,000 stored games / 100",
            value=statistics.median(starts[many]),
            baseline=statistics.median(starts[few]),
            unit="s",
            limit=1.3,
        ),
        Row(
            name="first page of games, 10,000 stored / 100",
            value=pages[many],
            baseline=pages[few],
            unit="ms",
            limit=1.3,
        ),
    ]


def fill(store: Store, identity: str, count: int) -> None:
    """Games that were declined, of many peers."""
    game, now = TicTacToe(), time.time()
    for number in range(count):
        peer, at = f"{number:032x}", now - count + number
        opened = game.open(SessionKey(identity, f"{number:016x}"), peer, peer, at)
        store.commit(Commit(insert=game.apply(opened, identity, "decline", {}, at)))
