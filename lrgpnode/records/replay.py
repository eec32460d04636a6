"""A game played again from its actions, by the rules that an arriving action is judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Final, TypeVar

from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Command, Game, GameView
from lrgpnode.protocol.session import Session, SessionKey, Status

from .errors import GameMissing, Refusal, Refused

T = TypeVar("T")

MAX_CELLS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Played:
    """One action for the replay: its author's address and what it says."""

    author: str
    envelope: Envelope
    at: float


def installed(games: Mapping[str, Game], app: str, version: int) -> Game:
    """The game in this version. Raises ``GameMissing``."""
    game = games.get(app)
    if game is None:
        raise GameMissing(f"The game {app}.{version} is not installed here.")
    if game.manifest.version != version:
        raise GameMissing(
            f"This game is of {app}.{version}; installed here is version {game.manifest.version}."
        )
    return game


def replay(game: Game, key: SessionKey, peer: str, initiator: str, actions: Iterable[Played]) -> Session:
    """The session after all actions, as the identity of ``key`` has it. Raises ``Refused``.

    Author and session of each envelope have been checked.
    """
    session: Session | None = None
    for number, played in enumerate(actions, 1):
        session = _next(game, key, peer, initiator, session, played, number)
    if session is None:
        raise Refused(Refusal.RULES, "There is no action.")
    return session


def _next(
    game: Game,
    key: SessionKey,
    peer: str,
    initiator: str,
    session: Session | None,
    played: Played,
    number: int,
) -> Session:
    command, author = played.envelope.command, played.author
    if command == Command.ERROR or command not in game.manifest.actions:
        raise Refused(Refusal.RULES, f"There is no {command} in this game.", number)
    challenge = command == Command.CHALLENGE
    if challenge != (session is None) or (challenge and author != initiator):
        raise Refused(
            Refusal.RULES, "A game begins with its challenger's challenge, and has no other.", number
        )
    if command == Command.ACCEPT and author == initiator:
        raise Refused(Refusal.RULES, "Only the challenged player can accept.", number)
    before = session or guarded(lambda: game.open(key, peer, initiator, played.at), number)
    after = guarded(
        lambda: game.apply(before, author, command, deepcopy(played.envelope.payload), played.at), number
    )
    bound = (after.key, after.peer, after.initiator, after.app_id, type(after.status))
    if bound != (key, peer, initiator, game.manifest.app_id, Status):
        raise Refused(Refusal.RULES, "The game changed what binds a session to its players.", number)
    return after


def guarded(call: Callable[[], T], number: int = 0) -> T:
    """What a game says, whatever it does. Raises ``Refused``."""
    try:
        return call()
    except Rejection as rejection:
        raise Refused(Refusal.RULES, rejection.message.rstrip(".") + ".", number) from None
    except Exception as error:
        name = type(error).__name__
        raise Refused(Refusal.RULES, f"The game could not process it ({name}).", number) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Where a session stands, in values that two programs can compare."""

    status: str
    reason: str
    winner: str
    turn: str
    ply: int
    position: tuple[tuple[str, ...], ...]
    history: tuple[str, ...]


def outcome(game: Game, session: Session, viewer: str) -> Outcome:
    """Raises ``Refused`` where the game cannot show the session."""
    view: GameView = guarded(lambda: game.view(session, viewer))
    return guarded(lambda: _plain(session, view))


def _plain(session: Session, view: GameView) -> Outcome:
    position = tuple(tuple(str(cell) for cell in row) for row in view.grid)
    if sum(map(len, position)) > MAX_CELLS:
        raise ValueError("the board is too large")
    return Outcome(
        status=str(session.status),
        reason=str(view.result.reason) if view.result is not None else "",
        winner=view.result.winner if view.result is not None else "",
        turn=view.turn,
        ply=int(view.ply),
        position=position,
        history=tuple(str(label) for label in view.history),
    )
