"""docs/commands.md is what the commands are."""

from __future__ import annotations

import click

from lrgpnode.cli.play import ALIASES, challenge
from lrgpnode.cli.reference import OTHER_RESULTS, RESULTS, leaves, page
from lrgpnode.cli.root import lrgpnode
from lrgpnode.control.models import METHODS
from tests.cli.conftest import ROOT

COMMANDS = dict(leaves(click.Context(lrgpnode)))


def test_the_page_is_fresh() -> None:
    written = (ROOT / "docs" / "commands.md").read_text()
    assert written == page(), "run: python -m lrgpnode.cli.reference > docs/commands.md"


def test_every_command_has_json_and_says_what_it_is() -> None:
    with_json = {
        name for name, command in COMMANDS.items() if any(p.name == "as_json" for p in command.params)
    }
    assert with_json == set(COMMANDS) - {"run", "arcade run", "demo", "conform", "tui"}
    assert with_json == set(RESULTS) | set(OTHER_RESULTS)
    assert set(RESULTS.values()) <= set(METHODS)


def test_every_command_and_option_has_help() -> None:
    for name, command in COMMANDS.items():
        assert command.help, name
        for param in command.params:
            assert isinstance(param, click.Argument) or (isinstance(param, click.Option) and param.help), name
        # The list of commands cuts what is longer.
        assert len(command.get_short_help_str(60)) < 60
        assert not command.get_short_help_str(60).endswith("..."), name


def test_every_method_has_a_command() -> None:
    said = " ".join([*RESULTS.values(), *OTHER_RESULTS.values()])
    assert not [
        method
        for method in METHODS
        if method not in said and method not in ("events.subscribe", "test.clock")
    ]


def test_the_help_names_the_aliases() -> None:
    for alias in ALIASES:
        assert f"`{alias}`" in (challenge.help or "")
