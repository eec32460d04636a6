"""The agent API over HTTP (§5, §7): who may call, what is refused in which order, and long-polls."""

from __future__ import annotations

import gzip
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gateway.arcade.conftest import Table
from tests.gateway.arcade.served import (
    AGENT,
    BRIDGE,
    CONFIG,
    DEADLINE,
    LOOK_AGAIN,
    Arcade,
    Client,
    Later,
    made_token,
)

MakeTable = Callable[..., Table]


# Who may call


def test_a_token_is_needed(table: MakeTable, clients: dict[str, Client], arcade: Arcade) -> None:
    made = table()
    for method, path in (
        ("POST", f"{made.path}/join"),
        ("GET", f"{made.path}/state"),
        ("POST", f"{made.path}/action"),
        ("POST", f"{made.path}/leave"),
        ("GET", f"{made.path}/events"),
        ("GET", f"{AGENT}/ses_000000000000/state"),
        ("POST", BRIDGE),
        ("POST", f"{made.hosted}/ops"),
        ("GET", f"{made.hosted}/pending-actions"),
        ("POST", f"{made.hosted}/rematch"),
        ("PATCH", f"{made.hosted}/state"),
        ("POST", f"{made.hosted}/end"),
    ):
        for token in ("", "arc_wrong", "Bearer"):
            client = arcade.client(token)
            answer = client.call(method, path)
            client.close()
            assert answer.status == 401, (path, token)
            assert answer.body["error"]
            assert answer.headers["www-authenticate"] == "Bearer"
    for path in (f"{AGENT}/available", f"{made.path}/public"):
        assert clients[""].get(path).status == 200
    assert (
        clients["ann"].call("GET", f"{made.path}/state", headers={"Authorization": "Basic x"}).status == 401
    )


def test_scopes(table: MakeTable, clients: dict[str, Client]) -> None:
    made = table()
    for path in (BRIDGE, f"{made.hosted}/ops", f"{BRIDGE}/ses_000000000000/ops"):
        answer = clients["ann"].post(path, "no body either")
        assert (answer.status, answer.code) == (403, "missing_scope")
    answer = clients["host"].get(f"{made.path}/state")
    assert (answer.status, answer.code) == (403, "missing_scope")
    assert clients["cat"].post(BRIDGE, {"config": CONFIG}).status == 201


def test_all_tokens_of_an_account_are_one_player(table: MakeTable, arcade: Arcade) -> None:
    made = table()
    second = arcade.client(made_token(arcade.data, "ann", "play"))
    time.sleep(LOOK_AGAIN)  # what other processes change is seen within a second
    assert second.get(f"{made.path}/state").body["playerId"] == made.ids[0]
    second.close()


def test_the_order_of_checks(table: MakeTable, clients: dict[str, Client]) -> None:
    made = table()
    cat = clients["cat"]
    lost, unknown = f"{AGENT}/ses_{'0' * 12}", f"{AGENT}/xyz"
    assert (cat.post(f"{lost}/action", [1]).status, cat.post(f"{unknown}/action", [1]).status) == (410, 404)
    assert cat.get(f"{lost}/state").code == "server_restarted"
    assert cat.post(f"{made.path}/action", [1]).status == 403  # before the body
    assert cat.post(f"{made.hosted}/ops", [1]).status == 403
    assert made.ann.post(f"{made.path}/action", [1]).status == 400  # before the conflict
    assert made.ann.post(f"{made.path}/action", {"action": {"type": "__x"}}).code == "reserved_action"
    assert made.ann.post(f"{made.path}/action", {"action": 1}).code == "not_your_turn"


def test_no_answer_names_the_software_and_its_version(arcade: Arcade, clients: dict[str, Client]) -> None:
    nobody = clients[""]
    for path in ("/", f"{AGENT}/available", "/nothing", "/play", f"{AGENT}/ses_000000000000/state"):
        assert nobody.get(path).headers.get("server", "lrgpnode") == "lrgpnode"
    assert nobody.get("/").headers["server"] == "lrgpnode"
    with socket.create_connection(("127.0.0.1", arcade.port), timeout=30) as bare:
        bare.sendall(b"GET / HTTP/1.1\r\nHost : a b\r\n\r\n")
        answer = bare.makefile("rb").read().lower()
    assert b"\r\nserver: lrgpnode\r\n" in answer
    assert b"python" not in answer
    assert b"aiohttp" not in answer


def test_unknown_paths_and_methods(clients: dict[str, Client]) -> None:
    for method, path, status in (
        ("GET", "/api/v1/agent/nothing", 404),
        ("GET", "/api/v1/agent/sessions/ses_0/unknown", 404),
        ("DELETE", f"{AGENT}/available", 405),
        ("GET", BRIDGE, 405),
        ("PUT", f"{BRIDGE}/ses_0/state", 405),
    ):
        answer = clients["host"].call(method, path)
        assert answer.status == status
        assert set(answer.body) == {"error", "code"}


# Bodies and queries


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"nonsense", b'{"action"', b"\xff\xfe", b'"\xff"', b"[" * 5000, b"null", b"7", b"{}", b"[]"],
)
def test_bodies_that_cannot_be_read(table: MakeTable, raw: bytes) -> None:
    made = table()
    answer = made.ann.call("POST", f"{made.path}/action", raw=raw)
    assert answer.status == 400
    assert answer.body["error"]


def test_deep_and_large_bodies(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    deep: object = "x"
    for _ in range(100):
        deep = [deep]
    answer = made.ann.post(f"{made.path}/action", {"action": deep})
    assert (answer.status, answer.code) == (400, "too_deep")
    wide = {"action": [[index] for index in range(500)], "text": "[" * 200}
    assert made.ann.post(f"{made.path}/action", wide).status == 200
    assert made.ann.call("POST", f"{made.path}/action", raw=b" " * 600_000).status == 413
    assert made.ann.post(f"{made.path}/action", {"action": "x" * 20_000}).status == 413
    packed = gzip.compress(b'{"action": 1}')
    headers = {"Content-Encoding": "gzip"}
    assert made.ben.call("POST", f"{made.path}/action", raw=packed, headers=headers).status == 400


def test_unknown_fields_are_ignored(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    answer = made.ann.post(f"{made.path}/action", {"action": 1, "turn": 1, "comment": "hello"})
    assert answer.status == 200


@pytest.mark.parametrize("turn", ["1", 1.5, [], True])
def test_turns_that_are_no_numbers(table: MakeTable, turn: object) -> None:
    made = table()
    made.turn(0)
    assert made.ann.post(f"{made.path}/action", {"action": 1, "turn": turn}).status == 400


def test_the_body_of_join_may_be_missing(clients: dict[str, Client]) -> None:
    id = clients["host"].ok("POST", BRIDGE, {"config": CONFIG}, 201)["sessionId"]
    assert clients["ann"].call("POST", f"{AGENT}/{id}/join").body["players"][0]["asName"] == "ann"
    joined = clients["ben"].post(f"{AGENT}/{id}/join", {"asName": "  Big\nBen "}).body
    assert joined["players"][1]["asName"] == "Big Ben"
    assert clients["cat"].post(f"{AGENT}/{id}/join", {"asName": 5}).status == 400
    assert clients["cat"].post(f"{AGENT}/{id}/join", {"asName": "x" * 500}).status == 400


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("wait=0", 200),
        ("wait=-5", 200),
        ("wait=0.01", 200),
        ("wait=x", 400),
        ("wait=nan", 400),
        ("since=x", 400),
        ("since=1.5", 400),
        ("since=-1", 200),
        ("since=99999", 200),
        ("other=1", 200),
    ],
)
def test_queries(table: MakeTable, query: str, status: int) -> None:
    made = table()
    assert made.ann.get(f"{made.path}/state?{query}").status == status
    assert made.ann.get(f"{made.path}/events?{query}").status == status
    assert made.ann.get(f"{made.path}/public?{query}").status == status


def test_wait_is_cut_to_what_is_allowed(table: MakeTable) -> None:
    made = table()
    later = Later(made.ben, "GET", f"{made.path}/state?wait=100000")
    made.turn(1)
    assert later.answer().body["yourTurn"] is True


# Long-polls


def took(client: Client, path: str) -> float:
    began = time.monotonic()
    assert client.get(path).status == 200
    return time.monotonic() - began


def test_what_does_not_wait(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    version = made.version()
    for client, path in (
        (made.ann, f"{made.path}/state?wait=20"),  # it is your turn
        (made.ann, f"{made.path}/state?wait=20&since={version}"),
        (made.ben, f"{made.path}/state?since={version}"),  # `since` without `wait`
        (made.ben, f"{made.path}/state?wait=20&since={version - 1}"),
        (made.ben, f"{made.path}/public?wait=20"),  # `wait` without `since`
        (made.ben, f"{made.path}/public?wait=20&since={version - 1}"),
        (made.ben, f"{made.path}/events?wait=20&since=0"),
    ):
        assert took(client, path) < 10, path
    made.ops({"op": "end", "result": None})
    assert took(made.ben, f"{made.path}/state?wait=20&since=999999") < 10


def test_what_waits_until_its_time_is_over(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    version, last = made.version(), made.ben.get(f"{made.path}/events").body["lastIndex"]
    for path in (
        f"{made.path}/state?wait=0.3",
        f"{made.path}/state?wait=0.3&since={version}",
        f"{made.path}/public?wait=0.3&since={version}",
        f"{made.path}/events?wait=0.3&since={last}",
    ):
        assert took(made.ben, path) >= 0.29, path
    assert took(made.host, f"{made.hosted}/pending-actions?after=1&wait=0.3") >= 0.29


def wait_for_holders() -> None:
    """Give requests that were sent time to arrive; whether they had is not what the tests depend on."""
    time.sleep(0.05)


@pytest.mark.parametrize("how", ["turn", "end", "leave"])
def test_a_waiting_player_is_woken(table: MakeTable, how: str) -> None:
    made = table()
    made.turn(0)
    later = Later(made.ben, "GET", f"{made.path}/state?wait=25")
    wait_for_holders()
    made.ops({"op": "state", "state": {"no": "reason to wake"}})
    match how:
        case "turn":
            made.turn(1)
        case "end":
            made.ops({"op": "end", "result": {"winner": None}})
        case "leave":
            made.ann.ok("POST", f"{made.path}/leave")
    began = time.monotonic()
    state = later.answer().body
    assert time.monotonic() - began < 10
    assert state["yourTurn"] is (how == "turn")
    assert state["status"] == ("active" if how == "turn" else "finished")


def test_since_wakes_on_any_change(table: MakeTable) -> None:
    made = table()
    version = made.version()
    polls = [
        Later(made.ann, "GET", f"{made.path}/state?wait=25&since={version}"),
        Later(made.stranger, "GET", f"{made.path}/public?wait=25&since={version}"),
    ]
    wait_for_holders()
    changed = made.ops({"op": "state", "state": {"a": 1}})["version"]
    for poll in polls:
        answer = poll.answer()
        assert (answer.body["version"], answer.body["state"]) == (changed, {"a": 1})
        assert answer.headers["content-type"].startswith("application/json")


def test_a_verdict_wakes_its_player(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    made.ann.ok("POST", f"{made.path}/action", {"action": 1})
    made.entries(1)
    later = Later(made.ann, "GET", f"{made.path}/state?wait=25")
    wait_for_holders()
    made.turn(1)
    assert later.answer().body["lastAction"]["status"] == "applied"


def test_events_wait(table: MakeTable) -> None:
    made = table()
    index = made.ann.get(f"{made.path}/events").body["lastIndex"]
    later = Later(made.ann, "GET", f"{made.path}/events?wait=25&since={index}")
    wait_for_holders()
    made.turn(0)
    assert [one["index"] for one in later.answer().body["events"]] == [index + 1]
    assert made.host.get(f"{made.path}/events").body["events"]  # its host may, without the scope to play
    assert made.host.get(f"{AGENT}/ses_000000000000/events").code == "missing_scope"
    assert made.stranger.get(f"{made.path}/events").status == 403


def test_the_host_may_read_events(clients: dict[str, Client]) -> None:
    cat = clients["cat"]
    id = cat.ok("POST", BRIDGE, {"config": CONFIG}, 201)["sessionId"]
    assert cat.get(f"{AGENT}/{id}/events").body["events"][0]["type"] == "created"
    assert cat.get(f"{AGENT}/{id}/state").status == 403


def test_whoever_loses_its_seat_while_waiting_is_told(clients: dict[str, Client]) -> None:
    id = clients["host"].ok("POST", BRIDGE, {"config": CONFIG}, 201)["sessionId"]
    clients["ann"].ok("POST", f"{AGENT}/{id}/join")
    later = Later(clients["ann"], "GET", f"{AGENT}/{id}/state?wait=25")
    wait_for_holders()
    clients["ann"].ok("POST", f"{AGENT}/{id}/leave")
    assert later.answer().status == 403


# Actions


def test_an_action_that_does_not_wait(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    taken = made.ann.ok("POST", f"{made.path}/action", {"action": {"type": "move"}, "turn": 1})
    assert (taken["accepted"], taken["turn"], taken["outcome"]) == (True, 1, "pending")
    assert taken["snapshot"]["lastAction"]["actionId"] == taken["actionId"]
    assert "reason" not in taken


@pytest.mark.parametrize("outcome", ["applied", "rejected", "pending", "end"])
def test_an_action_that_waits_for_its_outcome(table: MakeTable, outcome: str) -> None:
    made = table()
    made.turn(0)
    wait = 0.2 if outcome == "pending" else 25
    later = Later(made.ann, "POST", f"{made.path}/action?wait={wait}", {"action": "a"})
    poll = made.host.ok("GET", f"{made.hosted}/pending-actions?after=1&wait=25")
    assert poll["actions"][0]["action"] == "a"
    match outcome:
        case "applied":
            made.turn(1)
        case "rejected":
            made.ops({"op": "reject", "playerId": made.ids[0], "reason": "not so"})
        case "end":
            made.ops({"op": "end", "result": {"winner": made.ids[0]}})
    answer = later.answer().body
    assert answer["accepted"] is True
    assert answer["outcome"] == ("applied" if outcome == "end" else outcome)
    assert answer.get("reason") == ("not so" if outcome == "rejected" else None)
    assert answer["snapshot"]["yourTurn"] is (outcome == "rejected")


def test_a_refused_action_does_not_wait(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    began = time.monotonic()
    answer = made.ben.post(f"{made.path}/action?wait=25", {"action": 1})
    assert time.monotonic() - began < 10
    assert (answer.status, answer.code) == (409, "not_your_turn")
    assert answer.body["snapshot"]["playerId"] == made.ids[1]


def test_values_pass_unchanged(table: MakeTable) -> None:
    made = table()
    made.turn(0)
    value = {"text": 'Zug é 棋 " \\ \u0001', "numbers": [0, -1, 1.5, 2**53, True, None], "deep": {"a": [{}]}}
    made.ann.ok("POST", f"{made.path}/action", {"action": value})
    assert made.entries(1)[0]["action"] == value
    made.ops({"op": "state", "state": value})
    assert made.ben.get(f"{made.path}/state").body["state"] == value


# Connections


def exchange(arcade: Arcade, sent: bytes, answers: int) -> bytes:
    with socket.create_connection(("127.0.0.1", arcade.port), timeout=DEADLINE) as connection:
        connection.sendall(sent)
        got = b""
        while got.count(b"HTTP/1.") < answers or not got.rstrip().endswith(b"}"):
            more = connection.recv(65536)
            if not more:
                break
            got += more
        return got


def test_requests_sent_at_once_are_answered_in_order(table: MakeTable, arcade: Arcade) -> None:
    made = table()
    one = f"GET {made.path}/public HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    other = f"GET {AGENT}/nothing/public HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    got = exchange(arcade, one + other + one, 3)
    assert [part[:3] for part in got.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"]


@pytest.mark.parametrize("head", [b"HTTP/1.0\r\n", b"HTTP/1.1\r\nConnection: close\r\n"])
def test_connections_that_are_to_be_closed(table: MakeTable, arcade: Arcade, head: bytes) -> None:
    made = table()
    since = made.version() - 1
    request = f"GET {made.path}/public?since={since}&wait=5 ".encode() + head + b"Host: a\r\n\r\n"
    with socket.create_connection(("127.0.0.1", arcade.port), timeout=DEADLINE) as connection:
        connection.sendall(request)
        got = b""
        while more := connection.recv(65536):
            got += more
    assert json.loads(got.partition(b"\r\n\r\n")[2])["sessionId"] == made.id


def test_head_has_no_body(table: MakeTable, clients: dict[str, Client]) -> None:
    answer = clients[""].call("HEAD", f"{table().path}/public")
    assert (answer.status, answer.raw) == (200, b"")


def test_who_asks_and_does_not_read_fills_no_memory(table: MakeTable, arcade: Arcade) -> None:
    made = table()
    made.ops({"op": "state", "state": "x" * 400_000})
    request = f"GET {made.path}/public HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    before = resident(arcade)
    with socket.create_connection(("127.0.0.1", arcade.port), timeout=DEADLINE) as connection:
        connection.setblocking(False)
        sent = 0
        while sent < 500:  # 200 MB of answers
            try:
                sent += connection.send(request) // len(request)
            except BlockingIOError:
                break
        # Others are served meanwhile, and see to it that time passes.
        for _ in range(300):
            assert made.ann.get(f"{made.path}/events").status == 200
            assert resident(arcade) - before < 60_000_000


def resident(arcade: Arcade) -> int:
    """Bytes of memory that the arcade has."""
    pages = int(Path(f"/proc/{arcade.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


# Discovery


def test_tables_are_listed(clients: dict[str, Client]) -> None:
    given = {"config": CONFIG, "gameId": "the-id", "gameTitle": "A Title"}
    made = {name: clients[name].ok("POST", BRIDGE, given, 201) for name in ("host", "house")}
    found = clients[""].get(f"{AGENT}/available?game=a%20TITLE").body["sessions"]
    kinds = {one["sessionId"]: one["host"] for one in found}
    assert kinds[made["host"]["sessionId"]] == "agent"
    assert kinds[made["house"]["sessionId"]] == "house"
    entry = next(one for one in found if one["sessionId"] == made["host"]["sessionId"])
    assert set(entry) == {
        *("sessionId", "gameId", "gameTitle", "gameSlug", "skillUrl", "status", "joinable", "reserved"),
        *("currentPlayers", "minPlayers", "maxPlayers", "round", "host", "createdAt", "config"),
    }
    assert entry["skillUrl"].endswith("/games/a-title/skill.md")
    page = clients[""].get(entry["skillUrl"].partition("/games")[2].join(["/games", ""]))
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/markdown")
    text = page.raw.decode()
    for word in ("A Title", "/api/v1/agent/sessions", "Authorization: Bearer", "wait=25", "nextSessionId"):
        assert word in text
    assert clients[""].get("/skill.md").status == 200
    assert clients[""].get("/games/none/skill.md").status == 404


def test_a_list_has_place_for_so_much(clients: dict[str, Client]) -> None:
    """Large configurations: the list is cut, and finding by name still works."""
    house, nobody = clients["house"], clients[""]
    large = {"config": {**CONFIG, "pad": "x" * 3700}, "gameTitle": "Padded"}
    made = [house.ok("POST", BRIDGE, large, 201)["sessionId"] for _ in range(300)]
    try:
        last = {"config": CONFIG, "gameTitle": "Last of all"}
        made.append(house.ok("POST", BRIDGE, last, 201)["sessionId"])
        answer = nobody.get(f"{AGENT}/available?game=padded")
        assert 250 < len(answer.body["sessions"]) < 300
        assert len(answer.raw) < 1_500_000
        found = nobody.get(f"{AGENT}/available?game=last%20of%20all").body["sessions"]
        assert [one["sessionId"] for one in found] == made[-1:]
    finally:
        for id in made:
            house.ok("POST", f"{BRIDGE}/{id}/end", {"result": None})


def test_no_host_fills_the_list_alone(clients: dict[str, Client]) -> None:
    house, cat, nobody = clients["house"], clients["cat"], clients[""]
    large = {"config": {**CONFIG, "pad": "x" * 3700}, "gameTitle": "Crowded"}
    made = [(house, house.ok("POST", BRIDGE, large, 201)["sessionId"]) for _ in range(300)]
    try:
        made += [(cat, cat.ok("POST", BRIDGE, large, 201)["sessionId"]) for _ in range(3)]
        listed = [one["sessionId"] for one in nobody.get(f"{AGENT}/available?game=crowded").body["sessions"]]
        assert len(listed) < 300
        assert [id for _, id in made[-3:]] == listed[-3:]
        assert listed == [id for _, id in made if id in set(listed)]
    finally:
        for host, id in made:
            host.ok("POST", f"{BRIDGE}/{id}/end", {"result": None})
