"""Input that is meant to hurt: anything but the protocol, floods, and clients that do not read."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given, settings, strategies as st

from gateway.agentgames import wire
from gateway.agentgames.server import connection, messages, play as play_module, seat as seat_module
from gateway.arcade.limits import Rate
from tests.gateway.agentgames.server.rig import Rig, play, until

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["type", "TYPE", "game", "move", "Move", "practice", "level", "x"])
VALUES = st.sampled_from(["join", "move", "ttt", "4", "", None, 4, True, [], {}, "x" * 5000]) | JSON


@given(st.binary(max_size=60) | st.dictionaries(KEYS, VALUES, max_size=5).map(json.dumps))
@settings(max_examples=80, deadline=None)
def test_any_message_is_read_or_ignored(line: bytes | str) -> None:
    short = messages.read(line)
    assert short is None or isinstance(short, wire.Join | wire.Move)
    level = messages.read_practice(line)
    assert level is None or 0 <= level <= 9
    # Padded, it is read in another way and means the same.
    if isinstance(line, str) and line.startswith("{") and len(line) < 4000:
        padded = line[:-1] + (", " if len(line) > 2 else "") + '"pad": "' + "x" * 5000 + '"}'
        assert messages.read(padded) == wire.read_request(line)
        assert messages.read_practice(padded) == level


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ('"practice":true', 0),
        ('"practice":true,"level":3', 3),
        ('"practice":true,"level":"3"', 3),
        ('"practice":true,"level":12', 9),
        ('"practice":true,"level":-1', 0),
        ('"practice":true,"level":1e400', 0),
        ('"practice":true,"level":"hard"', 0),
        ('"practice":true,"level":null', 0),
        ('"practice":1', 0),
        ('"practice":"yes"', 0),
        ('"practice":false', None),
        ('"practice":0,"level":3', None),
        ('"practice":null', None),
        ('"practice":""', None),
        ('"level":3', None),
        ('"practice":true,"level":[]', 0),
        ('"practice":true,"level":2.5', 0),
        ('"practice":"No"', None),
        # Names in another case and padding change nothing.
        ('"Practice":true,"LEVEL":1', 1),
        ('"pad":"' + "x" * 5000 + '","practice":true,"level":3', 3),
    ],
)
def test_who_asks_for_practice_is_never_rated(fields: str, level: int | None) -> None:
    assert messages.read_practice('{"type":"join","game":"ttt",' + fields + "}") == level


@pytest.mark.parametrize(
    "line",
    [
        "[" * 500_000,
        '{"type":' * 100_000,
        '{"a":' + "[" * 1000 + "]" * 1000 + ',"type":"move","move":"4"}',
        '{"type":"move","move":"' + "\\u0000" * 100_000 + '"}',
        "{" + ",".join(f'"{n}":0' for n in range(90_000)) + "}",
        b"\xff" * 1_000_000,
        b'{"type":"move","move":"\xff\xfe' + b"x" * 5000 + b'"}',
        "1e999999999",
        '{"type":"move","move":"4","level":' + "9" * 5000 + "}",
        '{"type":"join","game":"c4","practice":' + "9" * 5000 + "}",
        '{"type":"join","game":"c4","practice":true,"level":' + "[" * 20_000 + "]" * 20_000 + "}",
    ],
)
def test_large_and_deep_messages_take_little_time(line: bytes | str) -> None:
    best = 9.0
    for _ in range(3):
        began = time.perf_counter()
        messages.read(line)
        messages.read_practice(line)
        best = min(best, time.perf_counter() - began)
    assert best < 0.2


def test_fuzzed_frames(tmp_path: Path) -> None:
    """Raw bytes after the upgrade: the connection may end, the arcade goes on."""
    rng = random.Random(5)

    async def scene(rig: Rig) -> None:
        for _ in range(60):
            ann = await rig.ws("ann", rng.choice(["game=ttt", "", "game=c4"]))
            found = ann.socket._response.connection
            assert found is not None
            assert found.transport is not None
            data = rng.randbytes(rng.randrange(1, 300))
            if rng.random() < 0.7:  # a frame with a good beginning
                opcode = rng.choice([0, 1, 2, 8, 9, 10, 3]) | rng.choice([0x80, 0, 0xF0])
                length = bytes([0x80 | rng.randrange(0, 126)]) if rng.random() < 0.7 else b"\xff\xff\xff"
                data = bytes([opcode]) + length + data
            found.transport.write(data)  # type: ignore[attr-defined]
            await asyncio.sleep(0)
            await ann.drop()
        first, second = await rig.pair("game=c4", ("ben", "cat"))
        await first.move("3")
        assert (await second.get())["yourTurn"] is True

    play(tmp_path, scene)


def test_a_flood_is_read_slowly_and_hurts_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[int] = []
    original = seat_module.Seat.hear

    def hear(self: Any, line: Any) -> None:
        heard.append(len(line))
        original(self, line)

    monkeypatch.setattr(seat_module.Seat, "hear", hear)

    async def scene(rig: Rig) -> None:
        flooder = await rig.ws("cat", "game=chess")
        await flooder.get()

        async def flood() -> None:
            while True:
                await flooder.socket.send_str('{"type":"move","move":"x"}' * 20)

        task = asyncio.create_task(flood())
        first, second = await rig.pair()
        for number, token in enumerate(["0", "3", "1", "4"]):
            began = time.monotonic()
            await (first, second)[number % 2].move(token)
            for each in (first, second):
                assert (await each.get())["type"] == "state"
            assert time.monotonic() - began < 3
        await asyncio.sleep(0.5)
        task.cancel()
        # What a burst allows, and then as many a second as the rate says.
        assert len(heard) < connection.RATE.burst + 10 * connection.RATE.per_second

    play(tmp_path, scene)


def test_bytes_count_like_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RATE", Rate(per_second=100, burst=2500))

    async def run() -> None:
        throttle = connection.Throttle()
        assert [throttle.wait(2**20) for _ in range(2)] == [0, 0]
        # Two took 2050 of 2500; the third is 575 too many, and the fourth 1025 more.
        assert throttle.wait(2**20) == pytest.approx(5.75, abs=0.1)
        assert throttle.wait(2**20) == pytest.approx(16.0, abs=0.1)
        assert throttle.wait(0) == pytest.approx(16.01, abs=0.1)

    asyncio.run(run())


def test_early_moves_are_bounded(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann")
        await ann.get()
        for _ in range(200):
            await ann.move("9")
        await ann.socket.ping()
        await ann.frame()  # the pong: all were read
        (seat,) = rig.arena._seats
        assert len(seat._moves) == 64

    play(tmp_path, scene)


def test_a_client_that_does_not_read_holds_nobody_up(tmp_path: Path) -> None:
    """It plays a long game of chess by early moves, and its socket is full at once."""

    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann", "game=chess")
        await ann.get()
        connection_ = ann.socket._response.connection
        assert connection_ is not None
        assert connection_.transport is not None
        connection_.transport.pause_reading()  # type: ignore[attr-defined]
        ben = await rig.ws("ben", "game=chess")
        await ben.get()
        assert (await ben.get())["player"] == 1
        moves = (["g1f3", "f3g1"], ["g8f6", "f6g8"])
        await ben.get()
        for ply in range(4):
            await (ann, ben)[ply % 2].move(moves[ply % 2][ply // 2])
            assert (await ben.get())["type"] == "state"
        await ann.move("a1a1")
        assert (await ben.get())["reason"] == "forfeit: illegal move"
        assert await ben.closed() == 1000

    play(tmp_path, scene)


def test_a_client_that_never_reads_does_not_keep_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_module, "CLOSE_SECONDS", 0.3)
    stuck = asyncio.Event()

    async def full(*_: Any) -> None:
        stuck.set()
        await asyncio.Event().wait()  # as with a socket that takes nothing more

    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        monkeypatch.setattr("aiohttp.web.WebSocketResponse.send_str", full)
        await ann.move("4")
        await stuck.wait()
        monkeypatch.undo()
        monkeypatch.setattr(play_module, "CLOSE_SECONDS", 0.3)
        await until(lambda: len(rig.arena._seats) == 2)
        await ben.move("4")  # illegal: it is over
        for each in (ann, ben):
            frame = await each.frame()
            assert frame.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR), frame
        await until(lambda: not rig.arena._seats)
        assert (await rig.api("matches/1"))["match"]["reason"] == "forfeit: illegal move"

    play(tmp_path, scene)


def test_what_nobody_reads_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_module, "MOST_UNREAD", 8)

    async def scene(rig: Rig) -> None:
        ann, ben = [rig.arena.seat(await rig.arcade.player(name)) for name in ("ann", "ben")]
        ann.join("c4")
        ben.join("c4")
        for column in "0102030405":  # nobody reads what comes of it
            ann.move(column)
            ben.move(column)
        await until(lambda: ann.over and ben.over)
        for seat in (ann, ben):
            assert len([message async for message in seat.messages()]) <= 9
        ann.leave()
        ben.leave()

    play(tmp_path, scene)
