"""The questions of ``lrgpnode radio setup``: region, port and preset, where the command line has none."""

from __future__ import annotations

import click

from firmware_configs.catalogue import Preset, presets, region as find_region, regions
from lrgpnode.airtime.modem import Modem
from lrgpnode.airtime.roundtrip import MOVE_BYTES
from lrgpnode.cli.context import write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.finding import radios_of
from lrgpnode.cli.text import clean
from lrgpnode.doctor.ports import PortState
from lrgpnode.radio.law import khz, mhz
from lrgpnode.radio.plan import is_lawful, usual_frequency


def ask_region() -> str:
    """The name of a region."""
    write("Where will the radio be used? Its law decides what is offered.")
    for item in regions():
        write(f"  {item.name:<8}  {item.title}")
    names = click.Choice([item.name for item in regions()], case_sensitive=False)
    return str(click.prompt("Region", type=names, show_choices=False))


def ask_port(states: list[PortState]) -> PortState:
    """One of the ports of the machine."""
    if not states:
        raise CliError(Exit.FAILED, "port_missing", "There is no serial port.", "Plug the radio in.")
    likely = radios_of(states)
    write("Which port is the radio at?")
    for number, state in enumerate(states, 1):
        boards = f"  ({', '.join(state.port.boards[:3])} ...)" if state.port.boards else ""
        write(f"  {number}  {clean(state.port.best, 200)}{boards}")
    chosen: int = click.prompt(
        "Port", type=click.IntRange(1, len(states)), default=1 if likely else None, show_default=bool(likely)
    )
    return states[chosen - 1]


def ask_preset(region: str, frequency: int | None) -> str:
    """A preset that the law of the region allows, with what it means for a game."""
    law = find_region(region)
    allowed = [item for item in presets() if is_lawful(law, _modem(item), frequency)]
    if not allowed:
        raise CliError(
            Exit.USAGE, "usage", f"No preset is lawful there in {law.name}.", "Leave --frequency out."
        )
    write("Which preset? All who are to hear each other need the same. A move takes so long on the air:")
    for item in allowed:
        seconds = _modem(item).packet_seconds(MOVE_BYTES)
        place = mhz(frequency if frequency is not None else usual_frequency(law, item.bandwidth))
        numbers = f"SF{item.spreading_factor}, {khz(item.bandwidth)} kHz at {place} MHz"
        write(f"  {item.name:<14} {seconds:5.1f} s  {numbers}")
    default = law.preset if law.preset in {item.name for item in allowed} else None
    names = click.Choice([item.name for item in allowed], case_sensitive=False)
    return str(click.prompt("Preset", type=names, default=default, show_choices=False))


def _modem(item: Preset) -> Modem:
    return Modem(item.bandwidth, item.spreading_factor, item.coding_rate)
