"""Sessions and actions as rows of spec §16."""

from __future__ import annotations

import json
from typing import Any

import pytest

from storage import errors, rows
from storage.store import Store
from tests.storage.samples import ME, PEER, action_row, row

ID = f"{1:016x}"


def test_a_row_comes_back_as_it_was(memory: Store) -> None:
    rows.insert_row(memory, row())
    assert rows.get_row(memory, ID, ME) == row()
    rows.insert_row(memory, row(2, metadata=json.dumps({"b": "é"}), created_at=5))
    assert rows.get_row(memory, f"{2:016x}", ME) == row(2, metadata={"b": "é"}, created_at=5.0)
    assert rows.get_row(memory, f"{3:016x}", ME) is None


def test_rows_and_sessions_are_one_table(memory: Store) -> None:
    rows.insert_row(memory, row())
    (found,) = memory.sessions.list(ME)
    assert rows.session_row(found) == row()


def test_insert_fails_on_an_existing_key(memory: Store) -> None:
    rows.insert_row(memory, row())
    for again in (row(), row(contact_hash="d" * 32)):
        with pytest.raises(errors.Conflict):
            rows.insert_row(memory, again)
    assert rows.get_row(memory, ID, ME) == row()


BAD_ROWS: list[dict[str, Any]] = [
    {"session_id": "ABCDEF0123456789"},
    {"session_id": "0" * 15},
    {"session_id": ""},
    {"session_id": 5},
    {"session_id": "0" * 16 + "\n"},
    {"identity_id": ""},
    {"identity_id": "A" * 32},
    {"contact_hash": None},
    {"initiator": "x"},
    {"app_id": "Chess"},
    {"app_id": ""},
    {"app_version": 0},
    {"app_version": "1"},
    {"app_version": True},
    {"app_version": 2**32},
    {"status": "won"},
    {"status": None},
    {"metadata": []},
    {"metadata": "[]"},
    {"metadata": "{"},
    {"metadata": '{"a": 1, "a": 2}'},
    {"metadata": '{"a": NaN}'},
    {"metadata": '{"a": 1e999}'},
    {"metadata": {"a": {b"x": 1}}},
    {"metadata": {1: 2}},
    {"unread": 2},
    {"unread": -1},
    {"unread": True},
    {"unread": None},
    {"created_at": float("inf")},
    {"updated_at": float("nan")},
    {"last_action_at": "now"},
    {"last_action_at": 10**400},
    {"extra": 1},
]


@pytest.mark.parametrize("bad", BAD_ROWS, ids=repr)
def test_rows_that_are_refused(memory: Store, bad: dict[str, Any]) -> None:
    with pytest.raises(errors.Invalid):
        rows.insert_row(memory, row(**bad))
    assert memory.database.all("SELECT * FROM game_sessions") == []


@pytest.mark.parametrize("column", row())
def test_a_missing_column(memory: Store, column: str) -> None:
    incomplete = row()
    del incomplete[column]
    with pytest.raises(errors.Invalid, match=column):
        rows.insert_row(memory, incomplete)


def test_update(memory: Store) -> None:
    rows.insert_row(memory, row())
    rows.update_row(memory, ID, ME, {"status": "active", "metadata": '{"turn": "x"}', "unread": 1})
    assert rows.get_row(memory, ID, ME) == row(status="active", metadata={"turn": "x"}, unread=1)
    rows.update_row(memory, ID, ME, {"updated_at": 7, "last_action_at": 8.5})
    rows.update_row(memory, ID, ME, {})
    found = rows.get_row(memory, ID, ME)
    assert found is not None
    assert (found["updated_at"], found["last_action_at"]) == (7.0, 8.5)


@pytest.mark.parametrize(
    "column",
    [
        "session_id",
        "identity_id",
        "app_id",
        "app_version",
        "contact_hash",
        "initiator",
        "created_at",
        "rowid",
        "x",
    ],
)
def test_an_update_with_one_forbidden_column_changes_nothing(memory: Store, column: str) -> None:
    rows.insert_row(memory, row())
    with pytest.raises(errors.Forbidden):
        rows.update_row(memory, ID, ME, {"unread": 1, column: row().get(column, 1)})
    assert rows.get_row(memory, ID, ME) == row()


@pytest.mark.parametrize(
    "bad", [{"status": "won"}, {"unread": 2}, {"metadata": "x"}, {"updated_at": None}], ids=repr
)
def test_an_update_with_a_bad_value_changes_nothing(memory: Store, bad: dict[str, Any]) -> None:
    rows.insert_row(memory, row())
    with pytest.raises(errors.Invalid):
        rows.update_row(memory, ID, ME, {"unread": 1, **bad})
    assert rows.get_row(memory, ID, ME) == row()


def test_update_and_delete_of_nothing(memory: Store) -> None:
    with pytest.raises(errors.NotFound):
        rows.update_row(memory, ID, ME, {"unread": 1})
    assert not rows.delete_row(memory, ID, ME)


def test_actions_are_append_only_and_go_with_their_session(memory: Store) -> None:
    rows.insert_row(memory, row())
    rows.insert_row(memory, row(identity_id=PEER))
    first, second = action_row(), action_row(action_num=2, command="move", payload_json='{"i": 4}')
    for each in (second, first, {**first, "identity_id": PEER}):
        rows.add_action_row(memory, each)
    with pytest.raises(errors.Conflict):
        rows.add_action_row(memory, {**first, "command": "resign"})
    with pytest.raises(errors.Conflict):
        rows.add_action_row(memory, first)
    assert rows.action_rows(memory, ID, ME) == [first, second]
    assert rows.delete_row(memory, ID, ME)
    assert rows.action_rows(memory, ID, ME) == []
    assert rows.action_rows(memory, ID, PEER) == [{**first, "identity_id": PEER}]
    assert rows.get_row(memory, ID, ME) is None


def test_an_action_may_carry_its_envelope(memory: Store) -> None:
    rows.add_action_row(memory, action_row(nonce=b"12345678", envelope=b"packed"))
    assert memory.actions.has_nonce(ME, ID, b"12345678")
    assert rows.action_rows(memory, ID, ME) == [action_row()]


@pytest.mark.parametrize(
    "bad",
    [
        {"action_num": -1},
        {"action_num": "1"},
        {"action_num": None},
        {"action_num": 1.0},
        {"command": "Move"},
        {"payload_json": "{"},
        {"payload_json": None},
        {"payload_json": "[NaN]"},
        {"sender": "bob"},
        {"timestamp": None},
        {"nonce": "text"},
        {"extra": 1},
    ],
    ids=repr,
)
def test_action_rows_that_are_refused(memory: Store, bad: dict[str, Any]) -> None:
    with pytest.raises(errors.Invalid):
        rows.add_action_row(memory, action_row(**bad))
    assert rows.action_rows(memory, ID, ME) == []


@pytest.mark.parametrize(("session_id", "identity"), [("", ME), (ID, ""), (None, ME), (ID.upper() + "x", ME)])
def test_keys_must_be_canonical(memory: Store, session_id: object, identity: object) -> None:
    with pytest.raises(errors.Invalid):
        rows.get_row(memory, session_id, identity)
