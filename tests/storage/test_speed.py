"""What a commit costs beside the bare SQLite transaction it cannot do without."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

import pytest

from storage.model import Commit
from storage.store import Store
from tests.storage.samples import ME, MOVES, action, key, outgoing, session

GAMES = 200


def unit(n: int) -> Commit:
    number = n % GAMES
    changed = session(
        number, metadata={"moves": MOVES * 10, "n": n}, last_action_at=float(n), updated_at=float(n)
    )
    return Commit(update=changed, action=action(number, n), outbox=outgoing(number, n))


def bare(store: Store, unit: Commit, number: int) -> None:
    """The same rows, prepared beforehand, without anything around it."""
    connection = store.database._writer
    changed, new, queued = unit.update, unit.action, unit.outbox
    assert changed is not None
    assert new is not None
    assert queued is not None
    metadata = json.dumps(changed.metadata)
    ids = (changed.key.session_id, changed.key.identity)
    update = (str(changed.status), metadata, 0, changed.updated_at, changed.last_action_at, *ids)
    row = (*ids, number, new.command, '{"m":"e2e4"}', new.sender, 1.0, new.nonce, new.envelope, None, None)
    send = (*ids, number, queued.peer, "move", queued.envelope, queued.content, "direct", "queued", 1.0, 1.0)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "UPDATE game_sessions SET status = ?, metadata = ?, unread = ?, updated_at = ?, last_action_at = ? "
        "WHERE session_id = ? AND identity_id = ?",
        update,
    )
    connection.execute("INSERT INTO game_actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    connection.execute(
        "INSERT INTO outbox (session_id, identity_id, action_num, peer, command, envelope, content, "
        "delivery, state, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        send,
    )
    connection.execute("COMMIT")


@pytest.mark.slow
def test_a_commit_takes_at_most_twice_the_bare_transaction(store: Store) -> None:
    for number in range(GAMES):
        store.commit(Commit(insert=session(number)))
    ours, theirs = [], []
    for n in range(0, 1200, 2):
        first, second = unit(n), unit(n + 1)
        started = time.perf_counter()
        store.commit(first)
        ours.append(time.perf_counter() - started)
        started = time.perf_counter()
        bare(store, second, n // GAMES + 1)
        theirs.append(time.perf_counter() - started)
    assert statistics.median(ours) <= 2 * statistics.median(theirs)


def test_nothing_gets_slower_with_finished_games(path: Path) -> None:
    """Counted in steps of SQLite's machine, so that the result is the same on every machine."""

    def steps(store: Store) -> int:
        counted = [0]
        for connection in (store.database._reader, store.database._writer):
            connection.set_progress_handler(lambda: counted.__setitem__(0, counted[0] + 1), 1)
        store.commit(unit(1))
        store._cache.apply({key(1): None})
        store.sessions.get(key(1))
        store.sessions.pending_count(ME, None, 0.0)
        store.sessions.page(ME)
        store.sessions.page(ME, which="ended")
        store.actions.has_nonce(ME, key(1).session_id, b"12345678")
        store.outbox.of(key(1))
        for connection in (store.database._reader, store.database._writer):
            connection.set_progress_handler(None, 0)
        return counted[0]

    def fill(store: Store, first: int, last: int) -> None:
        with store.database.transaction() as connection:
            connection.executemany(
                "INSERT INTO game_sessions VALUES "
                "(printf('%016x', :n), :me, 'chess', 1, :me, :me, 'completed', '{}', 0, 1.0, 1.0, :n)",
                [{"n": n, "me": ME} for n in range(first, last)],
            )

    with Store(path) as small, Store(path.with_name("large.db")) as large:
        for store, ended in ((small, 300), (large, 20_000)):
            store.commit(Commit(insert=session(1)))
            fill(store, 1000, 1000 + ended)
        assert steps(large) <= 1.1 * steps(small)
