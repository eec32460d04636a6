"""One of the node's sides of a game, without a node: sessions by the rules, the house's actions kept."""

import asyncio
from collections.abc import Mapping
from typing import Any

from lrgpnode.house.manners import Limits
from lrgpnode.house.memory import Daily, Levels
from lrgpnode.house.player import Player
from lrgpnode.house.question import Answer, Question
from lrgpnode.house.worker import ThinkError
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.session import Session, SessionKey
from tests.games.table import GAMES, NOW

HOUSE, ANN, EVE = "0a" * 16, "a1" * 16, "e5" * 16
"""The house, a person of the same node, and a peer on the mesh."""

DEADLINE = 5.0


class Desk:
    """Implements ``lrgpnode.house.player.Table``; the same actions reach the player as events."""

    def __init__(self) -> None:
        self.wall = 1_800_000_000.0
        self.sessions: dict[SessionKey, Session] = {}
        self.acts: list[tuple[str, str, dict[str, Any]]] = []
        self.player: Player
        self.acted = asyncio.Condition()
        self.failing: list[Exception] = []
        self.white = ANN

    def now(self) -> float:
        return self.wall

    def session(self, key: SessionKey) -> Session:
        if key not in self.sessions:
            raise CallerError(Kind.SESSION_NOT_FOUND, "there is no such session")
        return self.sessions[key]

    async def act(self, key: SessionKey, command: str, intent: Mapping[str, Any]) -> None:
        if self.failing:
            raise self.failing.pop(0)
        self._apply(key, HOUSE, command, intent)
        self.acts.append((key.session_id, str(command), dict(intent)))
        self._tell(key, own=True)
        async with self.acted:
            self.acted.notify_all()

    def live(self) -> list[SessionKey]:
        return [key for key, session in self.sessions.items() if not session.status.ended]

    # The other side

    def challenge(self, id: str, app: str, peer: str = ANN) -> SessionKey:
        key = SessionKey(HOUSE, id)
        self.sessions[key] = GAMES[app].open(key, peer, peer, NOW)
        self._tell(key, own=False)
        return key

    def begun(self, id: str, app: str, *moves: Mapping[str, Any], white: str = ANN) -> SessionKey:
        """A game that was begun before the house came."""
        self.white = white
        key = SessionKey(HOUSE, id)
        self.sessions[key] = GAMES[app].open(key, ANN, ANN, NOW)
        self._apply(key, HOUSE, "accept", {})
        for move in moves:
            self._apply(key, self.sessions[key].metadata["turn"], "move", move)
        return key

    def peer(self, key: SessionKey, command: str, intent: Mapping[str, Any] | None = None) -> None:
        self._apply(key, self.sessions[key].peer, command, intent or {})
        self._tell(key, own=False)

    def _apply(self, key: SessionKey, actor: str, command: str, intent: Mapping[str, Any]) -> None:
        session = self.sessions[key]
        game = GAMES[session.app_id]
        white = session.participants.index(self.white) if self.white in session.participants else 0
        payload = game.intend(session, actor, command, intent, lambda: bool(white))
        self.sessions[key] = game.apply(session, actor, command, payload, NOW)

    def _tell(self, key: SessionKey, *, own: bool) -> None:
        fields = {"id": key.session_id, "identity": HOUSE, "peer": self.sessions[key].peer, "own": own}
        self.player.told("game.applied", fields)

    async def until_acts(self, count: int) -> list[tuple[str, str, dict[str, Any]]]:
        """What the house did, once it has done so much."""
        async with asyncio.timeout(DEADLINE), self.acted:
            await self.acted.wait_for(lambda: len(self.acts) >= count)
        return self.acts


class Head:
    """Implements ``Thinker``: answers with what it was told to; ``hold`` makes it think until let go."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.answers: dict[str, Answer | ThinkError] = {}
        self.hold = False
        self.begun = asyncio.Event()
        self.let_go = asyncio.Event()
        self.cancelled = 0
        self.at_once = 0
        self.most_at_once = 0

    async def think(self, question: Question) -> Answer:
        self.asked.append(question)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.begun.set()
        try:
            if self.hold:
                await self.let_go.wait()
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.at_once -= 1
        answer = self.answers[question.app]
        if isinstance(answer, ThinkError):
            raise answer
        return answer


class Memory:
    """The one value of the database that the house keeps."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    async def keep(self, key: str, value: str) -> None:
        await asyncio.sleep(0)
        self.values[key] = value


def seated(
    desk: Desk, head: Head, memory: Memory, limits: Limits | None = None, level: int = 2, daily: int = 20
) -> Player:
    """A player at ``desk``; not started yet."""
    levels = Levels(
        memory.values.get("house.levels"),
        memory.keep,
        lambda: [key.session_id for key in desk.live()],
        level,
    )
    begun = Daily(memory.values.get("house.begun"), memory.keep, daily)
    desk.player = Player(
        HOUSE,
        desk,
        head,
        levels,
        begun,
        live=desk.live,
        local=(HOUSE, ANN),
        limits=limits or Limits(),
        seed=lambda: 7,
    )
    return desk.player
