"""``lrgpnode`` without a command, or ``lrgpnode tui``: the interface in the terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any, Final

import click

from lrgpnode.cli.context import Context, pass_context
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.types import SESSION
from lrgpnode.config import SETTINGS, ConfigError, Paths, read_settings

THEMES: Final = ("dark", "light", "high-contrast")
COLOURS: Final = ("auto", "mono", "16", "256", "24bit")
GLYPHS: Final = ("auto", "ascii", "unicode")
NOTICES: Final = ("none", "plain", "full")


@click.command()
@click.option("--session", type=SESSION, metavar="ID", help="Open this game at once.")
@click.option("--theme", type=click.Choice(THEMES), help="Colours; else as set, dark at first.")
@click.option(
    "--colours",
    type=click.Choice(COLOURS),
    help="How many colours there are, where the terminal is taken for another.",
)
@click.option("--glyphs", type=click.Choice(GLYPHS), help="Signs: plain ASCII, or those of Unicode.")
@click.option(
    "--notices",
    type=click.Choice(NOTICES),
    help="What bell and window title tell; only full says who and what.",
)
@click.option("--mouse/--no-mouse", default=None, help="Whether clicks are for the games.")
@click.option("--stay", is_flag=True, help="A node that this starts goes on when the window is closed.")
@pass_context
def tui(
    context: Context,
    session: str | None,
    theme: str | None,
    colours: str | None,
    glyphs: str | None,
    notices: str | None,
    mouse: bool | None,
    stay: bool,
) -> int:
    """Open the interface in the terminal.

    It shows the games of the running node. If none is running, and none is installed as a service, it
    starts one, which ends with it unless you ask it to stay. `lrgpnode` alone does the same.
    How it looks can also be set for good, under [tui] of the settings.
    """
    from interfaces.tui.kit.look import refusal  # noqa: PLC0415 - other commands need none of it

    reason = refusal(os.environ, sys.stdin.isatty(), sys.stdout.isatty())
    if reason is not None:
        raise CliError(Exit.USAGE, "no_terminal", reason)
    paths = context.paths()

    from interfaces.tui.app import run  # noqa: PLC0415 - loads urwid
    from interfaces.tui.options import Options  # noqa: PLC0415

    start, no_start = _starter(context, paths)
    return run(
        Options(
            path=context.socket_path,
            data=paths.data,
            said={"theme": theme, "colours": colours, "glyphs": glyphs, "notices": notices, "mouse": mouse},
            settings=_looks(paths),
            identity=context.identity,
            start=start,
            no_start=no_start,
            stay=stay,
            session=session or "",
        )
    )


def _looks(paths: Paths) -> dict[str, Any]:
    """What the settings file says of looks, where it can be read: what is wrong in it the node says."""
    try:
        found = read_settings(paths.config)
    except ConfigError:
        return {}
    return {key: getattr(found, row.field) for key, row in SETTINGS.items() if row.section == "tui"}


def _starter(context: Context, paths: Paths) -> tuple[Any, str]:
    """What starts a node of the interface's own; or why it must not."""
    from interfaces.tui.start import OwnNode  # noqa: PLC0415

    if paths.service:
        return None, (
            "The service lrgpnode is installed and does not run, or you may not talk to it. Start it with "
            "`sudo systemctl start lrgpnode`; join its group with `sudo adduser $USER lrgpnode`. "
            "`lrgpnode doctor` says more."
        )
    if context.socket is not None:
        return None, f"No node answers at {context.socket}. This screen goes on as soon as one does."
    options = replace(context, identity=None).command()

    def start(name: str | None) -> OwnNode:
        import shlex  # noqa: PLC0415 - only here

        words = [*shlex.split(options)[1:], "run"]
        return OwnNode(paths.data, [*words, "--name", name] if name else words)

    return start, ""
