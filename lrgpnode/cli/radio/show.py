"""``lrgpnode radio show``: what the radios are set to, to be compared with other players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firmware_configs.catalogue import presets
from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.place import config_option, place_of
from lrgpnode.cli.text import clean
from lrgpnode.radio.tuned import Tuned, radios
from lrgpnode.radio.word import line, word


@click.command("show")
@config_option
@json_option
@pass_context
def show(context: Context, config_dir: Path | None, as_json: bool) -> None:
    """Show what the radios are set to.

    It is read from Reticulum's configuration, not from the boards.
    Radios can hear each other where their words are equal; read them out to each other. The passphrase of
    an access code is not in them.
    """
    place = place_of(context, config_dir)
    found = [] if place.config is None else list(radios(place.config.interfaces))
    if as_json:
        say_json({"file": str(place.file), "radios": [_as_json(radio) for radio in found]})
        return
    if not found:
        raise CliError(
            Exit.FAILED,
            "no_radio",
            f"There is no RNode in {place.file}.",
            "Set one up with `lrgpnode radio setup`.",
        )
    for radio in found:
        _say(radio)


def preset_name(radio: Tuned) -> str:
    """The preset with these numbers, "" without."""
    numbers = (radio.bandwidth, radio.spreading_factor, radio.coding_rate)
    same = (
        item.name
        for item in presets()
        if (item.bandwidth, item.spreading_factor, item.coding_rate) == numbers
    )
    return next(same, "")


def _say(radio: Tuned) -> None:
    write(clean(radio.name) + ("" if radio.enabled else " (not enabled)"))
    if not radio.complete:
        write("  Frequency, bandwidth or spreading factor is missing.")
        return
    write(f"  compare   {clean(line(radio), 300)}")
    write(f"  words     {word(radio)}")
    write(f"  preset    {preset_name(radio) or 'none of the known ones'}")
    power = "not set" if radio.txpower is None else f"{radio.txpower} dBm"
    limit = "no limit of airtime" if radio.limit_long is None else f"{radio.limit_long:g} % of an hour"
    write(f"  sends     {power}, {limit}")
    write(f"  port      {clean(radio.port, 200)}")
    if radio.flow_control:
        write("  Fix: flow_control must be off; with it only the first packet is ever sent.")


def _as_json(radio: Tuned) -> dict[str, Any]:
    return {
        "name": radio.name,
        "enabled": radio.enabled,
        "port": radio.port,
        "frequency": radio.frequency,
        "bandwidth": radio.bandwidth,
        "spreading_factor": radio.spreading_factor,
        "coding_rate": radio.coding_rate,
        "txpower": radio.txpower,
        "airtime_limit_long": radio.limit_long,
        "airtime_limit_short": radio.limit_short,
        "flow_control": radio.flow_control,
        "mode": radio.mode,
        "network_name": radio.network,
        "passphrase": radio.locked,
        "preset": preset_name(radio),
        "line": line(radio) if radio.complete else "",
        "words": word(radio) if radio.complete else "",
    }
