"""Ports to listen on, and propagation nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lrgpnode.doctor import faults, sockets
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient

from .reticulum import sharer

LISTENERS: Final = {"TCPServerInterface": "tcp", "BackboneInterface": "tcp", "UDPInterface": "udp"}


def listening(patient: Patient) -> Iterator[Finding]:
    """the ports to listen on"""
    config = patient.config
    holder = None if config is None or not config.shares else sharer(patient, config)
    ours = {0 if patient.running is None else patient.running.pid, 0 if holder is None else holder.pid}
    for interface in patient.interfaces:
        kind = LISTENERS.get(interface.kind, "")
        text = interface.options.get("listen_port") or (
            ""
            if "target_host" in interface.options or "remote" in interface.options
            else interface.options.get("port", "")
        )
        if not kind or not text.isdecimal():
            continue
        taken = sockets.on_port(patient.machine, int(text), kind)
        if taken is None:
            continue
        process = sockets.owner(patient.machine, taken)
        if process.pid == 0 and ours != {0}:
            continue  # most likely that of the node or the instance, which we may not look into
        if process.pid not in ours or process.pid == 0:
            yield faults.PORT_TAKEN(
                interface=interface.name,
                kind=kind.upper(),
                port=int(text),
                process=process,
                file=patient.rns_dir / "config",
            )


def propagation(patient: Patient) -> Iterator[Finding]:
    """the propagation nodes"""
    if patient.propagation:
        return
    try:
        known = patient.probe.nodes(patient.rns_dir)
    except ValueError as error:
        yield faults.NOT_LOOKED(what="what Reticulum knows", reason=str(error))
        return
    if not known:
        yield faults.PROPAGATION_NONE(settings=patient.settings)


CHECKS = (listening, propagation)
