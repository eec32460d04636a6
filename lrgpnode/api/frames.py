"""The positions of a game, played again from its journal; loaded when the first is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.node import Node
from lrgpnode.protocol.errors import Corrupt, Kind, Rejection
from lrgpnode.protocol.game import Command, Game, GameView
from lrgpnode.protocol.jsonable import from_json
from lrgpnode.protocol.session import Session
from storage.model import Action
from storage.store import Store

from .exports import Recording
from .lookup import Lookup


class Projector:
    """Shows a game as it was."""

    def __init__(self, lookup: Lookup, node: Node, store: Store, recording: Recording) -> None:
        self._lookup = lookup
        self._node = node
        self._store = store
        self._recording = recording

    async def frames(self, params: models.FramesParams) -> models.Frames:
        """A page of positions. Raises ``ControlError`` where the journal does not lead to the game."""
        session = self._node.session(self._lookup.key(params.id, params.identity))
        self._lookup.game(session)
        actions = self._store.actions.of(session.key)
        # One more than is asked for tells whether there are more.
        work = partial(self._played, session, actions, params.first, params.first + params.limit)
        found = await asyncio.to_thread(work)
        return models.Frames(
            id=session.key.session_id,
            identity=session.key.identity,
            app=session.app_id,
            frames=tuple(found[: params.limit]),
            more=len(found) > params.limit,
        )

    def _played(
        self, session: Session, actions: Sequence[Action], first: int, last: int
    ) -> list[models.Frame]:
        """Frames ``first`` to ``last``. In a thread of its own, with a game of its own."""
        game = self._recording.games()[session.app_id]
        try:
            return list(_frames(game, session, actions, first, last))
        except (Rejection, Corrupt) as error:
            raise ControlError(
                "journal_damaged",
                f"The journal does not lead to the game: {error}",
                "`lrgpnode db check` looks for damage.",
            ) from None


def _frames(
    game: Game, end: Session, actions: Sequence[Action], first: int, last: int
) -> Iterator[models.Frame]:
    """A frame for each number of moves, the one in which that number was reached."""
    whole = [action.action_num for action in actions] == list(range(1, len(actions) + 1))
    if not whole or not actions or actions[0].command != Command.CHALLENGE:
        raise ControlError(
            str(Kind.VALIDATION), "This game was taken over from elsewhere: its actions are not all stored."
        )
    session = game.open(end.key, end.peer, end.initiator, actions[0].timestamp)
    shown = -1
    for action in actions:
        payload = from_json(action.payload)
        session = game.apply(session, action.sender, action.command, payload, action.timestamp)
        moves = _moves(session)
        if moves is not None and (moves == shown or moves < first):
            continue
        view = game.view(session, end.key.identity)
        moves = len(view.history)
        if moves <= shown or moves < first:
            continue
        if moves > last:
            return
        shown = moves
        yield _frame(moves, view)


def _moves(session: Session) -> int | None:
    """How many moves were made, where that is known without a view, which costs more than a move."""
    count: Any = session.metadata.get("moves")
    return len(count) if isinstance(count, list) else None


def _frame(moves: int, view: GameView) -> models.Frame:
    shown = models.view_json(view)
    return models.Frame(
        moves=moves,
        grid=view.grid,
        last_cells=view.last_cells,
        extras=shown["extras"],
    )
