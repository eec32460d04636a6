"""What was recorded of the reference server, once more: the same is sent, the same must come.

Left out is where we differ on purpose (docs/agentgames.md), which other tests hold.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final

import asyncssh
import pytest

from tests.gateway.agentgames import recorded
from tests.gateway.agentgames.server.rig import Rig, Ws, play
from tests.gateway.agentgames.server.test_ssh import Program

DIFFERENT: Final = {
    "ssh_auth",  # other words, for there is no `ssh join@`
    "ttt_disconnect_waiting_player",
    "ttt_win_though_opponent_gone",
    "ws_auth",  # in test_play.py, with our own accounts
    "ws_ghost_in_queue",
    "ws_large_message",
    "ws_ping_pong",
    "ws_same_account_twice",
    # Thirty seconds of silence; test_play.py and test_ssh.py have fewer.
    "ssh_bad_join_then_silence",
    "ws_bad_join_then_silence",
}
OPCODES: Final = {"cont": 0, "text": 1, "binary": 2, "close": 8, "ping": 9}
NAMES: Final = ("alice", "bob", "carol", "dave")
KEYS: Final = {name: asyncssh.generate_private_key("ssh-ed25519") for name in NAMES}

LONG: Final = 1.0
"""Seconds of a situation that is one of the longer tests."""


def situations() -> list[Any]:
    found = []
    for name in recorded.NAMES:
        if name not in DIFFERENT:
            slow = recorded.read(name)[-1]["t"] > LONG
            found.append(pytest.param(name, marks=[pytest.mark.slow] if slow else []))
    return found


class Actor:
    """One connection of a recorded client."""

    ws: Ws | None = None
    program: Program | None = None
    connection: asyncssh.SSHClientConnection | None = None
    killed = False

    async def get(self) -> Any:
        one = self.ws or self.program
        assert one is not None
        return await one.get()


class Replay:
    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._actors: dict[str, Actor] = {}

    async def entry(self, entry: dict[str, Any], *, exact: bool) -> None:
        who, via, kind = entry["who"], entry["via"], entry["dir"]
        if kind == "event" and entry["event"].startswith("ssh ") and entry["event"] != "ssh exit":
            await self._ssh(who, entry["event"])
        elif kind == "c2s" and "http" in entry:
            await self._ws(who, entry)
        elif kind == "c2s":
            self._send(self._actors[who], via, entry)
        elif kind == "s2c" and "http" in entry:
            pass  # the upgrade, without which nothing could follow
        elif kind == "s2c" and entry.get("op") == "close":
            actor = self._actors[who]
            assert actor.ws is not None
            assert await actor.ws.closed() == entry["code"]
        elif kind == "s2c":
            same(await self._actors[who].get(), json.loads(entry["data"]), exact=exact)
        else:
            await self._event(self._actors[who], entry)

    async def _ssh(self, who: str, event: str) -> None:
        assert self._rig.arcade.ssh_address is not None
        user, _, command = event.removeprefix("ssh ").partition("@host")
        host, port = self._rig.arcade.ssh_address
        actor = self._actors[who] = Actor()
        actor.connection = await asyncssh.connect(
            host, port, username=user, client_keys=[KEYS[who]], known_hosts=None, config=None
        )
        process = await actor.connection.create_process(command.strip() or None, encoding=None)
        actor.program = Program(process)

    async def _ws(self, who: str, entry: dict[str, Any]) -> None:
        query = entry["http"].partition("?")[2]
        query = re.sub(r"<token of (\w+)>", lambda found: self._rig.tokens[found[1]], query)
        actor = Actor()
        actor.ws = Ws(
            await self._rig.http.ws_connect(
                f"{self._rig.url}/play?{query}", headers=entry["headers"], max_msg_size=0
            )
        )
        self._actors[who] = actor
        game = re.search(r"game=(\w+)", query)
        if game is not None:
            self._actors[f"{who}({game[1]})"] = actor

    def _send(self, actor: Actor, via: str, entry: dict[str, Any]) -> None:
        data = whole(entry["data"]).encode("utf-8")
        if via == "ssh":
            assert actor.program is not None
            actor.program.send(data)
            return
        if entry["op"] == "close":
            data = (1000).to_bytes(2)
        assert actor.ws is not None
        connection = actor.ws.socket._response.connection
        if connection is None or connection.transport is None:
            assert actor.ws.socket.closed  # what that client sent after the end went nowhere, too
            return
        connection.transport.write(frame(OPCODES[entry["op"]], entry["fin"], data))  # type: ignore[attr-defined]

    async def _event(self, actor: Actor, entry: dict[str, Any]) -> None:
        match entry["event"]:
            case "tcp closed by server":
                assert actor.ws is not None
                assert await actor.ws.closed() == 1000
            case "client drops TCP":
                assert actor.ws is not None
                await actor.ws.drop()
            case "client killed":
                assert actor.connection is not None
                actor.connection.abort()
                actor.killed = True
            case "client stdin EOF":
                assert actor.program is not None
                actor.program.process.stdin.write_eof()
            case "ssh exit" if not actor.killed:
                assert actor.program is not None
                assert await actor.program.exit() == entry["code"]

    async def close(self) -> None:
        for actor in self._actors.values():
            if actor.connection is not None:
                actor.connection.abort()
                await actor.connection.wait_closed()


def whole(text: str) -> str:
    """Of a very long line the beginning and the length are recorded."""
    found = re.fullmatch(r"(.*x)\.\.\. \((\d+) chars\)\n", text)
    return text if found is None else found[1].ljust(int(found[2]) - 3, "x") + '"}\n'


def frame(opcode: int, fin: int, data: bytes) -> bytes:
    """A frame as clients send it; the mask is of zeros."""
    size = len(data)
    if size < 126:
        length = bytes([0x80 | size])
    elif size < 65536:
        length = bytes([0x80 | 126]) + size.to_bytes(2)
    else:
        length = bytes([0x80 | 127]) + size.to_bytes(8)
    return bytes([(0x80 if fin else 0) | opcode]) + length + b"\0\0\0\0" + data


def same(got: Any, expected: Any, *, exact: bool) -> None:
    """``exact``: the ratings, too; else what came before decides about them."""
    if "rating" in expected:
        rating = expected.pop("rating")
        # Whole numbers without a point, as Go writes them.
        assert type(got["rating"]) is (int if got["rating"] == int(got["rating"]) else float)
        if exact:
            assert type(got["rating"]) is type(rating)
            assert abs(got["rating"] - rating) < 1e-9
        del got["rating"]
    if "error" in expected:
        expected["error"] = expected["error"].replace("games: c4, ttt", "games: c4, chess, ttt")
    assert got == expected


@pytest.mark.parametrize("name", situations())
def test_the_same_comes(tmp_path: Path, name: str) -> None:
    # Chess is no game of that server, but one of ours.
    text = json.dumps(recorded.read(name)).replace("chess", "checkers")
    entries: list[dict[str, Any]] = json.loads(text)

    async def scene(rig: Rig) -> None:
        replay = Replay(rig)
        began = asyncio.get_running_loop().time() - entries[0]["t"]
        try:
            for entry in entries:
                if entry["dir"] != "s2c":
                    # What the client did later, it does later; what the server did comes when it comes.
                    await asyncio.sleep(began + entry["t"] - asyncio.get_running_loop().time() - 0.1)
                await replay.entry(entry, exact=name == "ratings_over_three_matches")
        finally:
            await replay.close()

    keys = {one: key.export_public_key("openssh").decode() for one, key in KEYS.items()}
    ssh = any(entry["via"] == "ssh" for entry in entries)
    play(tmp_path, scene, names=NAMES, keys=keys, ssh=ssh, move_seconds=2.0, queue_seconds=3.0)
