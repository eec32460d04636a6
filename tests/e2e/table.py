"""Two nodes at a table: one acts, and both have it before the next one does."""

from __future__ import annotations

from typing import Any

from tests.e2e.nodes import DEADLINE, Json, NodeProcess
from tests.e2e.replay import Replayed, check_same


class Table:
    """A session between ``a``, who challenges, and ``b``. ``deadline``: how long an action may take."""

    def __init__(self, a: NodeProcess, b: NodeProcess, app: str, deadline: float = DEADLINE) -> None:
        self.a, self.b, self.deadline = a, b, deadline
        self.id: str = a.call("game.challenge", peer=b.identity, app=app)["id"]
        b.events.wait("game.challenged", deadline=deadline, id=self.id)

    def act(self, node: NodeProcess, method: str, **params: Any) -> Json:
        """One action; returns when the other side has applied it."""
        other = self.b if node is self.a else self.a
        result = node.call(f"game.{method}", id=self.id, **params)
        number = result["action_num"]
        other.events.wait("game.applied", deadline=self.deadline, id=self.id, own=False, action_num=number)
        return result

    def accept(self) -> None:
        self.act(self.b, "accept")

    @property
    def black(self) -> NodeProcess:
        """Chess: who does not move first."""
        white = self.a.actions(self.id)[1]["payload"]["w"]
        return self.b if white == self.a.identity else self.a

    def ready_for(self, node: NodeProcess, ply: int) -> None:
        """Wait until ``node`` is to make the move after ``ply``."""
        command = "move" if ply else "accept"
        node.events.wait("game.applied", deadline=self.deadline, id=self.id, command=command, ply=ply)

    def to_move(self) -> NodeProcess:
        game = self.a.game(self.id)
        assert game is not None
        return self.a if game["view"]["my_turn"] else self.b

    def play(self, *moves: str) -> None:
        """Moves of both in turn."""
        node = self.to_move()
        for move in moves:
            self.act(node, "move", move=move)
            node = self.b if node is self.a else self.a

    def check_ended(self, reason: str, winner: NodeProcess | None = None) -> Replayed:
        replayed = check_same(self.a, self.b, self.id)
        assert replayed.result == (reason, winner.identity if winner else "")
        return replayed
