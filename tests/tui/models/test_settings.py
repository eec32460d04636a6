"""Settings and identities in words, and typed settings as values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from interfaces.tui.models import identities, settings
from interfaces.tui.models.settings import Row
from lrgpnode.config.kinds import plain
from lrgpnode.config.table import SETTINGS
from tests.cli.fakes import ME, PEER


def info(key: str, value: Any = None, origin: str = "default", **more: Any) -> dict[str, Any]:
    row = SETTINGS[key]
    default = plain(row.default())
    fields = {"key": key, "value": default if value is None else value, "default": default, "origin": origin}
    fields |= {"limits": row.kind.words, "unit": row.unit, "help": row.help, "live": row.live}
    return fields | {"secret": row.secret, "pending": False, "next_value": None} | more


def rows(*infos: dict[str, Any]) -> dict[str, Row]:
    return {row.key: row for part in settings.sections({"settings": infos}) for row in part.rows}


def row(key: str, **more: Any) -> Row:
    return rows(info(key, **more))[key]


def test_what_people_change_comes_first_and_every_setting_comes_once() -> None:
    found = settings.sections({"settings": [info(key) for key in SETTINGS]})
    assert found[0].title == "The node"
    assert [one.key for one in found[0].rows] == list(settings.FIRST)
    keys = [one.key for part in found for one in part.rows]
    assert sorted(keys) == sorted(key for key in SETTINGS if not key.startswith("test."))
    assert settings.sections(None) == ()


def test_a_secret_is_not_shown() -> None:
    assert rows(info("airtime.preset", secret=True)) == {}


def test_values_in_words() -> None:
    assert row("announce.interval_minutes").shown == "180 min"
    assert row("propagation.auto").shown == "yes"
    assert row("propagation.nodes").shown == "not set"
    assert row("propagation.nodes", value=["d4" * 16]).shown == "d4" * 16
    assert row("propagation.nodes", value=["d4" * 16, "d5" * 16]).shown == "2 of them"
    assert row("accept.from", value="contacts").shown == "contacts only"
    assert row("airtime.limit_percent", value=0.5).shown == "0.5 %"


def test_what_acts_later_says_so() -> None:
    later = row("house.level", value=2, origin="file", pending=True, next_value=4)
    assert (later.shown, later.note, later.changed) == ("4", "at the next start", True)
    option = row("node.name", value="pi", origin="--name")
    assert (option.note, option.changed) == ("--name", True)
    assert not row("house.level").changed


@pytest.mark.parametrize("key", list(SETTINGS))
def test_what_is_typed_for_a_setting_is_what_the_node_takes(key: str) -> None:
    """As shown for editing, every default goes back as the value that it was."""
    default = plain(SETTINGS[key].default())
    if default is None:
        return
    found = replace(row("house.level"), value=default, limits=SETTINGS[key].kind.words)
    typed = settings.typed(found, "true" if default is True else settings.plain(default))
    assert typed == default
    assert type(typed) is type(default)
    assert SETTINGS[key].kind.parse(typed) == SETTINGS[key].default()


def test_every_choice_of_the_table_is_offered() -> None:
    for key, one in SETTINGS.items():
        assert settings.options(one.kind.words) == one.kind.choices, key
    assert settings.labels(row("propagation.auto")) == [("y", "Yes"), ("n", "No")]
    assert settings.labels(row("accept.from"))[-1] == ("5", "nobody")
    assert set(settings.POLICIES) == set(SETTINGS["accept.from"].kind.choices)


def test_a_number_that_is_none_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="whole number from 1 to 5"):
        settings.typed(row("house.level"), "two")
    assert settings.typed(row("propagation.nodes"), " <aa>, bb ,") == ["aa", "bb"]


def test_when_a_change_acts() -> None:
    assert settings.changed({"acts": "now", "origin": "file"}) == "Changed."
    assert "starts again" in settings.changed({"acts": "next_start", "origin": "file"})
    assert "--name" in settings.changed({"acts": "overridden", "origin": "--name"})


def test_policies_in_words() -> None:
    found = settings.policies({"policy": "everyone", "games": {"ttt": "nobody"}}, {"ttt": "Tic-Tac-Toe"})
    assert found == "everybody; strangers ask first; Tic-Tac-Toe: nobody"
    assert settings.policies(None, {}) == "loading"


def test_identities_without_the_house() -> None:
    ann = {"hash": ME, "name": "Ann", "role": "person", "enabled": True, "created_at": 2.0, "default": True}
    bea = {"hash": PEER, "name": "Bea", "role": "person", "enabled": False, "created_at": 1.0}
    house = {"hash": "0a" * 16, "name": "house", "role": "house", "enabled": True, "created_at": 0.0}
    found = identities.identities([ann, bea, house], ME)
    assert [(one.name, one.note) for one in found] == [("Bea", "off the mesh"), ("Ann", "shown now, default")]
    assert identities.shown("Ann", "New game", 2) == "New game as Ann"
    assert identities.shown("Ann", "New game", 1) == "New game"
