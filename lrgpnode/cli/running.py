"""Commands that run a node or ask about it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, cast

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
    "--name",
    metavar="NAME",
    help="Name of the node in this run, and for good of the identity that the first run makes.",
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

    It logs to standard error. The first run makes an identity. Options hold for this run; what is to
    hold for every run belongs into the settings, a name with `lrgpnode config set node.name NAME`.
    """
    gc.disable()  # there is no garbage in what is loaded
    _load_msgspec()
    from lrgpnode.app import run as run_node  # noqa: PLC0415 - loads much

    return run_node(context.options(**options))


def _load_msgspec() -> None:
    """It takes ``typing_extensions``, where that is installed, for what ``typing`` has since Python 3.11: a
    third of a megabyte, as long as the node runs. Whoever needs the module later loads it then."""
    name = "typing_extensions"
    if name in sys.modules:
        return
    sys.modules[name] = cast("ModuleType", None)  # so an import of it fails
    try:
        import msgspec  # noqa: F401, PLC0415 - see above
    finally:
        del sys.modules[name]


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
    if not result["identities"] and not result.get("held"):
        write("Nobody was announced: who plays on this node alone never is.")
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
