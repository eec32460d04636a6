"""Challenging somebody: which game, which level, and what is to be known before."""

from __future__ import annotations

from collections.abc import Callable

from interfaces.tui.models import people
from interfaces.tui.models.people import Choice, Person

from .base import Desk, Json


def house(desk: Desk, game: Choice) -> None:
    """Ask for a level, and play against the house."""

    def chosen(key: str) -> None:
        level = int(key)
        _send(
            desk,
            {"peer": str((desk.world.house or {}).get("identity", "house")), "app": game.app, "level": level},
        )

    options = [(str(level.number), level.name) for level in game.levels[:9]]
    if len(options) == 1:
        chosen(options[0][0])
    else:
        desk.layers.choose(f"{game.name} against the house: how strong?", options, chosen)


def person(desk: Desk, who: Person) -> None:
    """Ask for a game, say what is to be known, and challenge."""
    name = who.name or who.peer[:8]
    if who.blocked:
        desk.say(f"You have blocked {name}.", trouble=True)
        return
    if not who.can_be_challenged:
        desk.say(f"{name} does not play: its announces say so.", trouble=True)
        return
    games = people.choices(desk.world.status.get("games", ()))
    keys = "123456789abcdefghijklmnoprstuvwxyz"
    options = [(key, game.name) for key, game in zip(keys, games, strict=False)]

    def chosen(key: str) -> None:
        game = games[keys.index(key)]
        warning = people.warning(who, game.name, bool(desk.world.status.get("propagation_node")))
        params = {"peer": who.peer, "app": game.app}
        if warning:
            desk.layers.confirm(warning, lambda: _send(desk, params), yes="Challenge", no="Not now")
        else:
            _send(desk, params)

    desk.layers.choose(f"Which game with {name}?", options, chosen)


def _send(desk: Desk, params: Json, then: Callable[[], object] | None = None) -> None:
    def done(result: Json) -> None:
        desk.open_game((desk.world.me, str(result["id"])))

    desk.say("Challenging.")
    desk.act("game.challenge", {**params, "identity": desk.world.me}, done)
