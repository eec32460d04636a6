"""Whatever happens in whichever order: in the end the seat is over, its slot is free, and both sides know."""

from __future__ import annotations

import random

import pytest

from gateway.seat import Reason, Side, Winner, Word
from lrgpnode.protocol.session import Status
from tests.gateway.fake_platform import GAMES, FakeTable
from tests.gateway.scene import Scene, play
from tests.node.network import CLEAN, ROUGH
from tests.node.players import A, B

WORDS = (Word.RESIGN, Word.DRAW_OFFER, Word.DRAW_ACCEPT, Word.DRAW_DECLINE, Word.CLAIM)


class Life:
    """One table and one player, both of whom act at random."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene = scene
        self.random = random.Random(seed)
        self.app = self.random.choice(sorted(GAMES))
        words = frozenset(word for word in WORDS if self.random.random() < 0.5)
        self.table = scene.world.table(
            self.app,
            first=self.random.choice(list(Side)),
            comes=self.random.random() < 0.7,
            shows_moves=self.random.random() < 0.6,
            legal=self.random.random() < 0.7,
            words=words,
            script=self.reply,
        )
        if self.random.random() < 0.3:
            self.table.next = scene.world.table(self.app, "next", comes=False)
            self.table.next.account = "kept"

    def reply(self, table: FakeTable) -> object:
        """What the other side moves at once; None: it thinks, and may move later."""
        if self.random.random() < 0.3:
            return None
        session = table.session
        legal = GAMES[self.app].view(session, session.metadata["turn"]).legal
        return self.random.choice(legal).intent

    async def step(self) -> None:
        await self.random.choice((self.player, self.player, self.player, self.web, self.fault))()

    async def player(self) -> None:
        """Act in any game that goes on, or wait."""
        ann = self.scene.ann
        games = [one for one in ann.node.router.list(A, None, ann.node.now()) if not one.status.ended]
        if not games:
            return
        session = self.random.choice(games)
        id = session.key.session_id
        if session.status is Status.PENDING:
            if session.initiator == B:
                await ann.tries(id, self.random.choice(("accept", "accept", "decline")))
            elif self.random.random() < 0.05:
                await ann.tries(id, "decline")
            return
        legal = GAMES[self.app].view(session, A).legal
        if legal and self.random.random() < 0.85:
            await ann.tries(id, "move", **self.random.choice(legal).intent)
        elif self.random.random() < 0.3:
            await ann.tries(id, self.random.choice(("draw_offer", "draw_accept", "draw_decline", "resign")))

    async def web(self) -> None:
        """The other side, or the platform."""
        table, chance = self.table, self.random.random()
        if not table.begun:
            if table.account:
                table.come()
        elif table.finished is not None or table.lost:
            return
        elif table.mover is Side.THEM and chance < 0.6:
            intent = None
            while intent is None:
                intent = self.reply(table)
            table.play(intent)  # type: ignore[arg-type]
        elif chance < 0.66:
            table.offers, table.declines = self.random.choice(((True, False), (False, True)))
            table.touch()
        elif chance < 0.70:
            table.away = "" if table.away else "the host does not respond"
            table.touch()
        elif chance < 0.73:
            winner = self.random.choice(list(Winner))
            reasons = [reason for reason in Reason if reason is not Reason.BOARD]
            table.end(winner, self.random.choice(reasons), "as it happens")
        elif chance < 0.745:
            table.lose("the platform was restarted")
        elif chance < 0.76:
            table.rejects.append("the game does not like it")

    async def fault(self) -> None:
        scene, chance = self.scene, self.random.random()
        if chance < 0.4:
            await scene.host.restart()
        elif chance < 0.6:
            scene.world.down = not scene.world.down
            scene.world.retry_after = self.random.choice((None, None, 60.0))
            self.table.touch()
        elif chance < 0.7:
            self.table.unknown += 1


async def live(scene: Scene, seed: int) -> None:
    life = Life(scene, seed)
    first = await scene.ann.challenge(B, life.app)
    for _ in range(120):
        await life.step()
        await scene.quiet(life.random.choice((0.0, 0.3, 2.0, 60.0)))
        if scene.host.stage() == "over":
            break
    # From here on everything works again, and nobody is there any more but what must be.
    scene.world.down, life.table.away = False, ""
    if life.table.begun and life.table.finished is None and not life.table.lost:
        life.table.end(life.random.choice(list(Winner)), Reason.TIMEOUT)
    life.table.touch()
    # Ten days: what the player does not answer ends by its time limit.
    await scene.until(lambda: scene.host.stage() == "over", 10 * 86_400, every=300)
    row = scene.host.bridge()
    assert row.result is not None
    assert row.reason
    assert scene.host.store.gateway.used() == {}
    table = life.table
    assert table.finished is not None or table.lost or table.left or not table.account
    assert table.joins <= 1
    # No move was made up: the table has the player's moves, and the player's game has the table's.
    assert scene.host.session(first) is not None
    for session in scene.host.node.router.list(B, None, scene.host.node.now()):
        assert session.status.ended
    for intent in table.acted:
        journal = [
            action
            for session in scene.ann.node.router.list(A, None, scene.ann.node.now())
            for action in scene.ann.store.actions.of(session.key)
            if action.command == "move" and action.sender == A
        ]
        key, value = next(iter(intent.items()))
        assert any(action.payload[key] == value for action in journal)


@pytest.mark.parametrize("seed", range(6))
def test_every_life_comes_to_an_end(seed: int) -> None:
    play(lambda scene: live(scene, seed), seed=seed, faults=CLEAN)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 166))
def test_many_lives(seed: int) -> None:
    play(lambda scene: live(scene, seed), seed=seed, faults=ROUGH if seed % 2 else CLEAN)
