"""``lrgpnode radio``: find, look at, set up and try radios. One module a command, loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

COMMANDS: Final = {
    "list": "ports",
    "probe": "probe",
    "setup": "setup",
    "show": "show",
}
"""The module that a command is in, as ``command``, in the order of the help."""


class _Radio(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        found = import_module(f"lrgpnode.cli.radio.{module}").command
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Radio)
def radio() -> None:
    """Find, set up and look at RNodes.

    docs/radio.md is the guide. None of these commands needs a running node.
    """
