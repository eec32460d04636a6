"""One program over SSH: lines in, lines out, an exit code."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import asyncssh

from gateway.agentgames import wire
from gateway.agentgames.server import messages
from gateway.agentgames.server.arena import Arena, TooMany
from gateway.agentgames.server.connection import CLOSE_SECONDS, Throttle
from gateway.agentgames.server.keys import Key
from gateway.agentgames.server.seat import Player, Seat

if TYPE_CHECKING:
    from asyncssh.connection import SSHConnection

log = logging.getLogger("lrgpnode.arcade")

PRACTICE: Final = "practice"
"""The word after the game that asks for the house; a level may follow."""


class Session(asyncssh.SSHServerSession[bytes]):
    """``owner``: whose key it is, or why its owner may not play. ``permitted``: whether it is still that
    account's."""

    def __init__(
        self, arena: Arena, owner: Callable[[], Key | str], permitted: Callable[[str], bool]
    ) -> None:
        self._arena = arena
        self._owner = owner
        self._permitted = permitted
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._connection: SSHConnection | None = None
        self._words: list[str] = []
        self._seat: Seat | None = None
        self._buffer = bytearray()
        self._searched = 0
        self._eof = False
        self._throttle = Throttle()
        self._writable = asyncio.Event()
        self._writable.set()
        self._task: asyncio.Task[None] | None = None
        self._paused: asyncio.TimerHandle | None = None

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan
        self._connection = chan.get_connection()

    def shell_requested(self) -> bool:
        return True

    def exec_requested(self, command: str) -> bool:
        self._words = command[: messages.LARGE].lower().split()
        return True

    def session_started(self) -> None:
        assert self._channel is not None
        owner = self._owner()
        if isinstance(owner, str):
            self._refuse(owner)
            return
        try:
            player = Player(account=owner.account, name=owner.account_name)
            self._seat = self._arena.seat(player, lambda: self._permitted(player.account))
        except TooMany as error:
            self._refuse(str(error))
            return
        self._enter(self._seat)
        self._task = asyncio.get_running_loop().create_task(self._serve(self._channel, self._seat))

    def data_received(self, data: bytes, datatype: int | None) -> None:
        self._buffer += data
        self._read_lines()

    def eof_received(self) -> bool:
        """True: what is still to be said is."""
        self._eof = True
        self._read_lines()
        return True

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone()

    def gone(self) -> None:
        """The client has left. May be called again."""
        self._writable.set()
        if self._paused is not None:
            self._paused.cancel()
        if self._seat is not None:
            self._seat.leave()

    def _enter(self, seat: Seat) -> None:
        match self._words:
            case [game, second, *rest] if second == PRACTICE:
                seat.practise(game, messages.level(rest[0] if rest else None))
            case [game, *_]:
                seat.join(game)

    def _read_lines(self) -> None:
        """What has come, as far as it may be read by now."""
        seat, buffer = self._seat, self._buffer
        if seat is None or seat.input_over:
            buffer.clear()
            return
        while self._paused is None and (end := buffer.find(b"\n", self._searched)) >= 0:
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            self._searched = 0
            self._hear(seat, line)
        if self._paused is not None:
            return
        self._searched = len(buffer)
        if self._eof and buffer:
            self._hear(seat, bytes(buffer))
        if self._eof or self._searched > wire.MAX_LINE:
            # Of a line without an end, nothing that follows could be told from the rest.
            buffer.clear()
            seat.end_input()

    def _hear(self, seat: Seat, line: bytes) -> None:
        if len(line) > wire.MAX_LINE:
            seat.end_input()
            return
        seat.hear(line)
        seconds = self._throttle.wait(len(line))
        if seconds and self._channel is not None and self._paused is None:
            self._channel.pause_reading()
            self._paused = asyncio.get_running_loop().call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._paused = None
        self._read_lines()
        if self._paused is None and self._channel is not None and not self._channel.is_closing():
            self._channel.resume_reading()

    async def _serve(self, channel: asyncssh.SSHServerChannel[bytes], seat: Seat) -> None:
        writing = asyncio.create_task(self._write(channel, seat))
        await seat.until_over()
        # What is not read by then never will be.
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await writing
        await self._end(channel)

    async def _write(self, channel: asyncssh.SSHServerChannel[bytes], seat: Seat) -> None:
        try:
            async for message in seat.messages():
                channel.write(wire.encode(message))
                await self._writable.wait()
            channel.exit(0 if seat.played else 1)
        except (OSError, asyncssh.Error) as error:
            log.debug("a connection of a player is lost: %r", error)
        finally:
            seat.leave()

    def _refuse(self, text: str) -> None:
        assert self._channel is not None
        self._channel.write(text.encode() + b"\n")
        self._channel.exit(1)
        self._task = asyncio.get_running_loop().create_task(self._end(self._channel))

    async def _end(self, channel: asyncssh.SSHServerChannel[bytes]) -> None:
        """One session a connection: close it, once what was said is read, or soon."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await channel.wait_closed()
        connection = self._connection
        if connection is None:
            return
        connection.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await connection.wait_closed()
                return
        connection.abort()
