"""docs/rcadia-shapes.md names everything that is recognised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gateway.rcadia.shapes import (
    chess_boards,
    chess_moves,
    games,
    grid_boards,
    grid_moves,
    order,
    results,
    values,
)

PAGE = (Path(__file__).parents[3] / "docs" / "rcadia-shapes.md").read_text(encoding="utf-8")
NAMED = {
    values.plain(word) for code in re.findall(r"`([^`]+)`", PAGE) for word in re.findall(r"[\w-]+", code)
}

NAMES = {
    "containers": values._CONTAINERS,
    "lists": games.LISTS,
    "chess boards": chess_boards.BOARDS,
    "turns": chess_boards.TURNS,
    "from": chess_moves.FROM,
    "to": chess_moves.TO,
    "promotion": chess_moves.PROMOTION,
    "inside chess": chess_moves.INNER,
    "grids": grid_boards.BOARDS,
    "owners": grid_boards.OWNER,
    "cells": grid_moves.CELL,
    "columns": grid_moves.COLUMN,
    "inside grids": grid_moves.INNER,
    "words": tuple(games._SAID),
    "roles": tuple(name for names in order._FIRST.values() for name in names),
    "maps": (*order._MAPS, *order._ROLE, *order._OWN, *order._OFFER),
    "results": (*results._WHY, *results._WINNERS),
}


@pytest.mark.parametrize("kind", NAMES)
def test_every_name_is_on_the_page(kind: str) -> None:
    assert {name for name in NAMES[kind] if name not in NAMED} == set()


def test_names_are_compared_in_their_plain_form() -> None:
    for names in NAMES.values():
        assert [name for name in names if values.plain(name) != name] == []
