"""``lrgpnode radio list``: the serial ports, those that look like a radio first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from lrgpnode.cli.context import json_option, say_json, write
from lrgpnode.cli.radio.finding import this_machine
from lrgpnode.cli.text import clean
from lrgpnode.doctor.machine import current_account
from lrgpnode.doctor.ports import PortState, survey
from lrgpnode.rnode.ports import Kind

_KINDS = {
    Kind.RADIO: "may be a radio",
    Kind.BOOTLOADER: "waits for a firmware (boot loader)",
    Kind.USB: "no known board",
    Kind.UART: "UART of the computer",
}


@click.command("list")
@json_option
def list(as_json: bool) -> None:
    """List the serial ports, those that look like a radio first.

    Nothing is opened. Most boards have a common USB converter, so that its numbers prove nothing:
    `lrgpnode radio probe` asks the board itself.
    """
    states = survey(this_machine(), current_account())
    if as_json:
        say_json({"ports": [_as_json(state) for state in states]})
        return
    for state in states:
        for line in _lines(state):
            write(line)
    if not states:
        write("There is no serial port. Plug the radio in; a cable that only charges will not do.")


def _lines(state: PortState) -> Iterator[str]:
    port = state.port
    yield clean(port.best, 200)
    if port.lasting:
        yield f"  now at    {clean(port.name)}"
    said = f", says {clean(port.title)}" if port.title else ""
    ids = f", USB {_ids(state)}" if port.usb else ""
    yield f"  kind      {_KINDS[port.kind]}{ids}{said}"
    if port.boards:
        yield f"  boards    {', '.join(port.boards)}"
    may = "you may open it" if state.allowed else "you may not open it"
    yield f"  owner     {state.user}, group {state.group}: {may}"
    if state.holder is not None:
        yield f"  in use    by {clean(state.holder)}"
    if state.console:
        yield f"  console   serial console active: {clean(state.console, 200)}"


def _as_json(state: PortState) -> dict[str, Any]:
    port = state.port
    return {
        "port": port.best,
        "name": port.name,
        "kind": port.kind.name.lower(),
        "usb": _ids(state) if port.usb else None,
        "title": port.title,
        "serial": port.serial,
        "boards": [*port.boards],
        "user": state.user,
        "group": state.group,
        "allowed": state.allowed,
        "holder": None if state.holder is None else str(state.holder),
        "console": state.console,
    }


def _ids(state: PortState) -> str:
    vendor, product = state.port.usb or (0, 0)
    return f"{vendor:04x}:{product:04x}"
