"""Finding games: built-in ones and a third party's come through the same door.

The door is the entry-point group ``lrgpnode.games``. A game that does not load, or whose app id is
taken, is reported and skipped; it never stops the node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from lrgpnode.protocol.envelope import check_manifest
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.value import Value

GROUP = "lrgpnode.games"
OWN_DISTRIBUTION = "lrgpnode"


@dataclass(frozen=True, slots=True, repr=False)
class PluginProblem(Value):
    """Why an entry point is not in use; ``name`` says which one and whose."""

    name: str
    reason: str


def load_games(
    points: Iterable[EntryPoint] | None = None,
) -> tuple[dict[str, Game], tuple[PluginProblem, ...]]:
    """(games by app id, problems). Built-in games come first, so that nobody can replace them."""
    games: dict[str, Game] = {}
    problems: list[PluginProblem] = []
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=_rank):
        name = f"{point.name} ({_distribution(point) or 'unknown package'})"
        try:
            game = _instantiate(point)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - its own problem, not the node's
            problems.append(PluginProblem(name, f"{type(error).__name__}: {error}"))
            continue
        if game.manifest.app_id in games:
            problems.append(PluginProblem(name, f"the app id {game.manifest.app_id!r} is taken"))
            continue
        games[game.manifest.app_id] = game
    return games, tuple(problems)


def _instantiate(point: EntryPoint) -> Game:
    factory = point.load()
    game = factory()
    if not isinstance(game, Game):
        raise TypeError(f"{point.value} is not a Game")
    check_manifest(game.manifest)
    return game


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""


def _rank(point: EntryPoint) -> tuple[bool, str, str]:
    distribution = _distribution(point)
    return (distribution != OWN_DISTRIBUTION, distribution, point.name)
