"""The opponent in the house."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .base import Method, Model, Nothing


class HouseLevel(Model, frozen=True, kw_only=True):
    number: int
    name: str


class HouseGame(Model, frozen=True, kw_only=True):
    """``levels``: easiest first. ``usual``: the level of a challenge that names none."""

    app: str
    name: str
    levels: tuple[HouseLevel, ...]
    usual: int


class HouseInfo(Model, frozen=True, kw_only=True):
    """``identity`` is "" and ``games`` is empty where the house is closed (`house.enabled`).

    ``live_games``: games and challenges that go on. ``thinking``: the game it is thinking about, or "".
    """

    enabled: bool
    identity: str
    name: str
    open_to_peers: bool
    live_games: int
    thinking: str
    games: tuple[HouseGame, ...]


METHODS: Final = (Method("house.show", Nothing, HouseInfo, "The opponent in the house, and its levels."),)

EVENTS: Final[Mapping[str, type[Model]]] = {}
