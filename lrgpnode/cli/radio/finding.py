"""Which port is meant, and what may be done with it: shared by the commands."""

from __future__ import annotations

import stat
from pathlib import Path

from lrgpnode.cli.exits import CliError, Exit
from lrgpnode.doctor.machine import Account, Machine
from lrgpnode.doctor.owners import RADIO_PROGRAMS
from lrgpnode.doctor.ports import PortState, other_port, survey
from lrgpnode.rnode.ports import Kind


def this_machine() -> Machine:
    """The machine that is looked at."""
    return Machine()


def radios_of(states: list[PortState]) -> list[PortState]:
    """Those that look like a radio which is ready to be used."""
    return [state for state in states if state.port.kind is Kind.RADIO and not state.console]


def find(machine: Machine, account: Account, text: str | None) -> PortState:
    """The port of a name, of any kind; without a name the only one that looks like a radio."""
    states = survey(machine, account)
    if text is None:
        likely = radios_of(states)
        if len(likely) == 1:
            return likely[0]
        raise CliError(
            Exit.USAGE,
            "usage",
            "There are several ports that may be radios." if likely else "No port here looks like a radio.",
            "See `lrgpnode radio list` and name one.",
        )
    in_dev = text.removeprefix("/dev/")
    path = Path(text) if in_dev == text and "/" in text else machine.dev / in_dev
    try:
        if not stat.S_ISCHR(path.stat().st_mode):
            raise CliError(Exit.FAILED, "port_missing", f"{text} is no serial port.", _see())
    except OSError as error:
        raise CliError(
            Exit.FAILED, "port_missing", f"There is no port {text}: {error.strerror}.", _see()
        ) from None
    device = path.resolve()
    for state in states:
        if state.port.device == device:
            return state
    return other_port(str(path) if in_dev == text else text, device, machine, account)


def check_free(machine: Machine, state: PortState) -> None:
    """Refuse to speak on a port that another program has, or may have, or that one may not open."""
    name = state.port.best
    if state.console:
        raise CliError(
            Exit.FAILED,
            "port_console",
            f"The login console of the system is on {name}: {state.console}.",
            "`sudo raspi-config nonint do_serial_cons 1`, then `sudo reboot`.",
        )
    if state.holder is not None:
        raise CliError(
            Exit.FAILED,
            "port_busy",
            f"{state.holder} has {name} open; a second voice would disturb both.",
            "Stop that program first, or ask it: `lrgpnode radio status` shows the radios of a node, "
            "`rnstatus` those of any other Reticulum.",
        )
    if not state.allowed:
        raise CliError(
            Exit.FAILED,
            "port_denied",
            f"You may not open {name}, which belongs to the group {state.group}.",
            f"`sudo usermod -aG {state.group} $USER`, then log in again; or use sudo.",
        )
    hidden = machine.hidden(RADIO_PROGRAMS)
    if hidden is not None:
        raise CliError(
            Exit.FAILED,
            "port_busy",
            f"{hidden} may have {name} open, which only root can see.",
            "Run the command with sudo, or stop that program first.",
        )


def _see() -> str:
    return "See `lrgpnode radio list`."
