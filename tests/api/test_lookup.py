"""Which identity and which session is meant."""

from __future__ import annotations

from typing import Any, cast

import pytest

from lrgpnode.api.lookup import Lookup
from lrgpnode.control.methods import ControlError
from storage.model import Commit, LocalIdentity, Role
from storage.store import Store
from tests.storage.samples import session

ANN, BOB, HOUSE = "a" * 32, "b" * 32, "c" * 32
ID = f"{1:016x}"


def lookup(*identities: LocalIdentity, store: Store | None = None) -> Lookup:
    return Lookup(cast("Any", None), store or Store(":memory:"), identities)


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
