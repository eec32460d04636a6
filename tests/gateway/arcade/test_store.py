"""The arcade's database: what it keeps, what it bounds, and files that cannot be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gateway.arcade import store as module
from gateway.arcade.accounts import Accounts
from gateway.arcade.secret import password_hash, password_matches, token_hash
from gateway.arcade.store import ArcadeStore, Result, StoreError


def result(number: int, game: str = "chess") -> Result:
    return Result(
        session=f"ses_{number:012x}",
        series="ses_000000000000",
        round=1,
        game=game,
        title=None,
        host="agent",
        reason="game_over",
        players="[]",
        result="null",
        started_at=1.0,
        ended_at=2.0 + number,
    )


def test_what_another_writes_changes_the_version(tmp_path: Path) -> None:
    one, other = ArcadeStore(tmp_path / "a.db"), ArcadeStore(tmp_path / "a.db")
    before = one.version()
    assert one.version() == before
    Accounts(other).add("ann")
    assert one.version() != before
    assert [account.name for account in one.accounts()] == ["ann"]
    for store in (one, other):
        store.close()


def test_results_are_bounded_and_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RESULTS_KEPT", 5)
    store = ArcadeStore(tmp_path / "a.db")
    store.add_results([result(number, "go" if number % 2 else "chess") for number in range(10)])
    store.add_results([result(9)])
    assert [one.ended_at for one in store.results(50)] == [11.0, 10.0, 9.0, 8.0, 7.0]
    assert [one.ended_at for one in store.results(2)] == [11.0, 10.0]
    assert {one.game for one in store.results(50, "go")} == {"go"}
    store.close()


def test_tokens_that_have_expired_go(tmp_path: Path) -> None:
    store = ArcadeStore(tmp_path / "a.db")
    account = Accounts(store).add("ann")
    for id, expires_at in (("one", 10.0), ("two", 100.0), ("three", None)):
        store.add_token(
            id, account.id, token_hash(id), ["play"], kind="browser", label="", now=5.0, expires_at=expires_at
        )
    store.add_token("four", account.id, token_hash("four"), ["play"], kind="agent", label="", now=50.0)
    assert {one.id for one in store.tokens(live=True)} == {"two", "three", "four"}
    store.set_password(account.id, None)  # signs browsers out
    assert {one.id for one in store.tokens(live=True)} == {"four"}
    store.set_disabled(account.id, disabled=True)
    assert store.tokens(live=True) == []
    assert len(store.tokens(live=False)) == 1
    store.close()


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        ArcadeStore(noise)
    with pytest.raises(StoreError, match="cannot be used"):
        ArcadeStore(noise / "below" / "a.db")
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer version"):
        ArcadeStore(newer)


def test_passwords() -> None:
    hashed = password_hash("correct horse")
    assert hashed != password_hash("correct horse")
    assert "correct" not in hashed
    assert password_matches("correct horse", hashed)
    assert not password_matches("Correct horse", hashed)
