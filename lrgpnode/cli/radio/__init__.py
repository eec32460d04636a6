"""``lrgpnode radio``: find, set up, look at and try RNodes. One module a command, loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

COMMANDS: Final = {
    "list": "ports:command",
    "probe": "probe:command",
    "setup": "setup:command",
    "show": "show:command",
    "status": "status:status",
    "check": "check:check",
    "simulate": "simulate:simulate",
}
"""The module and the name in it of each command, in the order of the help."""


class RadioGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        found = getattr(import_module(f"lrgpnode.cli.radio.{module}"), name)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=RadioGroup)
def radio() -> None:
    """Find, set up and look at RNodes, and simulate them.

    docs/radio.md is the guide. `status` and `check` ask the running node, all others need none.
    """
