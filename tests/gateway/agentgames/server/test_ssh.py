"""``game@`` over SSH, by asyncssh as a bare client and by OpenSSH where it is installed."""

from __future__ import annotations

import asyncio
import json
import shutil
import stat
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from gateway.agentgames.server import connection, ssh as ssh_module
from gateway.arcade.app import Arcade, ArcadeError, ArcadeSettings
from gateway.arcade.limits import Rate
from tests.gateway.agentgames.server.rig import DEADLINE, SOON, Json, Rig, play, until

NAMES = ("ann", "ben", "cat")
PRIVATE = {name: asyncssh.generate_private_key("ssh-ed25519") for name in (*NAMES, "stranger")}
PUBLIC = {name: PRIVATE[name].export_public_key("openssh").decode() for name in NAMES}


class Program:
    """A connection with one command, or none."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self.process = process

    async def line(self) -> bytes:
        async with asyncio.timeout(DEADLINE):
            return await self.process.stdout.readline()

    async def get(self) -> Json:
        line = await self.line()
        assert line.endswith(b"\n"), line
        found: Json = json.loads(line)
        return found

    def send(self, data: bytes) -> None:
        self.process.stdin.write(data)

    async def exit(self) -> int | None:
        """Its exit code; nothing else is said before."""
        async with asyncio.timeout(DEADLINE):
            assert await self.process.stdout.read() == b""
            await self.process.wait_closed()
        return self.process.exit_status

    async def silent(self) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(self.process.stdout.readline(), SOON)


class Shells:
    """Opens connections, and closes them all."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._open: list[asyncssh.SSHClientConnection] = []

    async def connect(self, name: str, user: str = "game") -> asyncssh.SSHClientConnection:
        assert self._rig.arcade.ssh_address is not None
        host, port = self._rig.arcade.ssh_address
        made = await asyncssh.connect(
            host, port, username=user, client_keys=[PRIVATE[name]], known_hosts=None, config=None
        )
        self._open.append(made)
        return made

    async def run(self, name: str, command: str | None = "ttt", user: str = "game") -> Program:
        connection = await self.connect(name, user)
        return Program(await connection.create_process(command, encoding=None))

    async def close(self) -> None:
        for each in self._open:
            each.abort()
            await each.wait_closed()


@asynccontextmanager
async def shells(rig: Rig) -> AsyncIterator[Shells]:
    made = Shells(rig)
    try:
        yield made
    finally:
        await made.close()


def scene_of(tmp_path: Path, scene: Any, **more: Any) -> None:
    async def run(rig: Rig) -> None:
        async with shells(rig) as made:
            await scene(rig, made)

    play(tmp_path, run, keys=PUBLIC, ssh=True, names=NAMES, **more)


def test_ssh_and_websocket_meet(tmp_path: Path) -> None:
    async def scene(rig: Rig, ssh: Shells) -> None:
        ann = await ssh.run("ann", "TTT extra words", user="GAMES")
        assert await ann.get() == {"type": "queued", "game": "ttt"}
        ben = await rig.ws("ben")
        await ben.get()
        assert await ann.get() == {"type": "hello", "player": 0, "game": "ttt", "opponent": "ben"}
        assert (await ben.get())["opponent"] == "ann"
        for number, token in enumerate("03142"):
            seen = [await ann.get(), await ben.get()]
            assert [one["yourTurn"] for one in seen] == [number % 2 == 0, number % 2 == 1]
            if number % 2:
                await ben.move(token)
            else:
                ann.send(b'{"type":"move","move":"%s"}\r\n' % token.encode())
        assert await ann.get() == {"type": "result", "winner": 0, "outcome": "win", "rating": 1516}
        assert (await ben.get())["outcome"] == "loss"
        assert await ann.exit() == 0
        assert await ben.closed() == 1000

    scene_of(tmp_path, scene)


def test_join_over_standard_input_and_exit_codes(tmp_path: Path) -> None:
    async def scene(_: Rig, ssh: Shells) -> None:
        ann = await ssh.run("ann", None)
        ann.send(b'noise\n\n{"type":"join","ga')
        ann.send(b'me":"c4"}\n')
        assert await ann.get() == {"type": "queued", "game": "c4"}
        assert await ann.get() == {"type": "error", "error": "no opponent found — try again later"}
        assert await ann.exit() == 1
        ben = await ssh.run("ben", "go")
        assert (await ben.get())["error"] == "unknown game go; games: c4, chess, ttt"
        assert await ben.exit() == 1
        cat = await ssh.run("cat", None)
        assert "first; games: c4, chess, ttt" in (await cat.get())["error"]
        assert await cat.exit() == 1

    scene_of(tmp_path, scene, queue_seconds=0.3, join_seconds=0.5)


def test_who_may_not_play_is_told_in_plain_text(tmp_path: Path) -> None:
    async def scene(_: Rig, ssh: Shells) -> None:
        for name, text in (
            ("stranger", "key not registered — ask for: lrgpnode arcade key add ACCOUNT\n"),
            ("cat", "this account is suspended.\n"),
        ):
            program = await ssh.run(name)
            assert (await program.line()).decode() == text
            assert await program.exit() == 1
        with pytest.raises(asyncssh.PermissionDenied):
            await ssh.connect("ann", user="root")

    scene_of(tmp_path, scene, disabled=("cat",))


def test_nothing_but_the_game_is_served(tmp_path: Path) -> None:
    async def scene(_: Rig, ssh: Shells) -> None:
        connection = await ssh.connect("ann")
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.open_connection("127.0.0.1", 22)
        with pytest.raises(asyncssh.ChannelListenError):
            await connection.forward_remote_port("", 0, "127.0.0.1", 22)
        with pytest.raises(asyncssh.ChannelOpenError):
            async with connection.start_sftp_client():
                pass
        connection = await ssh.connect("ann")
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.create_process("ttt", term_type="xterm", encoding=None)
        connection = await ssh.connect("ann")
        first = Program(await connection.create_process("ttt", encoding=None))
        await first.get()
        with pytest.raises(asyncssh.ChannelOpenError):  # one session a connection
            await connection.create_process("c4", encoding=None)

    scene_of(tmp_path, scene)


def test_leaving(tmp_path: Path) -> None:
    async def scene(rig: Rig, ssh: Shells) -> None:
        # From the queue.
        connection = await ssh.connect("ann")
        ann = Program(await connection.create_process("ttt", encoding=None))
        await ann.get()
        connection.abort()
        await until(lambda: not rig.arena.activity()[0].waiting)
        # On the other's turn.
        ben = await ssh.run("ben")
        await ben.get()
        connection = await ssh.connect("ann")
        ann = Program(await connection.create_process("ttt", encoding=None))
        for each in (ann, ben):
            while (await each.get())["type"] != "state":
                pass
        connection.abort()
        assert (await ben.get())["reason"] == "forfeit: connection closed"
        assert await ben.exit() == 0

    scene_of(tmp_path, scene)


def test_input_that_ends(tmp_path: Path) -> None:
    async def scene(rig: Rig, ssh: Shells) -> None:
        # In the queue without a move: here it would be a ghost that still reads.
        ann = await ssh.run("ann")
        await ann.get()
        ann.process.stdin.write_eof()
        assert (await ann.get())["error"] == "your input has ended, so that you could not move"
        assert await ann.exit() == 1
        # With all moves before: they are played.
        ann = await ssh.run("ann")
        ann.send(b"".join(b'{"type":"move","move":"%d"}\n' % cell for cell in (0, 1, 2)))
        ann.process.stdin.write_eof()
        await ann.get()
        ben = await rig.ws("ben")
        for token in ("3", "4"):
            await ben.move(token)
        seen = [await ann.get() for _ in range(7)]
        assert seen[-1] == {"type": "result", "winner": 0, "outcome": "win", "rating": 1516}
        assert await ann.exit() == 0
        # With too few of them: it forfeits at its turn, and is still told.
        ann = await ssh.run("ann")
        ann.send(b'{"type":"move","move":"0"}\n')
        ann.process.stdin.write_eof()
        await ann.get()
        cat = await rig.ws("cat")
        await cat.move("4")
        while (last := await ann.get())["type"] != "result":
            pass
        assert (last["outcome"], last["reason"]) == ("loss", "forfeit: connection closed")

    scene_of(tmp_path, scene)


def test_lines_of_up_to_a_mebibyte(tmp_path: Path) -> None:
    async def scene(rig: Rig, ssh: Shells) -> None:
        ann, ben = await ssh.run("ann"), None
        await ann.get()
        ben = await rig.ws("ben")
        for _ in range(2):
            await ann.get()
        for _ in range(3):
            await ben.get()
        start, end = b'{"type":"move","move":"4","pad":"', b'"}\n'
        ann.send(start + b"x" * (2**20 - len(start) - len(end)) + end)
        assert (await ann.get())["observation"]["board"][4] == "X"
        assert (await ben.get())["yourTurn"] is True
        await ben.move("0")
        assert (await ann.get())["yourTurn"] is True
        ann.send(b"x" * (2**20 + 2))
        result = await ann.get()
        assert (result["outcome"], result["reason"]) == ("loss", "forfeit: connection closed")

    scene_of(tmp_path, scene)


def test_a_flood_is_read_slowly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "RATE", Rate(per_second=200, burst=50))

    async def scene(rig: Rig, ssh: Shells) -> None:
        ann = await ssh.run("ann")
        await ann.get()
        began = time.monotonic()
        for _ in range(150):
            ann.send(b"noise\n" * 2)
            await asyncio.sleep(0)
        ann.send(b'{"type":"move","move":"4"}\n')
        ben = await rig.ws("ben")
        for _ in range(3):
            await ben.get()
        assert (await ben.get())["observation"]["board"][4] == "X"
        assert time.monotonic() - began > 0.5

    scene_of(tmp_path, scene)


def test_practice(tmp_path: Path) -> None:
    async def scene(_: Rig, ssh: Shells) -> None:
        ann = await ssh.run("ann", "c4 practice 1")
        assert (await ann.get())["type"] == "queued"
        assert (await ann.get())["rated"] is False
        await ann.get()
        ann.send(b'{"type":"move","move":"3"}\n')
        assert (await ann.get())["yourTurn"] is False
        assert (await ann.get())["yourTurn"] is True

    scene_of(tmp_path, scene)


def test_the_host_key_is_made_once_and_private(tmp_path: Path) -> None:
    async def scene(_: Rig, ssh: Shells) -> None:
        connection = await ssh.connect("ann")
        key = connection.get_server_host_key()
        assert key is not None
        seen.append(key.export_public_key("openssh"))

    seen: list[bytes] = []
    for _ in range(2):
        play_keys = {} if seen else PUBLIC
        play_again(tmp_path, scene, play_keys)
    assert seen[0] == seen[1]
    path = tmp_path / ssh_module.HOST_KEY
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("no key")
    with pytest.raises(OSError, match="is no SSH key"):
        ssh_module.host_key(path)


def play_again(tmp_path: Path, scene: Any, keys: dict[str, str]) -> None:
    async def run(rig: Rig) -> None:
        async with shells(rig) as made:
            await scene(rig, made)

    play(tmp_path, run, keys=keys, ssh=True, names=NAMES)


@pytest.mark.skipif(shutil.which("ssh") is None, reason="OpenSSH is not installed")
def test_openssh(tmp_path: Path) -> None:
    key = tmp_path / "id"
    PRIVATE["ann"].write_private_key(key)
    key.chmod(0o600)

    async def run(rig: Rig, *command: str, identity: Path = key) -> asyncio.subprocess.Process:
        assert rig.arcade.ssh_address is not None
        return await asyncio.create_subprocess_exec(
            *("ssh", "-F", "none", "-p", str(rig.arcade.ssh_address[1]), "-i", str(identity)),
            *("-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={tmp_path / 'known'}"),
            *("-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "game@127.0.0.1", *command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    async def scene(rig: Rig, _: Shells) -> None:
        program = await run(rig, "ttt")
        assert program.stdout is not None
        assert program.stdin is not None
        assert json.loads(await program.stdout.readline()) == {"type": "queued", "game": "ttt"}
        ben = await rig.ws("ben")
        for token in ("3", "4"):
            await ben.move(token)
        program.stdin.write(b"".join(b'{"type":"move","move":"%d"}\n' % cell for cell in (0, 1, 2)))
        out, _err = await asyncio.wait_for(program.communicate(), DEADLINE)
        last = json.loads(out.splitlines()[-1])
        assert last == {"type": "result", "winner": 0, "outcome": "win", "rating": 1516}
        assert program.returncode == 0
        none = await run(rig, "ttt", identity=tmp_path / "no key")
        out, _err = await asyncio.wait_for(none.communicate(), DEADLINE)
        assert out.decode().startswith("game@ needs your registered SSH key.")
        assert none.returncode == 1

    scene_of(tmp_path, scene)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ssh", "ssh_session"):
        monkeypatch.delitem(sys.modules, f"gateway.agentgames.server.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    arcade = Arcade(ArcadeSettings(data=tmp_path, port=0, ssh=("127.0.0.1", 0)))
    with pytest.raises(ArcadeError, match=r"lrgpnode\[ssh\]"):
        asyncio.run(arcade.start())
