"""The door of the node: a plugin that does not fit is reported and skipped, whatever is wrong with it."""

from __future__ import annotations

from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

import pytest

from lrgpnode.plugins import GROUP, OWN_DISTRIBUTION, load_games
from lrgpnode.protocol.game import SessionType

UNRULY = "tests.plugins.unruly"


def point(value: str, name: str = "guest") -> EntryPoint:
    return EntryPoint(name, value, GROUP)


@pytest.fixture
def built_in() -> list[EntryPoint]:
    return [p for p in entry_points(group=GROUP) if p.dist is not None and p.dist.name == OWN_DISTRIBUTION]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_package_anywhere:Game", "ModuleNotFoundError"),
        (f"{UNRULY}:NoSuchClass", "AttributeError"),
        (f"{UNRULY}:explodes", "RuntimeError: no luck today"),
        (f"{UNRULY}:NotAGame", "is not a Game"),
        (f"{UNRULY}:BASE", "TypeError"),
        (f"{UNRULY}:Abstract", "abstract"),
        (f"{UNRULY}:NoManifest", "there is no manifest"),
        (f"{UNRULY}:ThreePlayers", "exactly two players"),
        (f"{UNRULY}:FalseChess", "'chess' is taken"),
    ],
)
def test_a_plugin_that_does_not_fit_is_reported_and_skipped(
    built_in: list[EntryPoint], value: str, reason: str
) -> None:
    games, problems = load_games([point(value), *built_in, point(f"{UNRULY}:Unruly", "good")])
    assert games.keys() == {"ttt", "chess", "four_in_a_row", "unruly"}
    assert type(games["chess"]).__module__ == "games.chess"
    assert [(problem.name, reason in problem.reason) for problem in problems] == [
        ("guest (unknown package)", True)
    ], problems


def test_a_module_that_raises_when_it_is_imported(
    built_in: list[EntryPoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raises_on_import.py").write_text("raise OSError('no such device')\n")
    (tmp_path / "does_not_parse.py").write_text("class Game(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    games, problems = load_games([point("raises_on_import:Game"), point("does_not_parse:Game"), *built_in])
    assert len(games) == 3
    assert sorted(problem.reason.split(":")[0] for problem in problems) == ["OSError", "SyntaxError"]


def test_a_broken_installed_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "broken_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nchess = {UNRULY}:FalseChess\noops = nowhere:Game\n")
    monkeypatch.syspath_prepend(tmp_path)
    games, problems = load_games()
    assert type(games["chess"]).__module__ == "games.chess"
    assert {problem.name for problem in problems} == {"chess (broken-game)", "oops (broken-game)"}


def test_the_first_package_in_order_keeps_an_app_id(tmp_path: Path, built_in: list[EntryPoint]) -> None:
    points = []
    for name in ("zebra", "aardvark"):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\ngame = {UNRULY}:Unruly\n")
        points += list(Distribution.at(info).entry_points)
    games, problems = load_games([*points, *built_in])
    assert "unruly" in games
    assert [problem.name for problem in problems] == ["game (zebra)"]


def test_games_that_are_not_turn_based_are_accepted(built_in: list[EntryPoint]) -> None:
    points = [point(f"{UNRULY}:{name}", name) for name in ("RealTime", "RoundBased", "Trusting")]
    games, problems = load_games([*built_in, *points])
    assert problems == ()
    assert games["real"].manifest.session_type is SessionType.REAL_TIME
    assert games["rounds"].manifest.as_dict()["session_type"] == "round_based"
    assert games["trusting"].manifest.as_dict()["validation"] == "sender"
