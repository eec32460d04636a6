"""Contacts get keys, peers come in pages, requests are kept once; blocks of the first version stay."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from lrgpnode.protocol.session import Status
from storage import schema
from storage.model import Block, Commit, Contact, Peer, Request, Trust
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, key, session

KEY = b"k" * 64


def peer(number: int, at: float, **more: Any) -> Peer:
    values: dict[str, Any] = {"name": f"p{number}", "public_key": KEY, "hops": 1, "interface": ""}
    return Peer(peer=f"{number:032x}", heard_at=at, **{**values, **more})


def request(number: int = 1, **more: Any) -> Request:
    values: dict[str, Any] = {"peer": PEER, "app_id": "chess", "envelope": b"e", "message_hash": b"h"}
    values |= {"signed": b"s", "timestamp": 1.0, "received_at": 2.0, "until": 100.0, "content": "text"}
    return Request(**{"key": key(number), **values, **more})


def test_peers_come_in_pages_also_those_heard_at_once(store: Store) -> None:
    store.book.put_peers(peer(number, float(number // 3)) for number in range(10))
    found: list[Peer] = []
    before = None
    while page := store.book.peers(4, before=before):
        found += page
        before = (page[-1].heard_at, page[-1].peer)
    assert found == list(store.book.peers(50))
    assert len(found) == 10


def test_what_is_heard_gives_a_contact_its_key_but_never_another(store: Store) -> None:
    who = peer(7, 1.0)
    store.book.put_contact(Contact(peer=who.peer, name="Bob", added_at=1.0))
    store.book.put_peers([who])
    assert store.book.contact(who.peer) == Contact(peer=who.peer, name="Bob", added_at=1.0, public_key=KEY)
    store.book.put_peers([peer(7, 2.0, public_key=b"x" * 64)])
    contact = store.book.contact(who.peer)
    assert contact is not None
    assert contact.public_key == KEY


def test_a_request_is_kept_once_and_found_by_its_beginning(store: Store) -> None:
    assert store.admission.put_request(request())
    assert not store.admission.put_request(request(peer=ME))
    assert store.admission.put_request(request(key=key(1, OTHER_ME)))
    assert store.admission.request(key()) == request()
    assert store.admission.find_requests("000") == [key(1, ME), key(1, OTHER_ME)]
    assert store.admission.find_requests("000", OTHER_ME) == [key(1, OTHER_ME)]
    assert store.admission.find_requests("1") == []
    assert store.admission.request_counts(ME, PEER) == (1, 1)
    assert store.admission.request_counts(ME, ME) == (1, 0)
    assert store.admission.expire_requests(99.0) == 0
    assert store.admission.expire_requests(100.0) == 2


def test_a_forgotten_request_stays_dead_only_if_it_was_there(store: Store) -> None:
    assert not store.admission.remove_request(key(), dead_at=1.0)
    assert not store.mail.handled(key(), b"12345678", b"h")
    store.admission.put_request(request())
    assert store.admission.remove_request(key(), dead_at=1.0)
    assert store.mail.handled(key(), b"12345678", b"h")


def test_dealings(store: Store) -> None:
    store.commit(Commit(insert=session(1, peer=PEER, initiator=PEER, status=Status.DECLINED)))
    assert not store.admission.has_dealings(PEER)
    assert store.admission.has_session(ME, PEER)
    assert not store.admission.has_session(OTHER_ME, PEER)
    store.commit(Commit(insert=session(2, peer=PEER, initiator=PEER, status=Status.ACTIVE)))
    assert store.admission.has_dealings(PEER)
    other = "d" * 32
    store.commit(Commit(insert=session(3, peer=other, initiator=ME, status=Status.EXPIRED)))
    assert store.admission.has_dealings(other)


def test_who_was_blocked_in_the_first_version_still_is(path: Path) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    schema.migrate(connection, str(path), schema.MIGRATIONS[:1])
    for hash, trust in ((PEER, "blocked"), (OTHER_ME, "trusted")):
        connection.execute("INSERT INTO contacts VALUES (?, 'Bob', ?, 5.0, ?, 'rude')", (hash, KEY, trust))
    connection.close()
    with Store(path) as store:
        assert store.admission.blocks() == [Block(peer=PEER, blocked_at=5.0, reason="rude")]
        assert [contact.trust for contact in store.book.contacts()] == [Trust.KNOWN, Trust.TRUSTED]
