"""Text players at tables of a platform, with the real gateway: whole games, other orders, kills."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from gateway.seat import Reason, Side, Winner
from gateway.seeking import Seek
from interfaces.text.held import Held
from interfaces.text.service import TextService
from interfaces.text.wire import HeldTransport
from lrgpnode.config import Settings
from lrgpnode.node import Identities
from storage.gateway_model import SeatResult
from tests.gateway.fake_platform import FakeSeat, World, moves
from tests.gateway.scene import GatewayNode
from tests.node.network import Air
from tests.node.players import B, Player
from tests.node.virtual import VirtualLoop, run
from tests.text.stage import ANN, PAUL, Phone, Thinks


class Counter(GatewayNode):
    """A gateway's node that answers texts, too."""

    text: TextService | None = None

    async def start(self) -> Counter:
        def parts() -> dict[str, Any]:
            self.held = Held(self.store, self.own.rows, enabled=True)
            return {"transport": HeldTransport(self.endpoint, self.held)}

        self.node_parts = parts
        await super().start()
        publish = self.node._news._publish

        def told(type: str, fields: Mapping[str, Any]) -> None:
            publish(type, fields)
            if self.text is not None:
                self.text.told(type, fields)

        self.node._news._publish = told
        self.text = TextService(
            Settings(),
            cast("Identities", self.own),
            self.store,
            self.writer,
            self.held,
            name=lambda peer: {ANN: "Ann", B: "gateway"}.get(peer, ""),
            thinker=Thinks(),
        )
        self.gateway.matched = self.text.take_challenge
        self.gateway.seated = self.text.seated
        await self.text.open(self.node, self.desk)
        return self

    async def restart(self) -> None:
        assert self.text is not None
        text, self.text = self.text, None
        await text.close()
        await super().restart()

    async def stop(self) -> None:
        if self.text is not None:
            await self.text.close()
            self.text = None
        await super().stop()


class Place:
    def __init__(self, loop: VirtualLoop, folder: Path) -> None:
        self.air = Air(1)
        self.loop = loop
        self.world = World()
        self.node = Counter(self.air, loop, self.world, folder)
        self.ann = Phone(cast("Any", self), ANN)
        self._ticks = 0

    def tick(self) -> float:
        self._ticks += 1
        return float(self._ticks)

    async def says(self, text: str) -> str:
        self.ann.got.clear()
        self.ann.write(text, to=B)
        await asyncio.sleep(60)
        return "\n".join(self.ann.got)


def at_counter(scene: Callable[[Place], Coroutine[Any, Any, None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:

        async def main(loop: VirtualLoop) -> None:
            place = Place(loop, Path(folder))
            await place.node.start()
            try:
                await scene(place)
                assert all(not sent.envelope for sent in place.air.sent if sent.peer == ANN)
            finally:
                await place.node.stop()

        run(main)


@pytest.mark.parametrize("killed", [False, True])
def test_a_game_of_chess_to_mate(killed: bool) -> None:
    async def scene(place: Place) -> None:
        replies = moves({"m": "e7e5"}, {"m": "b8c6"}, {"m": "g8f6"})
        table = place.world.table("chess", "Café-1", script=replies)
        assert "1 chess:" in await place.says("tables chess")
        assert "(white)" in await place.says("1")
        for move in ("e4", "Bc4", "Qh5"):
            said = await place.says(move)
            assert "Your turn" in said or "Waiting" in said
            if killed:
                await place.node.restart()
                await asyncio.sleep(60)
            assert "Your turn" in await place.says("board")
        assert "You won by checkmate." in await place.says("Qxf7#")
        await asyncio.sleep(60)
        assert table.acted == [{"m": move} for move in ("e2e4", "f1c4", "d1h5", "h5f7")]
        assert place.node.bridge().result is SeatResult.WON
        assert not place.node.store.text.live()

    at_counter(scene)


def test_where_the_other_side_begins_the_gateway_turns_the_challenge_round() -> None:
    async def scene(place: Place) -> None:
        place.world.table("ttt", first=Side.THEM, script=moves({"i": 4}, {"i": 0}, {"i": 8}))
        await place.says("play ttt web")
        assert "1.b2" in await place.says("board")
        assert "Your turn" in place.ann.got[-1]
        await place.says("2")
        await place.says("3")
        await asyncio.sleep(60)
        assert place.node.bridge().result is SeatResult.LOST
        assert "You lost" in await place.says("board")

    at_counter(scene)


def test_the_other_side_loses_by_time_and_the_player_leaves() -> None:
    async def scene(place: Place) -> None:
        table = place.world.table("chess", first=Side.US)
        assert "(white)" in await place.says("play chess web")
        await place.says("e4")
        place.ann.got.clear()
        table.end(Winner.US, Reason.TIMEOUT, "time is over")
        await asyncio.sleep(120)
        assert any("You won" in text for text in place.ann.got)
        assert place.node.bridge().result is SeatResult.WON
        other = place.world.table("chess")
        await place.says("play chess web")
        assert "You resigned" in await place.says("leave")
        await asyncio.sleep(60)
        assert other.left or other.finished is not None
        assert place.node.bridge(2).result is SeatResult.LOST

    at_counter(scene)


def test_the_platform_is_down_and_says_so() -> None:
    async def scene(place: Place) -> None:
        place.world.down = True
        shown = await place.says("tables chess")
        assert "house" in shown
        await place.says("play chess web")
        await asyncio.sleep(120)
        assert place.ann.got

    at_counter(scene)


@pytest.mark.parametrize("killed", [False, True])
def test_who_waits_by_text_gets_a_peer_that_challenges_the_gateway(killed: bool) -> None:
    """Before a table on the web: both are here. The first challenge finds nobody and goes there."""

    async def scene(place: Place) -> None:
        paul = Player(PAUL, place.air, place.loop)
        await paul.start()
        try:
            assert "You wait for a game of ttt" in await place.says("seek ttt")
            place.ann.got.clear()
            id = await paul.challenge(B, "ttt")
            await asyncio.sleep(60)
            assert "#1 ttt v" in place.ann.got[-1]
            assert "Waiting" in place.ann.got[-1]
            told = [one.text for one in paul.store.messages.page(PAUL, B, limit=9)]
            assert told == ["~You play Ann, who has waited for ttt and plays by text."]
            assert not place.node.gateway.bridges
            for theirs, ours in ((0, "5"), (1, "4"), (8, "6")):
                if killed:
                    await place.node.restart()
                await paul.act(id, "move", i=theirs)
                await asyncio.sleep(60)
                assert "Your turn" in place.ann.got[-1]
                await place.says(ours)
            session = paul.session(id)
            assert session is not None
            assert session.metadata["winner"] == B
            assert "You won" in await place.says("board")
            place.world.table("ttt", "t1")
            await paul.challenge(B, "ttt")
            await asyncio.sleep(60)
            assert place.world.tables["t1"].joins == 1, "nobody waits any more"
        finally:
            await paul.stop()

    at_counter(scene)


def test_who_is_brought_to_a_table_of_ours_waits_no_more() -> None:
    """However it came about: somebody else who challenges the gateway is not given to him, too."""

    async def scene(place: Place) -> None:
        paul = Player(PAUL, place.air, place.loop)
        await paul.start()
        try:
            await place.says("seek ttt")
            await place.says("seek chess")
            table = place.world.table("ttt", hosted=True)
            table.sit("main", "Web")
            account = place.node.gateway.accounts.get("fake", "main")
            assert account is not None
            seek = Seek(peer=ANN, app="ttt", at=0.0, until=1e12, session="00000000000000aa")
            await place.node.gateway.seat(seek, FakeSeat(table), account)
            assert [one.app_id for one in place.node.store.text.seeks()] == ["chess"]
        finally:
            await paul.stop()

    at_counter(scene)


def test_a_table_that_is_not_there_invites_nobody() -> None:
    async def scene(place: Place) -> None:
        place.world.table("ttt", "t1")
        assert await place.says("play ttt web 99") == "~There is no such table with a free seat."
        assert not place.node.store.text.live()
        assert not place.node.gateway.bridges

    at_counter(scene)


def test_the_next_game_of_a_series_is_taken_by_rematch() -> None:
    async def scene(place: Place) -> None:
        again = place.world.table("ttt", "t2", script=moves({"i": 4}, {"i": 8}))
        del place.world.tables["t2"]
        place.world.table("ttt", "t1", script=moves({"i": 0}, {"i": 1}), next=again)
        await place.says("play ttt web")
        for cell in ("5", "4", "6"):
            await place.says(cell)
        assert any("You won" in text for text in place.ann.got)
        assert any("hallenge me" in text for text in place.ann.got)
        await place.says("rematch")
        assert again.player
        assert "Your turn" in await place.says("board")

    at_counter(scene)
