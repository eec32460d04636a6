"""Sessions played through the games themselves, as ``game.show`` gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.control.models import GameDetail, OwnAction, view_json
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.model import OutboxState
from tests.cli.fakes import ID, ME, PEER

TTT, CHESS, FOUR = TicTacToe(), Chess(), FourInARow()


def act(
    game: Game,
    session: Session,
    actor: str,
    command: str,
    intent: dict[str, Any] | None = None,
) -> Session:
    payload = game.intend(session, actor, command, intent or {}, lambda: False)
    return game.apply(session, actor, command, payload, 1.0)


def challenged(game: Game, initiator: str = ME) -> Session:
    session = game.open(SessionKey(identity=ME, session_id=ID), PEER, initiator, 0.0)
    return act(game, session, initiator, Command.CHALLENGE)


def played(game: Game, moves: str, initiator: str = ME) -> Session:
    """A game begun, with the moves of both players."""
    session = challenged(game, initiator)
    session = act(game, session, session.responder, Command.ACCEPT)
    for move in moves.split():
        mover = session.metadata["turn"]
        # What is typed is read by the node of whoever is to move.
        there = replace(session, key=SessionKey(identity=mover, session_id=ID), peer=session.other(mover))
        session = act(game, session, mover, Command.MOVE, game.parse(there, move))
    return session


def shown(game: Game, session: Session, **more: Any) -> dict[str, Any]:
    """The result of ``game.show``, as it comes out of the socket."""
    return as_json(detail(game, session, **more))


def as_json(value: GameDetail) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return decoded


def detail(game: Game, session: Session, **more: Any) -> GameDetail:
    fields: dict[str, Any] = {
        "id": session.key.session_id,
        "identity": session.key.identity,
        "app": session.app_id,
        "app_version": session.app_version,
        "peer": session.peer,
        "initiator": session.initiator,
        "status": session.status,
        "unread": session.unread,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "last_action_at": session.last_action_at,
        "view": view_json(game.view(session, session.key.identity)),
        "peer_name": "Bob",
    }
    return GameDetail(**{**fields, **more})


def own(command: str, state: OutboxState, **more: Any) -> OwnAction:
    return OwnAction(outbox_id=9, command=command, state=state, **more)
