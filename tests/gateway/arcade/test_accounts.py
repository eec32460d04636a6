"""Accounts and tokens by the command line, signing in, and that a token is never shown."""

from __future__ import annotations

import json
import re
import socket
import sqlite3
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gateway.arcade import auth
from tests.gateway.arcade.served import (
    AGENT,
    BRIDGE,
    CONFIG,
    DEADLINE,
    LOOK_AGAIN,
    LRGPNODE,
    Answer,
    Arcade,
    Client,
    Later,
    made_token,
    run,
    until,
)

Start = Callable[..., Arcade]

ACCOUNT = "/api/v1/arcade/account"
RESULTS = "/api/v1/arcade/results"


def said(data: Path, *words: str, typed: str = "") -> Any:
    done = run(data, *words, "--json", typed=typed)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_accounts_and_tokens(tmp_path: Path) -> None:
    assert "no accounts" in run(tmp_path, "account", "list").stdout
    made = said(tmp_path, "account", "add", "Ann Lee", "--password", typed="correct horse\n")
    assert (made["name"], made["house"], made["has_password"]) == ("Ann Lee", False, True)
    assert said(tmp_path, "account", "add", "robot", "--house")["house"] is True
    taken = run(tmp_path, "account", "add", "ROBOT")
    assert taken.returncode == 1
    assert "already" in taken.stderr
    token = said(tmp_path, "token", "create", "robot", "--scope", "host", "--label", "the box")
    assert re.fullmatch(r"arc_[\w-]{43}", token["token"])
    plain = run(tmp_path, "token", "create", "ann lee")
    assert re.fullmatch(r"arc_[\w-]{43}\n", plain.stdout)
    listed = said(tmp_path, "token", "list")["tokens"]
    assert [(one["account"], one["scopes"], one["label"]) for one in listed] == [
        ("robot", ["host"], "the box"),
        ("Ann Lee", ["play"], ""),
    ]
    assert token["token"] not in json.dumps(listed)
    assert [one["account"] for one in said(tmp_path, "token", "list", "robot")["tokens"]] == ["robot"]
    gone = said(tmp_path, "token", "revoke", listed[0]["id"][:8])
    assert gone["id"] == listed[0]["id"]
    assert run(tmp_path, "token", "revoke", listed[0]["id"]).returncode == 1
    assert said(tmp_path, "account", "disable", "robot")["disabled"] is True
    assert said(tmp_path, "account", "enable", "robot")["disabled"] is False
    assert run(tmp_path, "account", "disable", "nobody").returncode == 1
    assert run(tmp_path, "account", "password", "robot", typed="short\n").returncode == 1
    file = tmp_path / "arcade.db"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token["token"].encode() not in file.read_bytes()


def test_what_the_command_changes_is_seen_soon(arcade: Arcade) -> None:
    token = made_token(arcade.data, "eve", "play")
    eve = arcade.client(token)
    path = f"{AGENT}/ses_{arcade_tag(arcade)}00000000/state"
    until(lambda: eve.get(path).status, lambda status: status == 404)
    for word, status in (("disable", 401), ("enable", 404)):
        run(arcade.data, "account", word, "eve")
        until(lambda: eve.get(path).status, lambda found, status=status: found == status)
    (kept,) = said(arcade.data, "token", "list", "eve")["tokens"]
    run(arcade.data, "token", "revoke", kept["id"])
    until(lambda: eve.get(path).status, lambda status: status == 401)
    eve.close()


def arcade_tag(arcade: Arcade) -> str:
    client = arcade.client(made_token(arcade.data, "tagger", "host"))
    made = until(lambda: client.post(BRIDGE, {"config": CONFIG}), lambda answer: answer.status == 201)
    client.close()
    return str(made.body["sessionId"])[4:8]


# Signing in


def sign_in(client: Client, arcade: Arcade, name: str, password: str, **headers: str) -> Answer:
    sent = {"Origin": f"http://127.0.0.1:{arcade.port}", **headers}
    return client.call("POST", ACCOUNT, {"name": name, "password": password}, headers=sent)


def test_signing_in_with_a_browser(arcade: Arcade) -> None:
    said(arcade.data, "account", "add", "Zoe", "--password", typed="a long password\n")
    client, own = arcade.client(), {"Origin": f"http://127.0.0.1:{arcade.port}"}
    assert client.get(ACCOUNT).body == {"account": None, "name": None, "scopes": []}
    for name, password in (("Zoe", "wrong password"), ("nobody", "a long password"), ("host", "x" * 10)):
        answer = sign_in(client, arcade, name, password)
        assert (answer.status, "set-cookie" in answer.headers) == (401, False)
    assert sign_in(client, arcade, "Zoe", "a long password", Origin="http://evil.example").status == 403
    answer = sign_in(client, arcade, "zoe", "a long password")
    assert (answer.status, answer.body["name"], answer.body["scopes"]) == (200, "Zoe", ["host", "play"])
    cookie = answer.headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert part in cookie
    signed = {"Cookie": cookie.partition(";")[0]}
    assert client.call("GET", ACCOUNT, headers=signed).body["name"] == "Zoe"
    # The cookie counts for the protocol's routes, from our own pages only.
    body = {"config": CONFIG}
    for origin in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert client.call("POST", BRIDGE, body, headers={**signed, **origin}).status == 403
    made = client.call("POST", BRIDGE, body, headers={**signed, **own})
    assert made.status == 201
    tables = client.get(f"{AGENT}/available?all=1").body["sessions"]
    kinds = {one["sessionId"]: one["host"] for one in tables}
    assert kinds[made.body["sessionId"]] == "player"
    assert client.call("DELETE", ACCOUNT, headers=signed).status == 403
    out = client.call("DELETE", ACCOUNT, headers={**signed, **own})
    assert out.status == 200
    assert client.call("GET", ACCOUNT, headers=signed).status == 401
    client.close()


@pytest.mark.parametrize("body", [{}, {"name": "x"}, {"name": 1, "password": "y"}, []])
def test_sign_ins_that_cannot_be_read(arcade: Arcade, body: object) -> None:
    client = arcade.client()
    own = {"Origin": f"http://127.0.0.1:{arcade.port}"}
    assert client.call("POST", ACCOUNT, body, headers=own).status == 400
    client.close()


# Restarts


def test_a_restart_keeps_accounts_and_results_and_loses_sessions(tmp_path: Path, start: Start) -> None:
    tokens = {name: made_token(tmp_path, name, "play", "host") for name in ("host", "ann", "ben")}
    first = start(tmp_path)
    host, ann, ben = (first.client(token) for token in tokens.values())
    id = host.ok("POST", BRIDGE, {"config": CONFIG, "gameTitle": "Go"}, 201)["sessionId"]
    ids = [one.ok("POST", f"{AGENT}/{id}/join", {})["playerId"] for one in (ann, ben)]
    waiting = Later(ann, "GET", f"{AGENT}/{id}/state?wait=25")
    host.ok("POST", f"{BRIDGE}/{id}/ops", {"ops": [{"op": "end", "result": {"winner": ids[0]}}]})
    assert waiting.answer().status == 200
    open_table = host.ok("POST", f"{BRIDGE}/{id}/rematch", {})["sessionId"]
    poll = Later(ann, "GET", f"{AGENT}/{open_table}/state?wait=25")
    seats = f"{AGENT}/{open_table}/public"  # whoever waits there is ready
    until(lambda: host.get(seats).body["players"][0]["ready"], bool)
    began = time.monotonic()
    assert first.stop() == 0
    assert time.monotonic() - began < 20
    assert poll.answer().status == 200  # it is let go with an answer
    for client in (host, ann, ben):
        client.close()
    second = start(tmp_path)
    again = second.client(tokens["ann"])
    for path in (f"{AGENT}/{id}/state", f"{AGENT}/{open_table}/public"):
        answer = again.get(path)
        assert (answer.status, answer.code) == (410, "server_restarted")
    assert again.call("POST", f"{BRIDGE}/{open_table}/ops", {"ops": []}).status == 410
    (result,) = again.get(RESULTS).body["results"]
    assert (result["sessionId"], result["gameTitle"], result["gameSlug"]) == (id, "Go", "go")
    assert result["result"] == {"winner": ids[0]}
    assert [one["playerId"] for one in result["players"]] == ids
    assert again.get(f"{RESULTS}?game=chess").body == {"results": []}
    assert again.get(f"{RESULTS}?limit=0").status == 400
    again.close()
    second.stop()


# Secrets


def test_a_token_is_nowhere(tmp_path: Path, start: Start) -> None:
    tokens = {name: made_token(tmp_path, name, "play", "host") for name in ("host", "ann", "ben")}
    said(tmp_path, "account", "add", "Zoe", "--password", typed="sentinel password\n")
    arcade = start(tmp_path, "--log-level", "debug")
    host, ann, ben = (arcade.client(token) for token in tokens.values())
    seen: list[Answer] = []
    signed = sign_in(arcade.client(), arcade, "Zoe", "sentinel password")
    cookie = signed.headers["set-cookie"].partition(";")[0]
    seen.append(host.post(BRIDGE, {"config": CONFIG}))
    id = seen[-1].body["sessionId"]
    for client in (ann, ben):
        seen.append(client.post(f"{AGENT}/{id}/join"))
    for client in (host, ann, ben, arcade.client(tokens["ann"] + "x"), arcade.client()):
        for method, path in (
            ("GET", f"{AGENT}/{id}/state"),
            ("GET", f"{AGENT}/{id}/public"),
            ("GET", f"{AGENT}/{id}/events"),
            ("GET", f"{AGENT}/available"),
            ("GET", f"{AGENT}/ses_000000000000/state"),
            ("GET", f"/nowhere?token={tokens['ann']}"),
            ("GET", f"{BRIDGE}/{id}/pending-actions?after=0"),
            ("POST", f"{BRIDGE}/{id}/rematch"),
            ("POST", f"{AGENT}/{id}/action"),
            ("PUT", ACCOUNT),
        ):
            seen.append(client.call(method, path))
        client.close()
    bad = arcade.client(tokens["ann"])
    seen.append(bad.call("POST", f"{AGENT}/{id}/action", raw=b"\xff{"))
    seen.append(bad.call("GET", "/skill.md", headers={"Cookie": cookie + "; x\x7f=1"}))
    bad.close()
    for head in (b"Authorization: Bearer %b\x00\r\n", b"Authorization : Bearer %b\r\n", b"X%b\r\n"):
        got = send_raw(arcade, b"GET / HTTP/1.1\r\n" + head % tokens["ann"].encode() + b"\r\n")
        assert got.split()[1] == b"400"
        assert json.loads(got.partition(b"\r\n\r\n")[2]) == {"error": "Bad Request.", "code": "bad_request"}
    arcade.stop()
    secrets = [*tokens.values(), cookie.partition("=")[2], "sentinel password"]
    texts = ["".join(arcade.log), *(answer.raw.decode() for answer in seen)]
    texts += [str(answer.headers) for answer in seen]
    with sqlite3.connect(tmp_path / "arcade.db") as db:
        texts += list(db.iterdump())
    db.close()
    for file in tmp_path.iterdir():
        texts.append(file.read_bytes().decode("latin-1"))
    for secret in secrets:
        assert not any(secret in text for text in texts)
    assert all(answer.status < 500 for answer in seen)


def send_raw(arcade: Arcade, data: bytes) -> bytes:
    got = b""
    with socket.create_connection(("127.0.0.1", arcade.port), timeout=20) as connection:
        connection.sendall(data)
        while more := connection.recv(65536):
            got += more
    return got


# Limits


def test_wrong_tokens_are_slowed_down(tmp_path: Path, start: Start) -> None:
    arcade = start(tmp_path)
    client = arcade.client("arc_guess")
    answers = [client.get(f"{AGENT}/ses_000000000000/state") for _ in range(400)]
    assert {answer.status for answer in answers[:300]} == {401}
    assert (answers[-1].status, answers[-1].code) == (429, "rate_limited")
    assert int(answers[-1].headers["retry-after"]) >= 1
    arcade.stop()


@pytest.mark.slow
def test_wrong_passwords_are_slowed_down(tmp_path: Path, start: Start) -> None:
    said(tmp_path, "account", "add", "Zoe", "--password", typed="a long password\n")
    arcade = start(tmp_path)
    client = arcade.client()
    statuses = [sign_in(client, arcade, "Zoe", "wrong password").status for _ in range(21)]
    assert statuses == [401] * 20 + [429]
    refused = sign_in(client, arcade, "Zoe", "a long password")
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert int(refused.headers["retry-after"]) >= 1
    arcade.stop()


def test_calls_of_an_account_are_limited_by_a_setting(tmp_path: Path, start: Start) -> None:
    (tmp_path / "lrgpnode.toml").write_text("[arcade]\ncalls_per_second = 1\n")
    token = made_token(tmp_path, "ann", "play")
    arcade = start(tmp_path)
    client, other = arcade.client(token), arcade.client()
    answers = [client.get(f"{AGENT}/ses_000000000000/state") for _ in range(130)]
    assert answers[0].status == 410
    assert answers[-1].status == 429
    assert int(answers[-1].headers["retry-after"]) == 1
    assert other.get(f"{AGENT}/available").status == 200
    client.close()
    other.close()
    arcade.stop()


def test_the_port_is_taken(arcade: Arcade, tmp_path: Path) -> None:
    done = subprocess.run(
        [*LRGPNODE, "--data", str(tmp_path), "arcade", "run", "--listen", f"127.0.0.1:{arcade.port}"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot listen" in done.stderr


def test_look_again_is_long_enough() -> None:
    assert auth.LOOK_AGAIN < LOOK_AGAIN
