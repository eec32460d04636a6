"""The door of the node: a plugin that does not fit is reported and skipped, whatever is wrong with it."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from lrgpnode.plugins import GROUP, OWN_DISTRIBUTION, Point, installed, load_games
from lrgpnode.protocol.game import SessionType

UNRULY = "tests.plugins.unruly"


def point(value: str, name: str = "guest") -> Point:
    return Point(name, value)


@pytest.fixture
def built_in() -> list[Point]:
    return [point for point in installed(sys.path) if point.distribution == OWN_DISTRIBUTION]


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
    built_in: list[Point], value: str, reason: str
) -> None:
    games, problems = load_games([point(value), *built_in, point(f"{UNRULY}:Unruly", "good")])
    assert games.keys() == {"ttt", "chess", "four_in_a_row", "unruly"}
    assert type(games["chess"]).__module__ == "games.chess"
    assert [(problem.name, reason in problem.reason) for problem in problems] == [
        ("guest (unknown package)", True)
    ], problems


def test_a_module_that_raises_when_it_is_imported(
    built_in: list[Point], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


def test_the_first_package_in_order_keeps_an_app_id(tmp_path: Path, built_in: list[Point]) -> None:
    for name in ("zebra", "aardvark"):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\ngame = {UNRULY}:Unruly\n")
    games, problems = load_games([*installed([str(tmp_path)]), *built_in])
    assert "unruly" in games
    assert [problem.name for problem in problems] == ["game (zebra)"]


def test_games_that_are_not_turn_based_are_accepted(built_in: list[Point]) -> None:
    points = [point(f"{UNRULY}:{name}", name) for name in ("RealTime", "RoundBased", "Trusting")]
    games, problems = load_games([*built_in, *points])
    assert problems == ()
    assert games["real"].manifest.session_type is SessionType.REAL_TIME
    assert games["rounds"].manifest.as_dict()["session_type"] == "round_based"
    assert games["trusting"].manifest.as_dict()["validation"] == "sender"


def test_what_is_read_is_what_the_standard_library_reads() -> None:
    read = {(point.name, point.value, point.distribution) for point in installed(sys.path)}
    assert read == {
        (point.name, point.value, point.dist.name if point.dist is not None else "")
        for point in entry_points(group=GROUP)
    }
    assert len(read) >= 3


def test_files_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    whole, twice = tmp_path / "first", tmp_path / "second"
    for folder, value in ((whole, "one:Game"), (twice, "two:Game")):
        info = folder / "some_game-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Some.Game\n\nName: not this\n")
        (info / "entry_points.txt").write_text(
            f"[console_scripts]\nx = y:z\n\n[{GROUP}]\nBig = {value}\n# a word\nextra = {value} [gateway]\n"
        )
    for name, text in (
        ("no_sections", f"x = [{GROUP}]\n"),
        ("no_metadata", f"[{GROUP}]\ngame = a:B\n"),
        ("bytes", f"[{GROUP}]\n\xff"),
    ):
        info = whole / f"{name}-1.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_bytes(text.encode("latin-1"))
    points = list(installed([str(whole), str(tmp_path / "absent"), str(twice), str(whole)]))
    assert [(point.name, point.value, point.distribution) for point in points] == [
        ("Big", "one:Game", "Some.Game"),
        ("extra", "one:Game [gateway]", "Some.Game"),
    ]
