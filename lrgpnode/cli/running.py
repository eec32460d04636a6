"""Commands that run a node or ask about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.text import clean, when


@click.command()
@click.option("--listen", metavar="HOST:PORT", help="Accept other nodes here, over TCP.")
@click.option(
    "--connect", metavar="HOST:PORT", multiple=True, help="Connect to another node; may be repeated."
)
@click.option(
    "--rns-config",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Reticulum configuration directory to use instead of the machine's usual one.",
)
@click.option(
    "--name", metavar="NAME", help="Name of the node, and of the identity that the first run makes."
)
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings file, instead of lrgpnode.toml in the data directory.",
)
@click.option("--service", is_flag=True, help="Run as the installed service; for its systemd unit.")
@pass_context
def run(context: Context, /, **options: Any) -> int:
    """Run a node until it is stopped.

    It logs to standard error. The first run makes an identity.
    """
    from lrgpnode.app import run as run_node  # noqa: PLC0415 - loads Reticulum

    return run_node(context.options(**options))


@click.command()
@json_option
@pass_context
def status(context: Context, as_json: bool) -> None:
    """Show the state of the node."""
    result = context.call("node.status")
    if as_json:
        say_json(result)
        return
    write(f"{clean(result['name'])}, lrgpnode {result['version']}, process {result['pid']}")
    write(f"running since {when(result['started_at'])}")
    write(f"data       {clean(result['data'])}")
    write(f"socket     {clean(result['socket'])}")
    write(f"games      {result['live_games']} live, {result['open_outbox']} actions on their way")
    write(f"can play   {', '.join(clean(game['app'], 64) for game in result['games']) or 'nothing'}")
    if result.get("shared_instance"):
        write("Reticulum  shared with other programs of this machine")
    for interface in result["interfaces"]:
        state = "online" if interface["online"] else "offline"
        write(f"interface  {clean(interface['name'])}: {state}")
    for problem in result["problems"]:
        write(f"Problem: {clean(problem)}")


@click.command()
@json_option
@pass_context
def stop(context: Context, as_json: bool) -> None:
    """Stop the node."""
    result = context.call("node.stop")
    if as_json:
        say_json(result)
    else:
        write("The node is stopping.")


@click.command()
@json_option
@pass_context
def announce(context: Context, as_json: bool) -> None:
    """Make the node's identities known on the mesh now.

    Without --as: all of them. By radio each identity is announced at most once an hour.
    """
    result = context.call("node.announce", identity=context.identity)
    if as_json:
        say_json(result)
        return
    for identity in result["identities"]:
        write(f"Announced {identity}.")
    for held in result.get("held", ()):
        where, until = clean(held["interface"]), when(held["until"])
        write(f"Not on {where}, which is slow: {held['identity']} was there within the hour, until {until}.")


@click.command()
def conform() -> None:
    """Drive the LRGP core for a conformance suite.

    It reads requests from standard input, one JSON object a line, and needs no node. The protocol
    is in docs/conformance.md.
    """
    from lrgpnode.cli.conform import main  # noqa: PLC0415 - loads games and storage

    main()
