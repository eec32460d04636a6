"""``/play`` over WebSocket, by an independent client: the protocol, and where we differ on purpose."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import aiohttp
import pytest

from gateway.agentgames.server import arena as arena_module
from gateway.arcade.auth import COOKIE
from tests.gateway.agentgames.server.rig import Rig, Ws, play, until

EMPTY = ["."] * 9
CELLS = ["0", "1", "2", "3", "4", "5", "6", "7", "8"]


def test_a_whole_match(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann")
        assert await ann.get() == {"type": "queued", "game": "ttt"}
        ben = await rig.ws("ben", "game=TTT")
        assert await ben.get() == {"type": "queued", "game": "ttt"}
        assert await ann.get() == {"type": "hello", "player": 0, "game": "ttt", "opponent": "ben"}
        assert await ben.get() == {"type": "hello", "player": 1, "game": "ttt", "opponent": "ann"}
        first = {"board": EMPTY, "toMove": 0, "legal": CELLS}
        assert await ann.get() == {"type": "state", "observation": first, "yourTurn": True}
        assert await ben.get() == {"type": "state", "observation": first, "yourTurn": False}
        board = list(EMPTY)
        for number, token in enumerate(["0", "3", "1", "4"]):
            await (ann, ben)[number % 2].move(token)
            board[int(token)] = "XO"[number % 2]
            legal = [cell for cell in CELLS if board[int(cell)] == "."]
            seen = {"board": board, "toMove": (number + 1) % 2, "legal": legal}
            for player, each in enumerate((ann, ben)):
                expected = {"type": "state", "observation": seen, "yourTurn": player == (number + 1) % 2}
                assert await each.get() == expected
        await ann.move("2")
        # No state after the last move; both ratings; no reason on a normal end.
        assert await ann.get() == {"type": "result", "winner": 0, "outcome": "win", "rating": 1516}
        assert await ben.get() == {"type": "result", "winner": 0, "outcome": "loss", "rating": 1484}
        assert [await each.closed() for each in (ann, ben)] == [1000, 1000]
        found = await rig.api("matches/1")
        assert [step["move"] for step in found["steps"]] == ["0", "3", "1", "4", "2"]
        assert found["steps"][-1]["rows"] == ["XXX", "OO.", "..."]

    play(tmp_path, scene)


def test_c4_and_chess(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        for game, moves, winner in (
            ("c4", ["3", "0", "3", "0", "3", "0", "3"], 0),
            ("chess", ["f2f3", "e7e5", "g2g4", "d8h4"], 1),
        ):
            pair = await rig.pair(f"game={game}")
            for number, token in enumerate(moves):
                await pair[number % 2].move(token)
                if number < len(moves) - 1:
                    seen = [await each.get() for each in pair]
                    assert [one["yourTurn"] for one in seen] == [number % 2 == 1, number % 2 == 0]
            for player, each in enumerate(pair):
                result = await each.get()
                assert (result["winner"], result["outcome"]) == (
                    winner,
                    "win" if player == winner else "loss",
                )

    play(tmp_path, scene)


def test_who_may_not_play_is_told_so_in_the_specifications_words(tmp_path: Path) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }

    async def scene(rig: Rig) -> None:
        token, bad = rig.tokens["ann"], "invalid or missing token (mint: agentbbs mint-token <user>)\n"

        async def asked(query: str, **headers: str) -> tuple[int, str]:
            return await rig.get(f"/play?{query}", headers={**upgrade, **headers})

        assert await asked("game=ttt&token=nope") == (401, bad)
        assert await asked("game=ttt") == (401, bad)
        assert await asked("game=unknown&token=nope") == (401, bad)
        for header in ("Basic abc", "Bearer nope", f"bearer {token}", "Bearer ", f"Bearer  {token}"):
            assert await asked(f"game=ttt&token={token}", Authorization=header) == (401, bad)
        assert await asked(f"game=ttt&token={rig.tokens['cat']}") == (403, "account unavailable\n")
        assert await rig.get(f"/play?game=ttt&token={token}") == (400, "Bad Request\n")
        assert await asked(f"game=ttt&token={token}", **{"Sec-WebSocket-Version": "8"}) == (
            400,
            "Bad Request\n",
        )
        assert await rig.get("/play/") == (404, "404 page not found\n")
        assert await rig.get("/healthz") == (200, "ok")
        # A bare token, and one in the address while the header is empty.
        for url, header in (("game=ttt", token), (f"game=ttt&token={token}", "")):
            socket = await rig.http.ws_connect(f"{rig.url}/play?{url}", headers={"Authorization": header})
            assert await Ws(socket).get() == {"type": "queued", "game": "ttt"}
            await socket.close()

    play(tmp_path, scene, disabled=("cat",))


def test_an_unknown_game_is_an_error_after_the_upgrade(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        error = {"type": "error", "error": "unknown game go; games: c4, chess, ttt"}
        ann = await rig.ws("ann", "game=GO")
        assert await ann.get() == error
        assert await ann.closed() == 1000
        ben = await rig.ws("ben", "")
        await ben.send({"type": "join", "game": "TTT"})  # literally, in a message
        assert (await ben.get())["error"] == "unknown game TTT; games: c4, chess, ttt"

    play(tmp_path, scene)


def test_join_by_message_after_noise(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann", "")
        for noise in (
            "",
            "not json",
            "[]",
            "null",
            '{"type":"JOIN","game":"ttt"}',
            '{"type":"move","move":"4"}',
        ):
            await ann.socket.send_str(noise)
        await ann.socket.send_str('{"TYPE":"join","Game":"ttt","extra":[1,2]}')
        assert await ann.get() == {"type": "queued", "game": "ttt"}
        await ann.socket.send_bytes(b'{"type":"join","game":"c4"}')  # a second one is ignored
        ben = await rig.ws("ben", "")
        await ben.socket.send_bytes(b'{"type":"join","game":"ttt"}')  # binary will do
        assert (await ben.get())["type"] == "queued"
        # The move before the join was not kept.
        assert [(await ann.get())["type"] for _ in range(2)] == ["hello", "state"]
        await ann.silent()

    play(tmp_path, scene)


def test_timers(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        began = time.monotonic()
        ann, ben = await rig.ws("ann"), await rig.ws("ben", "")
        assert (await ann.get())["type"] == "queued"
        assert await ann.get() == {"type": "error", "error": "no opponent found — try again later"}
        assert 0.4 <= time.monotonic() - began < 20
        assert await ann.closed() == 1000
        expected = 'send {"type":"join","game":"<id>"} first; games: c4, chess, ttt'
        assert await ben.get() == {"type": "error", "error": expected}
        assert await ben.closed() == 1000

    play(tmp_path, scene, queue_seconds=0.4, join_seconds=0.4)


def test_a_move_that_does_not_come_in_time(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        began = time.monotonic()
        await ann.move("4")
        for each in (ann, ben):
            assert (await each.get())["type"] == "state"
        # Noise does not extend it, and a number is no move.
        for noise in (
            '{"type":"ping"}',
            '{"type":"move","move":4}',
            '{"type":"move"}',
            '{"type":"move","move":""}',
        ):
            await ben.socket.send_str(noise)
        await asyncio.sleep(0.3)
        await ben.socket.send_str("{}")
        reason = "forfeit: move timeout"
        won = {"type": "result", "winner": 0, "outcome": "win", "reason": reason, "rating": 1516}
        assert await ann.get() == won
        assert (await ben.get())["outcome"] == "loss"
        # The deadline, and a quarter of a second for our own delay.
        assert 0.7 <= time.monotonic() - began < 5

    play(tmp_path, scene, move_seconds=0.5)


@pytest.mark.parametrize("token", ["0", "9", "e2", " 4", "4.0", "x" * 100_000])
def test_an_illegal_move_ends_it(tmp_path: Path, token: str) -> None:
    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        await ann.move("0")
        for each in (ann, ben):
            await each.get()
        await ben.move(token)
        reason = "forfeit: illegal move"
        lost = {"type": "result", "winner": 0, "outcome": "loss", "reason": reason, "rating": 1484}
        assert await ben.get() == lost
        assert (await ann.get())["outcome"] == "win"
        kept = await rig.api("matches/1")
        assert [step["move"] for step in kept["steps"]] == ["0"]
        assert kept["match"]["reason"] == reason

    play(tmp_path, scene)


def test_odd_spellings_are_moves_and_kept_as_sent(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        for mover, token in ((ann, "+4"), (ben, "00"), (ann, "1"), (ben, "3"), (ann, "7")):
            await mover.move(token)
            for each in (ann, ben):
                await each.get()
        found = await rig.api("matches/1")
        assert [step["move"] for step in found["steps"]] == ["+4", "00", "1", "3", "7"]
        assert found["steps"][1]["rows"] == ["O..", ".X.", "..."]
        assert found["match"]["winner"] == 0

    play(tmp_path, scene)


def test_early_moves_are_kept_for_their_turns(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann")
        await ann.get()
        for token in ("0", "1", "2"):  # while it is queued
            await ann.move(token)
        ben = await rig.ws("ben")
        for token in ("3", "4"):
            await ben.move(token)
        seen = [await ann.get() for _ in range(7)]
        assert [one["type"] for one in seen] == ["hello", *["state"] * 5, "result"]
        assert seen[-1]["winner"] == 0

    play(tmp_path, scene)


def test_whoever_leaves_loses_at_once(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        won = {"outcome": "win", "reason": "forfeit: connection closed"}
        # The player to move, without a word.
        ann, ben = await rig.pair()
        await ann.drop()
        assert (await ben.get()).items() >= won.items()
        # The player to move, with a Close, which is answered with the same code.
        ann, ben = await rig.pair()
        await ann.socket.close(code=3456)
        assert ann.socket.close_code == 3456
        assert (await ben.get()).items() >= won.items()
        # The one who waits: here the real server tells nobody until it is his turn.
        ann, ben = await rig.pair()
        await ben.drop()
        assert (await ann.get()).items() >= won.items()
        rows = (await rig.api("ladder?game=ttt"))["players"]
        assert [(one["name"], one["won"], one["lost"]) for one in rows] == [("ben", 2, 1), ("ann", 1, 2)]

    play(tmp_path, scene)


def test_nobody_meets_a_ghost(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        for leave in ("close", "drop"):
            ann = await rig.ws("ann")
            await ann.get()
            await (ann.socket.close() if leave == "close" else ann.drop())
            await until(lambda: not rig.arena.activity()[0].waiting)
        ben = await rig.ws("ben")
        assert await ben.get() == {"type": "queued", "game": "ttt"}
        await ben.silent()
        assert (await rig.api("arena"))["games"][0]["waiting"] == "ben"
        cat = await rig.ws("cat")
        assert (await cat.get())["type"] == "queued"
        assert (await cat.get())["opponent"] == "ben"
        assert (await rig.api("arena"))["games"][0] == {
            "game": "ttt",
            "title": "Tic-Tac-Toe",
            "waiting": None,
            "playing": 1,
            "levels": ["absent-minded", "attentive", "perfect"],
        }

    play(tmp_path, scene)


def test_an_account_waits_once_a_game_and_never_meets_itself(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        older = await rig.ws("ann")
        assert (await older.get())["type"] == "queued"
        newer = await rig.ws("ann")
        assert (await newer.get())["type"] == "queued"
        text = "another connection of this account waits for this game now"
        assert await older.get() == {"type": "error", "error": text}
        assert await older.closed() == 1000
        other = await rig.ws("ann", "game=c4")  # in another game it may
        assert (await other.get())["type"] == "queued"
        ben = await rig.ws("ben")
        await ben.get()
        assert (await newer.get())["player"] == 0
        assert (await ben.get())["opponent"] == "ann"
        assert (await newer.get())["type"] == "state"
        # And it may play twice at a time.
        cat = await rig.ws("cat")
        await cat.get()
        again = await rig.ws("ann")
        await again.get()
        assert (await again.get())["player"] == 1

    play(tmp_path, scene)


def test_pings_are_answered_at_any_time(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        async def pong(each: Ws) -> None:
            await each.socket.ping(b"there?")
            frame = await each.frame()
            assert (frame.type, bytes(frame.data)) == (aiohttp.WSMsgType.PONG, b"there?")

        ann = await rig.ws("ann")
        await ann.get()
        await pong(ann)  # in the queue
        ben = await rig.ws("ben")
        await ben.get()
        for each in (ann, ben):
            await each.get()
            await each.get()
        await pong(ben)  # on the other's turn
        await pong(ann)
        # The keep-alive of a usual client holds while it waits.
        cat = await rig.ws("cat", "game=c4", heartbeat=0.2, autoping=True)
        await cat.get()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(cat.socket.receive(), 1.0)
        assert not cat.socket.closed

    play(tmp_path, scene)


def test_messages_of_up_to_a_mebibyte(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        message = '{"type":"move","move":"4","pad":"' + "x" * (1024 * 1024 - 100) + '"}'
        await ann.socket.send_str(message)
        assert (await ann.get())["observation"]["board"][4] == "X"
        assert (await ben.get())["yourTurn"] is True
        await ben.socket.send_str("x" * (1024 * 1024 + 1))
        assert await ben.closed() == 1009
        assert (await ann.get())["reason"] == "forfeit: connection closed"

    play(tmp_path, scene)


def test_connections_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_module, "MAX_SEATS_OF_ACCOUNT", 2)
    monkeypatch.setattr(arena_module, "MAX_SEATS", 3)

    async def scene(rig: Rig) -> None:
        kept = [await rig.ws("ann", query) for query in ("game=ttt", "game=c4")]
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await rig.ws("ann", "game=chess")
        assert refused.value.status == 429
        assert refused.value.headers is not None
        assert int(refused.value.headers["Retry-After"]) >= 1
        await rig.ws("ben", "game=chess")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await rig.ws("cat", "game=chess")
        assert refused.value.status == 429
        assert refused.value.headers is not None
        assert int(refused.value.headers["Retry-After"]) >= 1
        await kept[0].socket.close()
        await until(lambda: len(rig.arena._seats) < 3)
        await rig.ws("ann", "game=ttt")

    play(tmp_path, scene)


def test_pages_play_with_their_cookie_from_their_own_origin(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        cookie = {"Cookie": f"{COOKIE}={rig.tokens['ann']}"}
        for origin in (None, "https://elsewhere.example", "null"):
            headers = {**cookie, **({"Origin": origin} if origin else {})}
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await rig.http.ws_connect(f"{rig.url}/play?game=ttt", headers=headers)
            assert refused.value.status == 403
        socket = await rig.http.ws_connect(f"{rig.url}/play?game=ttt", headers={**cookie, "Origin": rig.url})
        assert await Ws(socket).get() == {"type": "queued", "game": "ttt"}
        # A program with a token meets the person in the browser; any Origin will do with a token.
        ben = await rig.ws("ben", headers={"Origin": "https://elsewhere.example"})
        await ben.get()
        assert (await ben.get())["opponent"] == "ann"
        await socket.close()

    play(tmp_path, scene)


def test_practice_is_off_the_ladder(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann = await rig.ws("ann", "game=ttt&practice=1&level=3")
        assert (await ann.get())["type"] == "queued"
        hello = {"type": "hello", "player": 0, "game": "ttt", "opponent": "house", "rated": False}
        assert await ann.get() == hello
        while (message := await ann.get())["type"] == "state":
            if message["yourTurn"]:
                await ann.move(message["observation"]["legal"][0])
        assert message["rated"] is False
        assert message["rating"] == 1500
        assert await ann.closed() == 1000
        # By message, and given up while the house thinks.
        ben = await rig.ws("ben", "")
        await ben.send({"type": "join", "game": "c4", "practice": True})
        assert [(await ben.get())["type"] for _ in range(3)] == ["queued", "hello", "state"]
        await ben.move("3")
        await ben.drop()
        # However an address spells it, nobody who wants practice gets into the queue.
        for query, rated in (("practice=true", False), ("practice=yes&level=x", False), ("practice=0", True)):
            cat = await rig.ws("cat", "game=c4&" + query)
            await cat.get()
            assert (rig.arena.activity()[1].waiting == "cat") is rated
            await cat.drop()
            await until(lambda: not rig.arena.activity()[1].waiting)
        await until(lambda: not rig.arena._tasks)
        assert await rig.api("matches") == {"matches": [], "before": None}
        assert (await rig.api("ladder?game=ttt"))["total"] == 0

    play(tmp_path, scene)


def test_closing_the_arcade_makes_matches_void(tmp_path: Path) -> None:
    async def scene(rig: Rig) -> None:
        ann, ben = await rig.pair()
        cat = await rig.ws("cat", "game=c4")
        await cat.get()
        closing = asyncio.create_task(rig.arcade.stop())
        text = "the arcade is closing — the match does not count"
        for each in (ann, ben, cat):
            assert await each.get() == {"type": "error", "error": text}
        await asyncio.gather(*(each.closed() for each in (ann, ben, cat)))
        await closing

    async def after(rig: Rig) -> None:
        kept = await rig.api("matches")
        assert [(one["state"], one["winner"], one["plies"]) for one in kept["matches"]] == [("void", None, 0)]
        assert (await rig.api("ladder?game=ttt"))["total"] == 0

    play(tmp_path, scene)
    play(tmp_path, after)


def test_no_token_is_in_what_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")

    async def scene(rig: Rig) -> None:
        socket = await rig.http.ws_connect(f"{rig.url}/play?game=ttt&token={rig.tokens['ann']}")
        await Ws(socket).get()
        await socket.close()
        assert rig.tokens["ann"] not in caplog.text

    play(tmp_path, scene)
