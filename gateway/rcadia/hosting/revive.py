"""A hosted game from its public state, after a restart of the host.

The state on the platform is what everybody has seen, so it is what counts: the moves in it are played
again by the rules, and ``seq`` in it says which entries it contains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command

from .game import HostedGame, applied, opened
from .words import Words

MOST_MOVES: Final = 20_000
"""No game is longer: fifty moves without a capture or pawn move end it."""


class NoGame(Exception):
    """The state is not one that this host has published; ``str()`` says why."""


def revived(
    words: Words, session_id: str, *, number: int, state: Any, hold: bool = False, legacy: bool = False
) -> HostedGame:
    """The game of round ``number`` that published ``state``; one that waits for players if none was.

    Raises ``NoGame``.
    """
    game = HostedGame(words=words, session_id=session_id, round=number, hold=hold, legacy=legacy)
    if state is None:
        return game
    if not isinstance(state, Mapping) or state.get("game") != words.kind:
        raise NoGame("the state is that of another game")
    seq = state.get("seq")
    if type(seq) is not int or seq < 0:
        raise NoGame("the state does not say what was handled")
    game = replace(game, seq=seq, players=_players(state))
    first = state.get(words.seats[0])
    if first is None:
        return game
    if first not in game.players:
        raise NoGame("who has the first move is not at the table")
    game = replace(game, session=opened(game, first), hold=False)
    return _offered(_played(game, state.get("moves")), state.get("drawOffer"))


def _players(state: Mapping[str, Any]) -> tuple[str, ...]:
    players = state.get("players")
    if not isinstance(players, list) or not all(isinstance(one, str) for one in players):
        raise NoGame("the players are missing")
    if players and (len(players) != 2 or len(set(players)) != 2):
        raise NoGame("there are not two players")
    return tuple(players)


def _played(game: HostedGame, moves: Any) -> HostedGame:
    if not isinstance(moves, Sequence) or isinstance(moves, str) or len(moves) > MOST_MOVES:
        raise NoGame("the moves are missing")
    session = game.session
    assert session is not None
    try:
        for move in moves:
            player = session.metadata["turn"]
            intent = game.words.move(session, move)
            session = applied(game, session, player, Command.MOVE, intent)
    except Rejection as rejection:
        raise NoGame(f"the moves are not a game: {rejection.message}") from None
    if session.status.ended:
        raise NoGame("the game had ended")
    return replace(game, session=session)


def _offered(game: HostedGame, offer: Any) -> HostedGame:
    """With the draw offer that stands. Somebody may offer one draw more before the same move: no harm."""
    if offer not in game.players:
        return game
    return replace(game, offer=offer, offered=game.ply if offer == game.turn else -1)
