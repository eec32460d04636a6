"""Everything that was recorded of the reference server, played to our client over real sockets.

The client does what whoever was recorded did, as far as that was sensible: it makes the moves that were made,
and makes none where that one was illegal, late or gone.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import asyncssh
import pytest
from aiohttp import web

from gateway.address import STREAM, parse_address
from gateway.agentgames.client.connection import Limits
from gateway.agentgames.client.hostkeys import HostKeys
from gateway.agentgames.client.ssh import SshDialer
from gateway.agentgames.client.websocket import WebSocketDialer
from gateway.agentgames.place import Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import (
    AccountRefused,
    Away,
    Finished,
    Joined,
    Lost,
    NoTable,
    Side,
    TheirTurn,
    Unreachable,
    YourTurn,
)
from tests.gateway.agentgames import recorded
from tests.gateway.agentgames.playing import Hand
from tests.gateway.agentgames.recorded import Recording
from tests.gateway.agentgames.serving import HOST_KEY, _Knocked, listening

TIMING = Timing(move=10.0, queue=10.0, answer=10.0, grace=0.2, again=0.01, pauses=(0.02,))
FORGOTTEN = replace(TIMING, queue=0.2)
APPS = {"ttt": "ttt", "c4": "four_in_a_row"}

SPECIAL = {
    "ssh_auth": ["refused", "refused", "refused", "lost other", "won other"],
    "ssh_bad_join_then_silence": ["unreachable"],
    "ssh_disconnect_mover": ["won left", "stays"],
    "ssh_leaves_queue": ["forgotten", "queues again"],
    "ssh_queue_wait_expiry": ["queues again"],
    "ssh_unknown_game": ["no table", "no table"],
    "ttt_disconnect_mover_close_frame": ["won left", "stays"],
    "ttt_disconnect_mover_tcp_drop": ["won left", "stays"],
    "ttt_disconnect_waiting_player": ["won left", "stays"],
    "ttt_win_though_opponent_gone": ["won board", "stays"],
    "ws_auth": [*["refused"] * 7, *["unreachable"] * 5, *["no table"] * 3],
    "ws_bad_join_then_silence": ["unreachable"],
    "ws_ghost_in_queue": ["forgotten", "won left"],
    "ws_queue_wait_expiry": ["queues again"],
    "ws_same_account_twice": ["forgotten", "won board", "lost board"],
    "ws_unknown_game": ["no table", "no table", "no table", "queues again"],
}
"""How each connection ends for our client, where that is not a result alone."""

PAIRS = {
    "c4_draw": "drawn drawn", "c4_illegal_full_column": "lost-other won-other",
    "c4_win_diagonal_second_player": "lost-board won-board", "c4_win_vertical": "won-board lost-board",
    "mixed_ssh_ws_match": "won-board lost-board",
    "ratings_over_three_matches": "won-board lost-board won-board lost-board won-board lost-board",
    "ssh_full_match": "drawn drawn", "ssh_large_line": "lost-left won-left",
    "ssh_line_just_under_1mib": "won-other lost-other", "ssh_noise_and_crlf": "won-other lost-other",
    "ssh_premature_moves": "won-board lost-board", "ssh_stdin_eof_while_waiting": "won-left lost-left",
    "ttt_draw": "drawn drawn", "ttt_illegal_not_a_number": "lost-other won-other",
    "ttt_illegal_occupied": "won-other lost-other", "ttt_illegal_out_of_range": "lost-other won-other",
    "ttt_odd_move_spellings": "lost-other won-other", "ttt_timeout_first_move": "lost-timeout won-timeout",
    "ttt_timeout_mid_match": "won-timeout lost-timeout", "ttt_win_first_player": "won-board lost-board",
    "ttt_win_on_last_cell": "won-board lost-board", "ttt_win_second_player": "lost-board won-board",
    "ws_join_after_noise": "won-board lost-board", "ws_large_message": "won-other lost-other",
    "ws_move_before_pairing": "won-other lost-other",
    "ws_noise_does_not_extend_deadline": "lost-timeout won-timeout",
    "ws_noise_during_turn": "won-board lost-board",
    "ws_one_account_two_games": "won-board won-board lost-board lost-board",
    "ws_ping_pong": "won-other lost-other", "ws_premature_moves": "won-board lost-board",
}  # fmt: skip
EXPECTED = {
    **SPECIAL,
    **{
        name: [one.replace("drawn", "drawn board").replace("-", " ") for one in ends.split()]
        for name, ends in PAIRS.items()
    },
}


class Replay:
    """The server's side of one connection. What comes after it on the same client is refused."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.dials = 0
        self.moves: list[str] = []
        self.played = asyncio.Event()
        self._inbox: asyncio.Queue[str] = asyncio.Queue()

    def arrived(self, text: str) -> None:
        self._inbox.put_nowait(text)

    async def play(self, write: Any) -> None:
        """Say what was recorded; before what answers a move of the client wait for that one."""
        messages = [json.loads(line) if line.startswith("{") else {} for line in self.recording.lines]
        for line, message, following in zip(self.recording.lines, messages, [*messages[1:], {}], strict=True):
            await write(line)
            if message.get("yourTurn") and (following.get("type") == "state" or _by_board(following)):
                async with asyncio.timeout(10):
                    self.moves.append(json.loads(await self._inbox.get())["move"])
        self.played.set()


def _by_board(message: dict[str, Any]) -> bool:
    return message.get("type") == "result" and "reason" not in message


@asynccontextmanager
async def over_websocket(replay: Replay) -> AsyncIterator[WebSocketDialer]:
    async def play(request: web.Request) -> web.StreamResponse:
        replay.dials += 1
        if replay.dials > 1:
            return web.Response(status=503)
        if replay.recording.status:
            return web.Response(status=replay.recording.status, text=replay.recording.body)
        socket = web.WebSocketResponse(autoping=False, compress=False)
        await socket.prepare(request)

        async def pump() -> None:
            async for message in socket:
                assert message.type is aiohttp.WSMsgType.TEXT
                replay.arrived(str(message.data))

        pumping = asyncio.get_running_loop().create_task(pump())
        await replay.play(socket.send_str)
        if not _hangs(replay.recording):
            assert request.transport is not None
            request.transport.close()
        await asyncio.gather(pumping, return_exceptions=True)
        return socket

    app = web.Application()
    app.router.add_get("/play", play)
    async with listening(app) as port:
        address = parse_address(f"ws://127.0.0.1:{port}/play", schemes=STREAM)
        yield WebSocketDialer(address, limits=Limits(connect=5.0, close=0.1))


@asynccontextmanager
async def over_ssh(replay: Replay, folder: Path) -> AsyncIterator[SshDialer]:
    async def handle(process: asyncssh.SSHServerProcess[bytes]) -> None:
        replay.dials += 1
        if replay.dials > 1:
            process.exit(1)
            return

        async def write(line: str) -> None:
            process.stdout.write(line.encode())

        async def pump() -> None:
            with suppress(OSError, asyncssh.Error):
                while line := await process.stdin.readline():
                    replay.arrived(line.decode())

        pumping = asyncio.get_running_loop().create_task(pump())
        await replay.play(write)
        if _hangs(replay.recording):
            await asyncio.gather(pumping, return_exceptions=True)
        pumping.cancel()
        process.exit(1)

    listener = await asyncssh.create_server(
        _Knocked, "127.0.0.1", 0, server_host_keys=[HOST_KEY], process_factory=handle, encoding=None
    )
    try:
        yield SshDialer(
            "127.0.0.1", listener.get_port(), HostKeys(folder / "known"), limits=Limits(close=0.2)
        )
    finally:
        listener.close()
        await listener.wait_closed()


def _hangs(recording: Recording) -> bool:
    """Whether it was the client that went, or nobody."""
    return recording.last.get("type") in ("queued", "hello", "state")


async def _outcome(hand: Hand, platform: AgentGamesPlatform, replay: Replay) -> str:
    """What our client makes of it, in a few words."""
    try:
        await hand.sit(platform)
    except AccountRefused:
        return "refused"
    except NoTable:
        return "no table"
    except Unreachable:
        return "unreachable"
    ours = iter(_our_moves(replay.recording))
    async with asyncio.timeout(20):
        async for event in hand.seat.events():
            hand.events.append(event)
            if isinstance(event, YourTurn):
                move = next(ours, None)
                if move is not None:
                    await hand.seat.act({"i" if hand.app == "ttt" else "c": move}, event.turn)
            if isinstance(event, Away):
                return "queues again" if replay.recording.last["type"] == "error" else "forgotten"
            if _stuck(replay, hand):
                return "stays"
    last = hand.events[-1]
    if isinstance(last, Lost):
        return f"lost: {last.reason}"
    assert isinstance(last, Finished)
    return f"{ {'us': 'won', 'them': 'lost', 'none': 'drawn'}[last.winner] } {last.reason}"


def _stuck(replay: Replay, hand: Hand) -> bool:
    """Whether the client has seen all states of a match that whoever was recorded had left."""
    turns = [event for event in hand.events if isinstance(event, YourTurn | TheirTurn)]
    return _hangs(replay.recording) and bool(turns) and len(turns) == len(replay.recording.boards)


def _our_moves(recording: Recording) -> list[int]:
    """Those that whoever was recorded made, with the one that ended the match."""
    moves = [*recording.moves, *_last_move(recording)]
    hello = next((m for m in recording.messages if m["type"] == "hello"), {"player": 0})
    return moves[hello["player"] :: 2]


def _last_move(recording: Recording) -> list[int]:
    """The move after the last state, where the board ended the match and it was ours."""
    if not _by_board(recording.last) or not recording.messages[-2].get("yourTurn"):
        return []
    return [int(recording.sent[-1])]


async def replayed(recording: Recording, folder: Path) -> tuple[str, Hand, Replay]:
    replay = Replay(recording)
    opened = over_websocket(replay) if recording.via == "ws" else over_ssh(replay, folder)
    hand = Hand(APPS[recording.game])
    async with opened as dialer:
        forgotten = recording.last.get("type") == "queued"
        platform = AgentGamesPlatform("agentgames", dialer, timing=FORGOTTEN if forgotten else TIMING)
        try:
            outcome = await _outcome(hand, platform, replay)
        finally:
            await platform.close()
    return outcome, hand, replay


def test_every_recording_has_an_expectation() -> None:
    assert set(EXPECTED) == set(recorded.NAMES)
    assert len(recorded.NAMES) == 46
    connections = {name: len(recorded.connections(name)) for name in recorded.NAMES}
    assert connections == {name: len(ends) for name, ends in EXPECTED.items()}
    assert sum(connections.values()) == 113


@pytest.mark.parametrize("name", recorded.NAMES)
def test_what_was_recorded_comes_to_the_right_end(name: str, tmp_path: Path) -> None:
    ends = []
    for recording in recorded.connections(name):
        outcome, hand, replay = asyncio.run(replayed(recording, tmp_path))
        ends.append(outcome)
        if isinstance(hand.events[-1] if hand.events else None, Finished):
            _check_result(recording, hand, replay)
    assert ends == EXPECTED[name]


def _check_result(recording: Recording, hand: Hand, replay: Replay) -> None:
    result, hello = recording.last, next(m for m in recording.messages if m["type"] == "hello")
    assert hand.end.result["rating"] == result["rating"]
    assert hand.end.text.endswith(f"rated {result['rating']:.0f}")
    assert hand.first is (Side.US if hello["player"] == 0 else Side.THEM)
    joined = [event for event in hand.events if isinstance(event, Joined)]
    assert joined[-1].players[1].name == hello["opponent"]
    line = [*recording.moves, *_last_move(recording)]
    if _by_board(result) and len(hand.line) > len(line):
        # The other side's last move, which nobody has shown.
        assert hand.line[:-1] == line
    else:
        assert hand.line == line
    assert [int(move) for move in replay.moves] == line[hello["player"] :: 2]
