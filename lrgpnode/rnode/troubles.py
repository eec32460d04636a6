"""What can be wrong with a radio: one sentence for the cause and one for the fix. Pure.

The one table of it: `radio status`, `status`, the log and the doctor say these sentences. ``diagnose``
goes from what the driver and the board have shown to a row of the table.
"""

from __future__ import annotations

import errno
import sys
from dataclasses import dataclass
from string import Formatter
from typing import Final

from lrgpnode.protocol.value import Value

from .kiss import OLDEST_FIRMWARE


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Value):
    """A trouble of one radio, in words. ``id`` is that of the table."""

    id: str
    cause: str
    fix: str


@dataclass(frozen=True, slots=True, repr=False)
class Trouble(Value):
    """A row of the table; the texts have ``{names}`` for what differs by radio."""

    id: str
    cause: str
    fix: str

    @property
    def names(self) -> frozenset[str]:
        parts = [*Formatter().parse(self.cause), *Formatter().parse(self.fix)]
        return frozenset(name for _, name, _, _ in parts if name)

    def __call__(self, **values: object) -> Diagnosis:
        """Raises ``KeyError`` where a name of the texts is not given."""
        return Diagnosis(self.id, self.cause.format(**values), self.fix.format(**values))


ABSENT: Final = Trouble(
    "radio-absent",
    "The radio of {interface} is not plugged in: there is no {port}.",
    "Plug it in; it is taken up without a restart. `lrgpnode radio list` shows the ports that are there.",
)
UNREACHABLE: Final = Trouble(
    "radio-unreachable",
    "The radio of {interface} cannot be reached at {port}.",
    "See that it is switched on and in reach; it is tried again every few seconds.",
)
CLOSED: Final = Trouble(
    "radio-closed",
    "The node may not open {port}, the port of {interface}.",
    "`sudo lrgpnode doctor` says which group it belongs to and how to join it.",
)
BUSY: Final = Trouble(
    "radio-busy",
    "Another program has {port} for itself, the port of {interface}.",
    "Stop that program; `sudo lrgpnode doctor` names it.",
)
PORT_FAILED: Final = Trouble(
    "radio-port",
    "The port {port} of {interface} cannot be used: {reason}.",
    "Unplug the radio and plug it in again; try another cable.",
)
SILENT: Final = Trouble(
    "radio-silent",
    "The port {port} of the interface {interface} opens, but no RNode answers there.",
    "Press the reset button of the board; if that does not help, run `rnodeconf --autoinstall`.",
)
HUNG: Final = Trouble(
    "radio-hung",
    "The radio of {interface} at {port} does not answer any more; its port is opened anew.",
    "If it does not come back within a minute, press its reset button, or unplug it and plug it in again.",
)
LOST: Final = Trouble(
    "radio-lost",
    "The connection to the radio of {interface} at {port} broke; it is opened anew.",
    "Nothing, if it happens once; else try another cable or a powered hub.",
)
SWITCHED_OFF: Final = Trouble(
    "radio-restarted",
    "The radio of {interface} at {port} has restarted by itself and is switched off; it is set up anew.",
    "Nothing, if it happens once; else look at its power supply and cable.",
)
FIRMWARE: Final = Trouble(
    "radio-firmware",
    "The radio at {port} has firmware {found}; Reticulum needs {needed} or newer.",
    "Stop the node and run `rnodeconf {port} --update`.",
)
POWER: Final = Trouble(
    "radio-power",
    "The radio of {interface} sends with {can} dBm at most, and its section asks for {asked} dBm.",
    "Write `txpower = {can}` into the section of {interface} in Reticulum's configuration and restart {who}.",
)
PARAMETERS: Final = Trouble(
    "radio-parameters",
    "The radio of {interface} did not take the parameters of its section: {differences}.",
    "Correct them with `lrgpnode radio setup`, or use a board that can do that, and restart {who}.",
)
UNCONFIRMED: Final = Trouble(
    "radio-unconfirmed",
    "The radio of {interface} at {port} answers, but did not confirm its parameters in time.",
    "It is tried again every few seconds; if it stays so, the radio's chip or its supply is at fault.",
)
HARDWARE: Final = Trouble(
    "radio-hardware",
    "The radio of {interface} at {port} reports a fault of its hardware: {reason}.",
    "Unplug it and plug it in again, with its antenna on; if that does not help, run `rnodeconf {port} -i`.",
)
MODULE_MISSING: Final = Trouble(
    "radio-module",
    "The radio of {interface} needs the Python package {module}, which is not installed.",
    "Install it with `{python} -m pip install {module}` and restart {who}.",
)
SECTION: Final = Trouble(
    "radio-section",
    "The section of the radio {interface} cannot be used: {reason}.",
    "Correct it in Reticulum's configuration, or run `lrgpnode radio setup`, and restart {who}.",
)

TROUBLES: Final = tuple(value for value in list(globals().values()) if isinstance(value, Trouble))
"""All of them, in the order above."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings(Value):
    """Parameters of a radio, asked for or read back: Hz, Hz, factor, dBm; None where it said nothing."""

    frequency: int | None
    bandwidth: int | None
    spreading_factor: int | None
    tx_power: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attempt(Value):
    """What an attempt to bring a radio up has shown.

    ``port`` as in the configuration; ``remote``: it is reached by network or Bluetooth. ``opened``: the
    port could be opened. ``detected``: an RNode answered. ``firmware`` is (0, 0) until it has said it.
    ``error``: what was raised.
    """

    interface: str
    port: str
    remote: bool
    opened: bool
    detected: bool
    firmware: tuple[int, int]
    asked: Settings
    answered: Settings
    error: BaseException | None = None


def diagnose(attempt: Attempt) -> Diagnosis:
    """Why an attempt did not bring the radio up."""
    where = {"interface": attempt.interface, "port": attempt.port}
    if isinstance(attempt.error, ModuleNotFoundError):
        return MODULE_MISSING(module=attempt.error.name, python=sys.executable, who="the node", **where)
    if not attempt.opened:
        return _not_opened(attempt, where)
    if attempt.firmware != (0, 0) and attempt.firmware < OLDEST_FIRMWARE:
        return FIRMWARE(found=version(attempt.firmware), needed=version(OLDEST_FIRMWARE), **where)
    if not attempt.detected:
        return UNREACHABLE(**where) if attempt.remote else SILENT(**where)
    asked, answered = attempt.asked, attempt.answered
    differences = mismatches(asked, answered)
    if differences and set(differences) <= {"tx_power"} and (answered.tx_power or 0) < (asked.tx_power or 0):
        return POWER(can=answered.tx_power, asked=asked.tx_power, who="the node", **where)
    if differences:
        return PARAMETERS(differences=", ".join(differences.values()), who="the node", **where)
    if attempt.error is not None:
        return PORT_FAILED(reason=reason(attempt.error), **where)
    return UNCONFIRMED(**where)


def mismatches(asked: Settings, answered: Settings) -> dict[str, str]:
    """What the board says differently from what it was told, by name, in words."""
    found = {}
    if answered.frequency is not None and abs((asked.frequency or 0) - answered.frequency) > 100:
        found["frequency"] = f"frequency {asked.frequency} Hz became {answered.frequency} Hz"
    if answered.bandwidth is not None and answered.bandwidth != asked.bandwidth:
        found["bandwidth"] = f"bandwidth {asked.bandwidth} Hz became {answered.bandwidth} Hz"
    if answered.spreading_factor is not None and answered.spreading_factor != asked.spreading_factor:
        found["spreading_factor"] = (
            f"spreading factor {asked.spreading_factor} became {answered.spreading_factor}"
        )
    if answered.tx_power is not None and answered.tx_power != asked.tx_power:
        found["tx_power"] = f"TX power {asked.tx_power} dBm became {answered.tx_power} dBm"
    return found


def _not_opened(attempt: Attempt, where: dict[str, str]) -> Diagnosis:
    if attempt.remote:
        return UNREACHABLE(**where)
    number = attempt.error.errno if isinstance(attempt.error, OSError) else None
    match number:
        case errno.ENOENT | errno.ENODEV | errno.ENXIO:
            return ABSENT(**where)
        case errno.EACCES | errno.EPERM:
            return CLOSED(**where)
        case errno.EBUSY:
            return BUSY(**where)
        case _:
            return PORT_FAILED(reason=reason(attempt.error), **where)


def reason(error: BaseException | None) -> str:
    """An exception in a few words, without the end of a sentence."""
    return (
        (str(error) or type(error).__name__).strip().rstrip(".") if error is not None else "no reason given"
    )


def version(pair: tuple[int, int]) -> str:
    """A firmware's version as its makers write it."""
    return f"{pair[0]}.{pair[1]:02d}"


FREQUENCIES: Final = (137_000_000, 3_000_000_000)
"""Hz that Reticulum's driver takes."""

_RANGES: Final = {
    "frequency": FREQUENCIES,
    "bandwidth": (7_800, 1_625_000),
    "txpower": (0, 37),
    "spreadingfactor": (5, 12),
    "codingrate": (5, 8),
    "airtime_limit_short": (0, 100),
    "airtime_limit_long": (0, 100),
}
"""Values that the driver of Reticulum 1.5 takes, Hz, dBm and percent; for anything else it raises."""

_FLAGS: Final = frozenset({"yes", "no", "true", "false", "on", "off", "1", "0"})
_LIMITS: Final = frozenset({"airtime_limit_short", "airtime_limit_long"})


def section_fault(options: dict[str, str]) -> str:
    """What is wrong with the values of a radio's section, in words; empty where nothing is."""
    if not options.get("port"):
        return "it has no `port`"
    for name, (low, high) in _RANGES.items():
        text = options.get(name)
        if text is None:
            if name in _LIMITS or name == "txpower":
                continue
            return f"it has no `{name}`"
        try:
            value = float(text) if name in _LIMITS else int(text)
        except ValueError:
            return f"`{name} = {text}` is not a number"
        if not low <= value <= high:
            return f"`{name} = {text}` is not between {low} and {high}"
    interval = options.get("id_interval", "0")
    if not interval.strip().isdigit():
        return f"`id_interval = {interval}` is not a number"
    flow = options.get("flow_control", "no")
    if flow.strip().lower() not in _FLAGS:
        return f"`flow_control = {flow}` is neither yes nor no"
    return ""
