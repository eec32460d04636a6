"""One request: where a token may go, what is bounded, and what each status means."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, strategies as st

from gateway.address import BadAddress, is_private, parse_address
from gateway.rcadia.client import errors
from gateway.rcadia.client.agent import AgentApi
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.reading import lenient, read_tables
from gateway.rcadia.client.transport import Connections, Limits, MemoryGate, Transport
from gateway.rcadia.wire import Snapshot
from gateway.resolver import PrivateResolver
from gateway.secret import Secret

TOKEN = "tok_sentinel_91c2"
SESSION = "ses_a1b2c3d4e5f6"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client(answer: Answer, limits: Limits | None = None) -> AsyncIterator[AgentApi]:
    async with server(answer) as address:
        connections = Connections(parse_address(address + "/base/"), limits=limits)
        try:
            yield AgentApi(Transport(connections, Secret(TOKEN)))
        finally:
            await connections.close()


def status(code: int, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(
            body or {"error": "it says so", "code": "a_code"}, status=code, headers=headers
        )

    return answer


def failing(answer: Answer, limits: Limits | None = None) -> Exception:
    """What comes of asking for a state."""

    async def main() -> Exception:
        async with client(answer, limits) as api:
            with pytest.raises(errors.RcadiaError) as caught:
                await api.state(SESSION)
            return caught.value

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, errors.Refused),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.UnknownSession),
        (405, errors.Refused),
        (409, errors.Conflict),
        (410, errors.ServerRestarted),
        (429, errors.Unreachable),
        (500, errors.Unreachable),
        (503, errors.Unreachable),
    ],
)
def test_what_a_status_means(code: int, kind: type[Exception]) -> None:
    error = failing(status(code))
    assert type(error) is kind
    assert "it says so" in str(error)
    assert isinstance(error, errors.RcadiaError)
    assert error.code == "a_code"


def test_a_conflict_carries_the_table() -> None:
    snapshot = {"sessionId": SESSION, "playerId": "p_1", "turn": 7, "yourTurn": False}
    error = failing(status(409, {"error": "no", "code": "stale_turn", "snapshot": snapshot}))
    assert isinstance(error, errors.Conflict)
    assert error.code == "stale_turn"
    assert error.snapshot is not None
    assert error.snapshot.turn == 7


def test_the_token_goes_into_its_header_and_nowhere_else() -> None:
    seen: list[web.Request] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        return web.json_response({"sessionId": SESSION, "playerId": "p_1", "sessions": []})

    async def main() -> None:
        async with client(answer) as api:
            await api.state(SESSION, wait=25, since=3)
            await api.available()
            await api.join(SESSION, "Ann")
            await api.public(SESSION)
            await HostApi(api._transport).public(SESSION)

    asyncio.run(main())
    state, available, join, *public = seen
    assert state.path_qs == f"/base/api/v1/agent/sessions/{SESSION}/state?since=3&wait=25"
    assert state.headers["Authorization"] == f"Bearer {TOKEN}"
    assert len(public) == 2
    assert not any("Authorization" in one.headers for one in (available, *public))  # they are public
    assert join.headers["Content-Type"] == "application/json"
    for request in seen:
        others = [value for name, value in request.headers.items() if name != "Authorization"]
        assert all(TOKEN not in value for value in [request.path_qs, *others])


def test_no_error_and_no_log_shows_the_token(caplog: pytest.LogCaptureFixture) -> None:
    async def echo(request: web.Request) -> web.StreamResponse:
        said = f"bad {request.headers['Authorization']}\x1b[31m\n" + "x" * 5000
        return web.json_response({"error": said, "code": TOKEN}, status=400)

    caplog.set_level(logging.DEBUG)
    error = failing(echo)
    shown = f"{error} {error!r} {error.args} {error.__cause__!r}"
    assert TOKEN not in shown + caplog.text
    assert "<secret>" in str(error)
    assert "\x1b" not in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) <= 200
    assert TOKEN not in repr(Secret(TOKEN))


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "ä", "x" * 5000])
def test_a_token_that_no_header_can_carry(token: str) -> None:
    connections = Connections(parse_address("https://example.org"))
    with pytest.raises(errors.Unauthorized):
        Transport(connections, Secret(token))


def test_events_and_the_public_view() -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.path_qs.removeprefix("/base/api/v1/agent/sessions/" + SESSION))
        if request.path.endswith("events"):
            event = {
                "index": 4,
                "type": "action",
                "turn": 3,
                "actionId": "a_1",
                "at": "2026-10-07T19:00:00.000Z",
            }
            return web.json_response({"events": [event, {"type": "?"}], "lastIndex": 5, "status": "active"})
        view = {"status": "active", "turn": 3, "onTurnSeats": [1], "players": ["p_1", {"playerId": "p_2"}]}
        return web.json_response({**view, "version": 9, "nextSessionId": None})

    async def main() -> None:
        async with client(answer) as api:
            events = await api.events(SESSION, since=3, wait=40)
            assert ([one.index for one in events.events], events.last_index) == ([4], 5)
            view = await api.public(SESSION, since=8, wait=25)
            assert (view.session_id, view.version, view.on_turn_seats) == (SESSION, 9, [1])

    asyncio.run(main())
    assert asked == ["/events?since=3&wait=25", "/public?since=8&wait=25"]


def test_a_redirect_to_elsewhere_is_not_followed() -> None:
    visitors: list[str] = []

    async def main() -> None:
        async def elsewhere(request: web.Request) -> web.StreamResponse:
            visitors.append(request.headers.get("Authorization", ""))
            return web.json_response({})

        async with server(elsewhere) as other:

            async def answer(request: web.Request) -> web.StreamResponse:
                raise web.HTTPFound(other + "/api")

            async with client(answer) as api:
                with pytest.raises(errors.Unusable, match=r"127\.0\.0\.1"):
                    await api.state(SESSION)

    asyncio.run(main())
    assert visitors == []


def test_a_redirect_within_the_platform_is_followed_for_reading_only() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if "moved" in request.path:
            return web.json_response({"sessionId": SESSION, "playerId": "p_1"})
        raise web.HTTPFound("/moved" if request.method == "GET" else "/elsewhere")

    async def main() -> None:
        async with client(answer) as api:
            assert (await api.state(SESSION)).player_id == "p_1"
            with pytest.raises(errors.Unusable):
                await api.leave(SESSION)

    asyncio.run(main())


def test_a_circle_of_redirects_ends() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(request.path)

    assert isinstance(failing(answer), errors.Unusable)


def test_answers_are_bounded() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(64):
            await response.write(b"[" * 65536)
        return response

    error = failing(answer)
    assert isinstance(error, errors.Unusable)
    assert "longer" in str(error)


def test_a_compressed_answer_is_not_unpacked() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.json_response({"a": "b" * 1000})
        response.enable_compression(web.ContentCoding.gzip)
        return response

    assert isinstance(failing(answer), errors.Unusable)


def test_a_server_that_does_not_answer() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.Event().wait()
        return web.Response()

    assert isinstance(failing(answer, Limits(total=0.3)), errors.Unreachable)


def test_a_held_request_has_its_time_beside_the_limit() -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(1.0)
        return web.json_response({"sessionId": SESSION, "playerId": "p_1"})

    async def main() -> None:
        async with client(answer, Limits(total=0.5)) as api:
            assert (await api.state(SESSION, wait=5)).player_id == "p_1"

    asyncio.run(main())


def test_nothing_listens() -> None:
    async def main() -> None:
        connections = Connections(parse_address("http://127.0.0.1:1"))
        with pytest.raises(errors.Unreachable, match="no connection"):
            await AgentApi(Transport(connections)).available()
        await connections.close()

    asyncio.run(main())


def test_what_is_closed_stays_closed() -> None:
    async def main() -> None:
        async with client(status(200, {"sessions": []})) as api:
            assert await api.available() == []
        with pytest.raises(errors.Unreachable, match="closed"):
            await api.available()

    asyncio.run(main())


def test_a_pause_of_one_request_holds_for_all() -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        return web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "30"})

    async def main() -> None:
        async with client(answer) as api:
            with pytest.raises(errors.Unreachable) as caught:
                await api.state(SESSION)
            assert caught.value.retry_after == 30
            with pytest.raises(errors.CoolingDown) as held:
                await api.available()
            assert held.value.retry_after is not None
            assert 25 < held.value.retry_after <= 30

    asyncio.run(main())
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("0", 0, 0),
        ("-5", 0, 0),
        ("1e9", 86_400, 86_400),
        ("in 100 s", 1, 100),
        ("soon", None, None),
        ("nan", None, None),
    ],
)
def test_retry_after(header: str, low: float | None, high: float | None) -> None:
    if header == "in 100 s":
        header = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    error = failing(status(503, headers={"Retry-After": header}))
    assert isinstance(error, errors.Unreachable)
    if low is None or high is None:
        assert error.retry_after is None
    else:
        assert error.retry_after is not None
        assert low <= error.retry_after <= high


def test_the_gate_keeps_the_longest_pause() -> None:
    now = [100.0]
    gate = MemoryGate(lambda: now[0])
    gate.hold(10)
    gate.hold(3)
    assert gate.remaining() == 10
    now[0] = 111
    assert gate.remaining() == 0


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("https://api.rcadia.xyz", "https://api.rcadia.xyz"),
        ("https://api.rcadia.xyz/v/", "https://api.rcadia.xyz/v"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost:3000/", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
    ],
)
def test_addresses_that_are_always_good(text: str, base: str) -> None:
    assert parse_address(text).base == base


@pytest.mark.parametrize(
    "text", ["http://192.168.1.5:8080", "http://10.0.0.1", "http://arcade.local", "http://[fd00::1]"]
)
def test_plain_http_in_private_networks_needs_a_setting(text: str) -> None:
    with pytest.raises(BadAddress, match="https"):
        parse_address(text)
    assert parse_address(text, allow_plain=True).plain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.rcadia.xyz",
        "ftp://api.rcadia.xyz",
        "https://",
        "https://user:tok@api.rcadia.xyz",
        "https://api.rcadia.xyz/?token=1",
        "https://api.rcadia.xyz/#a",
        "https://api.rcadia.xyz:port",
        "https://api.rcadia.xyz /",
        "https://äpi.rcadia.xyz",
        "http://8.8.8.8",
        "http://0.0.0.0",
        "https://" + "a" * 400,
    ],
)
def test_addresses_that_are_never_good(text: str) -> None:
    with pytest.raises(BadAddress):
        parse_address(text, allow_plain=True)


def test_a_name_under_http_leads_to_private_addresses_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[str]:
        resolver = PrivateResolver()
        entry = {"hostname": "arcade", "port": 80, "family": 2, "proto": 0, "flags": 0}

        async def found(host: str, port: int = 0, family: int = 2) -> list[dict[str, Any]]:
            return [{**entry, "host": one} for one in addresses]

        monkeypatch.setattr(resolver._resolver, "resolve", found)
        addresses = ["8.8.8.8", "192.168.1.7"]
        private = [one["host"] for one in await resolver.resolve("arcade")]
        addresses = ["8.8.8.8"]
        with pytest.raises(OSError, match="not a private address"):
            await resolver.resolve("arcade")
        return private

    assert asyncio.run(main()) == ["192.168.1.7"]


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2001:4860:4860::8888", "0.0.0.0", "::", "::ffff:8.8.8.8", "224.0.0.1", "x"]
)
def test_what_is_not_private(address: str) -> None:
    assert not is_private(address)


def test_a_session_id_cannot_leave_its_place() -> None:
    async def main() -> None:
        connections = Connections(parse_address("https://example.org"))
        api = AgentApi(Transport(connections, Secret(TOKEN)))
        for evil in ("../bridge", "a/b", "a?b", "", "a" * 65):
            with pytest.raises(errors.UnknownSession):
                await api.state(evil)

    asyncio.run(main())


# Reading (§5): literals as the protocol's text has them

SNAPSHOT = {
    "sessionId": SESSION, "playerId": "p_00000001", "seat": 0,
    "status": "active", "round": 1, "seriesId": SESSION,
    "previousSessionId": None, "nextSessionId": None,
    "yourTurn": True, "turn": 7, "deadline": "2026-10-07T19:00:00.000Z",
    "strikes": 0, "maxStrikes": 2,
    "waitingFor": None,
    "state": {}, "legalActions": [],
    "lastAction": {"actionId": "a_1", "turn": 5, "status": "applied", "reason": None, "at": "2026-10-07"},
    "rejections": [],
    "players": [{"playerId": "p_00000001", "seat": 0, "asName": "Fish", "you": True, "ready": True}],
    "result": None, "skillUrl": "https://api.rcadia.xyz/games/chess/skill.md", "version": 42,
}  # fmt: skip


def test_the_snapshot_of_the_protocol() -> None:
    snapshot = lenient(SNAPSHOT, Snapshot)
    assert (snapshot.turn, snapshot.your_turn, snapshot.version, snapshot.seat) == (7, True, 42, 0)
    assert snapshot.last_action is not None
    assert (snapshot.last_action.action_id, snapshot.last_action.status) == ("a_1", "applied")
    assert snapshot.players[0].as_name == "Fish"


@pytest.mark.parametrize("name", [name for name in SNAPSHOT if name not in ("sessionId", "playerId")])
@pytest.mark.parametrize("value", [{"odd": 1}, [3], "?", 5, None, True])
def test_a_field_of_the_wrong_type_is_as_if_it_were_absent(name: str, value: Any) -> None:
    snapshot = lenient({**SNAPSHOT, name: value}, Snapshot)
    assert snapshot.player_id == "p_00000001"


def test_what_an_answer_needs_is_insisted_on() -> None:
    without = {name: value for name, value in SNAPSHOT.items() if name != "playerId"}
    with pytest.raises(errors.Unusable, match="playerId"):
        lenient(without, Snapshot)
    with pytest.raises(errors.Unusable):
        lenient([SNAPSHOT], Snapshot)


def test_odd_entries_of_lists_are_left_out() -> None:
    table = {"sessionId": SESSION, "gameTitle": "Chess", "joinable": True}
    for shown in ({"sessions": [table, 5, {"no": "id"}]}, [table, None], {"tables": [table]}):
        assert [one.session_id for one in read_tables(json.dumps(shown).encode())] == [SESSION]
    with pytest.raises(errors.Unusable):
        read_tables(b'{"error": "x"}')
    with pytest.raises(errors.Unusable):
        read_tables(b"[" * 200_000)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*SNAPSHOT, "x"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_snapshot_or_an_error(value: Any) -> None:
    with suppress(errors.Unusable):
        assert isinstance(lenient(value, Snapshot), Snapshot)
