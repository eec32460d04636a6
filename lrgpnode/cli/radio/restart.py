"""What must be started again before a changed radio is in use: Reticulum reads its configuration once."""

from __future__ import annotations

from collections.abc import Iterator

from lrgpnode.doctor.checks.reticulum import sharer
from lrgpnode.doctor.machine import Process
from lrgpnode.doctor.patient import Patient


def what_to_restart(
    patient: Patient, *, radio: bool = True, settings: bool = False
) -> Iterator[tuple[str, str]]:
    """(program, command) of each that has to be; nothing where none runs with this configuration.

    ``radio``: the radio has been changed; ``settings``: those of the node, which it also reads once.
    """
    node = patient.running
    holder = other_program(patient)
    if radio and holder is not None:
        # The node reconnects to it by itself.
        yield str(holder), _command(patient, holder)
    if node is not None and (settings or (radio and holder is None)):
        again = f"{patient.command('stop')} && {_run(patient, node.pid)}"
        yield f"lrgpnode (process {node.pid})", _of_service(patient, node.pid) or again


def other_program(patient: Patient) -> Process | None:
    """The program other than the node that has the radios of the configuration and shares them."""
    config, node = patient.config, patient.running
    holder = sharer(patient, config) if config is not None and config.shares else None
    return holder if holder is not None and (node is None or holder.pid != node.pid) else None


def _run(patient: Patient, pid: int) -> str:
    """How to start a node again with the configuration it was started with."""
    named = any(word.partition("=")[0] == "--rns-config" for word in patient.machine.arguments(pid))
    return patient.command("run", *(["--rns-config", str(patient.rns_dir)] if named else []))


def _command(patient: Patient, process: Process) -> str:
    if not process.pid:
        return "end it and start it again as you did"
    return _of_service(patient, process.pid) or (f"kill {process.pid}, then start it again as you did")


def _of_service(patient: Patient, pid: int) -> str:
    service = patient.machine.service_of(pid)
    if service is None:
        return ""
    name, of_user = service
    return f"systemctl --user restart {name}" if of_user else f"sudo systemctl restart {name}"
