"""``arcade.*``: the ladder of the arcade that is part of this node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from lrgpnode.control import models
from lrgpnode.protocol.errors import CallerError, Kind


class LadderDesk(Protocol):
    """All raise ``CallerError``."""

    async def arena(self) -> models.ArcadeArena: ...

    async def ladder(self, game: str, limit: int, skip: int) -> models.ArcadeLadder: ...

    async def matches(
        self, limit: int, game: str | None, player: str | None, before: int | None
    ) -> models.ArcadeMatches: ...

    async def match(self, number: int) -> models.ArcadeReplay: ...


class ArcadeMethods:
    """``desk`` gives None while the node has no arcade, or it is not open."""

    def __init__(self, desk: Callable[[], LadderDesk | None]) -> None:
        self._desk = desk

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "arcade.arena": self._arena,
            "arcade.ladder": self._ladder,
            "arcade.matches": self._matches,
            "arcade.match": self._match,
        }

    @property
    def _open(self) -> LadderDesk:
        desk = self._desk()
        if desk is None:
            raise CallerError(
                Kind.VALIDATION,
                "the arcade of this node is not open; `lrgpnode config set arcade.enabled true` turns it on",
            )
        return desk

    async def _arena(self, _: models.Nothing) -> models.ArcadeArena:
        return await self._open.arena()

    async def _ladder(self, params: models.ArcadeLadderParams) -> models.ArcadeLadder:
        return await self._open.ladder(params.game, params.limit, params.skip)

    async def _matches(self, params: models.ArcadeMatchesParams) -> models.ArcadeMatches:
        return await self._open.matches(params.limit, params.game, params.player, params.before)

    async def _match(self, params: models.ArcadeMatchParams) -> models.ArcadeReplay:
        return await self._open.match(params.number)
