"""``SessionTable``: what the router reads, and the rules of spec §16 for changing sessions."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from lrgpnode.protocol.replay import ReplayEntry
from lrgpnode.protocol.session import Sessions, Status
from storage import errors
from storage.cache import SessionCache
from storage.model import Commit, Flag, KeptNonce, Seen
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, action, key, outgoing, session


def test_it_is_what_the_router_asks_for(store: Store) -> None:
    sessions: Sessions = store.sessions
    assert sessions.get(key()) is None


def test_what_was_inserted_is_there_after_a_restart(store: Store, path: object) -> None:
    value = session(metadata={"text": "Zuge \u265e \ud800", "n": 2**70, "f": 0.1, "null": None, "list": [[]]})
    store.sessions.insert(value)
    store.close()
    with Store(path) as again:  # type: ignore[arg-type]
        assert again.sessions.get(value.key) == value


def test_a_second_insert_fails_even_if_it_is_identical(store: Store) -> None:
    store.sessions.insert(session())
    with pytest.raises(errors.Conflict, match=r"node\.db"):
        store.sessions.insert(session())
    with pytest.raises(errors.Conflict):
        store.sessions.insert(session(peer="d" * 32))
    assert store.sessions.get(key()) == session()


def test_the_same_session_id_of_another_identity_is_another_session(store: Store) -> None:
    store.sessions.insert(session())
    store.sessions.insert(session(identity=OTHER_ME, status=Status.COMPLETED))
    assert store.sessions.delete(key())
    assert store.sessions.get(key(identity=OTHER_ME)) == session(identity=OTHER_ME, status=Status.COMPLETED)


class TestUpdate:
    def test_mutable_columns(self, store: Store) -> None:
        store.sessions.insert(session())
        columns: dict[str, Any] = {
            "status": "completed",
            "metadata": {"x": 1},
            "unread": 1,
            "updated_at": 5.0,
            "last_action_at": 6.0,
        }
        expected = replace(session(), **{**columns, "status": Status.COMPLETED})
        assert store.sessions.update(key(), columns) == expected
        assert store.sessions.get(key()) == expected

    @pytest.mark.parametrize(
        "column",
        ["session_id", "identity_id", "app_id", "app_version", "contact_hash", "initiator", "created_at"],
    )
    def test_one_forbidden_column_refuses_all(self, store: Store, column: str) -> None:
        store.sessions.insert(session())
        with pytest.raises(errors.Forbidden, match=column):
            store.sessions.update(key(), {"unread": 1, column: "x"})
        assert store.sessions.get(key()) == session()

    def test_of_nothing(self, store: Store) -> None:
        with pytest.raises(errors.NotFound, match=key().session_id):
            store.sessions.update(key(), {"unread": 1})

    @pytest.mark.parametrize(
        "columns",
        [
            {"status": "won"},
            {"unread": 2},
            {"metadata": ["list"]},
            {"metadata": {"x": b""}},
            {"updated_at": float("nan")},
        ],
    )
    def test_values_that_do_not_fit(self, store: Store, columns: dict[str, object]) -> None:
        store.sessions.insert(session())
        with pytest.raises(errors.Invalid):
            store.sessions.update(key(), columns)
        assert store.sessions.get(key()) == session()

    @pytest.mark.parametrize(
        "change",
        [{"peer": "d" * 32}, {"initiator": ME}, {"app_id": "ttt"}, {"app_version": 2}, {"created_at": 1.0}],
    )
    def test_a_commit_cannot_change_the_binding(self, store: Store, change: dict[str, object]) -> None:
        store.sessions.insert(session())
        with pytest.raises(errors.Forbidden, match="never changes"):
            store.commit(Commit(update=replace(session(unread=1), **change), action=action()))  # type: ignore[arg-type]
        assert store.sessions.get(key()) == session()
        assert store.actions.of(key()) == []


class TestDelete:
    def test_takes_everything_of_this_session_and_nothing_else(self, store: Store) -> None:
        for number in (1, 2):
            store.commit(
                Commit(
                    insert=session(number),
                    action=action(number, number),
                    outbox=outgoing(number, number),
                    seen=(Seen(message_hash=b"h", identity=ME, at=1.0),),
                    replay=(ReplayEntry(ME, key(number).session_id, b"replayed", 5.0),),
                    keep=(KeptNonce(key=key(number), nonce=b"refused!"),),
                    flags=(Flag(key=key(number), flag="out_of_sync", reason="", at=1.0),),
                )
            )
        assert store.sessions.delete(key(1), 2000.0)
        assert (store.sessions.get(key(1)), store.actions.of(key(1)), store.outbox.of(key(1))) == (
            None,
            [],
            [],
        )
        assert store.sessions.get(key(2)) == session(2)
        assert len(store.actions.of(key(2))) == len(store.outbox.of(key(2))) == 1
        assert [each.session_id for each in store.mail.load_replay(6.0)] == [key(2).session_id]
        assert not store.actions.has_nonce(ME, key(1).session_id, b"refused!")
        assert store.actions.has_nonce(ME, key(2).session_id, b"refused!")
        assert [len(store.mail.flags(key(n))) for n in (1, 2)] == [0, 1]
        assert store.mail.seen(ME, b"h")
        assert store.sessions.deleted(key(1))
        assert not store.sessions.deleted(key(2))

    def test_without_a_time_leaves_no_tombstone(self, store: Store) -> None:
        store.sessions.insert(session())
        assert store.sessions.delete(key())
        assert not store.sessions.deleted(key())

    def test_of_nothing(self, store: Store) -> None:
        assert not store.sessions.delete(key(), 2000.0)
        assert not store.sessions.deleted(key())

    def test_a_session_that_is_put_back_is_not_deleted_any_more(self, store: Store) -> None:
        store.sessions.insert(session())
        store.sessions.delete(key(), 2000.0)
        store.sessions.insert(session())
        assert not store.sessions.deleted(key())


class TestCounting:
    def test_pending(self, store: Store) -> None:
        for number in range(6):
            peer = PEER if number % 2 else "d" * 32
            store.sessions.insert(
                session(number, status=Status.PENDING, peer=peer, last_action_at=float(number))
            )
        store.sessions.insert(session(6, status=Status.ACTIVE, last_action_at=9.0))
        store.sessions.insert(session(0, OTHER_ME, status=Status.PENDING, last_action_at=9.0))
        assert store.sessions.pending_count(ME, None, 0.0) == 6
        assert store.sessions.pending_count(ME, None, 3.0) == 3
        assert store.sessions.pending_count(ME, PEER, 3.0) == 2
        assert store.sessions.pending_count(ME, "e" * 32, 0.0) == 0

    def test_older_is_oldest_first_and_excludes_the_limit_itself(self, store: Store) -> None:
        for number in (3, 1, 2):
            store.sessions.insert(session(number, last_action_at=float(number)))
        store.sessions.insert(session(9, status=Status.COMPLETED, last_action_at=1.0))
        found = store.sessions.older(ME, Status.ACTIVE, 3.0)
        assert [each.key for each in found] == [key(1), key(2)]
        assert [each.key for each in store.sessions.older(ME, Status.COMPLETED, 3.0)] == [key(9)]
        assert store.sessions.older(ME, Status.EXPIRED, 3.0) == []


class TestListing:
    @pytest.fixture
    def filled(self, memory: Store) -> Store:
        statuses = list(Status)
        for number in range(450):
            memory.sessions.insert(
                session(
                    number,
                    app_id="ttt" if number % 3 else "chess",
                    status=statuses[number % 5],
                    last_action_at=float(number // 4),  # several at the same time
                )
            )
        return memory

    def test_list_is_newest_action_first_and_whole(self, filled: Store) -> None:
        listed = [each.key for each in filled.sessions.list(ME)]
        assert listed == [key(number) for number in reversed(range(450))]
        chess = [each.key for each in filled.sessions.list(ME, "chess")]
        assert chess == [key(number) for number in reversed(range(0, 450, 3))]
        assert list(filled.sessions.list(OTHER_ME)) == []

    @pytest.mark.parametrize("which", ["all", "live", "ended"])
    @pytest.mark.parametrize("app_id", [None, "chess"])
    def test_pages_put_together_are_the_list(self, filled: Store, which: str, app_id: str | None) -> None:
        expected = [
            each.key
            for each in filled.sessions.list(ME, app_id)
            if which == "all" or each.status.ended == (which == "ended")
        ]
        found = []
        before = None
        while page := filled.sessions.page(ME, which=which, app_id=app_id, before=before):  # type: ignore[arg-type]
            assert len(page) <= 50
            found += [each.key for each in page]
            before = page[-1].cursor
        assert found == expected

    def test_a_page_decodes_no_metadata(self, filled: Store) -> None:
        with filled.database.transaction() as connection:
            connection.execute("UPDATE game_sessions SET metadata = 'broken'")
        assert len(filled.sessions.page(ME)) == 50


class TestCache:
    def test_a_live_session_is_not_read_again(self, store: Store) -> None:
        value = session()
        store.sessions.insert(value)
        assert store.sessions.get(key()) is value
        ended = replace(value, status=Status.COMPLETED)
        store.commit(Commit(update=ended))
        assert store.sessions.get(key()) == ended
        assert store.sessions.get(key()) is not ended

    def test_it_is_bounded(self, path: object) -> None:
        with Store(path, cached_sessions=10) as store:  # type: ignore[arg-type]
            for number in range(30):
                store.sessions.insert(session(number))
            for number in range(30):
                assert store.sessions.get(key(number)) == session(number)
            assert len(store._cache) == 10

    def test_a_row_read_before_a_commit_is_not_kept_after_it(self) -> None:
        cache = SessionCache()
        generation = cache.generation
        cache.apply({key(): session(unread=1)})
        cache.offer(session(), generation)
        assert cache.get(key()) == session(unread=1)
        generation = cache.generation
        cache.apply({key(): None})
        cache.offer(session(unread=1), generation)
        assert cache.get(key()) is None

    def test_a_reader_never_goes_back(self, path: object) -> None:
        """One thread commits a growing number, another must see it grow."""
        with Store(path, cached_sessions=2) as store:  # type: ignore[arg-type]
            for number in range(4):
                store.sessions.insert(session(number, metadata={"n": 0}))
            done = threading.Event()

            def write() -> None:
                for n in range(1, 150):
                    store.commit(Commit(update=session(n % 4, metadata={"n": n})))
                done.set()

            thread = threading.Thread(target=write)
            thread.start()
            newest = dict.fromkeys(range(4), 0)
            while not done.is_set():
                for number in range(4):
                    found = store.sessions.get(key(number))
                    assert found is not None
                    assert found.metadata["n"] >= newest[number]
                    newest[number] = found.metadata["n"]
            thread.join()
            final = [store.sessions.get(key(number)) for number in range(4)]
            assert sorted(each.metadata["n"] for each in final if each is not None) == [146, 147, 148, 149]


def test_a_damaged_row_says_which(store: Store) -> None:
    store.sessions.insert(session(status=Status.COMPLETED))
    with store.database.transaction() as connection:
        connection.execute("UPDATE game_sessions SET metadata = '[1'")
    with pytest.raises(errors.Damaged, match=key().session_id):
        store.sessions.get(key())


@pytest.mark.parametrize(
    ("status", "metadata", "winner"),
    [
        (Status.COMPLETED, {"winner": ME}, ME),
        (Status.COMPLETED, {"winner": PEER}, PEER),
        (Status.COMPLETED, {"winner": ""}, ""),
        (Status.COMPLETED, {"winner": OTHER_ME}, None),  # nobody who plays in it
        (Status.COMPLETED, {"winner": 7}, None),
        (Status.COMPLETED, {}, None),  # a game that keeps it elsewhere
        (Status.ACTIVE, {"winner": ""}, None),
        (Status.DECLINED, {"winner": ""}, None),
    ],
)
def test_a_list_says_who_won(store: Store, status: Status, metadata: dict[str, Any], winner: Any) -> None:
    store.sessions.insert(session(status=status, metadata=metadata))
    assert [row.winner for row in store.sessions.page(ME)] == [winner]


def test_a_list_shows_a_damaged_game_too(store: Store) -> None:
    store.sessions.insert(session(status=Status.COMPLETED))
    with store.database.transaction() as connection:
        connection.execute("UPDATE game_sessions SET metadata = '{damaged'")
    assert [row.winner for row in store.sessions.page(ME)] == [None]
