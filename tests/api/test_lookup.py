"""Which identity and which session is meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from lrgpnode.api.lookup import Lookup
from lrgpnode.control.methods import ControlError
from storage.model import Commit, Contact, LocalIdentity, Peer, Role
from storage.store import Store
from tests.storage.samples import session

ANN, BOB, HOUSE = "a" * 32, "b" * 32, "c" * 32
ID = f"{1:016x}"


def lookup(*identities: LocalIdentity, store: Store | None = None, default: str = "") -> Lookup:
    own = SimpleNamespace(rows={identity.hash: identity for identity in identities}, default=default)
    return Lookup(cast("Any", None), store or Store(":memory:"), own)


def local(hash: str, name: str, **more: Any) -> LocalIdentity:
    return LocalIdentity(hash=hash, name=name, created_at=1.0, **more)


def test_without_a_word_the_only_person_is_meant() -> None:
    here = lookup(local(HOUSE, "House", role=Role.HOUSE), local(ANN, "Ann"))
    assert here.identity(None) == ANN
    assert here.identity("House") == HOUSE
    assert here.identity("cc") == HOUSE


def test_two_persons_are_one_too_many() -> None:
    with pytest.raises(ControlError, match="several identities"):
        lookup(local(ANN, "Ann"), local(BOB, "Bob")).identity(None)


def test_of_a_game_against_the_house_the_persons_side_is_meant() -> None:
    store = Store(":memory:")
    for own, peer in ((ANN, HOUSE), (HOUSE, ANN)):
        store.commit(Commit(insert=session(1, own, peer=peer)))
    here = lookup(local(ANN, "Ann"), local(HOUSE, "House", role=Role.HOUSE), store=store)
    assert here.key("00", None).identity == ANN
    assert here.key("00", "House").identity == HOUSE


def test_of_a_game_between_two_persons_none_is_chosen() -> None:
    store = Store(":memory:")
    for own, peer in ((ANN, BOB), (BOB, ANN)):
        store.commit(Commit(insert=session(1, own, peer=peer)))
    with pytest.raises(ControlError, match="More than one"):
        lookup(local(ANN, "Ann"), local(BOB, "Bob"), store=store).key("00", None)


def test_the_default_is_meant_where_there_are_several() -> None:
    here = lookup(local(ANN, "Ann"), local(BOB, "Bob"), default=BOB)
    assert here.identity(None) == BOB
    assert here.identity("ann") == ANN


def test_who_is_off_the_mesh_does_not_count() -> None:
    assert lookup(local(ANN, "Ann"), local(BOB, "Bob", enabled=False)).identity(None) == ANN


def heard(hash: str, name: str) -> Peer:
    return Peer(peer=hash, name=name, public_key=b"k" * 64, hops=1, interface="", heard_at=1.0)


@pytest.fixture
def book() -> Store:
    store = Store(":memory:")
    store.book.put_peers([heard("d" * 32, "Dora"), heard("e" * 32, "dora"), heard("f" * 32, "Günther")])
    store.book.put_peers([heard("1" * 32, "Emil"), heard("2" * 32, "")])
    return store


def test_a_peer_by_name_whatever_its_case(book: Store) -> None:
    here = lookup(local(ANN, "Ann"), store=book)
    assert here.peer("EMIL") == "1" * 32
    assert here.peer("GÜNTHER") == "f" * 32
    assert here.peer("ann") == ANN
    assert here.peer("22") == "2" * 32
    assert here.peer("A" * 31 + "B") == "a" * 31 + "b"


def test_a_name_of_two_is_nobodys(book: Store) -> None:
    with pytest.raises(ControlError, match="'Dora' means 2: dddddddd, eeeeeeee"):
        lookup(store=book).peer("Dora")


def test_the_address_book_cannot_be_imitated(book: Store) -> None:
    book.book.put_contact(Contact(peer="9" * 32, name="Dora", added_at=1.0))
    assert lookup(store=book).peer("dora") == "9" * 32
    assert lookup(store=book).name("9" * 32) == "Dora"
    assert lookup(store=book).name("d" * 32) == "Dora"
    assert lookup(store=book).name("8" * 32) == ""


def test_a_contact_is_meant_by_its_own_name_too_unless_another_has_that(book: Store) -> None:
    book.book.put_contact(Contact(peer="1" * 32, name="Neighbour", added_at=1.0))
    here = lookup(store=book)
    assert here.peer("emil") == here.peer("neighbour") == "1" * 32
    assert (here.name("1" * 32), here.own_name("1" * 32)) == ("Neighbour", "Emil")
    assert here.own_name("f" * 32) == here.own_name("8" * 32) == ""
    book.book.put_peers([heard("7" * 32, "Emil")])
    with pytest.raises(ControlError, match="'Emil' means 2"):
        here.peer("Emil")


def test_near_names_are_offered_cleaned(book: Store) -> None:
    with pytest.raises(ControlError, match="no peer 'Emli'") as caught:
        lookup(store=book).peer("Emli")
    assert caught.value.hint.startswith("Did you mean Emil? ")
    book.book.put_peers([heard("3" * 32, "Evil\x1b[2J")])
    with pytest.raises(ControlError) as caught:
        lookup(store=book).peer("Evil[2")
    assert "\x1b" not in caught.value.hint


def test_a_name_that_looks_like_somebodys_hash_catches_nobody(book: Store) -> None:
    book.book.put_peers([heard("4" * 32, "1111")])
    here = lookup(store=book)
    with pytest.raises(ControlError, match="'1111' means 2: 11111111, 44444444"):
        here.peer("1111")
    assert here.peer("11111") == "1" * 32
    # In the address book it is the person's own choice.
    book.book.put_contact(Contact(peer="4" * 32, name="1111", added_at=1.0))
    assert lookup(store=book).peer("1111") == "4" * 32
