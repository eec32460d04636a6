"""Matches on the disk: one transaction, void at the next start, pages that do not look at everything."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gateway.agentgames.server.records import Ending, MatchStore, NewMatch
from gateway.arcade.accounts import Accounts
from gateway.arcade.store import ArcadeStore, StoreError


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = ArcadeStore(tmp_path / "a.db")
    yield made
    made.close()


def test_what_was_being_played_is_void_at_the_next_start(store: ArcadeStore) -> None:
    ann, ben = (Accounts(store).add(name).id for name in ("ann", "ben"))
    matches = MatchStore(store.database)
    one, two = matches.begin([NewMatch(game="ttt", first=ann, second=ben, at=float(n)) for n in (1, 2)])
    matches.finish([Ending(number=one, winner=-1, reason="", moves=("4", "+0"), at=3.0)])
    assert [row.number for row in matches.matches(50)] == [one]
    assert matches.match(two) is not None
    assert matches.void_all(9.0) == 1
    assert matches.void_all(9.0) == 0
    rows = matches.matches(50)
    assert [(row.number, row.state, row.winner, row.ended_at) for row in rows] == [
        (two, "void", None, 9.0),
        (one, "over", -1, 3.0),
    ]
    assert (rows[0].before, rows[0].after) == (None, None)
    assert (rows[1].before, rows[1].after) == ((1500.0, 1500.0), (1500.0, 1500.0))
    found = matches.match(one)
    assert found is not None
    assert found[1] == ("4", "+0")
    assert matches.match(99) is None
    assert [row.played for row in matches.ladder("ttt", 50)] == [1, 1]


def test_a_batch_is_written_whole_or_not_at_all(store: ArcadeStore) -> None:
    ann, ben = (Accounts(store).add(name).id for name in ("ann", "ben"))
    matches = MatchStore(store.database)
    (one,) = matches.begin([NewMatch(game="c4", first=ann, second=ben, at=1.0)])
    with pytest.raises(StoreError):
        matches.begin([NewMatch(game="c4", first=ann, second=each, at=1.0) for each in (ben, "nobody")])
    with store.database.writing() as db:
        db.execute("CREATE TRIGGER full BEFORE UPDATE ON match BEGIN SELECT RAISE(ABORT, 'full'); END")
    with pytest.raises(StoreError, match="full"):
        matches.finish([Ending(number=one, winner=0, reason="", moves=(), at=2.0)])
    assert matches.ladder("c4", 50) == []
    assert matches.rating("c4", ann) == 1500.0


def test_pages(store: ArcadeStore) -> None:
    names = ["ann", "ben", "cat"]
    ids = [Accounts(store).add(name).id for name in names]
    matches = MatchStore(store.database)
    news = [
        NewMatch(game=("ttt", "c4")[n % 2], first=ids[n % 3], second=ids[(n + 1) % 3], at=float(n))
        for n in range(30)
    ]
    numbers = matches.begin(news)
    matches.finish([Ending(number=number, winner=0, reason="", moves=(), at=50.0) for number in numbers[:-1]])
    seen: list[int] = []
    before = None
    while page := matches.matches(7, before=before):
        seen += [row.number for row in page]
        before = seen[-1]
    assert seen == numbers[-2::-1]
    assert matches.matches(50, player="ANN") == [row for row in matches.matches(50) if "ann" in row.players]
    of_both = matches.matches(3, player="ben", game="c4", before=numbers[20])
    assert [row.number for row in of_both] == [
        row.number
        for row in matches.matches(50)
        if "ben" in row.players and row.game == "c4" and row.number < numbers[20]
    ][:3]
    assert matches.matches(50, player="nobody") == []
    assert [row.rank for row in matches.ladder("ttt", 2, 1)] == [2, 3]
    assert len(matches.ladder("ttt", 10_000)) == matches.rated("ttt") == 3


def test_no_page_looks_through_all_matches(store: ArcadeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Any]] = []
    rows = store.database.rows
    monkeypatch.setattr(
        store.database, "rows", lambda query, values=(): asked.append((query, values)) or rows(query, values)
    )
    ann, ben = (Accounts(store).add(name).id for name in ("ann", "ben"))
    matches = MatchStore(store.database)
    numbers = matches.begin([NewMatch(game="ttt", first=ann, second=ben, at=1.0)] * 9)
    matches.finish([Ending(number=one, winner=0, reason="", moves=(), at=2.0) for one in numbers])
    for game in (None, "ttt"):
        for player in (None, "ann"):
            matches.matches(50, game=game, player=player, before=10)
    matches.ladder("ttt", 50)
    matches.match(1)
    for query, values in asked:
        plan = " / ".join(str(row[3]) for row in rows("EXPLAIN QUERY PLAN " + query, values))
        assert not re.search(r"\bSCAN (match|rating)\b|TEMP B-TREE", plan), (query, plan)
    with store.database.writing() as db:
        plan = db.execute(
            "EXPLAIN QUERY PLAN UPDATE match SET state = 'void' WHERE state = 'playing'"
        ).fetchall()
    assert "match_playing" in str(plan)


def test_an_older_file_gets_the_new_tables(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    store = ArcadeStore(path)
    Accounts(store).add("ann")
    store.close()
    with sqlite3.connect(path) as db:
        for table in ("match", "rating", "ssh_key"):
            db.execute(f"DROP TABLE {table}")
        for trigger in ("account_added", "account_changed", "token_added", "token_removed"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("PRAGMA user_version = 1")
    db.close()
    store = ArcadeStore(path)
    assert [one.name for one in store.accounts()] == ["ann"]
    assert MatchStore(store.database).matches(50) == []
    store.close()
