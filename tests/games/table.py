"""Two people at one game: each has a session value of their own, and every action reaches both.

The payload passes through MessagePack and the metadata through JSON on the way, as it does between two
nodes with databases. After every action both sides must say the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgpack
import pytest

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.turn_based import TurnBasedGame

ANN, BEN, EVE = "a1" * 16, "b2" * 16, "e5" * 16
SESSION = "0123456789abcdef"
NOW = 1_750_000_000.0

GAMES: Mapping[str, TurnBasedGame] = {
    "ttt": TicTacToe(),
    "chess": Chess(),
    "four_in_a_row": FourInARow(),
}
APPS = tuple(GAMES)

FIRST: Mapping[str, Mapping[str, Any]] = {"ttt": {"i": 4}, "chess": {"m": "e2e4"}, "four_in_a_row": {"c": 3}}
"""A first move of each game, as an intent."""

SECOND: Mapping[str, Mapping[str, Any]] = {"ttt": {"i": 0}, "chess": {"m": "e7e5"}, "four_in_a_row": {"c": 3}}

_OWN_KEYS = {"my_marker", "my_color"}
"""Metadata that differs between the two sides."""

LONGEST_CONTENT = 276
"""Envelope and fallback text together, so that an action travels as one opportunistic packet."""


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def heads() -> bool:
    return True


def tails() -> bool:
    return False


def refusal(action: Any, code: ErrorCode, *, transition: bool = False) -> str:
    """``action()`` is refused with ``code`` in a sentence that fits into an error action. Returns it."""
    with pytest.raises(Rejection) as refused:
        action()
    rejection = refused.value
    assert (rejection.code, rejection.transition) == (code, transition), rejection.message
    assert rejection.message.isascii()
    assert 10 < len(rejection.message) <= 100, rejection.message
    return rejection.message


def stored(session: Session) -> Session:
    """The session after a round through the database's JSON; it must not have changed."""
    again = replace(session, metadata=json.loads(json.dumps(dict(session.metadata))))
    assert again == session
    return again


@dataclass
class Table:
    """``ann`` challenges ``ben``. Sessions are at ``sides[identity]``."""

    game: TurnBasedGame
    sides: dict[str, Session]
    now: float = NOW

    @classmethod
    def challenged(cls, app: str, game: TurnBasedGame | None = None) -> Table:
        game = game or GAMES[app]
        table = cls(
            game,
            {me: game.open(SessionKey(me, SESSION), peer, ANN, NOW) for me, peer in ((ANN, BEN), (BEN, ANN))},
        )
        table.play(ANN, "challenge")
        return table

    @classmethod
    def active(cls, app: str, *, white: str = ANN, game: TurnBasedGame | None = None) -> Table:
        """A game in which ``white``, or the challenger where there is no choice, is to move."""
        table = cls.challenged(app, game)
        table.play(BEN, "accept", coin=white == ANN)
        return table

    def payload(
        self, actor: str, command: str, intent: Mapping[str, Any] | None = None, *, coin: bool = False
    ) -> dict[str, Any]:
        return self.game.intend(self.sides[actor], actor, command, intent or {}, lambda: coin)

    def play(
        self, actor: str, command: str, intent: Mapping[str, Any] | None = None, *, coin: bool = False
    ) -> dict[str, Any]:
        """A local intent of ``actor``, applied on both sides. Returns the payload."""
        payload = self.payload(actor, command, intent, coin=coin)
        before = self.sides[actor]
        self.apply(actor, command, payload)
        text = self.game.fallback(before, self.sides[actor], actor, command, payload)
        envelope = Envelope(self.game.manifest.app_id, 1, str(command), SESSION, payload, bytes(8)).pack()
        assert text.startswith(f"[LRGP {self.game.manifest.tag}] ")
        assert len(envelope) + len(text.encode()) <= LONGEST_CONTENT
        return payload

    def apply(self, actor: str, command: str, payload: dict[str, Any]) -> None:
        """A wire payload of ``actor``, applied on both sides, which must agree afterwards."""
        self.now += 1
        wire = msgpack.unpackb(msgpack.packb(payload))
        assert wire == payload
        for me, session in self.sides.items():
            after = self.game.apply(session, actor, command, wire, self.now)
            assert (after.updated_at, after.last_action_at) == (self.now, self.now)
            assert (after.key, after.peer, after.initiator, after.unread, after.created_at) == (
                session.key,
                session.peer,
                session.initiator,
                session.unread,
                session.created_at,
            )
            self.sides[me] = stored(after)
        self.check_agreement()

    def moves(self, *intents: Mapping[str, Any]) -> Table:
        """Moves of whoever is to move."""
        for intent in intents:
            self.play(self.turn, "move", intent)
        return self

    def check_agreement(self) -> None:
        ann, ben = self.sides[ANN], self.sides[BEN]
        assert ann.status is ben.status
        assert _shared(ann) == _shared(ben)
        for side in (ann, ben):
            assert self.game.normalise(side) == side

    def refuse(
        self,
        actor: str,
        command: str,
        payload: Mapping[str, Any] | None,
        code: ErrorCode,
        *,
        transition: bool = False,
    ) -> str:
        """The payload of ``actor`` is refused on both sides alike. Returns the message."""
        messages = set()
        for side in self.sides.values():
            messages.add(
                refusal(
                    lambda side=side: self.game.apply(side, actor, command, dict(payload or {}), self.now),
                    code,
                    transition=transition,
                )
            )
        (message,) = messages
        return message

    def forbid(self, actor: str, command: str, payload: Mapping[str, Any] | None = None) -> str:
        """The state does not allow this command of ``actor``, on neither side. Returns the message."""
        return self.refuse(actor, command, payload, ErrorCode.PROTOCOL_ERROR, transition=True)

    @property
    def turn(self) -> str:
        turn: str = self.ann.metadata["turn"]
        return turn

    @property
    def waiting(self) -> str:
        return self.ann.other(self.turn)

    @property
    def ann(self) -> Session:
        return self.sides[ANN]

    @property
    def ben(self) -> Session:
        return self.sides[BEN]

    @property
    def status(self) -> Status:
        return self.ann.status

    @property
    def metadata(self) -> dict[str, Any]:
        """What both sides say alike."""
        return _shared(self.ann)


def _shared(session: Session) -> dict[str, Any]:
    return {key: value for key, value in session.metadata.items() if key not in _OWN_KEYS}
