"""``lrgpnode radio``: the RNodes of this machine, and software ones."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

COMMANDS: Final = {
    "list": "ports",
    "probe": "probe",
    "setup": "setup",
    "show": "show",
    "status": "status",
    "check": "check",
    "simulate": "simulate",
}
"""The modules that the commands are in, in the order of the help. Only the one that is needed is loaded."""


class RadioGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = getattr(import_module(f"lrgpnode.cli.radio.{module}"), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=RadioGroup)
def radio() -> None:
    """Find radios, set them up and look at them; and radios in software.

    docs/radio.md is the guide. `status` and `check` ask the running node, all others need none.
    """
