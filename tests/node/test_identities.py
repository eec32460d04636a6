"""Changes of identities that fail half-way leave nothing behind, or say what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from lrgpnode.mesh import identity as keys
from lrgpnode.mesh.identity import IdentityError
from lrgpnode.node.identities import MOST, Identities
from storage.errors import StorageError
from storage.model import Role
from storage.store import Store
from storage.writer import Writer


class Mesh:
    """Notes what it is asked, and fails where a test wants it to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.error: Exception | None = None

    def _done(self, *asked: str) -> Future[None]:
        self.asked.append(asked)
        future: Future[None] = Future()
        if self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(None)
        return future

    def open_identity(
        self, identity: keys.LocalIdentity, display_name: str, *, silent: bool = False
    ) -> Future[None]:
        return self._done("open", identity.hash, display_name)

    def close_identity(self, identity: str) -> Future[None]:
        return self._done("close", identity)

    def erase_identity(self, identity: str) -> Future[None]:
        return self._done("erase", identity)

    async def forget(self, identity: str) -> None:
        self.asked.append(("forget", identity))

    def pause(self, identity: str) -> None:
        self.asked.append(("pause", identity))

    def unpause(self, identity: str) -> None:
        self.asked.append(("unpause", identity))

    def rename_identity(self, identity: str, display_name: str) -> Future[None]:
        return self._done("rename", identity, display_name)


class Place:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = Store(path / "node.db")
        self.writer = Writer(self.store)
        self.mesh = Mesh()
        self.told: list[str] = []
        self.own = self.load()

    def load(self) -> Identities:
        own = Identities(self.path / "identities", self.store, lambda: "pi")
        own.attach(self.writer, self.mesh, self.mesh, lambda type, fields: self.told.append(type))
        return own

    def do(self, work: Any) -> Any:
        async def main() -> Any:
            return await work

        return asyncio.run(main())

    @property
    def files(self) -> set[str]:
        return {path.name for path in (self.path / "identities").iterdir()}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.writer.close()
    place.store.close()


def test_the_first_run_makes_one(place: Place) -> None:
    assert [row.name for row in place.own.rows.values()] == ["pi"]
    assert place.files == set(place.own.rows)
    assert dict(place.load().rows) == dict(place.own.rows)


def test_key_files_that_somebody_put_there_are_identities_with_names_of_their_own(place: Place) -> None:
    for _ in range(2):
        keys.create(place.path / "identities")
    assert sorted(row.name for row in place.load().rows.values()) == ["pi", "pi 2", "pi 3"]


def test_what_cannot_be_stored_leaves_no_file(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = place.files

    def fail(row: object) -> None:
        raise StorageError("full")

    with monkeypatch.context() as patch:
        patch.setattr(place.store.book, "put_identity", fail)
        with pytest.raises(StorageError):
            place.do(place.own.create("Ann"))
    assert place.files == before
    assert place.mesh.asked == []
    assert place.do(place.own.create("Ann")).name == "Ann"


def test_where_reticulum_fails_it_is_there_at_the_next_start(place: Place) -> None:
    place.mesh.error = RuntimeError("no")
    with pytest.raises(IdentityError, match="it is stored, but Reticulum failed: no"):
        place.do(place.own.create("Ann"))
    assert "Ann" in [row.name for row in place.load().rows.values()]


def test_what_is_changed_is_told_and_kept(place: Place) -> None:
    ann = place.do(place.own.create("Ann"))
    house = place.do(place.own.create("House", Role.HOUSE))
    place.do(place.own.disable(ann.hash))
    place.do(place.own.disable(ann.hash))
    place.do(place.own.rename(ann.hash, "Anna"))
    place.do(place.own.set_default(ann.hash))
    assert place.mesh.asked[4:] == [("pause", ann.hash), ("close", ann.hash), ("rename", ann.hash, "Anna")]
    assert set(place.told) == {"identity.changed"}
    again = place.load()
    assert again.resting == (ann.hash,)
    assert again.rows[ann.hash].name == "Anna"
    assert again.rows[house.hash].role is Role.HOUSE
    assert again.default == ann.hash
    assert {key.hash for key in again.active} == set(again.rows) - {ann.hash}
    place.do(place.own.enable(ann.hash))
    assert place.mesh.asked[-2:] == [("open", ann.hash, "Anna"), ("unpause", ann.hash)]
    place.do(place.own.set_default(None))
    assert place.load().default == ""


def test_a_deleted_one_is_gone_for_good_but_the_last_person_stays(place: Place) -> None:
    (first,) = place.own.rows
    with pytest.raises(IdentityError, match="the only one"):
        place.do(place.own.delete(first))
    ann = place.do(place.own.create("Ann"))
    place.do(place.own.set_default(ann.hash))
    place.mesh.asked.clear()
    place.do(place.own.delete(ann.hash))
    assert [what for what, *_ in place.mesh.asked] == ["pause", "close", "forget", "erase"]
    assert place.told[-1] == "identity.deleted"
    assert place.files == set(place.own.rows) == set(place.load().rows) == {first}
    assert [row.hash for row in place.store.book.identities()] == [first]
    assert place.own.default == ""
    assert place.do(place.own.create("Ann")).hash != ann.hash


def test_a_deletion_that_fails_can_be_done_again(place: Place) -> None:
    ann = place.do(place.own.create("Ann"))
    place.mesh.error = RuntimeError("no")
    with pytest.raises(IdentityError):
        place.do(place.own.delete(ann.hash))
    again = place.load()
    assert again.resting == (ann.hash,)
    place.mesh.error = None
    place.do(again.delete(ann.hash))
    assert ann.hash not in place.files


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\x1bb", "a\nb", "PI"])
def test_names_that_cannot_be(place: Place, name: str) -> None:
    with pytest.raises(IdentityError):
        place.do(place.own.create(name))
    own = next(iter(place.own.rows))
    assert place.do(place.own.rename(own, "Pi")).name == "Pi"


def test_there_is_a_most(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lrgpnode.node.identities.MOST", 2)
    assert MOST > 2
    place.do(place.own.create("Ann"))
    with pytest.raises(IdentityError, match="at most 2"):
        place.do(place.own.create("Ben"))


def test_its_key_is_nowhere_but_in_its_file(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    key = keys.generate()
    place.do(place.own.bring_in(key.key, "Old"))
    with pytest.raises(IdentityError, match="64 bytes"):
        place.do(place.own.bring_in(key.key[:63], "Short"))
    assert key.key.hex() not in caplog.text + repr(place.own.loaded(key.hash))
    place.store.database.one("PRAGMA wal_checkpoint")
    assert key.key not in (place.path / "node.db").read_bytes()


def test_a_key_that_cannot_be_written_leaves_no_row(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row comes first: without it a killed node would take the house's key for a person's."""
    stored_first: list[bool] = []

    def fail(directory: Path, identity: keys.LocalIdentity) -> Path:
        rows = {row.hash: row.role for row in place.store.book.identities()}
        stored_first.append(rows.get(identity.hash) is Role.HOUSE)
        raise IdentityError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(keys, "save", fail)
        with pytest.raises(IdentityError, match="full"):
            place.do(place.own.create("house", Role.HOUSE))
    assert stored_first == [True]
    assert len(place.store.book.identities()) == len(place.own.rows) == 1
    assert place.do(place.own.create("house", Role.HOUSE)).role is Role.HOUSE
