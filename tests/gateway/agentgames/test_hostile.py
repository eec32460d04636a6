"""Servers that refuse, lie, shout or are somebody else; and where the token and the key must not be."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from aiohttp import web

from gateway.address import STREAM, BadAddress, parse_address
from gateway.agentgames.client.connection import Limits
from gateway.agentgames.client.hostkeys import HostKeys
from gateway.agentgames.client.ssh import SshDialer
from gateway.agentgames.client.websocket import WebSocketDialer
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import AccountRefused, Lost, NoTable, PlatformError, Reason, Unreachable, YourTurn
from lrgpnode.logs.redact import Redactor
from tests.gateway.agentgames import serving
from tests.gateway.agentgames.fake_server import FakeServer
from tests.gateway.agentgames.playing import Hand, until
from tests.gateway.agentgames.serving import (
    CLIENT_KEY,
    HOST_KEY,
    PEM,
    QUICK,
    TOKEN,
    account,
    account_of,
    listening,
    over_ssh,
    over_websocket,
    public,
    ssh_listening,
)

EMPTY = [".", ".", ".", ".", ".", ".", ".", ".", "."]


def state(
    board: Any = EMPTY, to_move: Any = 0, legal: Any = ("0", "1"), yours: Any = True, **more: Any
) -> str:
    observation = {"board": board, "toMove": to_move, "legal": legal, **more}
    return json.dumps({"type": "state", "observation": observation, "yourTurn": yours})


QUEUED = '{"type":"queued","game":"ttt"}'
HELLO = '{"type":"hello","player":0,"game":"ttt","opponent":"bob"}'


@asynccontextmanager
async def saying(lines: list[str], *, hang: bool = False) -> AsyncIterator[AgentGamesPlatform]:
    """A server that says this and goes, or says no more."""

    async def play(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        for line in lines:
            await socket.send_str(line)
        if hang:
            await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/play", play)
    async with listening(app) as port:
        address = parse_address(f"ws://127.0.0.1:{port}", schemes=STREAM)
        platform = AgentGamesPlatform(
            "agentgames", WebSocketDialer(address, limits=Limits(connect=2.0, close=0.1)), timing=QUICK
        )
        try:
            yield platform
        finally:
            await platform.close()


async def lost_at(lines: list[str], app: str = "ttt") -> str:
    """Why the match is lost after the server has said this."""
    async with saying([QUEUED, *lines], hang=True) as platform:
        hand = Hand(app)
        await hand.sit(platform)
        last = await hand.until(Lost)
        assert isinstance(last, Lost)
        assert not last.resumable
        return last.reason


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([HELLO, state(["O", *EMPTY[1:]])], "does not follow"),
        ([HELLO, state(["X", "O", *EMPTY[2:]])], "does not follow"),
        ([HELLO, state(["Z", *EMPTY[1:]])], "something else than X, O"),
        ([HELLO, state(EMPTY[:8])], "does not follow"),
        ([HELLO, state([*EMPTY, "."])], "does not follow"),
        ([HELLO, state(to_move=1)], "do not go together"),
        ([HELLO, state(yours=False)], "says that it is our turn"),
        ([HELLO, state(legal=[])], "offers no move"),
        ([HELLO, state(legal=["9", "-1", "x", "", "0.0"])], "offers no move"),
        ([HELLO, state(["X", *EMPTY[1:]], 1, ["0"], yours=True)], "says that it is our turn"),
        ([HELLO, state("." * 9)], "cannot be read"),
        ([HELLO, state(legal=[1, 2])], "cannot be read"),
        ([HELLO, '{"type":"state","observation":[],"yourTurn":true}'], "cannot be read"),
        ([HELLO, '{"type":"state","yourTurn":true}'], "without observation"),
        ([HELLO, '{"type":"result","winner":7,"outcome":"win","rating":1}'], "without winner"),
        ([HELLO, '{"type":"result","winner":0,"outcome":"glory","rating":1}'], "without outcome"),
        ([HELLO, '{"type":"error","error":"no opponent found"}'], "nobody wants to play"),
        ([HELLO, *['{"type":"ad"}'] * 150], "says nothing"),
        ([HELLO, *["buy now"] * 150], "says nothing"),
        ([HELLO, *[state()] * 150], "says nothing"),
        ([HELLO, "x" * 100_000], "too long"),
        ([HELLO, '{"type":"ad","x":' + "[" * 30_000 + "]" * 30_000 + "}"] + ["{}"] * 101, "says nothing"),
    ],
)
def test_what_cannot_be_ends_the_match_with_a_reason(lines: list[str], why: str) -> None:
    assert why in asyncio.run(lost_at(lines))


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([HELLO.replace("ttt", "c4")], "another game"),
        ([state()], "has not begun"),
        (['{"type":"result","winner":0,"outcome":"win","rating":1}'], "has not begun"),
        (['{"type":"hello","player":5,"game":"ttt","opponent":"x"}'], "without player"),
    ],
)
def test_nonsense_in_the_queue_costs_no_match(lines: list[str], why: str) -> None:
    async def main() -> None:
        async with saying([QUEUED, *lines], hang=True) as platform:
            hand = Hand("ttt")
            await hand.sit(platform)
            playing = asyncio.create_task(hand.play())
            await until(lambda: bool(hand.away()))
            playing.cancel()
            assert why in hand.away()[0]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("lines", "error", "why"),
    [
        ([], Unreachable, "connection"),
        (["Welcome!"], AccountRefused, "Welcome!"),
        ([HELLO], Unreachable, "does not say that we wait"),
        ([""], Unreachable, "connection"),
        (
            ['{"type":"error","error":"the \\u001b[31mmoon\\n is full"}'],
            Unreachable,
            r"says: the \[31mmoon is full$",
        ),
        (['{"type":"error"}'], Unreachable, "says"),
        (
            ['{"type":"error","error":"unknown game ttt; games: ' + "a, " * 900 + 'b"}'],
            NoTable,
            "have that game",
        ),
    ],
)
def test_what_is_no_place_in_a_queue(lines: list[str], error: type[PlatformError], why: str) -> None:
    async def main() -> None:
        async with saying(lines) as platform:
            with pytest.raises(error, match=why):
                await Hand("ttt").sit(platform)
            assert platform._waiting == {}

    asyncio.run(main())


def test_names_are_cleaned_and_ratings_may_be_anything() -> None:
    async def main() -> None:
        hello = HELLO.replace("bob", "b\\u202eo\\u0007b" + "x" * 100)
        result = (
            '{"type":"result","winner":0,"outcome":"win","reason":"forfeit: \\u0007boredom","rating":1e400}'
        )
        async with saying([QUEUED, hello, state(), result]) as platform:
            hand = Hand("ttt")
            await hand.sit(platform)
            await hand.play()
            assert hand.end.reason is Reason.OTHER
            assert hand.end.text == "boredom"
            assert "rating" not in hand.end.result
            joined: Any = hand.events[1]
            assert joined.players[1].name.startswith("bobxxx")
            assert len(joined.players[1].name) <= 60

    asyncio.run(main())


def test_a_line_before_the_first_message_is_not_the_end() -> None:
    async def main() -> None:
        async with saying(["** welcome to the games **", QUEUED, HELLO, state()], hang=True) as platform:
            hand = Hand("ttt")
            await hand.sit(platform)
            await hand.until(YourTurn)

    asyncio.run(main())


# HTTP


@pytest.mark.parametrize(
    ("status", "headers", "error", "why"),
    [
        (401, {}, AccountRefused, "token"),
        (403, {}, AccountRefused, "account"),
        (404, {}, Unreachable, "no AgentGames"),
        (400, {}, Unreachable, "400"),
        (200, {}, Unreachable, "200"),
        (502, {}, Unreachable, "502"),
        (503, {"Retry-After": "7"}, Unreachable, "503"),
        (429, {"Retry-After": "999999999"}, Unreachable, "429"),
    ],
)
def test_refusals_of_http(status: int, headers: dict[str, str], error: type[PlatformError], why: str) -> None:
    async def main() -> None:
        server = FakeServer()
        server.status, server.headers = status, headers
        async with over_websocket(server) as platform:
            with pytest.raises(error, match=why) as refused:
                await Hand("ttt").sit(platform)
            if isinstance(refused.value, Unreachable):
                wait = {"7": 7.0, "999999999": 86_400.0}.get(headers.get("Retry-After", ""))
                assert refused.value.retry_after == wait
            assert TOKEN not in str(refused.value)

    asyncio.run(main())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    seen: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Authorization", "nothing"))
        return web.Response(text="thanks")

    async def main() -> None:
        other = web.Application()
        other.router.add_get("/{any:.*}", elsewhere)
        async with listening(other) as port:
            server = FakeServer()
            server.status, server.headers = status, {"Location": f"http://127.0.0.1:{port}/play"}
            async with over_websocket(server) as platform:
                with pytest.raises(Unreachable):
                    await Hand("ttt").sit(platform)

    asyncio.run(main())
    assert seen == []


@pytest.mark.parametrize(
    ("url", "allowed", "good"),
    [
        ("wss://bbs.example.org", False, True),
        ("wss://bbs.example.org:8443/play", False, True),
        ("ws://127.0.0.1:8090", False, True),
        ("ws://localhost", False, True),
        ("ws://192.168.1.9", False, False),
        ("ws://192.168.1.9", True, True),
        ("ws://village.lan", True, True),
        ("ws://8.8.8.8", True, False),
        ("http://127.0.0.1", True, False),
        ("https://bbs.example.org", False, False),
        ("wss://user:pw@bbs.example.org", False, False),
        ("wss://bbs.example.org/play?token=x", False, False),
        ("wss://", False, False),
    ],
)
def test_addresses(url: str, allowed: bool, good: bool) -> None:
    if good:
        assert parse_address(url, allow_plain=allowed, schemes=STREAM).base == url
    else:
        with pytest.raises(BadAddress):
            parse_address(url, allow_plain=allowed, schemes=STREAM)


def test_a_name_without_encryption_leads_nowhere_but_to_private_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def outside(self: Any, host: str, port: int = 0, family: Any = None) -> list[dict[str, Any]]:
        return [{"hostname": host, "host": "8.8.8.8", "port": port, "family": 2, "proto": 0, "flags": 0}]

    monkeypatch.setattr("aiohttp.resolver.ThreadedResolver.resolve", outside)

    async def main() -> None:
        address = parse_address("ws://village.lan", allow_plain=True, schemes=STREAM)
        platform = AgentGamesPlatform("agentgames", WebSocketDialer(address), timing=QUICK)
        with pytest.raises(Unreachable, match="cannot be reached"):
            await Hand("ttt").sit(platform)
        await platform.close()

    asyncio.run(main())


def test_nobody_there(tmp_path: Path) -> None:
    async def main() -> None:
        async with listening(web.Application()) as port:
            pass
        address = parse_address(f"ws://127.0.0.1:{port}", schemes=STREAM)
        for dialer in (WebSocketDialer(address), SshDialer("127.0.0.1", port, HostKeys(tmp_path / "known"))):
            platform = AgentGamesPlatform("agentgames", dialer, timing=QUICK)
            for who in (None, account_of(platform)):
                with pytest.raises(Unreachable):
                    await platform.check(who)
            await platform.close()
            if isinstance(dialer, WebSocketDialer):
                with pytest.raises(Unreachable, match="closed"):
                    await platform.check(None)

    asyncio.run(main())


# SSH


def test_the_first_host_key_is_kept_and_another_one_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    known = tmp_path / "known"
    other = asyncssh.generate_private_key("ssh-ed25519")

    async def main() -> None:
        server = FakeServer()
        server.accounts[public(CLIENT_KEY)] = "alice"
        async with ssh_listening(server, HOST_KEY) as port:
            dialer = SshDialer("127.0.0.1", port, HostKeys(known), limits=Limits(connect=5.0, close=0.2))
            platform = AgentGamesPlatform("agentgames", dialer, timing=QUICK)
            await platform.check(None)
            await platform.check(account(PEM))
            assert known.read_text() == f"[127.0.0.1]:{port} {public(HOST_KEY)}\n"
            assert stat.S_IMODE(known.stat().st_mode) == 0o600
            assert caplog.text.count("taken as it is") == 1
            known.write_text(f"[127.0.0.1]:{port} {public(other)}\n")
            for who in (None, account(PEM)):
                with pytest.raises(Unreachable, match=r"is not the known one.*take its line out of known"):
                    await platform.check(who)
            with pytest.raises(Unreachable, match="is not the known one"):
                await Hand("ttt").sit(platform)
            known.write_text(f"@revoked [127.0.0.1]:{port} {public(HOST_KEY)}\n")
            with pytest.raises(Unreachable, match="revoked"):
                await platform.check(None)
            known.write_text("broken")
            with pytest.raises(Unreachable, match="cannot be read"):
                await platform.check(None)
            known.unlink()
            known.mkdir()
            with pytest.raises(Unreachable, match="cannot be read"):
                await platform.check(None)
            await platform.close()
            await server.stop()
        assert server.dials == [("alice", "list")]

    caplog.set_level(logging.INFO)
    asyncio.run(main())


def test_keys_that_the_server_or_we_cannot_take(tmp_path: Path) -> None:
    async def main() -> None:
        server = FakeServer()
        stranger = asyncssh.generate_private_key("ssh-ed25519").export_private_key("openssh").decode()
        locked = CLIENT_KEY.export_private_key("pkcs8-pem", passphrase="secret words").decode()
        async with over_ssh(server, tmp_path) as platform:
            for secret, why in (
                (stranger, "key not registered \u2014 run: ssh join@localhost"),
                (locked, "passphrase"),
                (TOKEN, "no SSH key"),
                (
                    "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
                    "no SSH key",
                ),
            ):
                with pytest.raises(AccountRefused, match=why) as refused:
                    await Hand("ttt").sit(platform, account(secret))
                assert secret not in str(refused.value)
                assert Redactor().clean(str(refused.value)) == str(refused.value), "readable in the log"
            server.banned = {"alice"}
            with pytest.raises(AccountRefused, match="suspended"):
                await Hand("ttt").sit(platform, account(PEM))
        async with over_websocket(server) as platform:
            with pytest.raises(AccountRefused, match="no token"):
                await Hand("ttt").sit(platform, account(PEM))

    asyncio.run(main())


def test_nothing_of_the_users_own_ssh_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = asyncssh.generate_private_key("ssh-ed25519")
    folder = tmp_path / ".ssh"
    folder.mkdir(mode=0o700)
    mine.write_private_key(folder / "id_ed25519")
    (folder / "config").write_text("User nobody\nPort 1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(serving, "OFFERED", offered := [])

    async def main() -> None:
        async with over_ssh(FakeServer(), tmp_path) as platform:
            await platform.check(None)
            assert offered == []
            await platform.check(account(PEM))
        assert set(offered) == {public(CLIENT_KEY)}
        assert not (folder / "known_hosts").exists()

    asyncio.run(main())


def test_a_line_that_is_too_long_over_ssh(tmp_path: Path) -> None:
    async def main() -> None:
        server = FakeServer()
        server.before = {"hello": ["x" * 200_000]}
        async with over_ssh(server, tmp_path) as platform:
            hand = Hand("ttt")
            await hand.sit(platform)
            server.bot("ttt", [])
            playing = asyncio.create_task(hand.play())
            await until(lambda: bool(hand.away()))
            playing.cancel()
            assert "too long" in hand.away()[0]

    asyncio.run(main())


# Secrets


def test_token_and_key_are_in_no_log_and_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    texts: list[str] = []

    async def troubles(platform: AgentGamesPlatform, server: FakeServer) -> None:
        who = account_of(platform)
        texts.extend([repr(who), str(who), repr(platform.__dict__)])
        hand = Hand("ttt", [0, 1, 2])
        await hand.sit(platform)
        server.bot("ttt", ["3", "4"])
        await hand.play()
        texts.extend([repr(hand.events), json.dumps(hand.notes)])
        for change in (_ban, _busy, _drop, _forget):
            change(server)
            try:
                await platform.check(who)
                hand = Hand("ttt")
                await hand.sit(platform)
            except PlatformError as error:
                texts.extend([str(error), repr(error), repr(error.__context__), repr(error.__cause__)])

    async def main() -> None:
        server = FakeServer()
        async with over_websocket(server) as platform:
            await troubles(platform, server)
        server = FakeServer()
        async with over_ssh(server, tmp_path) as platform:
            await troubles(platform, server)
        texts.extend(server.wrongs)

    caplog.set_level(logging.DEBUG)
    asyncio.run(main())
    everything = "\n".join([*texts, caplog.text, *(str(r.exc_info) for r in caplog.records)])
    body = PEM.splitlines()[2]
    assert TOKEN not in everything
    assert body not in everything
    assert len(texts) > 20


def _ban(server: FakeServer) -> None:
    server.banned = set(server.accounts.values())


def _busy(server: FakeServer) -> None:
    server.banned, server.status = set(), 503


def _drop(server: FakeServer) -> None:
    server.status, server.drop = 0, {"queued", "error"}


def _forget(server: FakeServer) -> None:
    server.drop = set()
    server.accounts = {}
