"""The law that the node plans its airtime by, in the same step as the radio is set up: ``airtime.region``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.cli.context import Context
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.radio.place import Place
from lrgpnode.config import ConfigError
from lrgpnode.config.editing import edited, write_setting
from lrgpnode.protocol.value import Value

KEY: Final = "airtime.region"


@dataclass(frozen=True, slots=True, repr=False)
class RegionChange(Value):
    """The node's settings file as it is and as it is to be."""

    file: Path
    region: str
    before: bytes
    after: bytes


def region_change(context: Context, place: Place, region: str, *, wanted: bool | None) -> RegionChange | None:
    """What makes the node keep to the law of ``region``; None where nothing is to be changed.

    ``wanted`` is None where nobody has said: then it is changed where the node uses this configuration of
    Reticulum and its settings can be written. Raises ``CliError`` where it was asked for and cannot be done.
    """
    if wanted is False or place.patient.region.lower() == region.lower():
        return None
    if wanted is None and not place.of_node:
        return None
    file = context.paths().config
    try:
        before = file.read_bytes() if file.exists() else b""
        after = edited(before, KEY, region, file)
        # Seen now, not when one of two files is written.
        writable = os.access(file if file.exists() else _nearest(file.parent), os.W_OK)
        reason = "" if writable else f"{file} may not be written"
    except (OSError, ConfigError) as error:
        reason = str(error)
    if not reason:
        return RegionChange(file, region, before, after)
    if wanted:
        raise CliError(Exit.CONFIG, "config", sentence(reason), "Correct that, or give --no-node-region.")
    return None


def write_region(change: RegionChange) -> None:
    """Raises ``CliError``."""
    try:
        write_setting(change.file, KEY, change.region)
    except ConfigError as error:
        raise CliError(
            Exit.CONFIG,
            "config",
            sentence(f"the radio is set up, but {error}"),
            f"Then: lrgpnode config set {KEY} {change.region}",
        ) from None


def _nearest(folder: Path) -> Path:
    """The folder, or the one in which it would be made."""
    return next(one for one in (folder, *folder.parents) if one.exists())
