"""A commit against a bare ``sqlite3`` transaction that writes the same rows with the same pragmas."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from games.four_in_a_row import FourInARow
from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.replay import ReplayEntry
from lrgpnode.protocol.session import Session, SessionKey
from storage import schema
from storage.model import Commit, NewAction, NewOutbox, Seen, Signature
from storage.store import Store
from storage.writer import Writer

from .timing import Row

ME, PEER = "a" * 32, "b" * 32
KEY = SessionKey(ME, "0123456789abcdef")
ROUNDS = 60
GAP = 0.02
"""As in ``loopback``: the pause between two commits."""


def session() -> Session:
    return FourInARow().open(KEY, PEER, PEER, 1_750_000_000.0)


def outgoing() -> Commit:
    """What one move of ours writes."""
    return Commit(
        update=session(),
        action=_action(ME),
        outbox=NewOutbox(
            key=KEY,
            peer=PEER,
            command="move",
            envelope=os.urandom(69),
            content="[LRGP Four in a Row] Move 7",
            delivery=Delivery.OPPORTUNISTIC,
            created_at=1_750_000_000.0,
        ),
    )


def incoming(answered: int) -> Commit:
    """What one move of the peer writes that answers our action ``answered``."""
    nonce = os.urandom(8)
    return Commit(
        update=session(),
        action=_action(PEER, nonce),
        settle=KEY,
        signatures=(
            Signature(key=KEY, action_num=answered, message_hash=os.urandom(32), signed=os.urandom(260)),
        ),
        replay=(ReplayEntry(ME, KEY.session_id, nonce, 1000.0),),
        seen=(Seen(message_hash=os.urandom(32), identity=ME, at=1_750_000_000.0),),
    )


def _action(sender: str, nonce: bytes | None = None) -> NewAction:
    return NewAction(
        key=KEY,
        command="move",
        payload={"c": 3, "n": 7, "x": ""},
        sender=sender,
        timestamp=1_750_000_000.0,
        envelope=os.urandom(69),
        nonce=nonce or os.urandom(8),
        message_hash=os.urandom(32) if sender == PEER else None,
        signed=os.urandom(260) if sender == PEER else None,
    )


class BareTransactions:
    """The same tables and pragmas, and nothing else between us and ``sqlite3``."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        schema.migrate(self._db, str(path))
        self.actions = 0
        self._metadata = json.dumps(dict(session().metadata))
        self._db.execute(
            "INSERT INTO game_sessions VALUES (?,?,'four_in_a_row',1,?,?,'pending',?,0,1,1,1)",
            (KEY.session_id, ME, PEER, PEER, self._metadata),
        )

    def __call__(self, unit: Commit) -> None:
        db, ids, action = self._db, (KEY.session_id, ME), unit.action
        assert action is not None
        self.actions += 1
        db.execute("BEGIN IMMEDIATE")
        db.execute(
            "UPDATE game_sessions SET status='pending', metadata=?, unread=0, updated_at=1, last_action_at=1 "
            "WHERE session_id=? AND identity_id=?",
            (self._metadata, *ids),
        )
        db.execute(
            "INSERT INTO game_actions VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            (
                *ids,
                self.actions,
                action.command,
                '{"c":3,"n":7,"x":""}',
                action.sender,
                action.timestamp,
                action.nonce,
                action.envelope,
                action.message_hash,
                action.signed,
            ),
        )
        if unit.outbox is not None:
            db.execute(
                "INSERT INTO outbox (identity_id, session_id, action_num, peer, command, envelope, content, "
                "delivery, state, created_at, updated_at) VALUES (?,?,?,?,'move',?,?,?,'queued',1,1)",
                (
                    ME,
                    KEY.session_id,
                    self.actions,
                    PEER,
                    unit.outbox.envelope,
                    unit.outbox.content,
                    "opportunistic",
                ),
            )
        if unit.settle is not None:
            db.execute(
                "UPDATE outbox SET state='confirmed', updated_at=1 WHERE identity_id=? AND session_id=? "
                "AND state NOT IN ('confirmed','dropped')",
                ids[::-1],
            )
        for signature in unit.signatures:
            db.execute(
                "UPDATE game_actions SET message_hash=?, signed=? WHERE session_id=? AND identity_id=? "
                "AND action_num=?",
                (signature.message_hash, signature.signed, *ids, signature.action_num),
            )
        for entry in unit.replay:
            db.execute(
                "INSERT INTO replay_nonces (identity_id, session_id, nonce, boot_id, recorded) "
                "VALUES (?,?,?,'',?)",
                (ME, KEY.session_id, entry.nonce, entry.recorded),
            )
        for seen in unit.seen:
            db.execute("INSERT INTO seen VALUES (?,?,?)", (seen.message_hash, ME, seen.at))
        db.execute("COMMIT")


def commits(directory: Path) -> list[Row]:
    """Median of single awaited commits of a game in which both move in turn, taking turns with the bare
    ones."""
    ours, bare = asyncio.run(_measure(directory))
    return [
        Row(
            name=f"awaited commit of {name}",
            value=statistics.median(ours[name]),
            baseline=statistics.median(bare[name]),
            unit="ms",
            limit=2.0,
        )
        for name in ours
    ]


async def _measure(directory: Path) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds of our commits and of the bare ones."""
    ours: dict[str, list[float]] = {"our move": [], "the peer's move": []}
    bare: dict[str, list[float]] = {name: [] for name in ours}
    transaction = BareTransactions(directory / "bare.db")
    with Store(directory / "ours.db") as store:
        store.commit(Commit(insert=session()))
        writer = Writer(store)
        for number in range(2 * ROUNDS):
            name = tuple(ours)[number % 2]
            unit = outgoing() if number % 2 == 0 else incoming(number)
            await asyncio.sleep(GAP)
            began = time.perf_counter()
            transaction(unit)
            bare[name].append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(GAP)
            began = time.perf_counter()
            await writer.run(store.commit, unit)
            ours[name].append((time.perf_counter() - began) * 1000)
        writer.close()
    return ours, bare


class DurableWrites:
    """Each durable write on the path of a move, bare, with the usual pause before it."""

    def __init__(self, directory: Path) -> None:
        self._nodes = [BareTransactions(directory / f"node-{number}.db") for number in range(2)]
        self._inbox = os.open(directory / "inbox", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        self._taken: dict[str, list[float]] = {}
        self._nodes[1](outgoing())

    def write(self) -> None:
        """What one move writes; the two nodes move in turn."""
        sender, receiver = self._nodes
        self._nodes.reverse()
        self._time("sender's commit", partial(sender, outgoing()))
        self._time("receiver's inbox append + fsync", partial(self._append, os.urandom(330)))
        self._time("receiver's commit", partial(receiver, incoming(receiver.actions)))

    def _append(self, data: bytes) -> None:
        os.write(self._inbox, data)
        os.fsync(self._inbox)

    def _time(self, name: str, work: Callable[[], None]) -> None:
        time.sleep(GAP)
        began = time.perf_counter()
        work()
        self._taken.setdefault(name, []).append((time.perf_counter() - began) * 1000)

    def medians(self) -> dict[str, float]:
        """Milliseconds."""
        return {name: statistics.median(times) for name, times in self._taken.items()}
