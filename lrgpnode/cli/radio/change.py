"""The configuration as it is and as it is to be, and the proof that only one radio differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lrgpnode.cli.radio.place import Place
from lrgpnode.doctor.machine import Machine
from lrgpnode.doctor.ports import PortState
from lrgpnode.protocol.value import Value
from lrgpnode.radio import section, writing
from lrgpnode.radio.editing import EditError, put_section
from lrgpnode.radio.law import RadioError
from lrgpnode.radio.plan import Plan, Role

_DEFAULT = "LoRa"


@dataclass(frozen=True, slots=True, repr=False)
class Change(Value):
    """``before`` is None where there is no file. ``options``: of the radio's section."""

    before: bytes | None
    after: bytes
    options: Mapping[str, str]


def name_for(place: Place, machine: Machine, port: str, state: PortState | None, name: str | None) -> str:
    """The interface to write: the one that has this port, or a new one. Raises ``RadioError``.

    ``state`` is None for a radio without a serial port.
    """
    sections = () if place.config is None else place.config.interfaces
    kinds = {item.name: item.kind for item in sections}
    if state is None:
        using = [item.name for item in sections if item.options.get("port", "").strip() == port]
    else:
        using = [item.name for item in sections if _device(machine, item.options) == state.port.device]
    if name is None:
        name = using[0] if using else _DEFAULT
        number = 2
        while name in kinds and name not in using:
            name, number = f"{_DEFAULT} {number}", number + 1
    others = [item.name for item in sections if item.name in using and item.name != name and item.enabled]
    if others:
        raise RadioError(
            f"The interface {others[0]} has the port {port} already.",
            f"Change that one with `--name {others[0]!r}`, or take it out of {place.file}.",
        )
    if kinds.get(name, section.KIND) != section.KIND:
        raise RadioError(
            f"The interface {name} in {place.file} is of the type {kinds[name]}.", "Use another --name."
        )
    return name


def changed(place: Place, plan: Plan) -> Change:
    """Raises ``OSError``, and ``RadioError`` where the file cannot be changed safely."""
    from lrgpnode.mesh import probe  # noqa: PLC0415 - loads Reticulum

    before = writing.read(place.file)
    options = section.options(plan)
    drop = (*section.OWNED, *(() if plan.role is Role.NODE else section.ROLE_OPTIONS))
    text = before if before is not None else section.empty_configuration().encode()
    unclear = RadioError(
        f"{place.file} has a layout that is not understood.", "Change it there with an editor."
    )
    try:
        after = put_section(text, plan.name, section.render(plan), options, drop)
        old, new = (
            probe.parse_config(item.decode(errors="replace").splitlines(), place.file)
            for item in (text, after)
        )
    except (EditError, probe.ConfigUnusable) as error:
        raise RadioError(f"{unclear} ({error})", unclear.hint) from None
    # What an edit does to an unusual layout is not taken on trust.
    ours = [item for item in new.interfaces if item.name == plan.name]
    others = [[item for item in config.interfaces if item.name != plan.name] for config in (old, new)]
    same = (old.shares, old.socket, old.data_port, old.rpc_port) == (
        new.shares,
        new.socket,
        new.data_port,
        new.rpc_port,
    )
    if (
        len(ours) != 1
        or not ours[0].enabled
        or any(ours[0].options.get(key) != value for key, value in options.items())
        or any(key in ours[0].options for key in section.OWNED if key not in options)
        or others[0] != others[1]
        or not same
    ):
        raise unclear
    return Change(before, after, options)


def _device(machine: Machine, options: Mapping[str, str]) -> Path | None:
    """Where the port of an interface leads; None for one that is not there, or none of this machine's."""
    port = options.get("port", "").strip()
    if not port or "://" in port:
        return None
    in_dev = port.removeprefix("/dev/")
    return (Path(port) if in_dev == port else machine.dev / in_dev).resolve()
