"""Records of third parties' games, well made and not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from games.tictactoe import TicTacToe
from lrgpnode.protocol.game import Game, GameView, Notation, Payload
from lrgpnode.protocol.session import Session
from lrgpnode.records.build import readable
from lrgpnode.records.errors import CannotExport, GameMissing, Refusal, Refused
from lrgpnode.records.verify import verify
from tests.plugins.pair import SALT
from tests.records.played import Match, match, people, tic_tac_toe

ANN, BEN, _ = people()


@pytest.mark.parametrize(
    ("app", "reveal", "throw", "answer", "listed"),
    [
        ("morra", "reveal", {"f": 2, "g": 5}, {"f": 3, "g": 4}, "  1. 3/4"),
        ("odd_even", "move", {"f": 2}, {"f": 3}, "  1. 3\n"),
    ],
)
def test_the_example_games(
    games: dict[str, Game],
    app: str,
    reveal: str,
    throw: dict[str, Any],
    answer: dict[str, Any],
    listed: str,
) -> None:
    """A commitment opened later, commands of their own: everything is proven as in our games."""
    game = Match(app, ANN, BEN, games=games)
    game.act(ANN, "challenge", throw | {"k": SALT})
    game.act(BEN, "accept", answer)
    game.act(ANN, reveal, throw | {"k": SALT})
    built = game.export()
    found = verify(built.data, games)
    assert (found.end.status, found.end.reason, len(found.acts)) == ("completed", "win", 3)
    assert listed in found.text
    with pytest.raises(GameMissing, match=rf"{app}\.1 is not installed"):
        verify(built.data, {"ttt": TicTacToe()})


def test_a_game_that_expiry_decides(games: dict[str, Game]) -> None:
    """Who did not reveal in time has lost; the game says so, not the record."""
    game = Match("odd_even", ANN, BEN, games=games)
    game.act(ANN, "challenge", {"f": 2, "k": SALT})
    game.act(BEN, "accept", {"f": 3})
    game.expire()
    end = verify(game.export().data, games).end
    assert (end.status, end.reason, end.winner) == ("expired", "expired", BEN.address)


class Failing(TicTacToe):
    def __init__(self, where: str) -> None:
        self.where = where

    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        if self.where == "apply":
            raise RecursionError
        after = super().apply(session, actor, command, payload, now)
        return replace(after, peer=actor) if self.where == "binding" else after

    def view(self, session: Session, viewer: str) -> GameView:
        view = super().view(session, viewer)
        if self.where == "view":
            raise KeyError("no such thing")
        return replace(view, grid=(("X",) * 10_001,)) if self.where == "grid" else view

    def notation(self, session: Session, names: Mapping[str, str], date: str) -> Notation | None:
        if self.where == "notation":
            raise ZeroDivisionError
        return super().notation(session, names, date)


@pytest.mark.parametrize("where", ["apply", "binding", "view", "grid", "notation"])
def test_a_game_that_fails_is_no_proof_and_no_crash(where: str) -> None:
    data = tic_tac_toe().export().data
    with pytest.raises(Refused) as refused:
        verify(data, {"ttt": Failing(where)})
    assert refused.value.reason is Refusal.RULES
    with pytest.raises(CannotExport):
        tic_tac_toe().export(games={"ttt": Failing(where)})


class Writing(TicTacToe):
    def __init__(self, text: str) -> None:
        self.text = text

    def notation(self, session: Session, names: Mapping[str, str], date: str) -> Notation:
        return Notation("odd", self.text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "\n"),
        ("one\ntwo\n\n\n", "one\ntwo\n"),
        ('%{"game":{}}\n%', ' %{"game":{}}\n %\n'),
        ("a\rb\x1b[31m\u202e\u2028", "a b [31m\n"),
    ],
)
def test_a_notation_cannot_be_taken_for_the_record(text: str, expected: str) -> None:
    games = {"ttt": Writing(text)}
    game = tic_tac_toe()
    game.games = games
    assert verify(game.export().data, games).text == expected
    assert readable(game.journal, games) == Notation("odd", expected)


def test_another_version_of_the_game() -> None:
    class Newer(TicTacToe):
        manifest = replace(TicTacToe.manifest, version=2)

    game = match()
    game.act(ANN, "challenge")
    with pytest.raises(GameMissing, match="installed here is version 2"):
        verify(game.export().data, {"ttt": Newer()})
