"""Outbox, replay entries, handled hashes, parked mail; and the address book."""

from __future__ import annotations

from pathlib import Path

import pytest

from lrgpnode.protocol.replay import ReplayEntry
from storage import errors
from storage.mail import KEPT_NONCES
from storage.model import (
    Commit,
    Contact,
    KeptNonce,
    LocalIdentity,
    NewParked,
    OutboxChange,
    OutboxState,
    Peer,
    Role,
    Seen,
    Trust,
)
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, action, key, outgoing, session


class TestOutbox:
    def test_resumes_in_the_order_of_commits(self, store: Store, path: Path) -> None:
        for number in (1, 2):
            store.commit(Commit(insert=session(number)))
        for nonce, number in enumerate((2, 1, 2)):
            store.commit(Commit(action=action(number, nonce), outbox=outgoing(number, nonce)))
        store.outbox.set_state(
            OutboxChange(id=2, state=OutboxState.DROPPED, at=5.0, reason="the game is over")
        )
        store.close()
        with Store(path) as again:
            assert [(row.id, row.key, row.action_num) for row in again.outbox.pending()] == [
                (1, key(2), 1),
                (3, key(2), 2),
            ]
            dropped = again.outbox.get(2)
            assert dropped is not None
            assert (dropped.state, dropped.reason) == (OutboxState.DROPPED, "the game is over")

    def test_states_attempts_and_counts(self, store: Store) -> None:
        store.commit(Commit(insert=session(), action=action(), outbox=outgoing()))
        sending = OutboxChange(id=1, state=OutboxState.SENDING, at=5.0, attempted=(5.0,))
        failed = OutboxChange(id=1, state=OutboxState.FAILED, at=6.0, reason="no path", next_attempt_at=60.0)
        assert store.outbox.set_state(sending, failed, durable=False) == 1 + 1
        (row,) = store.outbox.pending()
        assert (row.state, row.attempts, row.reason) == (OutboxState.FAILED, 1, "no path")
        assert (row.updated_at, row.next_attempt_at) == (6.0, 60.0)
        assert store.outbox.counts() == {OutboxState.FAILED: 1}
        assert store.database._writer.execute("PRAGMA synchronous").fetchone() == (2,)

    def test_late_news_do_not_open_what_is_final(self, store: Store) -> None:
        store.commit(Commit(insert=session(), outbox=outgoing()))
        assert store.outbox.set_state(OutboxChange(id=1, state=OutboxState.CONFIRMED, at=5.0)) == 1
        assert store.outbox.set_state(OutboxChange(id=1, state=OutboxState.FAILED, at=6.0)) == 0
        assert store.outbox.pending() == []

    def test_the_confirmed_end_of_a_game_confirms_what_was_delivered_before(self, store: Store) -> None:
        store.commit(Commit(insert=session(1)))
        store.commit(Commit(insert=session(2)))
        for nonce, number in enumerate((1, 1, 2, 1, 1)):
            store.commit(Commit(action=action(number, nonce), outbox=outgoing(number, nonce)))
        store.outbox.set_state(
            *(OutboxChange(id=id, state=OutboxState.DELIVERED, at=5.0) for id in (1, 3, 5)),
            OutboxChange(id=4, state=OutboxState.CONFIRMED, at=6.0),
        )
        assert [(row.id, row.state) for row in store.outbox.pending()] == [
            (2, OutboxState.QUEUED),
            (3, OutboxState.DELIVERED),
            (5, OutboxState.DELIVERED),
        ]

    def test_an_expired_session_leaves_nothing_open(self, store: Store) -> None:
        store.commit(Commit(insert=session(1)))
        store.commit(Commit(insert=session(2)))
        for nonce, number in enumerate((1, 1, 2)):
            store.commit(Commit(action=action(number, nonce), outbox=outgoing(number, nonce)))
        store.outbox.set_state(OutboxChange(id=1, state=OutboxState.DELIVERED, at=5.0))
        store.commit(Commit(expired=(session(1).expired(9.0),)))
        assert [row.id for row in store.outbox.pending()] == [3]
        assert [(row.state, row.reason) for row in store.outbox.of(key(1))] == [
            (OutboxState.CONFIRMED, ""),
            (OutboxState.DROPPED, "the session has expired"),
        ]

    def test_an_id_is_never_used_again(self, store: Store) -> None:
        store.commit(Commit(insert=session(), outbox=outgoing()))
        store.sessions.delete(key())
        store.commit(Commit(insert=session()))
        assert store.outbox.add(outgoing()) == 2

    def test_an_unknown_row(self, store: Store) -> None:
        assert store.outbox.get(7) is None
        assert store.outbox.set_state(OutboxChange(id=7, state=OutboxState.SENT, at=5.0)) == 0

    @pytest.mark.parametrize("state", OutboxState)
    def test_the_index_knows_which_states_are_open(self, store: Store, state: OutboxState) -> None:
        store.commit(Commit(insert=session(), outbox=outgoing()))
        store.outbox.set_state(OutboxChange(id=1, state=state, at=5.0))
        assert bool(store.outbox.pending()) == state.open


def entries(*numbers: int) -> list[ReplayEntry]:
    return [ReplayEntry(ME, key().session_id, number.to_bytes(8, "big"), float(number)) for number in numbers]


class TestReplay:
    def test_only_what_still_counts_is_loaded_in_order(self, store: Store) -> None:
        store.mail.record_replay(entries(3, 100, 200, 700))
        assert store.mail.load_replay(701.0) == entries(200, 700)
        assert store.mail.load_replay(700.0) == entries(100, 200, 700)

    def test_an_entry_recorded_again_is_young(self, store: Store) -> None:
        store.mail.record_replay(entries(1, 2))
        again = ReplayEntry(ME, key().session_id, (1).to_bytes(8, "big"), 650.0)
        store.mail.record_replay([again])
        assert store.mail.load_replay(651.0) == [again]

    def test_after_a_reboot_entries_count_from_the_start(self, store: Store, path: Path) -> None:
        store.mail.record_replay(entries(5000, 6000))
        store.close()
        with Store(path, boot_id="boot-2") as again:
            loaded = again.mail.load_replay(20.0)
            assert [(entry.nonce, entry.recorded) for entry in loaded] == [
                (entry.nonce, 20.0) for entry in entries(5000, 6000)
            ]
            assert again.mail.load_replay(621.0) == []

    def test_pruning_in_batches(self, store: Store) -> None:
        store.mail.record_replay(entries(*range(10)))
        assert store.mail.prune(replay_before=7.0, batch=5) == 5
        assert store.mail.prune(replay_before=7.0, batch=5) == 2
        assert store.mail.prune(replay_before=7.0, batch=5) == 0
        assert store.mail.load_replay(10.0) == entries(7, 8, 9)

    def test_forgetting_one(self, store: Store) -> None:
        store.commit(Commit(replay=tuple(entries(1, 2))))
        store.commit(Commit(forget=tuple(entries(1))))
        assert store.mail.load_replay(3.0) == entries(2)


def test_seen_hashes_and_their_end(store: Store) -> None:
    messages = tuple(Seen(message_hash=bytes([n]), identity=ME, at=float(n)) for n in range(10))
    store.commit(Commit(seen=(*messages, messages[0])))
    assert store.mail.seen(ME, b"\x03")
    assert not store.mail.seen(OTHER_ME, b"\x03")
    assert store.mail.prune(seen_before=5.0, batch=3) == 3
    assert store.mail.prune(seen_before=5.0) == 2
    assert [store.mail.seen(ME, bytes([n])) for n in range(10)] == [False] * 5 + [True] * 5


def test_tombstones_end(store: Store) -> None:
    for number in (1, 2):
        store.sessions.insert(session(number))
        store.sessions.delete(key(number), float(number))
    assert store.mail.prune(tombstones_before=2.0) == 1
    assert [store.sessions.deleted(key(number)) for number in (1, 2)] == [False, True]


def test_parked_messages(store: Store) -> None:
    def parked(number: int, until: float, **values: str) -> NewParked:
        return NewParked(
            key=key(number),
            sender=values.get("sender", PEER),
            command=values.get("command", "decline"),
            nonce=number.to_bytes(8, "big"),
            envelope=b"e",
            timestamp=1.0,
            parked_at=1.0,
            until=until,
            signed=b"signed",
        )

    for number, until in ((1, 30.0), (2, 10.0), (3, 20.0)):
        store.commit(Commit(park=parked(number, until)))
    store.commit(Commit(park=parked(4, 40.0, sender="d" * 32)))
    assert dict(store.mail.parked_until()) == {key(n): t for n, t in enumerate((30.0, 10.0, 20.0, 40.0), 1)}
    assert [each.signed for each in store.mail.parked(key(2))] == [b"signed"]
    assert store.mail.parked_count(ME, "decline") == 4
    assert store.mail.parked_count(ME, "decline", PEER) == 3
    assert store.mail.parked_count(ME, "move") == store.mail.parked_count(OTHER_ME, "decline") == 0


def test_contacts(store: Store) -> None:
    store.book.put_contact(Contact(peer=PEER, name="Bo", added_at=1.0, public_key=b"k" * 64))
    store.book.put_contact(Contact(peer="d" * 32, name="Al", added_at=2.0, trust=Trust.TRUSTED))
    store.book.put_contact(Contact(peer=PEER, name="Bob", added_at=9.0, note="chess"))
    bob = Contact(peer=PEER, name="Bob", added_at=1.0, public_key=b"k" * 64, note="chess")
    assert store.book.contact(PEER) == bob
    assert [each.name for each in store.book.contacts()] == ["Al", "Bob"]
    assert store.book.remove_contact(PEER)
    assert not store.book.remove_contact(PEER)
    with pytest.raises(errors.Invalid):
        store.book.put_contact(Contact(peer=PEER, name="Bo", added_at=1.0, public_key=b"short"))


def test_peers_heard(store: Store) -> None:
    def peer(number: int, **values: bool) -> Peer:
        return Peer(
            peer=f"{number:032x}",
            name=f"n{number}",
            public_key=b"k" * 64,
            hops=1,
            interface="LoRa",
            heard_at=float(number),
            games=values.get("games"),
        )

    store.book.put_peers([peer(1, games=True), peer(2, games=False), peer(3)])
    assert store.book.peers(2) == [peer(3), peer(2, games=False)]
    store.book.put_peers([peer(4)], keep=2)
    assert store.book.peers() == [peer(4), peer(3)]
    assert store.book.peer(peer(1).peer) is None
    assert store.book.peer(peer(4).peer) == peer(4)
    store.commit(Commit(insert=session(peer=peer(3).peer, initiator=ME)))
    store.book.put_peers([peer(5), peer(6)], keep=2)
    assert store.book.peers() == [peer(6), peer(5), peer(3)]  # the key of a player stays


def test_identities_and_meta(store: Store) -> None:
    store.book.put_identity(LocalIdentity(hash=ME, name="Ann", created_at=1.0))
    store.book.put_identity(LocalIdentity(hash=ME, name="Anna", created_at=5.0, enabled=False))
    assert store.book.identities() == [LocalIdentity(hash=ME, name="Anna", created_at=1.0, enabled=False)]
    house = LocalIdentity(hash=PEER, name="House", created_at=2.0, role=Role.HOUSE)
    store.book.put_identity(house)
    assert store.book.identities()[1] == house
    assert store.book.remove_identity(ME)
    assert store.book.meta("clock") is None
    store.book.put_meta("clock", "1")
    store.book.put_meta("clock", "2")
    assert store.book.meta("clock") == "2"


class TestSendingAgain:
    def test_attempts_are_counted_and_remembered_for_a_day(self, store: Store) -> None:
        for number in (1, 2):
            store.commit(
                Commit(
                    insert=session(number),
                    action=action(number, number),
                    outbox=outgoing(number, number, attempts=1),
                )
            )
        for at in (100.0, 200.0, 86_350.0):
            failed = OutboxChange(id=1, state=OutboxState.FAILED, at=at, attempted=(at,))
            store.outbox.set_state(failed)
        store.outbox.set_state(OutboxChange(id=2, state=OutboxState.CONFIRMED, at=200.0, attempted=(200.0,)))
        rows = {row.id: row.attempts for number in (1, 2) for row in store.outbox.of(key(number))}
        assert rows == {1: 4, 2: 2}
        # Of open rows only, and not for ever.
        assert list(store.outbox.attempts(150.0)) == [(key(1), 200.0), (key(1), 86_350.0)]
        store.outbox.set_state(
            OutboxChange(id=1, state=OutboxState.FAILED, at=86_550.0, attempted=(86_550.0,))
        )
        assert [at for _, at in store.outbox.attempts(0.0)] == [200.0, 86_350.0, 86_550.0]

    def test_what_is_unconfirmed_is_told_from_what_waits(self, store: Store) -> None:
        states = (OutboxState.DELIVERED, OutboxState.STORED, OutboxState.FAILED, OutboxState.CONFIRMED)
        for number, state in enumerate(states, 1):
            store.commit(
                Commit(insert=session(number), action=action(number, number), outbox=outgoing(number, number))
            )
            store.outbox.set_state(OutboxChange(id=number, state=state, at=5.0, next_attempt_at=9.0))
        assert [(left.key, left.stored, left.next_attempt_at) for left in store.outbox.unconfirmed()] == [
            (key(1), False, 9.0),
            (key(2), True, 9.0),
        ]
        assert [row.id for row in store.outbox.waiting()] == [3]
        assert [row.id for row in store.outbox.page(limit=2)] == [1, 2]
        assert [row.id for row in store.outbox.page(after=2)] == [3]
        assert [row.id for row in store.outbox.page_of_all(before=4, limit=2)] == [3, 2]

    def test_an_offer_that_has_not_arrived_is_dropped_with_the_opponents_move(self, store: Store) -> None:
        store.commit(Commit(insert=session(), action=action(1, 1), outbox=outgoing(1, 1)))
        offer = outgoing(1, 2, command="draw_offer")
        store.commit(Commit(update=session(), action=action(1, 2), outbox=offer))
        store.commit(Commit(update=session(), action=action(1, 3), settle=key(), withdraw=True))
        assert [str(row.state) for row in store.outbox.of(key())] == ["confirmed", "dropped"]

    def test_nonces_of_refused_actions_are_kept_up_to_a_limit(self, store: Store) -> None:
        store.commit(Commit(insert=session()))
        for n in range(KEPT_NONCES + 10):
            store.commit(Commit(keep=(KeptNonce(key=key(), nonce=n.to_bytes(8, "big")),)))
        kept = [
            store.actions.has_nonce(key().identity, key().session_id, n.to_bytes(8, "big"))
            for n in range(KEPT_NONCES + 10)
        ]
        assert kept == [True] * KEPT_NONCES + [False] * 10
