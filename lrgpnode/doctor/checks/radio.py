"""Radios: firmware that Reticulum works with, and the duty cycle of European law."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from lrgpnode.doctor import faults, kiss
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient

from .reticulum import sharer
from .serial import holders, ports

EU868: Final = (863_000_000, 870_000_000)
DUTY: Final = (
    (865_000_000, 868_600_000, 1.0),
    (869_400_000, 869_650_000, 10.0),
    (869_700_000, 870_000_000, 1.0),
)
"""Bands in Hz and percent of an hour, ERC/REC 70-03 annex 1 (h1.2 to h1.7); 0.1 % elsewhere in EU868."""
_RADIO_PROGRAMS: Final = re.compile(
    "^(rnsd|rnodeconf|lxmd|nomadnet|lrgpnode)$|reticulum|meshchat|sideband|meshtastic", re.IGNORECASE
)
"""What may have a radio open, where another user runs it and only root could see that."""
_ELSEWHERE: Final = 0.1
_RADIOS: Final = frozenset({"RNodeInterface", "RNodeMultiInterface"})


def duty_cycle(patient: Patient) -> Iterator[Finding]:
    """the duty cycle of the radios"""
    for interface in patient.interfaces:
        if interface.kind not in _RADIOS:
            continue
        parts = {interface.name: interface.options} | {
            f"{interface.name}/{name}": part for name, part in interface.parts.items()
        }
        for name, options in parts.items():
            frequency = _number(options, "frequency")
            if frequency is None or not EU868[0] <= frequency <= EU868[1]:
                continue
            percent = _allowed(frequency)
            limit = _number(options, "airtime_limit_long")
            if limit is None or not 0 < limit <= percent:
                yield faults.RADIO_DUTY(
                    interface=name,
                    frequency=f"{frequency / 1e6:g}",
                    percent=f"{percent:g}",
                    limit="not set" if limit is None else f"{limit:g} %",
                    file=patient.rns_dir / "config",
                )


def firmware(patient: Patient) -> Iterator[Finding]:
    """the firmware of the radios"""
    config = patient.config
    if config is None or patient.running is not None or (config.shares and sharer(patient, config)):
        return  # the board talks to that program; a second voice would disturb both
    for port in ports(patient):
        if port.kind not in _RADIOS or port.device is None or holders(patient.machine, port):
            continue
        hidden = patient.machine.hidden(_RADIO_PROGRAMS)
        if hidden is not None:
            yield faults.NOT_LOOKED(what=f"the radio at {port.name}", reason=f"{hidden} may have it open")
            return
        try:
            found = kiss.firmware(port.device, patient.machine.radio_seconds)
        except PermissionError:
            continue  # another check says so
        needed = patient.probe.firmware
        if found is None:
            yield faults.RADIO_SILENT(port=port.name, interface=port.interface)
        elif found < needed:
            yield faults.RADIO_FIRMWARE(port=port.name, found=_version(found), needed=_version(needed))


def _allowed(frequency: float) -> float:
    return next((percent for low, high, percent in DUTY if low <= frequency <= high), _ELSEWHERE)


def _number(options: Mapping[str, str], name: str) -> float | None:
    try:
        return float(options[name])
    except (KeyError, ValueError):
        return None


def _version(pair: tuple[int, int]) -> str:
    return f"{pair[0]}.{pair[1]:02d}"


CHECKS = (duty_cycle, firmware)
