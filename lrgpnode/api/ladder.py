"""``ladder.*``: the ladder of an arcade, this node's own or another, and its matches move by move.

`Ladders` is what people may ask for, by whichever interface; ``gateway.agentgames.ladder`` implements it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.protocol.game import GameView
from lrgpnode.protocol.value import Value

NO_LADDER: Final = "This node shows no ladder."
HOW_TO: Final = (
    "`lrgpnode config set arcade.enabled true` opens an arcade of its own; "
    "`lrgpnode config set arcade.ladder_url URL` shows that of another."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Replayed(Value):
    """Some positions of a match as player 0 sees them; that after n moves has n moves in its ``history``.

    ``last``: the last one of all. ``more``: there are positions behind ``views``.
    """

    source: str
    match: models.LadderMatch
    last: GameView
    views: tuple[GameView, ...]
    more: bool


class Ladders(Protocol):
    """All raise ``CallerError``, whose message is a sentence for the person that asks."""

    async def show(self, game: str | None, *, skip: int, limit: int) -> models.Ladder:
        """``game``: by id or name; None for the first one."""
        ...

    async def matches(
        self, game: str | None, player: str | None, *, before: int | None, limit: int
    ) -> models.LadderMatches:
        """Those that are over, the newest first."""
        ...

    async def replay(self, number: int, *, first: int, limit: int) -> Replayed:
        """Positions of a match, from that after ``first`` moves on."""
        ...


class LadderMethods:
    """``ladders`` gives None while there is no ladder to show."""

    def __init__(self, ladders: Callable[[], Ladders | None]) -> None:
        self._ladders = ladders

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "ladder.show": self._show,
            "ladder.matches": self._matches,
            "ladder.replay": self._replay,
        }

    @property
    def _open(self) -> Ladders:
        ladders = self._ladders()
        if ladders is None:
            raise ControlError("no_ladder", NO_LADDER, HOW_TO)
        return ladders

    async def _show(self, params: models.LadderParams) -> models.Ladder:
        return await self._open.show(params.game, skip=params.skip, limit=params.limit)

    async def _matches(self, params: models.LadderMatchesParams) -> models.LadderMatches:
        return await self._open.matches(params.game, params.player, before=params.before, limit=params.limit)

    async def _replay(self, params: models.ReplayParams) -> models.Replay:
        found = await self._open.replay(params.number, first=params.first, limit=params.limit)
        return models.Replay(
            source=found.source,
            match=found.match,
            view=models.view_json(found.last),
            frames=tuple(
                models.ReplayFrame(
                    moves=len(view.history),
                    grid=view.grid,
                    last_cells=view.last_cells,
                    extras=models.view_json(view)["extras"],
                )
                for view in found.views
            ),
            more=found.more,
        )
