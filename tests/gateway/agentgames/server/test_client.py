"""Our own client on our own arcade, over both transports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from gateway.address import STREAM, parse_address
from gateway.agentgames.client.hostkeys import HostKeys
from gateway.agentgames.client.ssh import SshDialer
from gateway.agentgames.client.websocket import WebSocketDialer
from gateway.agentgames.place import Timing
from gateway.agentgames.platform import AgentGamesPlatform
from gateway.seat import Account, Finished, Side
from gateway.secret import Secret
from tests.gateway.agentgames.playing import Hand
from tests.gateway.agentgames.server.rig import Rig, play, until

KEY = asyncssh.generate_private_key("ssh-ed25519")
PEM = KEY.export_private_key("openssh").decode()
PUBLIC = KEY.export_public_key("openssh").decode()
TIMING = Timing(move=20.0, queue=30.0, answer=5.0, grace=2.0, again=0.01, pauses=(0.02,))


@asynccontextmanager
async def platforms(rig: Rig, data: Path) -> AsyncIterator[dict[str, tuple[AgentGamesPlatform, Account]]]:
    """The arcade as it is seen from another node: ann by WebSocket, ben by SSH."""
    address = parse_address(rig.url.replace("http:", "ws:"), schemes=STREAM)
    assert rig.arcade.ssh_address is not None
    dialers: dict[str, tuple[Any, str]] = {
        "ann": (WebSocketDialer(address), rig.tokens["ann"]),
        "ben": (SshDialer(*rig.arcade.ssh_address, HostKeys(data / "known")), PEM),
    }
    made = {
        name: (
            AgentGamesPlatform("agentgames", dialer, timing=TIMING),
            Account(platform="agentgames", name=name, token=Secret(secret)),
        )
        for name, (dialer, secret) in dialers.items()
    }
    try:
        yield made
    finally:
        for platform, _ in made.values():
            await platform.close()


@pytest.mark.parametrize("first", ["ann", "ben"])
def test_matches_of_all_games(tmp_path: Path, first: str) -> None:
    games: dict[str, tuple[list[Any], list[Any]]] = {
        "ttt": ([0, 1, 2], [3, 4]),
        "four_in_a_row": ([3, 3, 3, 3], [0, 0, 0]),
        "chess": (["f2f3", "g2g4"], ["e7e5", "d8h4"]),
    }

    async def scene(rig: Rig) -> None:
        async with platforms(rig, tmp_path) as made:
            second = {"ann": "ben", "ben": "ann"}[first]
            for platform, account in made.values():
                await platform.check(account)
                assert set(platform.games) == {"ttt", "four_in_a_row", "chess"}
            for number, (app, moves) in enumerate(games.items()):
                hands = [Hand(app, each) for each in moves]
                await hands[0].sit(*made[first])
                await until(lambda: any(one.waiting for one in rig.arena.activity()))
                await hands[1].sit(*made[second])
                ends = await asyncio.gather(*(hand.play() for hand in hands))
                assert [type(end) for end in ends] == [Finished, Finished]
                assert [hand.first for hand in hands] == [Side.US, Side.THEM]
                winner = 1 if app == "chess" else 0
                assert [hand.end.winner for hand in hands] == (
                    [Side.US, Side.THEM] if winner == 0 else [Side.THEM, Side.US]
                )
                kept = await rig.api(f"matches/{number + 1}")
                assert [one["name"] for one in kept["match"]["players"]] == [first, second]
                tokens = [str(moves[ply % 2][ply // 2]) for ply in range(len(kept["steps"]))]
                assert [step["move"] for step in kept["steps"]] == tokens
                assert kept["match"]["winner"] == winner

    play(tmp_path, scene, keys={"ben": PUBLIC}, ssh=True)


@pytest.mark.parametrize("name", ["ann", "ben"])
def test_who_stops_is_out_of_our_queue_and_a_restart_takes_the_place_again(tmp_path: Path, name: str) -> None:
    def waiting(rig: Rig) -> list[str]:
        return [one.waiting for one in rig.arena.activity() if one.waiting]

    async def scene(rig: Rig) -> None:
        hand = Hand("ttt", [0, 1, 2])
        async with platforms(rig, tmp_path) as made:
            await hand.sit(*made[name])
            await until(lambda: waiting(rig) == [name])
        await until(lambda: waiting(rig) == [])
        async with platforms(rig, tmp_path) as made:
            platform, account = made[name]
            hand.seat = await platform.resume(hand.notes[0], account)
            await until(lambda: waiting(rig) == [name])
            cat = await rig.ws("cat")
            playing = asyncio.create_task(hand.play())
            for kind in ("queued", "hello", "state", "state"):
                assert (await cat.get())["type"] == kind
            await cat.move("3")
            for kind in ("state", "state"):
                assert (await cat.get())["type"] == kind
            await cat.move("4")
            await playing
            assert hand.end.winner == Side.US
        assert [match["number"] for match in (await rig.api("matches"))["matches"]] == [1]

    play(tmp_path, scene, keys={"ben": PUBLIC}, ssh=True)


def test_a_second_seat_of_an_account_does_not_take_the_first_ones_place(tmp_path: Path) -> None:
    """The client itself never asks twice; whoever does so by hand is told here."""

    async def scene(rig: Rig) -> None:
        async with platforms(rig, tmp_path) as made:
            hand = Hand("ttt")
            await hand.sit(*made["ann"])
            await until(lambda: rig.arena.activity()[0].waiting)
            by_hand = await rig.ws("ann")
            assert (await by_hand.get())["type"] == "queued"
            # The replaced one asks again after its pause and takes the place back.
            error = await by_hand.get()
            assert error["error"] == "another connection of this account waits for this game now"

    play(tmp_path, scene, keys={"ben": PUBLIC}, ssh=True)
