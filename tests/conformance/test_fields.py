"""LXMF fields, manifests, the line protocol itself, and several identities (spec §2, §12; facts §1, §10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.conftest import Quiet
from tests.conformance.driver import (
    ACCEPTED,
    APPS,
    CHESS,
    COMMANDS,
    DAY,
    DUPLICATE,
    ERROR,
    FOUR,
    TTT,
    WEEK,
    A,
    B,
    C,
    Driver,
    S,
    Table,
    envelope,
    pack,
    refused,
    sid,
    wrapped,
)

N = bytes(range(8))
META: dict[str, Any] = {"a": "ttt.1", "c": "move", "s": S, "p": {"i": 4}, "n": N}


def unpacked(quiet: Quiet, fields: dict[Any, Any]) -> str:
    node = quiet.node(B)
    return str(quiet.driver("unpack_fields", peer=node.peer, fields=wrapped(fields))["outcome"])


GOOD: dict[str, dict[Any, Any]] = {
    "plain": {251: "lrgp.v1", 253: META},
    "other fields": {12: [1.5, b"ticket"], 251: "lrgp.v1", 253: META, 5: []},
    "other order": {253: dict(reversed(META.items())), 251: "lrgp.v1"},
    "empty payload": {251: "lrgp.v1", 253: META | {"p": {}}},
    "error": {251: "lrgp.v1", 253: META | {"c": "error", "p": ERROR}},
    "deep payload": {251: "lrgp.v1", 253: META | {"p": {"d": {"e": [1, 2.5, b"x", None]}}}},
    "unknown app": {251: "lrgp.v1", 253: META | {"a": "nosuch.7"}},
}
NOT_LRGP: dict[str, dict[Any, Any]] = {
    "nothing": {},
    "no marker": {253: META},
    "bin marker": {251: b"lrgp.v1", 253: META},
    "older marker": {251: "rlap.v1", 253: META},
    "newer marker": {251: "lrgp.v2", 253: META},
    "capital marker": {251: "LRGP.v1", 253: META},
    "padded marker": {251: "lrgp.v1 ", 253: META},
    "encoded marker": {251: bytes.fromhex(pack("lrgp.v1")), 253: META},
    "list marker": {251: ["lrgp.v1"], 253: META},
    "nil marker": {251: None, 253: META},
    "another key": {250: "lrgp.v1", 253: META},
    "text keys": {"251": "lrgp.v1", "253": META},
}
INVALID: dict[str, dict[Any, Any]] = (
    {
        "no envelope": {251: "lrgp.v1"},
        "bin envelope": {251: "lrgp.v1", 253: bytes.fromhex(pack(META))},
        "text envelope": {251: "lrgp.v1", 253: json.dumps({"a": "ttt.1"})},
        "nil envelope": {251: "lrgp.v1", 253: None},
        "list envelope": {251: "lrgp.v1", 253: [META]},
        "empty envelope": {251: "lrgp.v1", 253: {}},
        "in 252": {251: "lrgp.v1", 252: META},
        "extra key": {251: "lrgp.v1", 253: META | {"x": 1}},
        "integer key": {251: "lrgp.v1", 253: META | {1: 1}},
        "too large": {251: "lrgp.v1", 253: META | {"p": {"x": "y" * 200}}},
        "nonce text": {251: "lrgp.v1", 253: META | {"n": "12345678"}},
        "nonce short": {251: "lrgp.v1", 253: META | {"n": N[:7]}},
        "payload bin": {251: "lrgp.v1", 253: META | {"p": b"\x80"}},
        "payload nil": {251: "lrgp.v1", 253: META | {"p": None}},
        "session upper": {251: "lrgp.v1", 253: META | {"s": S.upper()}},
        "session empty": {251: "lrgp.v1", 253: META | {"s": ""}},
        "version zero": {251: "lrgp.v1", 253: META | {"a": "ttt.0"}},
        "command capital": {251: "lrgp.v1", 253: META | {"c": "Move"}},
    }
    | {f"no {key}": {251: "lrgp.v1", 253: {k: v for k, v in META.items() if k != key}} for key in META}
    | {f"binary {key}": {251: "lrgp.v1", 253: META | {key: META[key].encode()}} for key in "acs"}
    | {
        f"binary key {key}": {
            251: "lrgp.v1",
            253: {(k.encode() if k == key else k): v for k, v in META.items()},
        }
        for key in META
    }
)


@pytest.mark.parametrize("fields", GOOD.values(), ids=GOOD.keys())
def test_lrgp(quiet: Quiet, fields: dict[Any, Any]) -> None:
    assert unpacked(quiet, fields) == "lrgp"


@pytest.mark.parametrize("fields", NOT_LRGP.values(), ids=NOT_LRGP.keys())
def test_not_lrgp(quiet: Quiet, fields: dict[Any, Any]) -> None:
    assert unpacked(quiet, fields) == "not_lrgp"


@pytest.mark.parametrize("fields", INVALID.values(), ids=INVALID.keys())
def test_invalid(quiet: Quiet, fields: dict[Any, Any]) -> None:
    assert unpacked(quiet, fields) == "invalid"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", ["challenge", "accept", "move", "error"])
def test_fields_are_native_values(driver: Driver, app: str, command: str) -> None:
    table = Table(driver, app)
    table = table.open() if command == "move" else table.challenge() if command != "challenge" else table
    node = table.turn() if command == "move" else table.bob if command == "accept" else table.alice
    intent = {"move": {TTT: {"i": 0}, CHESS: {"m": "e2e4"}, FOUR: {"c": 0}}[app], "error": ERROR}.get(command)
    raw = table.prepare(node, command, intent)
    fields = driver("pack_fields", peer=node.peer, raw=raw)
    ((first, marker), (second, envelope_map)) = sorted(fields["$map"])
    assert (first, marker, second) == (251, "lrgp.v1", 253)
    assert list(envelope_map) == ["a", "c", "s", "p", "n"]
    assert envelope_map["n"].keys() == {"$bin"}
    assert isinstance(envelope_map["p"], dict)
    native = envelope_map | {"n": bytes.fromhex(envelope_map["n"]["$bin"])}
    assert pack(native) == raw
    assert driver("unpack_fields", peer=node.peer, fields=fields) == {"outcome": "lrgp"}


NAMES = {TTT: ("Tic-Tac-Toe", DAY), CHESS: ("Chess", WEEK), FOUR: ("Four in a Row", WEEK)}


@pytest.mark.parametrize("app", APPS)
def test_the_manifest(driver: Driver, app: str) -> None:
    found = driver("manifest", peer=driver.node(A).peer, app=app)
    name, active = NAMES[app]
    required = {
        "app_id": app,
        "version": 1,
        "display_name": name,
        "icon": app,
        "session_type": "turn_based",
        "max_players": 2,
        "validation": "both",
        "ttl": {"pending": DAY, "active": active},
    }
    assert required.items() <= found.items()
    assert sorted(found["actions"]) == sorted(COMMANDS)
    direct = {"resign", "draw_accept", "draw_decline"}
    assert found["preferred_delivery"] == {c: "direct" if c in direct else "opportunistic" for c in COMMANDS}


def test_capabilities(driver: Driver) -> None:
    names = "bytes multi_identity export hydrate remove list manifest store fields commit_fault"
    assert set(driver("capabilities")) == set(names.split())


BAD_REQUESTS: dict[str, str] = {
    "not JSON": "{",
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "unknown op": '{"id": 1, "op": "nosuch"}',
    "no op": '{"id": 1}',
    "no peer": '{"id": 1, "op": "state", "peer": 99, "app": "ttt", "session": "x"}',
    "negative peer": '{"id": 1, "op": "state", "peer": -1, "app": "ttt", "session": "x"}',
    "raw is no hex": '{"id": 1, "op": "wire", "peer": 0, "raw": "zz", "sender": "a"}',
    "raw is odd": '{"id": 1, "op": "wire", "peer": 0, "raw": "8", "sender": "a"}',
    "no raw": '{"id": 1, "op": "wire", "peer": 0, "sender": "a"}',
    "no store": '{"id": 1, "op": "store", "store": 3, "action": "get", "args": {}}',
    "advance by text": '{"id": 1, "op": "advance", "seconds": "1"}',
    "record is text": '{"id": 1, "op": "hydrate", "peer": 0, "record": "x"}',
    "unknown manifest": '{"id": 1, "op": "manifest", "peer": 0, "app": "nosuch"}',
    "no identity": '{"id": 1, "op": "new_peer"}',
}
KILLERS = (
    '{"id": 1, "op": "local", "peer": 0, "app": "ttt", "command": "challenge", "to": 5}',
    '{"id": 1, "op": "local", "peer": 0, "app": "ttt", "command": "move", "payload": {"$bin": 1}}',
    '{"id": 1, "op": "unpack_fields", "peer": 0, "fields": {"$map": 5}}',
    '{"id": 1, "op": "unpack_fields", "peer": 0, "fields": {"$map": [[1]]}}',
    '{"id": 1, "op": "unpack_fields", "peer": 0, "fields": {"$map": [[{}, 1]]}}',
    '{"id": 1, "op": "unpack_fields", "peer": 0, "fields": {"$map": [[1, {"$float": "x"}]]}}',
    '{"id": 1, "op": "store", "store": 0, "action": "update", "args": {"set": 5}}',
)


@pytest.mark.parametrize("line", BAD_REQUESTS.values(), ids=BAD_REQUESTS.keys())
def test_a_malformed_request_is_answered_and_survived(driver: Driver, line: str) -> None:
    driver.node(A)
    driver("store_open")
    answer = driver.raw(line)
    assert answer["ok"] is False or answer["result"] == {"outcome": "error"}
    assert answer["ok"] or isinstance(answer["error"], str)
    assert driver("now") > 0


def test_no_request_kills_the_driver() -> None:
    driver = Driver()
    try:
        driver.node(A)
        driver("store_open")
        for line in KILLERS:
            assert driver.raw(line)["ok"] is False or "store" in line
    finally:
        driver.close()


def test_reset_forgets_everything(driver: Driver) -> None:
    start = driver("now")
    bob = driver.node(B)
    raw = envelope(TTT, "challenge")
    assert bob.wire(raw, A) == ACCEPTED
    driver.advance(50.5)
    assert driver("now") == start + 50.5
    driver("reset")
    assert driver("now") == start
    assert not driver.ask("state", peer=bob.peer, app=TTT, session=S)["ok"]
    assert driver.node(B).wire(raw, A) == ACCEPTED


@pytest.mark.parametrize("app", APPS)
def test_identities_of_one_node_are_apart(driver: Driver, app: str) -> None:
    node = driver.node(A)
    raw = envelope(app, "challenge")
    assert node.wire(raw, C) == ACCEPTED
    assert node.state(app, identity=B) is None
    assert node.wire(raw, C, identity=B) == ACCEPTED
    assert node.wire(raw, C, identity=B) == DUPLICATE
    assert node.local(app, "decline", to=C)["outcome"] == "prepared"
    assert node.state(app)["status"] == "declined"  # type: ignore[index]
    assert node.state(app, identity=B)["status"] == "pending"  # type: ignore[index]
    assert [s["status"] for s in node.listed(app, identity=B)] == ["pending"]
    other = next(one for one in APPS if one != app)
    assert node.wire(envelope(other, "challenge"), C) == refused("session_exists")
    assert node.wire(envelope(other, "challenge", session=sid(3)), C, identity=B) == ACCEPTED
    node.remove(app)
    assert node.state(app) is None
    assert node.state(app, identity=B) is not None


@pytest.mark.parametrize("app", APPS)
def test_two_identities_of_one_node_play_each_other(driver: Driver, app: str) -> None:
    node = driver.node(A)
    raw = node.send(app, "challenge", to=B)
    assert node.wire(raw, A, identity=B) == ACCEPTED
    raw = node.send(app, "accept", to=A, identity=B)
    assert node.wire(raw, B) == ACCEPTED
    raw = node.send(app, "resign", to=B)
    assert node.wire(raw, A, identity=B) == ACCEPTED
    mine, yours = node.state(app), node.state(app, identity=B)
    assert mine is not None
    assert yours is not None
    assert mine["winner"] == yours["winner"] == B
    assert (mine["initiator"], yours["initiator"]) == (A, A)
    assert (mine["contact"], yours["contact"]) == (B, A)


@pytest.mark.parametrize("app", APPS)
def test_the_list_is_per_game_newest_first(driver: Driver, app: str) -> None:
    node = driver.node(A)
    for number in range(6):
        driver.advance(1)
        assert node.wire(envelope(APPS[number % 3], "challenge", session=sid(number)), C) == ACCEPTED
    index = APPS.index(app)
    listed = node.listed(app)
    assert [view["session"] for view in listed] == [sid(index + 3), sid(index)]
    assert all((view["app"], view["contact"], view["status"]) == (app, C, "pending") for view in listed)
    assert listed[0] == node.state(app, sid(index + 3))
    node.remove(app, sid(index))
    assert len(node.listed(app)) == 1
