"""Radios: firmware that Reticulum works with, and the bands and duty cycles of the law."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

from firmware_configs.catalogue import Region, UnknownName, band_at, region
from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding, Severity
from lrgpnode.doctor.owners import RADIO_PROGRAMS, holders
from lrgpnode.doctor.patient import Patient
from lrgpnode.radio.law import khz, mhz
from lrgpnode.radio.tuned import RADIOS, radios
from lrgpnode.rnode import identify
from lrgpnode.rnode.troubles import section_fault

from .reticulum import sharer
from .serial import ports

_USUAL: Final = "EU868"
"""The only region whose frequencies say by themselves where a radio most likely is."""


def duty_cycle(patient: Patient) -> Iterator[Finding]:
    """the duty cycle of the radios"""
    try:
        law = region(patient.region or _USUAL)
    except UnknownName:
        law = region(_USUAL)  # the node says what is wrong with its setting
    known = patient.region.lower() == law.name.lower()
    lowest, highest = min(band.low_hz for band in law.bands), max(band.high_hz for band in law.bands)
    for radio in radios(patient.interfaces):
        frequency, bandwidth = radio.frequency, radio.bandwidth or 0
        if frequency is None or not (known or lowest <= frequency <= highest):
            continue
        band = band_at(law, frequency, bandwidth)
        percent = _strictest(law, frequency) if band is None else band.airtime_percent
        limit = radio.limit_long
        where = {
            "interface": radio.name,
            "frequency": mhz(frequency),
            "region": law.name,
            "set": patient.command("config", "set", "airtime.region", "NAME"),
        }
        if percent is not None and (limit is None or not 0 < limit <= percent):
            yield faults.RADIO_DUTY(
                percent=f"{percent:g}",
                limit="not set" if limit is None else f"{limit:g} %",
                file=patient.rns_dir / "config",
                **where,
            )
        if band is None:
            yield faults.RADIO_BAND(bandwidth=khz(bandwidth), **where)


def _strictest(law: Region, frequency: int) -> float | None:
    """Of the bands that a channel touches where no band has all of it; of all where its middle is in none."""
    near = [band for band in law.bands if band.low_hz <= frequency <= band.high_hz] or law.bands
    return min((band.airtime_percent for band in near if band.airtime_percent is not None), default=None)


def firmware(patient: Patient) -> Iterator[Finding]:
    """the firmware of the radios"""
    config = patient.config
    if config is None or patient.running is not None or (config.shares and sharer(patient, config)):
        return  # the board talks to that program; a second voice would disturb both
    for port in ports(patient):
        if port.kind not in RADIOS or port.device is None or holders(patient.machine, port.device):
            continue
        hidden = patient.machine.hidden(RADIO_PROGRAMS)
        if hidden is not None:
            yield faults.NOT_LOOKED(what=f"the radio at {port.name}", reason=f"{hidden} may have it open")
            return
        try:
            found = identify.firmware(port.device, patient.machine.radio_seconds)
        except PermissionError:
            continue  # another check says so
        needed = patient.probe.firmware
        if found is None:
            yield faults.RADIO_SILENT(port=port.name, interface=port.interface)
        elif found < needed:
            yield faults.RADIO_FIRMWARE(
                port=port.name, found=identify.version_text(found), needed=identify.version_text(needed)
            )


def sections(patient: Patient) -> Iterator[Finding]:
    """the sections of the radios"""
    for interface in patient.interfaces:
        if interface.kind != "RNodeInterface":
            continue
        reason = section_fault(dict(interface.options))
        if reason:
            yield faults.RADIO_SECTION(interface=interface.name, reason=reason, who="the node")
        if find_spec("serial") is None:
            yield faults.RADIO_MODULE(
                interface=interface.name, module="pyserial", python=sys.executable, who="the node"
            )


def of_the_node(patient: Patient) -> Iterator[Finding]:
    """what the running node says of its radios"""
    shown = patient.running.status.get("interfaces", ()) if patient.running is not None else ()
    for interface in shown:
        trouble = interface.get("trouble")
        if trouble:
            yield Finding(
                id=trouble["id"],
                severity=Severity.ERROR,
                cause=trouble["cause"],
                fix=trouble["fix"],
                interface=interface["name"],
            )


CHECKS = (duty_cycle, sections, firmware, of_the_node)
