"""What no game may allow, however little its own ``apply`` refuses."""

from __future__ import annotations

import pytest

from games.tictactoe import TicTacToe
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Payload
from lrgpnode.protocol.session import Session, SessionKey
from lrgpnode.records.errors import Refusal, Refused
from lrgpnode.records.replay import Played, replay

ANN, BEN, ID = "a1" * 16, "b2" * 16, "0123456789abcdef"


class Lenient(TicTacToe):
    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        return session


@pytest.mark.parametrize(
    ("actions", "at"),
    [
        ([], 0),
        ([(BEN, "challenge")], 1),
        ([(ANN, "move")], 1),
        ([(ANN, "challenge"), (ANN, "challenge")], 2),
        ([(ANN, "challenge"), (ANN, "accept")], 2),
        ([(ANN, "challenge"), (BEN, "error")], 2),
        ([(ANN, "challenge"), (BEN, "dance")], 2),
    ],
)
def test_refused_whatever_the_game_says(actions: list[tuple[str, str]], at: int) -> None:
    played = [
        Played(author, Envelope("ttt", 1, command, ID, {}, bytes(8)), 1.0) for author, command in actions
    ]
    with pytest.raises(Refused) as refused:
        replay(Lenient(), SessionKey(ANN, ID), BEN, ANN, played)
    assert (refused.value.reason, refused.value.action) == (Refusal.RULES, at)
