"""``lrgpnode radio probe``: ask the board on a port what it is."""

from __future__ import annotations

from typing import Any

import click

from firmware_configs.catalogue import Board, boards
from lrgpnode.cli.context import json_option, say_json, write
from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.cli.radio.finding import check_free, find, this_machine
from lrgpnode.cli.text import clean
from lrgpnode.doctor.machine import Machine, current_account
from lrgpnode.doctor.ports import PortState
from lrgpnode.radio.law import mhz
from lrgpnode.rnode.identify import Identified, identify, version_text
from lrgpnode.rnode.kiss import OLDEST_FIRMWARE
from lrgpnode.rnode.ports import Kind


@click.command("probe")
@click.argument("port", required=False)
@json_option
def probe(port: str | None, as_json: bool) -> None:
    """Ask the board on PORT whether it is an RNode, and which.

    Without PORT it is the only port that looks like a radio. A port that another program has open is
    left alone. Nothing in the board is changed, but many restart when their port is opened. The exit code is
    1 where Reticulum could not work with the board.
    """
    machine = this_machine()
    state = find(machine, current_account(), port)
    found = ask(machine, state)
    board = board_of(found)
    if as_json:
        say_json(_as_json(state, found, board))
    else:
        _say(state, found, board)
    if not (found.accepted and found.provisioned is not False):
        raise click.exceptions.Exit(Exit.FAILED)


def ask(machine: Machine, state: PortState) -> Identified:
    """What a board says; raises ``CliError`` where it cannot be asked or does not answer."""
    check_free(machine, state)
    name = state.port.best
    try:
        found = identify(state.port.device, machine.radio_seconds)
    except OSError as error:
        raise CliError(
            Exit.FAILED, "port_failed", f"{name} cannot be used: {error.strerror or error}."
        ) from None
    if found is not None:
        return found
    if state.port.kind is Kind.BOOTLOADER:
        raise CliError(
            Exit.FAILED,
            "radio_silent",
            f"The board at {name} waits for a firmware: it is in its boot loader.",
            "Press its reset button once; if it comes back so, flash it: docs/radio.md.",
        )
    raise CliError(
        Exit.FAILED,
        "radio_silent",
        f"{name} opens, but no RNode answers there.",
        "Press the reset button of the board and try again. If that does not help it has another firmware, "
        "or none: docs/radio.md says how to flash it.",
    )


def board_of(found: Identified) -> Board | None:
    """The board of the catalogue with these codes."""
    codes = (found.product, found.model)
    return next((board for board in boards() if (board.product, board.model) == codes), None)


def _say(state: PortState, found: Identified, board: Board | None) -> None:
    needed = version_text(OLDEST_FIRMWARE)
    write(clean(state.port.best, 200))
    write(f"  board     {_name(found, board)}")
    chips = [found.platform_name, found.controller_name, "" if board is None else board.chip.value]
    write(f"  chips     {', '.join(filter(None, dict.fromkeys(chips)))}")
    if board is not None:
        write(f"  radio     {mhz(board.low_hz)} to {mhz(board.high_hz)} MHz, up to {board.max_tx_dbm} dBm")
    if found.accepted:
        write(f"  firmware  {found.version}: Reticulum works with it")
    else:
        write(f"  firmware  {found.version}: Reticulum needs {needed} or newer, and would end its process")
        write(f"  Fix: rnodeconf {clean(state.port.best, 200)} --update")
    if found.provisioned is False:
        write("  EEPROM    not written or damaged: the firmware keeps the radio off")
        write("  Fix: rnodeconf --autoinstall")


def _name(found: Identified, board: Board | None) -> str:
    if board is not None:
        return board.name
    if found.product is None or found.model is None:
        return "not known"
    return f"not known to this version (product {found.product:#04x}, model {found.model:#04x})"


def _as_json(state: PortState, found: Identified, board: Board | None) -> dict[str, Any]:
    return {
        "port": state.port.best,
        "firmware": found.version,
        "accepted": found.accepted,
        "platform": found.platform_name,
        "mcu": found.controller_name,
        "provisioned": found.provisioned,
        "product": found.product,
        "model": found.model,
        "board": None
        if board is None
        else {
            "name": board.name,
            "chip": board.chip.value,
            "low_hz": board.low_hz,
            "high_hz": board.high_hz,
            "max_tx_dbm": board.max_tx_dbm,
            "notes": board.notes,
        },
    }
