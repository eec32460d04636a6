"""Text players at tables of web platforms: their side of LRGP with the gateway's identity is held here."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import Peer
from tests.node.network import Faults
from tests.node.scenes import envelope, throw
from tests.text.stage import ANN, G, Stage, on_stage


@dataclass
class Platform:
    """Implements ``interfaces.text.web.Gateway``: one table of each game, and who asked for it."""

    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    places: list[tuple[str | None, bool]] = field(default_factory=list)
    waiting: set[str] = field(default_factory=set)
    refuse: str = ""
    session: str = ""
    deadline: float | None = None
    platforms: tuple[str, ...] = ("rcadia", "agentgames")

    async def tables(self, app: str | None = None, platform: str | None = None) -> Any:
        found = [
            SimpleNamespace(id=f"Table-{one}", app=one, title="Café", platform="rcadia")
            for one in ("chess", "ttt")
        ]
        return SimpleNamespace(tables=[one for one in found if app in (None, one.app)])

    def seats(self, peer: str | None = None, *, ended: bool = False) -> Sequence[Any]:
        if not self.session:
            return []
        return [
            SimpleNamespace(
                session=self.session,
                opponent="Wanda",
                app="ttt",
                platform="rcadia",
                stage="x",
                deadline=self.deadline,
            )
        ]

    async def request(
        self,
        peer: str,
        app: str,
        table: str | None = None,
        *,
        platform: str | None = None,
        insists: bool = False,
    ) -> None:
        if self.refuse and not insists:
            raise CallerError(Kind.VALIDATION, self.refuse)
        self.asked.append((peer, app, table))
        self.places.append((platform, insists))

    async def leave(self, peer: str | None, seat: int | None = None) -> Any:
        self.session = ""
        return SimpleNamespace(app="ttt", platform="rcadia")

    async def seek(self, peer: str, app: str) -> str:
        self.waiting.add(peer)
        return "So do our tables."

    async def unseek(self, peer: str) -> bool:
        waited = peer in self.waiting
        self.waiting.discard(peer)
        return waited


def ours(stage: Stage) -> list[Session]:
    """The sessions of the gateway's identity, the newest first."""
    return list(stage.node.store.sessions.list(G))


async def bridge(stage: Stage, key: SessionKey, command: str, **intent: Any) -> None:
    """What the gateway does in the game, as something has happened at the table."""
    await stage.node.node.act(key, command, intent)
    await asyncio.sleep(10)


def test_a_text_player_takes_a_seat_and_plays_a_game_over_restarts(tmp_path: Path) -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        shown = await ann.says("tables ttt")
        assert "1 ttt: Café (rcadia)" in shown
        assert "invited, no answer yet" in await ann.says("1")
        assert platform.asked == [(ANN, "ttt", "Table-ttt")]
        (session,) = ours(stage)
        assert (session.peer, session.initiator, session.status) == (ANN, ANN, Status.PENDING)
        platform.session = session.key.session_id
        await bridge(stage, session.key, "accept")
        assert ann.got[-1] == "~#1 ttt v Wanda (X)\n1 2 3\n4 5 6\n7 8 9\nYour turn."
        assert "1.b2" in await ann.says("5")
        assert ours(stage)[0].metadata["board"] == "____X____"
        await stage.restart()
        await bridge(stage, session.key, "move", i=0)
        assert "2.a1" in ann.got[-1]
        assert "taken" in await ann.says("1")
        await ann.says("3")
        await stage.restart()
        await bridge(stage, session.key, "draw_offer")
        assert "a draw is offered to you" in ann.got[-1]
        await ann.says("no")
        await bridge(stage, session.key, "move", i=6)
        await ann.says("4")
        await bridge(stage, session.key, "resign")
        assert "You won: the other player resigned." in ann.got[-1]
        assert ours(stage)[0].status is Status.COMPLETED
        assert all(not sent.envelope for sent in stage.air.sent)  # nothing of it went out
        assert not stage.node.store.outbox.waiting()
        assert not stage.node.flags(session.key.session_id)

    on_stage(scene, path=str(tmp_path / "node.db"), gateway=platform)


def test_leaving_ends_it_on_both_sides() -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        await ann.says("tables")
        await ann.says("play chess web Table-chess")
        (session,) = ours(stage)
        assert "cancelled" in await ann.says("leave")
        assert ours(stage)[0].status is Status.DECLINED
        await ann.says("play ttt web")
        session = ours(stage)[0]
        await bridge(stage, session.key, "accept")
        assert "You resigned" in await ann.says("leave")
        assert ours(stage)[0].status is Status.COMPLETED
        platform.refuse = "You have had your seats for today."
        assert await ann.says("play ttt web Table-ttt") == "~You have had your seats for today."
        assert len(ours(stage)) == 2

    on_stage(scene, gateway=platform)


def test_who_waits_is_seated_when_the_gateway_challenges_and_others_are_asked() -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        assert "So do our tables." in await ann.says("seek ttt")
        assert platform.waiting == {ANN}
        await stage.node.node.challenge(G, ANN, "ttt", {})
        await asyncio.sleep(30)
        assert "ttt v web (O): Waiting" in ann.got[-1]
        assert ours(stage)[0].status is Status.ACTIVE
        await bridge(stage, ours(stage)[0].key, "move", i=4)
        assert "1.b2" in ann.got[-1]
        await stage.node.node.challenge(G, ANN, "chess", {})
        await asyncio.sleep(30)
        assert "web invites you to chess (#2)" in ann.got[-1]
        await ann.says("no")
        assert ours(stage)[0].status is Status.DECLINED

    on_stage(scene, gateway=platform)


def test_somebody_with_lrgp_plays_with_his_client() -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        heard = Peer(
            peer=ANN,
            name="Ann",
            public_key=bytes(64),
            hops=1,
            interface="air",
            heard_at=stage.node.node.now(),
            games=True,
        )
        stage.node.store.book.put_peers([heard])
        await ann.says("tables")
        assert "Now challenge me to Tic-Tac-Toe" in await ann.says("play ttt web Table-ttt")
        assert not ours(stage)
        await throw(stage.air, ANN, stage.node, envelope("ttt", "challenge", "00000000000000aa"))
        platform.session = "00000000000000aa"
        assert "ttt at rcadia v Wanda" in await ann.says("games")
        assert "Given up: ttt at rcadia" in await ann.says("leave")
        before = len(stage.air.sent)
        ann.lrgp = True
        await stage.node.node.act(SessionKey(G, "00000000000000aa"), "decline", {})
        await asyncio.sleep(1)
        assert stage.air.sent[before].envelope  # by radio, to his client

    on_stage(scene, gateway=platform)


def test_moves_cross_and_the_node_is_killed_at_any_moment(tmp_path: Path) -> None:
    platform = Platform()

    async def scene(stage: Stage) -> None:
        ann = stage.phone(ANN)
        rng = random.Random(stage.air.seed)
        await ann.says("play ttt web")
        key = ours(stage)[0].key
        await stage.node.node.act(key, "accept", {})
        await stage.restart()
        await asyncio.sleep(60)
        for own, other in ((5, 0), (2, 7), (4, 5), (9, 2)):
            ann.write(str(own))
            await asyncio.sleep(rng.choice((0, 0, 0.001, 1)))
            await stage.restart()
            await asyncio.sleep(120)
            assert ours(stage)[0].metadata["turn"] == G
            await stage.node.node.act(key, "move", {"i": other})
            await asyncio.sleep(rng.choice((0, 0, 1)))
            await stage.restart()
            await asyncio.sleep(120)
        seat = stage.node.store.text.seat(key.session_id, ANN)
        assert seat is not None
        assert seat.metadata["board"] == ours(stage)[0].metadata["board"]
        assert not stage.node.flags(key.session_id)
        assert "Your turn" in await ann.says("board")

    on_stage(scene, path=str(tmp_path / "node.db"), gateway=platform, faults=Faults(), seed=5)
