"""What ``lrgpnode radio setup`` tells: the plan, the change, what is still to be done."""

from __future__ import annotations

import difflib
import re
import textwrap
from pathlib import Path
from typing import Final

from firmware_configs.catalogue import Board, presets
from lrgpnode.cli.context import write
from lrgpnode.cli.radio.place import Place
from lrgpnode.cli.radio.region import RegionChange
from lrgpnode.cli.radio.restart import other_program
from lrgpnode.cli.text import clean
from lrgpnode.doctor.ports import PortState
from lrgpnode.radio.law import khz, mhz
from lrgpnode.radio.plan import Plan, Role

_SECRET: Final = re.compile(r"(^.\s*(?:passphrase|pass_phrase|rpc_key)\s*=\s*).*")


def say_plan(plan: Plan, state: PortState | None, board: Board | None) -> None:
    """The radio, its numbers, and the law that they follow."""
    band, modem = plan.band, plan.modem
    write(f"Radio     {board.name if board else 'not known'} at {clean(plan.port, 200)}")
    if state is None:
        write("          It is not asked here. For ble:// Reticulum needs the module bleak, or it ends.")
    elif not state.port.lasting:
        write("          This name may be another device's after a restart: there is no lasting one.")
    write(
        f"Modem     {mhz(plan.frequency)} MHz, {khz(modem.bandwidth)} kHz, SF{modem.spreading_factor}, "
        f"CR 4/{modem.coding_rate}, {plan.txpower} dBm"
    )
    write(f"Law       {plan.region.title}: {band.source}")
    notes = [plan.region.notes, band.notes]
    if band.hopping:
        notes.insert(0, "This rule is one for radios that hop; an RNode does not.")
    if band.listening:
        notes.insert(0, "The law asks for a certified listen-before-talk, which an RNode's is not.")
    for note in filter(None, notes):
        for line in textwrap.wrap(note, 88):
            write(f"          {line}")
    if plan.role is Role.GATEWAY:
        write("Gateway   enable_transport must be yes, and the other interfaces need `mode = boundary`.")
    write("")


def say_diff(file: Path, before: bytes | None, after: bytes) -> None:
    """What changes in a file, without the secrets near it."""
    if after == before:
        write(f"{file} already says so.")
        return
    old, new = ((text or b"").decode(errors="replace").splitlines() for text in (before, after))
    for difference in difflib.unified_diff(old, new, str(file), f"{file} (new)", lineterm=""):
        line = _SECRET.sub(r"\1(not shown)", difference)
        text = line[1:].lstrip(" \t")
        write(line[: len(line) - len(text)] + clean(text, 300))


def say_end(
    plan: Plan,
    place: Place,
    state: PortState | None,
    *,
    written: bool,
    region: RegionChange | None,
    backup: Path | None,
    restart: list[tuple[str, str]],
) -> None:
    """What was done, and what is still to be done. ``region`` is None where that was not written."""
    if written:
        write(f"Wrote {place.file}" + (f"; the old one is {backup}" if backup else ""))
    if region is not None:
        write(f"Wrote {region.file}")
    if not written and region is None:
        return
    for program, how in restart:
        write(f"It is in use after a restart of {program}: {how}")
    if not restart:
        write(f"No program runs with it now. Start the node: {place.patient.start}")
    account = place.patient.account
    if state is not None and not account.may(state.port.device.stat(), 6):
        how = f"sudo usermod -aG {state.group} {account.name}"
        write(f"The user {account.name} of the node may not open the port yet: {how}")
    if region is None and place.patient.region.lower() != plan.region.name.lower():
        hint = place.patient.command("config", "set", "airtime.region", plan.region.name)
        write(f"The node plans its airtime by the law of its region: {hint}")
    if place.of_node and other_program(place.patient) is not None:
        write("The node cannot see the radio of another program. To have its airtime counted:")
        for words in _numbers(plan):
            write(f"  {place.patient.command('config', *words)}")
    where = () if place.of_node else ("--config-dir", str(place.file.parent))
    write(f"Compare with the others: {place.patient.command('radio', 'show', *where)}")


def _numbers(plan: Plan) -> list[tuple[str, ...]]:
    """The changes of settings that tell a node of a radio that it cannot see."""
    modem = plan.modem
    numbers = (modem.bandwidth, modem.spreading_factor, modem.coding_rate)
    frequency = ("set", "airtime.frequency_mhz", mhz(plan.frequency))
    for item in presets():
        if (item.bandwidth, item.spreading_factor, item.coding_rate) == numbers:
            return [("set", "airtime.preset", item.name), frequency]
    names = ("airtime.bandwidth", "airtime.spreading_factor", "airtime.coding_rate")
    single = [("set", name, str(number)) for name, number in zip(names, numbers, strict=True)]
    return [("unset", "airtime.preset"), *single, frequency]
