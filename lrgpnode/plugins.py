"""Finding games: built-in ones and a third party's come through the same door.

The door is the entry-point group ``lrgpnode.games``. A game that does not load, or whose app id is
taken, is reported and skipped; it never stops the node.

Entry points are read from the ``entry_points.txt`` of what is installed in the folders of ``sys.path``.
``importlib.metadata`` reads them too, but brings modules of 1.8 MB with it, for good, into every node.
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from lrgpnode.protocol.envelope import check_manifest
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.value import Value

GROUP = "lrgpnode.games"
OWN_DISTRIBUTION = "lrgpnode"
_INSTALLED = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True, repr=False)
class Point(Value):
    """One entry point: ``value`` is ``module:attribute``, ``distribution`` the package that declares it."""

    name: str
    value: str
    distribution: str = ""

    def load(self) -> Any:
        """Raises whatever the import raises."""
        return resolve_name(self.value.partition("[")[0].strip())


@dataclass(frozen=True, slots=True, repr=False)
class PluginProblem(Value):
    """Why an entry point is not in use; ``name`` says which one and whose."""

    name: str
    reason: str


def load_games(points: Iterable[Point] | None = None) -> tuple[dict[str, Game], tuple[PluginProblem, ...]]:
    """(games by app id, problems). Built-in games come first, so that nobody can replace them."""
    games: dict[str, Game] = {}
    problems: list[PluginProblem] = []
    for point in sorted(installed(sys.path) if points is None else points, key=_rank):
        name = f"{point.name} ({point.distribution or 'unknown package'})"
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


def installed(path: Iterable[str]) -> Iterator[Point]:
    """The entry points of the group in these folders; of a package that is there twice those of the first."""
    seen: set[str] = set()
    for info in _infos(path):
        try:
            text = (info / "entry_points.txt").read_text("utf-8")
            if f"[{GROUP}]" not in text:
                continue
            declared = _section(text)
            distribution = _distribution(info)
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue  # No entry points, or none that anybody could read.
        if distribution not in seen:
            seen.add(distribution)
            yield from (Point(name, value, distribution) for name, value in declared)


def _infos(path: Iterable[str]) -> Iterator[Path]:
    for folder in dict.fromkeys(path):
        try:
            with os.scandir(folder or ".") as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(_INSTALLED))
        except OSError:
            continue  # sys.path names folders that are not there, and zip files.
        yield from (Path(folder, name) for name in names)


def _section(text: str) -> list[tuple[str, str]]:
    parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser.items(GROUP)


def _distribution(info: Path) -> str:
    """The name in the metadata, else that of the folder. Raises ``OSError``, ``UnicodeDecodeError``."""
    file = info / ("METADATA" if info.suffix == ".dist-info" else "PKG-INFO")
    head = file.read_text("utf-8").partition("\n\n")[0]
    for line in head.splitlines():
        if line.startswith("Name:"):
            return line.partition(":")[2].strip()
    return info.name.partition("-")[0]


def _instantiate(point: Point) -> Game:
    factory = point.load()
    game = factory()
    if not isinstance(game, Game):
        raise TypeError(f"{point.value} is not a Game")
    check_manifest(game.manifest)
    return game


def _rank(point: Point) -> tuple[bool, str, str]:
    return (point.distribution != OWN_DISTRIBUTION, point.distribution, point.name)
