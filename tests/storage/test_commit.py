"""``Store.commit``: one transaction, all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.protocol.replay import ReplayEntry
from lrgpnode.protocol.session import Status
from storage import errors
from storage.model import (
    Commit,
    Committed,
    Flag,
    KeptNonce,
    NewParked,
    OutboxChange,
    OutboxState,
    Seen,
    Signature,
)
from storage.store import Store
from tests.storage.samples import ME, PEER, action, key, outgoing, session


def dump(store: Store) -> list[str]:
    return list(store.database._writer.iterdump())


@contextmanager
def unchanged(store: Store) -> Iterator[None]:
    """What happens inside leaves neither a row nor anything in the cache."""
    before = dump(store), dict(store._cache._sessions)
    yield
    assert (dump(store), dict(store._cache._sessions)) == before
    assert not store.database._writer.in_transaction


def full(number: int = 1, nonce: int = 1) -> dict[str, Any]:
    return {
        "insert": session(number),
        "action": action(number, nonce, message_hash=b"h" * 32, signed=b"signed"),
        "outbox": outgoing(number, nonce),
        "replay": (ReplayEntry(ME, key(number).session_id, b"replayed", 5.0),),
        "seen": (Seen(message_hash=b"h" * 32, identity=ME, at=1000.0),),
        "keep": (KeptNonce(key=key(number), nonce=b"refused!"),),
        "flags": (Flag(key=key(number), flag="out_of_sync", reason="the peer says so", at=1000.0),),
    }


def test_everything_is_there_after_a_restart(store: Store, path: Path) -> None:
    assert store.commit(Commit(**full())) == Committed(action_num=1, outbox_id=1)
    store.close()
    with Store(path, boot_id="boot-1") as again:
        assert again.sessions.get(key()) == session()
        (stored,) = again.actions.of(key())
        assert (stored.action_num, stored.command, stored.payload) == (1, "move", action().payload)
        assert (stored.envelope, stored.nonce) == (action().envelope, action().nonce)
        assert (stored.message_hash, stored.signed) == (b"h" * 32, b"signed")
        (row,) = again.outbox.pending()
        assert (row.id, row.action_num, row.state, row.attempts) == (1, 1, OutboxState.QUEUED, 0)
        assert (row.envelope, row.content, row.delivery) == (
            b"envelope 1",
            "[LRGP Chess] e4",
            "opportunistic",
        )
        assert again.actions.has_nonce(ME, key().session_id, action().nonce)
        assert again.actions.has_nonce(ME, key().session_id, b"refused!")
        assert not again.actions.has_nonce(ME, key(2).session_id, b"refused!")
        assert again.mail.seen(ME, b"h" * 32)
        assert again.mail.load_replay(10.0) == [ReplayEntry(ME, key().session_id, b"replayed", 5.0)]
        assert [flag.reason for flag in again.mail.flags(key())] == ["the peer says so"]


def test_action_numbers_start_at_one_for_every_session(store: Store) -> None:
    store.commit(Commit(insert=session(1)))
    store.commit(Commit(insert=session(2)))
    numbers = [store.commit(Commit(action=action(s, n))).action_num for n, s in enumerate((1, 1, 2, 1, 2))]
    assert numbers == [1, 2, 1, 3, 2]


def test_expired_and_updated_sessions(store: Store) -> None:
    for number in (1, 2, 3):
        store.commit(Commit(insert=session(number, status=Status.PENDING)))
    expired = tuple(session(number, status=Status.PENDING).expired(2000.0) for number in (1, 2))
    store.commit(Commit(expired=expired, update=session(3, unread=1)))
    assert [store.sessions.get(key(number)) for number in (1, 2, 3)] == [*expired, session(3, unread=1)]


def test_an_outbox_row_without_an_action(store: Store) -> None:
    store.commit(Commit(insert=session()))
    committed = store.commit(Commit(outbox=outgoing(command="error")))
    assert committed == Committed(outbox_id=1)
    assert store.outbox.pending()[0].action_num is None


def test_an_action_of_the_opponent_confirms_ours(store: Store) -> None:
    store.commit(Commit(**full()))
    confirms = (OutboxChange(id=1, state=OutboxState.CONFIRMED, at=2000.0),)
    store.commit(Commit(update=session(unread=1), action=action(nonce=2), outbox_changes=confirms))
    assert store.outbox.pending() == []
    assert store.outbox.of(key())[0].state is OutboxState.CONFIRMED


def test_parked_messages_go_with_the_commit_that_uses_them(store: Store) -> None:
    store.commit(Commit(insert=session()))
    early = NewParked(
        key=key(),
        sender=PEER,
        command="move",
        nonce=b"early...",
        envelope=b"e",
        timestamp=1.0,
        parked_at=2.0,
        until=602.0,
    )
    parked = store.commit(Commit(park=early)).parked_id
    assert parked is not None
    assert store.commit(Commit(park=early)).parked_id is None  # the same once more
    assert [each.id for each in store.mail.parked(key())] == [parked]
    store.commit(Commit(action=action(), unpark=(parked,)))
    assert store.mail.parked(key()) == []


FAILING: dict[str, tuple[type[errors.StorageError], dict[str, Any]]] = {
    "session exists": (errors.Conflict, {**full(2, 2), "insert": session(1)}),
    "update of nothing": (errors.NotFound, {**full(2, 2), "update": session(3)}),
    "expiry of nothing": (errors.NotFound, {**full(2, 2), "expired": (session(1, unread=1), session(3))}),
    "binding": (errors.Forbidden, {"update": session(1, peer="d" * 32), "action": action(1, 2)}),
    "nonce twice": (errors.Conflict, {"update": session(1, unread=1), "action": action(1, 1)}),
    "action without session": (errors.NotFound, {"action": action(3, 2)}),
    "metadata": (errors.Invalid, {**full(2, 2), "insert": session(2, metadata={"x": object()})}),
    "not a number": (errors.Invalid, {**full(2, 2), "insert": session(2, last_action_at=float("nan"))}),
    "unread": (errors.Invalid, {"update": session(1, unread=7)}),
    "outbox": (errors.Invalid, {**full(2, 2), "outbox": outgoing(2, 2, peer=None)}),
    "seen": (errors.Invalid, {**full(2, 2), "seen": (Seen(message_hash=b"x", identity=ME, at=None),)}),  # type: ignore[arg-type]
    "text": (errors.Invalid, {**full(2, 2), "outbox": outgoing(2, 2, content="\ud800")}),
    "number": (errors.Invalid, {**full(2, 2), "insert": session(2, app_version=2**64)}),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_commit_that_fails_leaves_everything_as_it_was(store: Store, path: Path, name: str) -> None:
    store.commit(Commit(**full()))
    expected, unit = FAILING[name]
    with unchanged(store), pytest.raises(expected, match=r"node\.db: "):
        store.commit(Commit(**unit))
    assert store.sessions.get(key()) == session()
    assert store.commit(Commit(update=session(unread=1), action=action(1, 3))).action_num == 2  # goes on


def test_an_exception_of_another_kind_rolls_back_too(store: Store) -> None:
    class Metadata(dict[str, Any]):
        def items(self) -> Any:
            raise KeyboardInterrupt

    store.commit(Commit(**full()))
    with unchanged(store), pytest.raises(KeyboardInterrupt):
        store.commit(Commit(update=replace(session(unread=1), metadata=Metadata(x=1))))


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(errors.Closed, match="closed"):
        store.commit(Commit(insert=session()))
    with pytest.raises(errors.Closed):
        store.sessions.get(key())


def test_payloads_that_json_cannot_say_are_kept_readable(store: Store) -> None:
    payload = {"b": b"\x00\xff", "f": float("inf"), "m": {1: [b"x"], "2": None}, "t": True}
    store.commit(Commit(insert=session(), action=action(payload=payload)))
    assert store.actions.of(key())[0].payload == {
        "b": {"$bin": "00ff"},
        "f": {"$float": "inf"},
        "m": {"$map": [[1, [{"$bin": "78"}]], ["2", None]]},
        "t": True,
    }


def test_the_signature_of_the_last_attempt_stays(store: Store) -> None:
    store.commit(Commit(insert=session(), action=action()))
    for attempt in (b"first", b"second"):
        signature = Signature(key=key(), action_num=1, message_hash=b"hash", signed=attempt)
        store.commit(Commit(signatures=(signature,)))
    assert store.actions.of(key())[0].signed == b"second"
