"""One hosted game, sans-IO: what the platform tells the host goes in, what the host tells it comes out.

``HostedGame`` is a value. ``step`` takes one entry of ``pending-actions`` (protocol §3) and gives the next
value and the ops to be sent, in order. An entry that was handled before changes nothing and says nothing,
so what was not acknowledged may come again; so does a repeated ``actionId``, as in the SDK (§2). Every
other action of a player either becomes a move or is rejected with a sentence.

The rules are those of the LRGP game, played in a session of which the players are the participants.
Two draws that people claim are given by the host itself, threefold repetition and fifty moves: an agent
that knows no claims would otherwise never come to an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from msgspec import UNSET

from gateway.rcadia.wire import (
    GAME_START_TYPE,
    SYSTEM_PLAYER,
    EndOp,
    Entry,
    LegalActionsOp,
    Op,
    RejectOp,
    StateOp,
    player_ids,
)
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command, Reason
from lrgpnode.protocol.session import Session, SessionKey
from lrgpnode.protocol.turn_based import illegal
from lrgpnode.protocol.value import Value

from .words import (
    ACCEPT_DRAW,
    CLAIM_DRAW,
    MOVE,
    OFFER_DRAW,
    RESIGN,
    Words,
    kind_of,
    offers_draw,
)

REMEMBERED_ACTIONS: Final = 16
"""Of actions that were handled; a player has one pending at a time."""

LONGEST_REASON: Final = 300

Ops: TypeAlias = tuple[Op, ...]
Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostedGame(Value):
    """``players`` in the order of their seats, () until the game starts.

    ``previous``: who moved first in the round before, "" if that is not known. ``hold``: who moves first in
    this one is said by ``assign``; else it alternates. ``offer``: who offers a draw;
    ``offered``: the ply at which one was last offered. ``seq``: the last entry handled.
    """

    words: Words = field(repr=False)
    session_id: str
    round: int = 1
    previous: str = ""
    hold: bool = False
    legacy: bool = False
    players: tuple[str, ...] = ()
    session: Session | None = None
    offer: str = ""
    offered: int = -1
    result: Result | None = None
    seq: int = 0
    seen: tuple[str, ...] = ()

    @property
    def phase(self) -> str:
        """``waiting`` for players or roles, ``playing`` or ``over``."""
        if self.result is not None:
            return "over"
        return "waiting" if self.session is None else "playing"

    @property
    def first(self) -> str:
        """Who moves first, "" while that is open."""
        return "" if self.session is None else str(self.session.metadata["first_turn"])

    @property
    def turn(self) -> str:
        """Who is to move, "" for nobody."""
        if self.session is None or self.result is not None:
            return ""
        return str(self.session.metadata["turn"])

    @property
    def ply(self) -> int:
        return 0 if self.session is None else int(self.session.metadata["move_count"])

    def seat(self, player: str) -> str:
        """The player's part ("white", "X", ...), "" while it is open or for strangers."""
        if self.session is None or player not in self.players:
            return ""
        return self.words.seats[player != self.first]

    def other(self, player: str) -> str:
        return next(one for one in self.players if one != player)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Step(Value):
    """The game after something has happened, and what the platform must be told of it."""

    game: HostedGame
    ops: Ops = ()


def step(game: HostedGame, entry: Entry) -> Step:
    """What becomes of one entry."""
    if entry.seq <= game.seq:
        return Step(game=game)
    game = replace(game, seq=entry.seq)
    match entry.type, entry.event:
        case "action", _:
            return _action(game, entry)
        case "timeout", _:
            return _timeout(game, entry)
        case "system", "game_start":
            return _started(game, player_ids(entry.players or ()), entry.round or game.round)
        case "system", "session_end":
            return Step(game=_ended(game, entry.result, entry.reason or ""))
    return Step(game=game)  # of a later version of the protocol


def assign(game: HostedGame, first: str) -> Step:
    """Begin a held game: ``first`` moves first. Does nothing where that has been said already."""
    if game.phase != "waiting" or first not in game.players:
        return Step(game=game)
    session = opened(game, first)
    game = replace(game, session=session, hold=False)
    return Step(game=game, ops=position(game))


def turn_about(game: HostedGame) -> str:
    """Who moves first if nobody says otherwise: by turns, the first seat in the first round."""
    if game.previous in game.players:
        return game.other(game.previous)
    return game.players[(game.round - 1) % 2]


def stop(game: HostedGame, reason: str, winner: str = "") -> Step:
    """End the game for a reason that is none of the rules; there may be a rematch."""
    if game.result is not None:
        return Step(game=game)
    result = {"winner": winner or None, "reason": reason}
    game = replace(game, result=result, offer="")
    return Step(game=game, ops=(StateOp(state=state(game)), EndOp(result=result)))


def said(game: HostedGame, player: str, kind: str) -> Step:
    """What one of our own players says, who need not be on turn and asks no platform. Raises ``Rejection``.

    ``kind``: RESIGN, OFFER_DRAW, ACCEPT_DRAW or DECLINE_DRAW.
    """
    session = game.session
    if session is None or game.result is not None or player not in game.players:
        raise illegal("The game is over" if game.result is not None else "The game has not begun")
    after = _answered(game, session, player, kind)
    return Step(game=after, ops=position(after))


def position(game: HostedGame) -> Ops:
    """All that the platform should know of the game now: to be said at its start, and after a restart."""
    said = StateOp(state=state(game))
    if game.result is not None:
        return said, EndOp(result=dict(game.result))
    return (said, LegalActionsOp(player_id=game.turn, actions=actions(game))) if game.turn else (said,)


def actions(game: HostedGame) -> list[dict[str, Any]]:
    """What the player to move may do: the moves, and to accept a draw that is offered.

    To resign and to offer a draw is always possible and in the state (``otherActions``): an agent that
    takes any of its legal actions shall not resign.
    """
    if game.session is None or not game.turn:
        return []
    moves = game.words.moves(game.session)
    return [*moves, {"type": ACCEPT_DRAW}] if game.offer == game.other(game.turn) else moves


def state(game: HostedGame) -> dict[str, Any]:
    """The public state (docs/rcadia-host.md). ``seq`` in it says what the host has handled."""
    playing = game.phase == "playing"
    seats = dict.fromkeys(game.words.seats) | {game.seat(one): one for one in game.players}
    seats.pop("", None)
    return {
        "game": game.words.kind,
        "round": game.round,
        "phase": game.phase,
        "players": list(game.players),
        **seats,
        "turn": game.seat(game.turn) or None,
        "currentPlayer": game.turn or None,
        "ply": game.ply,
        **game.words.describe(game.session),
        "drawOffer": game.offer or None,
        "otherActions": [{"type": RESIGN}, {"type": OFFER_DRAW}] if playing else [],
        "result": None if game.result is None else dict(game.result),
        "seq": game.seq,
    }


# Entries


def _action(game: HostedGame, entry: Entry) -> Step:
    if entry.player_id == SYSTEM_PLAYER:
        return _system_action(game, entry)
    if isinstance(entry.action_id, str) and entry.action_id:
        if entry.action_id in game.seen:
            return Step(game=game)
        game = replace(game, seen=(*game.seen, entry.action_id)[-REMEMBERED_ACTIONS:])
    if entry.player_id not in game.players:
        return Step(game=game)  # not even a rejection could name somebody the session does not know
    player = str(entry.player_id)
    try:
        after = _done(game, player, entry.action)
    except Rejection as rejection:
        id = entry.action_id if isinstance(entry.action_id, str) else None
        reason = rejection.message[:LONGEST_REASON]
        return Step(game=game, ops=(RejectOp(player_id=player, reason=reason, action_id=id),))
    return Step(game=after, ops=position(after))


def _system_action(game: HostedGame, entry: Entry) -> Step:
    """The start of a game as hosts of v1 are told it (§9)."""
    action = entry.action
    if not isinstance(action, Mapping) or action.get("type") != GAME_START_TYPE:
        return Step(game=game)
    named = action.get("players")
    players = tuple(one for one in named if isinstance(one, str)) if isinstance(named, list) else ()
    return _started(game, players, game.round)


def _timeout(game: HostedGame, entry: Entry) -> Step:
    """The platform ends a game by timeout itself; one of v1 is expected to (§9)."""
    player = entry.player_id
    if not game.legacy or entry.final is not True or player not in game.players or game.result is not None:
        return Step(game=game)
    result = {"winner": game.other(str(player)), "reason": "timeout", "forfeitedBy": player}
    game = replace(game, result=result, offer="")
    return Step(game=game, ops=position(game))


def _started(game: HostedGame, players: tuple[str, ...], number: int) -> Step:
    if game.phase != "waiting" or game.players:
        return Step(game=game)
    game = replace(game, players=players, round=number)
    if len(set(players)) != 2 or len(players) != 2:
        return stop(replace(game, players=()), "wrong_players")
    if game.hold:
        return Step(game=game, ops=(StateOp(state=state(game)),))
    return assign(game, turn_about(game))


def _ended(game: HostedGame, result: Any, reason: str) -> HostedGame:
    if game.result is not None:
        return game
    known = dict(result) if isinstance(result, Mapping) else {"winner": None}
    return replace(game, result={"reason": reason, **known}, offer="")


# Actions


def _done(game: HostedGame, player: str, action: Any) -> HostedGame:
    """The game after the player's action. Raises ``Rejection``; then nothing has changed."""
    session = game.session
    if game.result is not None:
        raise illegal("The game is over")
    if session is None:
        raise illegal("The game has not begun")
    if player != game.turn:
        raise illegal("It is the other player's turn")
    kind = kind_of(UNSET if action is UNSET else action)
    if kind == MOVE:
        return _moved(game, session, player, action)
    if kind == CLAIM_DRAW:
        raise illegal("There is nothing to claim: threefold repetition and fifty moves end the game at once")
    return _answered(game, session, player, kind)


def _answered(game: HostedGame, session: Session, player: str, kind: str) -> HostedGame:
    """The game after a player has said something beside moves. Raises ``Rejection``."""
    if kind == RESIGN:
        return _over(game, applied(game, session, player, Command.RESIGN, {}))
    theirs = game.offer == game.other(player)
    if kind == ACCEPT_DRAW or (kind == OFFER_DRAW and theirs):
        # To offer a draw to somebody who offers one is to accept it.
        if not theirs:
            raise illegal("No draw is offered to you")
        return _drawn(game, session)
    if kind == OFFER_DRAW:
        if game.offer or game.offered == game.ply:
            raise illegal("A draw can be offered once before each move; make your move")
        return replace(game, offer=player, offered=game.ply)
    if not theirs:
        raise illegal("No draw is offered to you")
    return replace(game, offer="")


def _moved(game: HostedGame, session: Session, player: str, action: Any) -> HostedGame:
    session = applied(game, session, player, Command.MOVE, game.words.move(session, action))
    offer = game.offer
    if offers_draw(action) and not offer and game.offered != game.ply:
        offer = player
    elif offer != player:
        offer = ""  # who moves declines what is offered to him
    game = replace(game, session=session, offer=offer)
    if session.status.ended:
        return _over(game, session)
    claim = game.words.claim(session)
    if claim:
        return _over(game, applied(game, session, player, Command.DRAW_OFFER, {"r": claim}))
    return game


def applied(
    game: HostedGame, session: Session, player: str, command: str, intent: Mapping[str, Any]
) -> Session:
    """The session after a command. Raises ``Rejection``."""
    rules = game.words.game
    payload = rules.intend(session, player, command, intent, lambda: False)
    return rules.apply(session, player, command, payload, session.updated_at)


def _drawn(game: HostedGame, session: Session) -> HostedGame:
    offering = game.offer
    session = applied(game, session, offering, Command.DRAW_OFFER, {})
    return _over(game, applied(game, session, game.other(offering), Command.DRAW_ACCEPT, {}))


def _over(game: HostedGame, session: Session) -> HostedGame:
    result = game.words.game.view(session, session.key.identity).result
    reason = Reason.DRAW if result is None else result.reason
    winner = "" if result is None else result.winner
    return replace(
        game,
        session=session,
        offer="",
        result={"winner": winner or None, "reason": str(reason), "draw": not winner},
    )


def opened(game: HostedGame, first: str) -> Session:
    """An active session of the LRGP game in which ``first`` has the first move."""
    rules, (one, two) = game.words.game, game.players
    session = rules.open(SessionKey(one, game.session_id), two, first, 0.0)
    session = rules.apply(session, first, Command.CHALLENGE, {}, 0.0)
    other = session.other(first)
    payload = rules.intend(session, other, Command.ACCEPT, {}, lambda: first == two)
    return rules.apply(session, other, Command.ACCEPT, payload, 0.0)
