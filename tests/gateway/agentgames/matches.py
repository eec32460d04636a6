"""Matches in the database of an arcade, played by the rules."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from gateway.agentgames.server import match
from gateway.agentgames.server.arena import Arena
from gateway.agentgames.server.records import Ending, MatchStore, NewMatch
from gateway.arcade.accounts import Accounts
from gateway.arcade.store import FILE_NAME, ArcadeStore

PEOPLE = {"Ann": "Ann", "one": "one", "two": "two"}

OPERA = (
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 c3b5 c6b5 "
    "c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
)
"""Morphy against the Duke of Brunswick and Count Isouard, Paris 1858."""

WON = {"ttt": "0 3 1 4 2", "c4": "3 0 3 0 3 0 3", "chess": OPERA}
"""Player 0 wins."""

DRAWN = {"ttt": "0 1 2 4 3 5 7 6 8"}


def played(
    store: MatchStore,
    game: str,
    players: tuple[str, str],
    moves: str,
    *,
    forfeit: tuple[int, str] | None = None,
    at: float = 1_790_000_000.0,
) -> int:
    """The number of a match between two accounts. ``forfeit``: who loses after the moves, and why."""
    (number,) = store.begin([NewMatch(game=game, first=players[0], second=players[1], at=at)])
    found = match.begin(game)
    for token in moves.split():
        found = found.play(token)
    if forfeit is not None:
        found = found.forfeit(*forfeit)
    assert found.winner is not None, "the match is not over"
    ending = Ending(
        number=number, winner=found.winner, reason=found.reason, moves=found.moves, at=at + len(found.moves)
    )
    store.finish([ending])
    return number


def season(store: MatchStore, accounts: Mapping[str, str]) -> dict[str, int]:
    """Some matches of three people, whose accounts are given by name. Numbers by what they are."""
    ann, one, two = accounts["Ann"], accounts["one"], accounts["two"]
    numbers = {
        "ttt": played(store, "ttt", (ann, one), WON["ttt"]),
        "draw": played(store, "ttt", (one, two), DRAWN["ttt"]),
        "c4": played(store, "c4", (ann, two), WON["c4"]),
        "chess": played(store, "chess", (one, two), WON["chess"]),
        "late": played(store, "c4", (two, one), "3 3 2", forfeit=(1, "forfeit: move timeout")),
    }
    (numbers["void"],) = store.begin([NewMatch(game="c4", first=ann, second=two, at=1_790_000_500.0)])
    store.void([numbers["void"]], 1_790_000_600.0)
    return numbers


@contextlib.contextmanager
def arcade(folder: Path, people: Mapping[str, str] = PEOPLE) -> Iterator[tuple[Arena, dict[str, str]]]:
    """The arena of an arcade that serves nobody, and the accounts of some people by what they are here."""
    store = ArcadeStore(folder / FILE_NAME)
    try:
        accounts = {key: Accounts(store).add(name).id for key, name in people.items()}
        yield Arena(MatchStore(store.database)), accounts
    finally:
        store.close()
