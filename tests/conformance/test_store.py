"""The session store alone (spec §16; facts §14)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.driver import TTT, A, B, C, Driver, S, sid

T = 1_750_000_000.0
ROW: dict[str, Any] = {
    "session_id": S,
    "identity_id": A,
    "app_id": TTT,
    "app_version": 1,
    "contact_hash": B,
    "initiator": A,
    "status": "pending",
    "metadata": {"board": "_________", "deep": {"list": [1, None, True, "é"]}},
    "unread": 0,
    "created_at": T,
    "updated_at": T + 1,
    "last_action_at": T + 2.5,
}
ACTION: dict[str, Any] = {
    "session_id": S,
    "identity_id": A,
    "action_num": 1,
    "command": "challenge",
    "payload_json": "{}",
    "sender": A,
    "timestamp": T,
}
KEY = {"session_id": S, "identity_id": A}
OK = {"outcome": "ok", "result": None}
FAILED = {"outcome": "error"}


class Shop:
    """One store, spoken to through the driver."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.number = driver, driver("store_open")["store"]

    def __call__(self, action: str, **args: Any) -> Any:
        return self.driver("store", store=self.number, action=action, args=args)

    def get(self, **key: Any) -> Any:
        return self("get", **(KEY | key))["result"]

    def actions(self, **key: Any) -> Any:
        return self("actions", **(KEY | key))["result"]

    def update(self, columns: Any, **key: Any) -> Any:
        return self("update", **(KEY | key), set=columns)


@pytest.fixture
def shop(driver: Driver) -> Shop:
    opened = Shop(driver)
    assert opened("insert", **ROW)["outcome"] == "ok"
    return opened


def test_what_is_inserted_is_read(shop: Shop) -> None:
    assert shop.get() == ROW
    assert shop.get(session_id=sid(1)) is None
    assert shop.get(identity_id=B) is None
    assert shop("insert", **(ROW | {"session_id": sid(1), "metadata": json.dumps(ROW["metadata"])}))
    assert shop.get(session_id=sid(1)) == ROW | {"session_id": sid(1)}


CHANGES = [
    {},
    {"contact_hash": C},
    {"status": "active"},
    {"app_id": "chess"},
    {"initiator": B},
    {"metadata": {}},
    {"unread": 1},
    {"created_at": T + 9},
]


@pytest.mark.parametrize("change", CHANGES)
def test_an_insert_never_replaces(shop: Shop, change: dict[str, Any]) -> None:
    assert shop("add_action", **ACTION)["outcome"] == "ok"
    assert shop("insert", **(ROW | change)) == FAILED
    assert shop.get() == ROW
    assert len(shop.actions()) == 1


def test_the_key_is_session_and_identity(shop: Shop) -> None:
    for change in ({"session_id": sid(1)}, {"identity_id": C, "initiator": C}):
        assert shop("insert", **(ROW | change))["outcome"] == "ok"
        assert shop("insert", **(ROW | change)) == FAILED
    assert shop.get() == ROW


@pytest.mark.parametrize("column", ROW)
def test_an_insert_needs_every_column(driver: Driver, column: str) -> None:
    shop = Shop(driver)
    assert shop("insert", **{k: v for k, v in ROW.items() if k != column}) == FAILED
    assert shop("insert", **ROW)["outcome"] == "ok"


ALLOWED: dict[str, Any] = {
    "status": "active",
    "metadata": {"board": "X________"},
    "unread": 1,
    "updated_at": T + 50,
    "last_action_at": T + 60,
}
FORBIDDEN: dict[str, Any] = {
    "session_id": sid(7),
    "identity_id": C,
    "app_id": "chess",
    "app_version": 2,
    "contact_hash": C,
    "initiator": B,
    "created_at": T - 1,
    "nosuch": 1,
    "rowid": 5,
    "status = 'active', contact_hash": C,
    "": 1,
    "STATUS": "active",
}


@pytest.mark.parametrize("column", ALLOWED)
def test_a_mutable_column(shop: Shop, column: str) -> None:
    assert shop.update({column: ALLOWED[column]})["outcome"] == "ok"
    assert shop.get() == ROW | {column: ALLOWED[column]}


@pytest.mark.parametrize("column", FORBIDDEN)
def test_an_immutable_column_refuses_the_whole_update(shop: Shop, column: str) -> None:
    for columns in ({column: FORBIDDEN[column]}, ALLOWED | {column: FORBIDDEN[column]}):
        assert shop.update(columns) == FAILED
        assert shop.get() == ROW
    if column in ROW:
        assert shop.update({column: ROW[column], "status": "active"}) == FAILED, "even to the same value"
    assert shop.get() == ROW


@pytest.mark.parametrize(
    "columns",
    [
        {"status": "paused"},
        {"status": None},
        {"unread": 2},
        {"unread": "1"},
        {"metadata": "{"},
        {"metadata": None},
        {"updated_at": "now"},
    ],
)
def test_a_bad_value(shop: Shop, columns: dict[str, Any]) -> None:
    assert shop.update(columns) == FAILED
    assert shop.update({"unread": 1} | columns) == FAILED or "unread" in columns
    assert shop.get() == ROW


def test_an_update_of_nothing_there(shop: Shop) -> None:
    assert shop.update(ALLOWED, session_id=sid(5)) == FAILED
    assert shop.update(ALLOWED, identity_id=C) == FAILED
    assert shop.get(session_id=sid(5)) is None
    assert shop.update(ALLOWED)["outcome"] == "ok"
    assert shop.get() == ROW | ALLOWED


@pytest.mark.parametrize("status", ["pending", "active", "completed", "expired", "declined"])
def test_every_status(shop: Shop, status: str) -> None:
    assert shop.update({"status": status})["outcome"] == "ok"
    assert shop.get()["status"] == status


@pytest.mark.parametrize(
    "change", [{}, {"command": "move"}, {"payload_json": '{"i": 1}'}, {"sender": B}, {"timestamp": T + 1}]
)
def test_an_action_never_replaces(shop: Shop, change: dict[str, Any]) -> None:
    assert shop("add_action", **ACTION)["outcome"] == "ok"
    assert shop("add_action", **(ACTION | change)) == FAILED
    assert shop.actions() == [ACTION]


@pytest.mark.parametrize("numbers", [[0, 1, 2], [1, 2, 3], [5, 3, 9], [10, 2, 1]])
def test_actions_come_in_the_order_of_their_numbers(shop: Shop, numbers: list[int]) -> None:
    for number in numbers:
        assert shop("add_action", **(ACTION | {"action_num": number}))["outcome"] == "ok"
    assert [row["action_num"] for row in shop.actions()] == sorted(numbers)
    assert all(row | {"action_num": 1} == ACTION for row in shop.actions())


@pytest.mark.parametrize("column", ACTION)
def test_an_action_needs_every_column(shop: Shop, column: str) -> None:
    assert shop("add_action", **{k: v for k, v in ACTION.items() if k != column}) == FAILED
    assert shop.actions() == []


@pytest.mark.parametrize(
    "change",
    [{"action_num": -1}, {"action_num": "1"}, {"action_num": True}, {"payload_json": "{"}, {"extra": 1}],
)
def test_a_bad_action(shop: Shop, change: dict[str, Any]) -> None:
    assert shop("add_action", **(ACTION | change)) == FAILED
    assert shop.actions() == []


def test_a_deletion_takes_its_own_actions_only(shop: Shop) -> None:
    others = ({"session_id": sid(1)}, {"identity_id": C, "initiator": C})
    for change in others:
        shop("insert", **(ROW | change))
    for key in ({}, *({k: v for k, v in change.items() if k != "initiator"} for change in others)):
        for number in (1, 2):
            assert shop("add_action", **(ACTION | key | {"action_num": number}))["outcome"] == "ok"
    assert shop("delete", **KEY)["outcome"] == "ok"
    assert shop.get() is None
    assert shop.actions() == []
    assert len(shop.actions(session_id=sid(1))) == 2
    assert len(shop.actions(identity_id=C)) == 2
    assert shop.get(session_id=sid(1)) is not None
    assert shop.get(identity_id=C) is not None
    assert shop("insert", **ROW)["outcome"] == "ok", "the key is free"
    assert shop.actions() == [], "and old actions do not come back"
    assert shop("add_action", **ACTION)["outcome"] == "ok"


def test_a_deletion_of_nothing(shop: Shop) -> None:
    assert shop("delete", session_id=sid(5), identity_id=A)["outcome"] == "ok"
    assert shop.get() == ROW


def test_stores_are_apart(driver: Driver, shop: Shop) -> None:
    other = Shop(driver)
    assert other.get() is None
    assert other("insert", **(ROW | {"contact_hash": C}))["outcome"] == "ok"
    assert shop.get() == ROW


@pytest.mark.parametrize("text", ["'; DROP TABLE game_sessions; --", "é☹😀", "\x00", "a" * 10_000, '"', "\\"])
def test_any_text_in_metadata(shop: Shop, text: str) -> None:
    metadata = {"note": text, text: [text]}
    assert shop.update({"metadata": metadata})["outcome"] == "ok"
    assert shop.get()["metadata"] == metadata
