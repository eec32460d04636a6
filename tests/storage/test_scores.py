"""How games have ended, by peer: each is counted once, and only by the transaction that ends it."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol.session import Session, Status
from storage import errors, schema
from storage.codec import encode_metadata
from storage.model import Commit, Flag, Rival, Score
from storage.store import Store
from tests.storage.samples import ME, OTHER_ME, PEER, key, session

OTHER_PEER = "d" * 32


def ended(number: int, winner: object = ME, identity: str = ME, **values: Any) -> Session:
    state: dict[str, Any] = {"status": Status.COMPLETED, "metadata": {"winner": winner}}
    return session(number, identity, **{**state, **values})


def out_of_sync(number: int, identity: str = ME, at: float = 1000.0) -> Flag:
    return Flag(key=key(number, identity), flag="out_of_sync", reason="", at=at)


def play(store: Store, number: int, winner: object = ME, identity: str = ME, **values: Any) -> None:
    store.commit(Commit(insert=session(number, identity, **values)))
    store.commit(Commit(update=ended(number, winner, identity, **values)))


def totals(store: Store, identity: str = ME, peer: str = PEER) -> dict[str, tuple[int, int, int]]:
    return {one.app_id: (one.won, one.drawn, one.lost) for one in store.scores.of(identity, peer)}


def test_won_drawn_and_lost_by_game(memory: Store) -> None:
    for number, winner in enumerate([ME, ME, "", PEER, PEER, PEER], start=1):
        play(memory, number, winner)
    play(memory, 7, PEER, app_id="ttt")
    assert memory.scores.of(ME, PEER) == [
        Score(app_id="chess", won=2, drawn=1, lost=3),
        Score(app_id="ttt", won=0, drawn=0, lost=1),
    ]
    assert memory.scores.of_game(ME, PEER, "ttt") == Score(app_id="ttt", won=0, drawn=0, lost=1)
    assert memory.scores.of_game(ME, PEER, "four_in_a_row") is None
    assert memory.scores.of(OTHER_ME, PEER) == []


def test_a_game_that_is_written_again_counts_once(memory: Store) -> None:
    play(memory, 1)
    memory.commit(Commit(update=ended(1, unread=1)))
    memory.sessions.update(key(1), {"unread": 0})
    memory.commit(Commit(update=ended(1, PEER)))
    assert totals(memory) == {"chess": (1, 0, 0)}


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.DECLINED])
def test_what_was_not_finished_does_not_count(memory: Store, status: Status) -> None:
    memory.commit(Commit(insert=session(1)))
    memory.commit(Commit(expired=(ended(1, status=status),)))
    memory.commit(Commit(insert=session(2)))
    memory.commit(Commit(update=ended(2, status=status)))
    assert totals(memory) == {}


@pytest.mark.parametrize("winner", [None, 7, OTHER_PEER, ["x"], True])
def test_a_game_that_does_not_say_who_has_won_does_not_count(memory: Store, winner: object) -> None:
    play(memory, 1, winner)
    memory.commit(Commit(insert=session(2, metadata={})))
    memory.commit(Commit(update=ended(2, metadata={})))
    assert totals(memory) == {}


def test_out_of_sync_at_its_end_does_not_count_and_later_trouble_takes_nothing_back(memory: Store) -> None:
    memory.commit(Commit(insert=session(1), flags=(out_of_sync(1),)))
    memory.commit(Commit(update=ended(1)))
    assert totals(memory) == {}
    # The action that ends the game shows that both are at the same place again.
    memory.commit(Commit(insert=session(2), flags=(out_of_sync(2),)))
    memory.commit(Commit(update=ended(2), unflag=((key(2), "out_of_sync"),)))
    assert totals(memory) == {"chess": (1, 0, 0)}
    # Whoever has lost sends something that fits nowhere.
    memory.commit(Commit(flags=(out_of_sync(2),)))
    assert totals(memory) == {"chess": (1, 0, 0)}


def test_a_deleted_game_stays_counted_and_a_deleted_identity_takes_its_own_along(memory: Store) -> None:
    play(memory, 1)
    play(memory, 1, PEER, identity=PEER, peer=ME)
    memory.sessions.delete(key(1), 5.0)
    assert totals(memory) == {"chess": (1, 0, 0)}
    memory.delete_identity(ME)
    assert totals(memory) == {}
    assert totals(memory, PEER, ME) == {"chess": (1, 0, 0)}


def test_a_commit_that_fails_counts_nothing(memory: Store) -> None:
    memory.commit(Commit(insert=session(1)))
    with pytest.raises(errors.StorageError):
        memory.commit(Commit(update=ended(1), expired=(session(99),)))
    assert totals(memory) == {}
    memory.commit(Commit(update=ended(1)))
    assert totals(memory) == {"chess": (1, 0, 0)}


def test_rivals_in_pages(memory: Store) -> None:
    games = {f"{n:032x}": n % 3 + 1 for n in range(7)}
    number = 0
    for peer, count in games.items():
        for _ in range(count):
            number += 1
            play(memory, number, "", peer=peer, app_id="ttt" if number % 2 else "chess")
    play(memory, 99, identity=OTHER_ME)
    wanted = [
        Rival(peer=peer, games=n) for peer, n in sorted(games.items(), key=lambda one: (-one[1], one[0]))
    ]
    found: list[Rival] = []
    while page := memory.scores.rivals(ME, limit=2, after=found[-1] if found else None):
        assert len(page) <= 2
        found += page
    assert found == wanted


PARTS = st.tuples(
    st.sampled_from([ME, OTHER_ME]),
    st.sampled_from([PEER, OTHER_PEER]),
    st.sampled_from(["chess", "ttt"]),
    st.sampled_from([Status.ACTIVE, Status.COMPLETED, Status.EXPIRED, Status.DECLINED]),
    st.sampled_from(["me", "peer", "", "nobody knows", None, 3]),
    st.sampled_from(["", "before", "after"]),
)


def recount(games: list[tuple[Session, str]]) -> Counter[tuple[str, str, str, str]]:
    """Word for word what the docs say, from sessions alone; the text is when each got out of sync."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for one, trouble in games:
        winner = one.metadata.get("winner")
        how = {one.key.identity: "won", one.peer: "lost", "": "drawn"}.get(str(winner), "")
        if one.status is Status.COMPLETED and isinstance(winner, str) and how and trouble != "before":
            found[one.key.identity, one.peer, one.app_id, how] += 1
    return found


def counted(store: Store) -> Counter[tuple[str, str, str, str]]:
    found: Counter[tuple[str, str, str, str]] = Counter()
    for identity in (ME, OTHER_ME):
        for peer in (PEER, OTHER_PEER):
            for one in store.scores.of(identity, peer):
                for how in ("won", "drawn", "lost"):
                    found[identity, peer, one.app_id, how] += getattr(one, how)
    return +found


def made(number: int, part: tuple[Any, ...]) -> tuple[Session, str]:
    identity, peer, app, status, winner, trouble = part
    named = {"me": identity, "peer": peer}.get(winner, winner)
    values = {"peer": peer, "app_id": app, "status": status, "metadata": {"winner": named}}
    return session(number, identity, initiator=peer, **values), trouble


GAMES = st.lists(PARTS, max_size=12)
DELETED = st.sets(st.integers(1, 12))


def lived(store: Store, games: list[tuple[Session, str]], *, again: bool) -> None:
    """All of it happens, in order. ``again``: whatever ended is written once more."""
    for number, (one, trouble) in enumerate(games, start=1):
        flag = (out_of_sync(number, one.key.identity),) if trouble == "before" else ()
        begun = replace(one, status=Status.ACTIVE, metadata={})
        store.commit(Commit(insert=begun, flags=flag))
        store.commit(Commit(update=one))
        if trouble == "after":
            store.commit(Commit(flags=(out_of_sync(number, one.key.identity, 2000.0),)))
        if again:
            store.commit(Commit(update=one))


def delete(store: Store, games: list[tuple[Session, str]], numbers: set[int]) -> None:
    for number, (one, _) in enumerate(games, start=1):
        if number in numbers:
            store.sessions.delete(one.key, 5.0)


@settings(deadline=None, max_examples=40)
@given(GAMES, DELETED, st.booleans())
def test_the_record_is_a_recount_of_the_sessions(parts: list[Any], deleted: set[int], again: bool) -> None:
    """Whatever is deleted, repeated or flagged."""
    games = [made(number, part) for number, part in enumerate(parts, start=1)]
    with Store(":memory:") as store:
        lived(store, games, again=again)
        assert counted(store) == recount(games)
        delete(store, games, deleted)
        assert counted(store) == recount(games)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(GAMES, DELETED, st.booleans())
def test_the_record_outlives_restarts(parts: list[Any], deleted: set[int], again: bool) -> None:
    games = [made(number, part) for number, part in enumerate(parts, start=1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "node.db"
        for happens in (
            lambda store: lived(store, games, again=again),
            lambda store: delete(store, games, deleted),
            lambda _: None,
        ):
            with Store(path) as store:
                happens(store)
                assert counted(store) == recount(games)


BEFORE = next(n for n, one in enumerate(schema.MIGRATIONS) if "CREATE TABLE scores" in str(one))
"""Migrations before the one that counts."""

SESSION = f"INSERT INTO game_sessions VALUES ({', '.join('?' * 12)})"


@settings(deadline=None, max_examples=40)
@given(GAMES)
def test_games_of_an_older_database_are_counted_once(parts: list[Any]) -> None:
    games = [made(number, part) for number, part in enumerate(parts, start=1)]
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as old:
        schema.migrate(old, ":memory:", schema.MIGRATIONS[:BEFORE])
        for one, trouble in games:
            row = (
                *(one.key.session_id, one.key.identity, one.app_id, 1, one.peer, one.initiator),
                *(str(one.status), encode_metadata(one.metadata), 0, 1000.0, 1000.0, 1000.0),
            )
            old.execute(SESSION, row)
            if trouble:
                at = 1000.0 if trouble == "before" else 1000.5
                flag = (one.key.identity, one.key.session_id, "out_of_sync", "", at)
                old.execute("INSERT INTO session_flags VALUES (?, ?, ?, ?, ?)", flag)
        for _ in range(2):
            schema.migrate(old, ":memory:")
            found: Counter[tuple[str, str, str, str]] = Counter()
            for identity, peer, app, *numbers in old.execute("SELECT * FROM scores"):
                for how, number in zip(("won", "drawn", "lost"), numbers, strict=True):
                    found[identity, peer, app, how] += number
            assert +found == recount(games)


def test_an_older_database_with_a_damaged_session_is_opened(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        schema.migrate(old, str(path), schema.MIGRATIONS[:BEFORE])
        row = ("1" * 16, ME, "ttt", 1, PEER, ME, "completed", "{not json", 0, 1.0, 1.0, 1.0)
        old.execute(SESSION, row)
    with Store(path) as store:
        assert totals(store) == {}
