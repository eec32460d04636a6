"""Which configuration of Reticulum is meant: the node's, or the one that is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import Context
from lrgpnode.cli.doctor import look
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.finding import this_machine

if TYPE_CHECKING:
    from lrgpnode.doctor.patient import Patient
    from lrgpnode.mesh.probe import RnsConfig

config_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--config-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Reticulum's configuration directory, where it is not the one that the node uses.",
)


@dataclass(frozen=True, slots=True)
class Place:
    """``config`` is None where the file is not there. ``patient``: the node and machine around it.
    ``of_node``: whether it is the configuration that the node uses."""

    file: Path
    config: RnsConfig | None
    patient: Patient
    of_node: bool


def place_of(context: Context, config_dir: Path | None) -> Place:
    """Raises ``CliError`` where the file cannot be read or Reticulum would refuse it."""
    from lrgpnode.mesh import probe  # noqa: PLC0415 - loads Reticulum

    patient = look(context, this_machine())
    directory = config_dir if config_dir is not None else patient.rns_dir
    file = directory / "config"
    config = None
    try:
        if file.is_file():
            config = probe.read_config(directory)
    except probe.ConfigUnusable as error:
        raise CliError(
            Exit.CONFIG, "config", f"Reticulum could not read {file}: {error}.", "Correct it with an editor."
        ) from None
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}."
        raise CliError(Exit.CONFIG, "config", message, "Try it with sudo.") from None
    same = directory.resolve() == patient.rns_dir.resolve()
    seen = replace(patient, rns_dir=directory, config=config, running=patient.running if same else None)
    return Place(file, config, seen, same)
