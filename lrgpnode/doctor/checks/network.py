"""Ports to listen on, and propagation nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lrgpnode.doctor import faults, sockets
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.patient import Patient
from lrgpnode.radio.tuned import Section

from .reticulum import sharer

LISTENERS: Final = {"TCPServerInterface": "tcp", "BackboneInterface": "tcp", "UDPInterface": "udp"}


def listening(patient: Patient) -> Iterator[Finding]:
    """the ports to listen on"""
    config = patient.config
    holder = None if config is None or not config.shares else sharer(patient, config)
    ours = {0 if patient.running is None else patient.running.pid, 0 if holder is None else holder.pid}
    for interface in patient.interfaces:
        kind, port = LISTENERS.get(interface.kind, ""), _port(interface)
        taken = sockets.on_port(patient.machine, port, kind) if kind and port else None
        if taken is None:
            continue
        process = sockets.owner(patient.machine, taken)
        if process.pid == 0 and ours != {0}:
            continue  # most likely that of the node or the instance, which we may not look into
        if process.pid not in ours or process.pid == 0:
            yield faults.PORT_TAKEN(
                interface=interface.name,
                kind=kind.upper(),
                port=port,
                process=process,
                file=patient.rns_dir / "config",
            )


def _port(interface: Section) -> int:
    """Where an interface is to listen; 0 where it does not, or lets the system choose."""
    options = interface.options
    # A BackboneInterface may be either end; for a client `port` is that of the other end.
    client = "target_host" in options or "remote" in options
    text = options.get("listen_port") or ("" if client else options.get("port", ""))
    return int(text) if text.isascii() and text.isdecimal() else 0


def propagation(patient: Patient) -> Iterator[Finding]:
    """the propagation nodes"""
    if patient.propagation:
        return
    try:
        known = patient.propagation_auto and patient.probe.nodes(patient.rns_dir)
    except ValueError as error:
        yield faults.NOT_LOOKED(what="what Reticulum knows", reason=str(error))
        return
    if not known:
        yield faults.PROPAGATION_NONE(command=patient.command("config", "set", "propagation.nodes", "HASH"))


CHECKS = (listening, propagation)
