"""Two nodes at a table: one acts, and both have it before the next one does."""

from __future__ import annotations

from typing import Any

from tests.e2e.nodes import Json, NodeProcess
from tests.e2e.replay import Replayed, check_same


class Table:
    """A session between ``a``, who challenges, and ``b``."""

    def __init__(self, a: NodeProcess, b: NodeProcess, app: str) -> None:
        self.a, self.b = a, b
        self.id: str = a.call("game.challenge", peer=b.identity, app=app)["id"]
        b.events.wait("game.challenged", id=self.id)

    def act(self, node: NodeProcess, method: str, **params: Any) -> Json:
        """One action; returns when the other side has applied it."""
        other = self.b if node is self.a else self.a
        result = node.call(f"game.{method}", id=self.id, **params)
        other.events.wait("game.applied", id=self.id, own=False, action_num=result["action_num"])
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
        node.events.wait("game.applied", id=self.id, command=command, ply=ply)

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
