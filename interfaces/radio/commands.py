"""What can be done to running software RNodes, as lines of words: ``link alice bob loss 0.2``."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from typing import Any, Final, Protocol

from interfaces.radio.sim.device import Device
from interfaces.radio.sim.links import Link
from interfaces.radio.sim.world import World

Answer = dict[str, Any]


class Plugs(Protocol):
    """What the commands need of whoever runs the world."""

    @property
    def world(self) -> World: ...

    def plug(self, name: str) -> None: ...

    def unplug(self, name: str) -> None: ...

    def quit(self) -> None: ...


class CommandError(ValueError):
    """What is wrong with a command, in a sentence."""


USAGE: Final = {
    "unplug": "unplug NODE",
    "plug": "plug NODE",
    "reset": "reset NODE",
    "mute": "mute NODE on|off",
    "hang": "hang NODE on|off",
    "sf": "sf NODE NUMBER|off",
    "error": "error NODE CODE",
    "link": "link FROM TO up|down|loss SHARE|rssi DBM|snr DB",
    "links": "links A B up|down|loss SHARE|rssi DBM|snr DB",
    "mark": "mark TEXT",
    "stats": "stats [NODE]",
    "quit": "quit",
}


def carry_out(line: str, target: Plugs) -> Answer:
    """Do what a line says; the answer, with ``ok`` and, if it is false, ``error``."""
    try:
        words = shlex.split(line)
        name, *rest = words or [""]
        if name not in USAGE:
            raise CommandError(f"There is no command {name!r}; there are {', '.join(USAGE)}.")
        command = _COMMANDS[name]
        try:
            inspect.signature(command).bind(target, *rest)
        except TypeError:
            raise CommandError(f"It is: {USAGE[name]}") from None
        return {"ok": True, **command(target, *rest)}
    except ValueError as error:
        return {"ok": False, "error": str(error)}


def _device(target: Plugs, name: str) -> Device:
    device = target.world.devices.get(name)
    if device is None:
        raise CommandError(f"There is no node {name!r}; there are {', '.join(target.world.devices)}.")
    return device


def _unplug(target: Plugs, node: str, /) -> Answer:
    target.unplug(_device(target, node).name)
    return {}


def _plug(target: Plugs, node: str, /) -> Answer:
    target.plug(_device(target, node).name)
    return {}


def _reset(target: Plugs, node: str, /) -> Answer:
    _device(target, node).reset()
    target.world.note(node, "reset")
    return {}


def _mute(target: Plugs, node: str, state: str, /) -> Answer:
    target.world.change_faults(_device(target, node).name, mute=_switch(state))
    return {}


def _hang(target: Plugs, node: str, state: str, /) -> Answer:
    target.world.change_faults(_device(target, node).name, hung=_switch(state))
    return {}


def _wrong_sf(target: Plugs, node: str, value: str, /) -> Answer:
    factor = None if value == "off" else int(value)
    target.world.change_faults(_device(target, node).name, spreading_factor=factor)
    return {}


def _error(target: Plugs, node: str, code: str, /) -> Answer:
    number = int(code, 0)
    if not 0 <= number <= 255:
        raise CommandError(f"An error code is between 0 and 255, not {number}.")
    _device(target, node).error(number)
    target.world.note(node, "error", code=number)
    return {}


def _link(target: Plugs, sender: str, receiver: str, what: str, value: str = "", /) -> Answer:
    for name in (sender, receiver):
        _device(target, name)
    if sender == receiver:
        raise CommandError("A link leads from one node to another.")
    values: dict[str, Any]
    if what in {"up", "down"} and not value:
        values = {"up": what == "up"}
    elif what in {"loss", "rssi", "snr"} and value:
        values = {what: float(value)}
    else:
        raise CommandError(f"It is: {USAGE['link']}")
    return {"link": _shown(target.world.change_link(sender, receiver, **values))}


def _links(target: Plugs, a: str, b: str, what: str, value: str = "", /) -> Answer:
    _link(target, a, b, what, value)
    return _link(target, b, a, what, value)


def _mark(target: Plugs, *words: str) -> Answer:
    target.world.note("", "mark", text=" ".join(words))
    return {"time": target.world.schedule.now}


def _stats(target: Plugs, *nodes: str) -> Answer:
    shown = [_device(target, name) for name in nodes] or list(target.world.devices.values())
    return {"stats": {device.name: device.statistics() for device in shown}}


def _quit(target: Plugs, /) -> Answer:
    target.quit()
    return {}


def _switch(word: str) -> bool:
    if word not in {"on", "off"}:
        raise CommandError(f"It is on or off, not {word!r}.")
    return word == "on"


def _shown(link: Link) -> Answer:
    return {"rssi": link.rssi, "snr": link.snr, "loss": link.loss, "up": link.up}


_COMMANDS: Final[dict[str, Callable[..., Answer]]] = {
    "unplug": _unplug,
    "plug": _plug,
    "reset": _reset,
    "mute": _mute,
    "hang": _hang,
    "sf": _wrong_sf,
    "error": _error,
    "link": _link,
    "links": _links,
    "mark": _mark,
    "stats": _stats,
    "quit": _quit,
}
