"""``lrgpnode radio setup``: a radio in Reticulum's configuration, lawful, shown before it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from firmware_configs.catalogue import DIPOLE_GAIN_DB, Board
from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.asking import ask_port, ask_preset, ask_region
from lrgpnode.cli.radio.change import Change, changed, name_for
from lrgpnode.cli.radio.finding import find, this_machine
from lrgpnode.cli.radio.place import Place, config_option, place_of
from lrgpnode.cli.radio.probe import ask, board_of
from lrgpnode.cli.radio.region import region_change, write_region
from lrgpnode.cli.radio.restart import what_to_restart
from lrgpnode.cli.radio.telling import say_diff, say_end, say_plan
from lrgpnode.doctor.machine import Machine, current_account
from lrgpnode.doctor.ports import PortState, survey
from lrgpnode.radio import writing
from lrgpnode.radio.law import RadioError
from lrgpnode.radio.plan import UNKNOWN_BOARD_DBM, Plan, Role, Wishes, is_distant, make_plan


class Hertz(click.ParamType[int]):
    """A number in MHz or kHz, or in Hz where it could be nothing else."""

    name = "number"

    def __init__(self, unit: int, most: float) -> None:
        self._unit, self._most = unit, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            number = float(value)
            hertz = round(number * self._unit if number <= self._most else number)
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is not a number", param, ctx)
        if not 0 < hertz < 10**10:
            self.fail(f"{value!r} is no frequency", param, ctx)
        return hertz


@click.command("setup")
@click.option("--region", metavar="NAME", help="Whose law applies: EU868, US915, and so on.")
@click.option("--preset", metavar="NAME", help="The modem's settings under a name; without it the region's.")
@click.option("--frequency", type=Hertz(1_000_000, 10_000), metavar="MHZ", help="Without it the region's.")
@click.option("--bandwidth", type=Hertz(1000, 2000), metavar="KHZ", help="Instead of the preset's.")
@click.option("--sf", type=int, metavar="5-12", help="Spreading factor, instead of the preset's.")
@click.option("--cr", type=int, metavar="5-8", help="Coding rate 4/5 to 4/8, instead of the preset's.")
@click.option("--txpower", type=int, metavar="DBM", help="Without it as much as law and board allow.")
@click.option(
    "--antenna-gain", type=float, default=DIPOLE_GAIN_DB, show_default=True, metavar="DBI",
    help="Of the antenna; the law counts it.",
)  # fmt: skip
@click.option("--port", metavar="PORT", help="Any name of the serial port, tcp://HOST or ble://NAME.")
@click.option("--name", metavar="NAME", help="Of the interface; without it the one with this port, or LoRa.")
@click.option(
    "--role", type=click.Choice([role.value for role in Role]), default=Role.NODE.value, show_default=True,
    help="What this node is for others on the channel: docs/radio.md.",
)  # fmt: skip
@config_option
@click.option(
    "--node-region/--no-node-region", default=None,
    help="Set airtime.region of the node as well; without a word where it uses this configuration.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Ask nothing.")
@click.option("--dry-run", is_flag=True, help="Show what would be changed, and change nothing.")
@json_option
@pass_context
def setup(
    context: Context,
    region: str | None,
    preset: str | None,
    frequency: int | None,
    bandwidth: int | None,
    sf: int | None,
    cr: int | None,
    txpower: int | None,
    antenna_gain: float,
    port: str | None,
    name: str | None,
    role: str,
    config_dir: Path | None,
    node_region: bool | None,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Put a radio into Reticulum's configuration.

    Asks for what is not given. What region and board do not allow is refused. Shows the change before it
    is written; everything else in the file stays as it is, and the old file is kept beside it. The region is
    also told to the node, which plans its airtime by it. --json implies --yes. Firmware is not touched:
    docs/radio.md.
    """
    machine = this_machine()
    asking = not (yes or as_json)
    try:
        if region is None:
            region = _needed("region") if not asking else ask_region()
        state = None if port is not None and is_distant(port) else _port(machine, port, asking=asking)
        where = port if state is None else state.port.best
        assert where is not None
        if asking and preset is None and bandwidth is None and sf is None:
            preset = ask_preset(region, frequency)
        place = place_of(context, config_dir)
        _check_place(place)
        board = None if state is None else _board(machine, state)
        plan = make_plan(
            Wishes(
                region=region,
                port=where,
                name=name_for(place, machine, where, state, name),
                preset=preset,
                frequency=frequency,
                bandwidth=bandwidth,
                spreading_factor=sf,
                coding_rate=cr,
                txpower=txpower,
                antenna_dbi=antenna_gain,
                role=Role(role),
                board=board,
            )
        )
        change = changed(place, plan)
        law = region_change(context, place, plan.region.name, wanted=node_region)
        differs = change.after != change.before
        written, told, backup = False, None, None
        if not as_json:
            say_plan(plan, state, board)
            say_diff(place.file, change.before, change.after)
            if law is not None:
                say_diff(law.file, law.before, law.after)
        if (differs or law is not None) and not dry_run:
            if asking and not click.confirm("Write this?"):
                write("Nothing was changed.")
                return
            if differs:
                backup = writing.replace(place.file, change.before, change.after)
                written = True
            if law is not None:
                write_region(law)
                told = law
    except RadioError as error:
        raise CliError(Exit.FAILED, "radio", str(error), error.hint) from None
    except OSError as error:
        raise _unwritable(error) from None
    restart = list(what_to_restart(place.patient, radio=written, settings=told is not None))
    if as_json:
        said = _as_json(plan, place, change, written=written, backup=backup, restart=restart)
        say_json(said | {"settings": None if told is None else str(told.file)})
    else:
        say_end(plan, place, state, written=written, region=told, backup=backup, restart=restart)


def _needed(option: str) -> str:
    raise CliError(Exit.USAGE, "usage", f"--{option} is missing.", "Give it, or leave --yes out to be asked.")


def _port(machine: Machine, port: str | None, *, asking: bool) -> PortState:
    account = current_account()
    wizard = port is None and asking
    state = ask_port(survey(machine, account)) if wizard else find(machine, account, port)
    if state.console:
        raise RadioError(
            f"The login console of the system is on {state.port.best}: {state.console}.",
            "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`.",
        )
    return state


def _check_place(place: Place) -> None:
    patient = place.patient
    if place.file.parent == patient.data / "reticulum":
        raise CliError(
            Exit.FAILED,
            "radio",
            "The node was started with --listen or --connect, which writes its Reticulum configuration anew.",
            "Start it without them, or name another configuration with --config-dir.",
        )


def _board(machine: Machine, state: PortState) -> Board | None:
    """What the board says it is; None where it cannot be asked now."""
    try:
        found = ask(machine, state)
    except CliError as error:
        click.echo(
            f"The board was not asked: {error.message} Without --txpower it is told {UNKNOWN_BOARD_DBM} dBm "
            "at most, which every board can.",
            err=True,
        )
        return None
    if not found.accepted:
        raise RadioError(
            f"The board has firmware {found.version}, over which Reticulum would end its process.",
            f"rnodeconf {state.port.best} --update",
        )
    return board_of(found)


def _unwritable(error: OSError) -> CliError:
    where = f" {error.filename}" if error.filename else ""
    return CliError(
        Exit.FAILED, "cannot_write", f"Cannot write{where}: {error.strerror or error}.", "Try it with sudo."
    )


def _as_json(
    plan: Plan,
    place: Place,
    change: Change,
    *,
    written: bool,
    backup: Path | None,
    restart: list[tuple[str, str]],
) -> dict[str, Any]:
    return {
        "file": str(place.file),
        "written": written,
        "changed": change.after != change.before,
        "backup": None if backup is None else str(backup),
        "name": plan.name,
        "region": plan.region.name,
        "options": dict(change.options),
        "restart": [{"program": program, "command": how} for program, how in restart],
    }
