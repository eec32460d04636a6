"""The table of settings: its rows, and the page that is made from it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from gateway import start
from gateway.bridge.rules import PLAYED
from lrgpnode.config import SETTINGS, Settings, hostname
from lrgpnode.config.kinds import (
    Kind,
    address,
    choice,
    file,
    flag,
    folder,
    number,
    plain,
    route,
    several,
    text,
    title,
    whole,
)
from lrgpnode.config.reference import page
from lrgpnode.config.table import PLATFORMS, SEATED, SECTIONS

ROOT = Path(__file__).parents[2]


def test_the_page_is_fresh() -> None:
    written = (ROOT / "docs" / "settings.md").read_text()
    assert written == page(), "run: python -m lrgpnode.config.reference > docs/settings.md"


def test_rows_are_whole() -> None:
    for key, row in SETTINGS.items():
        assert re.fullmatch(r"[a-z]+\.[a-z][a-z0-9_]*", key)
        assert row.section in SECTIONS, f"say what [{row.section}] is about"
        assert row.help.endswith("."), key
        assert len(row.help) <= 160, key
        default = row.default()
        if default is not None:
            assert row.kind.parse(plain(default)) == default, f"the default of {key} breaks its own limits"
        if row.kind.choices:
            assert all(row.kind.parse(row.kind.read(choice)) is not None for choice in row.kind.choices)
    assert {row.section for row in SETTINGS.values()} == set(SECTIONS)


def test_defaults_are_the_object_without_arguments() -> None:
    settings = Settings()
    assert settings.node_name == hostname()
    assert {row.field: row.default() for row in SETTINGS.values()} == dataclasses.asdict(settings)


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        (flag(), "on", True),
        (flag(), "False", False),
        (text(9), " a b", " a b"),
        (title(3), "  a b  ", "a b"),
        (text(9, least=0), "", ""),
        (whole(-5, 5), "-5", -5),
        (number(0, 1), "0.25", 0.25),
        (number(0, 1), "1", 1.0),
        (choice("a", "b"), "b", "b"),
        (folder(), "/x", Path("/x")),
        (file(), "x/y", Path("x/y").absolute()),
        (file(), "~/y", Path("~/y").expanduser()),
        (address(), "AB" * 16, "ab" * 16),
        (several(whole(0, 9), 3), "3, 1,2", (3, 1, 2)),
        (several(whole(0, 9), 3), " ", ()),
    ],
)
def test_what_is_typed(kind: Kind[Any], typed: str, value: Any) -> None:
    assert kind.parse(kind.read(typed)) == value
    assert kind.parse(plain(value)) == value


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        (flag(), "maybe"),
        (flag(), "1"),
        (text(3), ""),
        (text(3), "abcd"),
        (text(3), "\x1b["),
        (whole(0, 5), "6"),
        (title(3), "   "),
        (title(3), "a\n"),
        (whole(0, 5), "1.0"),
        (whole(0, 5), "x"),
        (number(0, 1), "nan"),
        (number(0, 1), "1e400"),
        (choice("a", "b"), "c"),
        (folder(), ""),
        (file(), "a\0b"),
        (address(), "ab" * 15),
        (address(), "zz" * 16),
        (several(whole(0, 9), 3), "1,1"),
        (several(whole(0, 9), 3), "1,2,3,4"),
        (several(whole(0, 9), 3), "1,,2"),
    ],
)
def test_what_is_typed_wrongly(kind: Kind[Any], typed: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the kind's words are the message
        kind.parse(kind.read(typed))


@pytest.mark.parametrize(
    ("kind", "value"),
    [(flag(), 1), (whole(0, 5), True), (number(0, 5), True), (several(text(3), 2), "ab"), (address(), 1)],
)
def test_types_of_toml_are_not_mixed(kind: Kind[Any], value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        kind.parse(value)


def test_paths_of_the_file_are_from_the_file() -> None:
    assert file().parse("x/y") == Path("x/y")


def test_routes_lead_a_known_game_to_a_known_platform() -> None:
    kind = route(("chess", "ttt"), ("arcade", "rcadia"))
    assert kind.parse(" chess = rcadia ") == "chess=rcadia"
    for wrong in ("chess=rcadla", "chess", "chess=", "=rcadia", "go=arcade", "chess=arcade=rcadia", 1, None):
        with pytest.raises(ValueError):  # noqa: PT011 - it has no words of its own
            kind.parse(wrong)
    assert SETTINGS["gateway.routes"].kind.parse(["four_in_a_row=arcade"]) == ("four_in_a_row=arcade",)


def test_games_and_platforms_of_the_table_are_those_of_the_gateway() -> None:
    assert set(PLAYED) == set(SEATED)
    assert {start.ARCADE, start.RCADIA} <= set(PLATFORMS)
