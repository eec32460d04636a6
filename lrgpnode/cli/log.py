"""``lrgpnode log``: what the running node has logged, without root and without a file."""

from __future__ import annotations

from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.text import clean, moment
from lrgpnode.control.client import ClientError, Disconnected

LEVELS = ("debug", "info", "warning", "error")

WAIT = 20.0
"""How long one question waits for a line, in seconds; the longest that the node allows."""

MOST = 500


@click.command()
@click.option(
    "-n",
    "--lines",
    type=click.IntRange(1, MOST),
    default=50,
    show_default=True,
    help="Most lines to show.",
)
@click.option(
    "--level", type=click.Choice(LEVELS), default="debug", help="Show only lines of this level and above."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with new lines until Ctrl-C or the node's end.")
@click.option(
    "--set-level",
    type=click.Choice(LEVELS),
    help="Log this much from now on, until the node stops; `config set node.log_level` is for good.",
)
@json_option
@pass_context
def log(context: Context, lines: int, level: str, follow: bool, set_level: str | None, as_json: bool) -> None:
    """Show the last lines of the node's log.

    The node keeps about 1000 in memory. All that a service has logged is in the journal:
    `journalctl -u lrgpnode`.
    """
    if set_level is not None:
        if follow:
            raise CliError(Exit.USAGE, "usage", "--set-level and --follow do not go together.")
        _set_level(context, set_level, as_json)
    elif follow:
        _follow(context, lines, level, as_json)
    else:
        result = context.call("node.log", limit=lines, level=level)
        if as_json:
            say_json(result)
        else:
            _show(result["lines"])


def _set_level(context: Context, level: str, as_json: bool) -> None:
    result = context.call("node.log_level", level=level)
    if as_json:
        say_json(result)
    else:
        write(f"The node logs {result['level']} and above; before, it was {result['previous']}.")


def _follow(context: Context, lines: int, level: str, as_json: bool) -> None:
    with context.client() as client:
        after, limit, wait = 0, lines, 0.0
        while True:
            try:
                page = client.call("node.log", level=level, limit=limit, after=after, wait=wait)
            except Disconnected:
                # The node has stopped, which is how following ends.
                return
            except ClientError as error:
                raise context.explain(error) from None
            if as_json:
                for line in page["lines"]:
                    say_json(line)
            else:
                _show(page["lines"])
            after, limit, wait = page["number"], MOST, WAIT


def _show(lines: list[dict[str, Any]]) -> None:
    for line in lines:
        first, *rest = line["text"].split("\n")
        write(f"{moment(line['at'])} {line['level']:<7} {clean(line['logger'], 64)}: {clean(first, 1000)}")
        for text in rest:
            write(f"    {clean(text, 1000)}")
