"""A platform's side of one hosted game: entries as JSON of the protocol, ops back as JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from gateway.rcadia.hosting.catalogue import words
from gateway.rcadia.hosting.game import HostedGame, Step, assign, step
from gateway.rcadia.wire import Entry

ANN, BEN = "p_0000000a", "p_0000000b"
SESSION = "ses_ab12cd34ef56"
WORDS = words()


class Platform:
    """Keeps the game as the host would, and what it said last."""

    def __init__(self, app: str, *, number: int = 1, hold: bool = False, legacy: bool = False) -> None:
        self.game = HostedGame(words=WORDS[app], session_id=SESSION, round=number, hold=hold, legacy=legacy)
        self.seq = 0
        self.number = 0
        self.last_id = ""
        self.state: dict[str, Any] = {}
        self.legal: list[Any] = []
        self.to_move = ""
        self.ended: dict[str, Any] | None = None

    def tell(self, entry: dict[str, Any], *, seq: int | None = None) -> list[dict[str, Any]]:
        """One entry, numbered; the ops that the host answers with."""
        if seq is None:
            self.seq += 1
            seq = self.seq
        line = json.dumps({"seq": seq, **entry})
        return self._take(step(self.game, msgspec.json.decode(line, type=Entry)))

    def start(self, *players: str) -> list[dict[str, Any]]:
        named = list(players or (ANN, BEN))
        entry = {"type": "system", "event": "game_start", "players": named, "round": self.game.round}
        return self.tell(entry)

    def act(self, player: str, action: Any, id: str | None = None) -> list[dict[str, Any]]:
        self.number += 1
        self.last_id = id or f"a_{self.number}"
        return self.tell({"type": "action", "playerId": player, "action": action, "actionId": self.last_id})

    def play(self, *actions: Any) -> list[dict[str, Any]]:
        """Actions of whoever is to move, each of which must be applied."""
        ops: list[dict[str, Any]] = []
        for action in actions:
            ops = self.act(self.to_move, action)
            assert "reject" not in [op["op"] for op in ops], ops
        return ops

    def assign(self, first: str) -> list[dict[str, Any]]:
        return self._take(assign(self.game, first))

    def _take(self, after: Step) -> list[dict[str, Any]]:
        self.game = after.game
        ops: list[dict[str, Any]] = json.loads(msgspec.json.encode(list(after.ops)))
        for op in ops:
            match op["op"]:
                case "state":
                    self.state = op["state"]
                case "legal_actions":
                    self.to_move, self.legal = op["playerId"], op["actions"]
                case "end":
                    self.ended, self.to_move, self.legal = op["result"], "", []
        return ops


def kinds(ops: list[dict[str, Any]]) -> list[str]:
    return [op["op"] for op in ops]
