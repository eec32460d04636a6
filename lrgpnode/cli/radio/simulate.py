"""``lrgpnode radio simulate``: RNodes in software, and the air between them."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import say_json, write
from lrgpnode.cli.exits import CliError, Exit

if TYPE_CHECKING:
    from interfaces.radio.sim.topology import Topology


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--topology",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Nodes and who hears whom, as TOML, instead of names.",
)
@click.option("--line", is_flag=True, help="Each of the named nodes hears only its neighbours.")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the ports get their names; without it a new temporary directory.",
)
@click.option(
    "--trace",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where each frame is written down; without it trace.jsonl among the ports.",
)
@click.option("--scale", type=float, metavar="FACTOR", help="How many times faster than real the air is.")
@click.option("--seed", type=int, metavar="NUMBER", help="Other dice for what is lost.")
@click.option("--stdin", is_flag=True, help="Read commands from standard input, and end with it.")
@click.option("--json", "as_json", is_flag=True, help="Say where the ports are as one line of JSON.")
def simulate(*, names: tuple[str, ...], stdin: bool, as_json: bool, **options: Any) -> None:
    """Run RNodes in software, joined by simulated air.

    Each is a serial port that Reticulum's RNodeInterface can use like that of a real one. Without names
    there are two, alice and bob, in range of each other. docs/software-rnode.md tells more.
    """
    from interfaces.radio.simulator import Places, Simulator, SimulatorError  # noqa: PLC0415

    topology = _topology(names, options)
    temporary = None if options["folder"] else tempfile.TemporaryDirectory(prefix="lrgpnode-radio-")
    try:
        folder = Path(temporary.name) if temporary else options["folder"].absolute()
        places = Places(folder, options["trace"] or folder / "trace.jsonl")

        async def run() -> None:
            await Simulator(topology, places).run(
                say_json if as_json else _say,
                sys.stdin.buffer if stdin else None,
                # With --json whoever started it has read the one line that is told.
                (lambda answer: None) if as_json else say_json,
            )

        asyncio.run(run())
    except SimulatorError as error:
        raise CliError(Exit.FAILED, "simulator", str(error)) from None
    finally:
        if temporary is not None:
            temporary.cleanup()


def _topology(names: tuple[str, ...], options: dict[str, Any]) -> Topology:
    from dataclasses import replace  # noqa: PLC0415

    from interfaces.radio.sim import topology  # noqa: PLC0415

    file = options["topology"]
    if file and (names or options["line"]):
        raise click.UsageError("--topology says which nodes there are; names and --line go without it.")
    given = {key: options[key] for key in ("scale", "seed") if options[key] is not None}
    try:
        if file:
            return replace(topology.load(file), **given)
        chosen = names or ("alice", "bob")
        links = (topology.in_a_line if options["line"] else topology.all_in_range)(chosen)
        return topology.Topology(tuple(map(topology.NodeSpec, chosen)), links, **given)
    except topology.TopologyError as error:
        raise CliError(Exit.CONFIG, "topology", str(error)) from None


def _say(ready: dict[str, Any]) -> None:
    for name, port in ready["ports"].items():
        write(f"{name}  port = {port}")
    write(f"trace  {ready['trace']}")
    write(f"commands  {ready['control']}")
    write("Ctrl-C ends it.")
