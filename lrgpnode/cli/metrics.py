"""``lrgpnode metrics``: numbers for Prometheus."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.metrics import Family, Sample, render


@click.command()
@click.option(
    "--textfile",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write them to this file at once and whole, for the textfile collector of node_exporter.",
)
@json_option
@pass_context
def metrics(context: Context, textfile: Path | None, as_json: bool) -> None:
    """Print numbers about the node for Prometheus.

    In its text format. docs/metrics.md lists them all.
    """
    result = context.call("node.metrics")
    text = render(_family(family) for family in result["families"])
    if textfile is not None:
        _replace(textfile, text)
    if as_json:
        say_json(result)
    elif textfile is None:
        write(text.rstrip("\n"))


def _family(family: dict[str, Any]) -> Family:
    samples = (Sample(one["name"], one["value"], one.get("labels", {})) for one in family.get("samples", ()))
    return Family(family["name"], family["type"], family["help"], tuple(samples))


def _replace(path: Path, text: str) -> None:
    """The collector may read at any moment: it must find the old numbers or the new ones."""
    try:
        handle, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "w") as file:
                # node_exporter runs as another user.
                os.fchmod(file.fileno(), 0o644)
                file.write(text)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CliError(
            Exit.FAILED, "cannot_write", f"Cannot write {path}: {error.strerror or error}."
        ) from None
