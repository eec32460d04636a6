"""``house.*``: the opponent in the house."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lrgpnode.control import models
from lrgpnode.house.host import House
from lrgpnode.house.levels import LEVELS
from lrgpnode.node import Node


class HouseMethods:
    def __init__(self, house: House, node: Node) -> None:
        self._house = house
        self._node = node

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {"house.show": self._show}

    async def _show(self, _: models.Nothing) -> models.HouseInfo:
        house = self._house
        enabled = bool(house.identity)
        return models.HouseInfo(
            enabled=enabled,
            identity=house.identity,
            name=house.name if enabled else "",
            open_to_peers=enabled and house.open_to_peers,
            live_games=len(house.live()) if enabled else 0,
            thinking=house.thinking,
            games=tuple(self._game(app) for app in LEVELS if enabled and app in self._node.games),
        )

    def _game(self, app: str) -> models.HouseGame:
        return models.HouseGame(
            app=app,
            name=self._node.games[app].manifest.display_name,
            levels=tuple(
                models.HouseLevel(number=number, name=level.name)
                for number, level in enumerate(LEVELS[app], 1)
            ),
            usual=self._house.usual(app),
        )
