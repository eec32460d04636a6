"""Texts: kept once, bounded, with the state of their outbox row, and gone with their identity."""

from __future__ import annotations

from unittest.mock import patch

from lrgpnode.protocol.game import Delivery
from storage import messages
from storage.messages import lane
from storage.model import (
    Block,
    Commit,
    NewMessage,
    NewOutbox,
    OutboxChange,
    OutboxState,
    Request,
)
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, key, outgoing, session

EVE = "e" * 32


def text(number: int = 1, **values: object) -> NewMessage:
    fields: dict[str, object] = {
        "identity": ME,
        "peer": PEER,
        "own": False,
        "text": f"text {number}",
        "at": 1000.0 + number,
        "sent_at": 900.0,
        "message_hash": number.to_bytes(32, "big"),
    }
    return NewMessage(**{**fields, **values})  # type: ignore[arg-type]


def put(store: Store, number: int = 1, **values: object) -> int | None:
    return store.commit(Commit(message=text(number, **values))).message_id


def write(store: Store, number: int = 1, peer: str = PEER) -> tuple[int, int]:
    """A text of ours: its number and that of its row."""
    row = NewOutbox(
        key=lane(ME, peer),
        peer=peer,
        command="text",
        envelope=b"",
        content=f"text {number}",
        delivery=Delivery.OPPORTUNISTIC,
        created_at=1000.0,
    )
    new = text(number, own=True, peer=peer, message_hash=None)
    committed = store.commit(Commit(outbox=row, message=new))
    assert committed.message_id is not None
    assert committed.outbox_id is not None
    return committed.message_id, committed.outbox_id


def change(store: Store, row: int, state: OutboxState, reason: str = "") -> None:
    store.commit(Commit(outbox_changes=(OutboxChange(id=row, state=state, at=2000.0, reason=reason),)))


def test_a_text_is_kept_once_and_read_once(store: Store) -> None:
    assert put(store) == 1
    assert put(store) is None
    assert put(store, identity=OTHER_ME) is not None
    newest = put(store, 2)
    assert newest is not None
    assert [message.text for message in store.messages.page(ME, PEER)] == ["text 2", "text 1"]
    assert [message.id for message in store.messages.page(ME, PEER, limit=1)] == [newest]
    assert [message.id for message in store.messages.page(ME, PEER, before=newest)] == [1]
    assert store.messages.unread() == 3
    assert store.messages.read(ME, PEER, 1) == 1
    assert store.messages.read(ME, PEER, 1) == 0
    (first, second) = store.messages.threads()
    assert (first.last.id, first.texts, first.unread) == (newest, 2, 1)
    assert (second.last.identity, second.unread) == (OTHER_ME, 1)
    assert store.messages.threads(before=newest, limit=1) == [second]
    assert store.messages.threads(ME) == [first]


def test_each_conversation_and_the_whole_are_bounded_and_the_oldest_go(store: Store) -> None:
    with patch.object(messages, "KEPT_OF_PEER", 3), patch.object(messages, "KEPT", 5):
        for number in range(1, 8):
            put(store, number)
        assert [message.text for message in store.messages.page(ME, PEER)] == ["text 7", "text 6", "text 5"]
        for number in range(10, 14):
            put(store, number, peer=EVE)
        kept = store.database.all("SELECT text FROM messages ORDER BY id")
        assert [row[0] for row in kept] == ["text 6", "text 7", "text 11", "text 12", "text 13"]


def test_what_is_still_to_be_sent_does_not_go_and_what_goes_takes_its_row_along(store: Store) -> None:
    (waiting, _), (done, row) = write(store, 1), write(store, 2)
    change(store, row, OutboxState.CONFIRMED)
    with patch.object(messages, "KEPT_OF_PEER", 1), patch.object(messages, "KEPT", 1):
        put(store, 3)
    assert store.messages.get(waiting) is not None
    assert store.messages.get(done) is None
    assert store.outbox.get(row) is None
    assert len(store.outbox.pending()) == 1


def test_the_state_of_the_row_is_that_of_the_text_and_a_move_has_none(store: Store) -> None:
    id, row = write(store)
    assert store.messages.get(id).state is OutboxState.QUEUED  # type: ignore[union-attr]
    change(store, row, OutboxState.FAILED, "no path")
    message = store.messages.get(id)
    assert message is not None
    assert (message.state, message.reason) == (OutboxState.FAILED, "no path")
    assert store.messages.unsent(ME, PEER) == 1
    change(store, row, OutboxState.CONFIRMED)
    change(store, row, OutboxState.FAILED, "late news")
    assert store.messages.get(id).state is OutboxState.CONFIRMED  # type: ignore[union-attr]
    assert store.messages.unsent(ME, PEER) == 0
    store.sessions.insert(session(1))
    move = store.outbox.add(outgoing())
    change(store, move, OutboxState.FAILED)
    assert store.messages.get(id).state is OutboxState.CONFIRMED  # type: ignore[union-attr]


def request(store: Store, number: int = 1, peer: str = EVE) -> Request:
    new = Request(
        key=key(number),
        peer=peer,
        app_id="ttt",
        envelope=b"e",
        message_hash=b"h",
        signed=b"s",
        timestamp=1.0,
        received_at=1.0,
        until=50.0,
    )
    assert store.admission.put_request(new)
    return new


def test_what_a_stranger_wrote_is_not_seen_and_goes_with_his_last_challenge(store: Store) -> None:
    request(store, 1), request(store, 2)
    put(store, 1, peer=EVE, held=True)
    assert store.messages.holds(ME, EVE)
    assert not store.messages.page(ME, EVE)
    assert not store.messages.threads()
    assert store.messages.unread() == 0
    store.admission.remove_request(key(1), dead_at=5.0)
    assert store.messages.holds(ME, EVE)
    store.admission.expire_requests(100.0)
    assert not store.messages.holds(ME, EVE)


def test_a_stranger_that_is_let_in_has_written_already_and_one_that_is_blocked_has_not(store: Store) -> None:
    request(store, 1), request(store, 2, PEER)
    id = put(store, 1, peer=EVE, held=True)
    put(store, 2, held=True)
    assert store.messages.release(ME, EVE) == [id]
    assert [message.id for message in store.messages.page(ME, EVE)] == [id]
    store.admission.put_block(Block(peer=PEER, blocked_at=1.0))
    assert not store.messages.holds(ME, PEER)


def test_few_texts_of_strangers_wait(store: Store) -> None:
    for number in range(messages.HELD_OF_PEER):
        assert store.messages.may_hold(ME, EVE)
        put(store, number, peer=EVE, held=True)
    assert not store.messages.may_hold(ME, EVE)
    assert store.messages.may_hold(ME, PEER)
    for number in range(100, 100 + messages.HELD):
        put(store, number, peer=f"{number:032x}", held=True)
    assert not store.messages.may_hold(ME, PEER)


def test_texts_go_with_their_identity(store: Store) -> None:
    put(store)
    write(store, 2)
    put(store, 3, identity=OTHER_ME)
    assert lane(ME, PEER) in store.delete_identity(ME)
    assert not store.messages.page(ME, PEER)
    assert store.messages.page(OTHER_ME, PEER)
    assert not store.outbox.pending()


def test_texts_of_the_future_are_of_now_once_the_clock_is_right(store: Store) -> None:
    id = put(store, 5000)
    store.put_times_right(2000.0)
    assert store.messages.get(id or 0).at == 2000.0  # type: ignore[union-attr]
