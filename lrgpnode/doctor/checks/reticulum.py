"""Reticulum: its configuration, whose instance it is, whether anything leads out of the machine."""

from __future__ import annotations

from collections.abc import Iterator

from lrgpnode.doctor import faults, sockets
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Process
from lrgpnode.doctor.patient import Answer, Config, Patient

_LOCAL = ("LocalClientInterface", "LocalServerInterface")


def configuration(patient: Patient) -> Iterator[Finding]:
    """Reticulum's configuration"""
    file = patient.rns_dir / "config"
    if patient.rns_dir_is_set and not file.is_file():
        yield faults.RNS_CONFIG_MISSING(directory=patient.rns_dir, settings=patient.settings)
        return
    if patient.config_error:
        yield faults.RNS_CONFIG_INVALID(file=file, reason=patient.config_error)
    if file.is_file() and not patient.account.may(file.stat(), 4):
        yield faults.RNS_CONFIG_CLOSED(user=patient.account.name, file=file, group=patient.account.name)
    elif patient.config_closed:
        yield faults.NOT_LOOKED(what=file, reason="it may not be read")
    else:
        yield from _storage(patient)


def _storage(patient: Patient) -> Iterator[Finding]:
    """Reticulum fails where it cannot write beside its configuration."""
    for folder in (patient.rns_dir / "storage", patient.rns_dir):
        if folder.is_dir():
            if not patient.account.may(folder.stat(), 7):
                name = patient.account.name
                yield faults.RNS_DIR_CLOSED(user=name, group=name, directory=patient.rns_dir)
            return


def instance(patient: Patient) -> Iterator[Finding]:
    """the shared instance of Reticulum"""
    config = patient.config
    if config is None or not config.shares:
        if config is not None and patient.running is None:
            yield faults.RNS_NONE(socket=socket_name(config), start=patient.start)
        yield from _own_interfaces(patient)
        return
    holder = sharer(patient, config)
    uses = patient.running is not None and bool(patient.running.status.get("shared_instance"))
    if holder is None:
        if uses:
            yield faults.RNS_LOST(socket=socket_name(config))
        elif patient.running is None:
            yield faults.RNS_NONE(socket=socket_name(config), start=patient.start)
        yield from _own_interfaces(patient)
        return
    if patient.running is not None and holder.pid == patient.running.pid:
        yield from _own_interfaces(patient)
        return
    yield from _of_another(patient, config, holder)


def _of_another(patient: Patient, config: Config, holder: Process) -> Iterator[Finding]:
    answer, seen = patient.probe.ask()
    where = {"process": holder, "socket": socket_name(config), "file": config.file}
    if answer is Answer.WRONG_KEY:
        yield faults.RNS_RPC_AUTH(**where)
        return
    if answer in (Answer.SILENT, Answer.ABSENT):
        yield faults.RNS_FOREIGN(**where)
        return
    yield faults.RNS_OTHER(**where)
    if answer is Answer.UNKNOWN:
        yield faults.NOT_LOOKED(
            what=f"the interfaces of {holder}", reason=f"the key in {config.file.parent} may not be read"
        )
    elif not seen:
        yield faults.RNS_NO_INTERFACES(where=f"the configuration of {holder}", program=holder)
    for name, online in seen:
        if not online:
            yield faults.INTERFACE_DOWN(interface=name)


def _own_interfaces(patient: Patient) -> Iterator[Finding]:
    """Of the Reticulum that the node runs itself, or would."""
    if patient.running is not None:
        shown = [item for item in patient.running.status["interfaces"] if item.get("kind") not in _LOCAL]
        # One without a kind is in the list of problems, with what is wrong with it.
        for item in shown:
            if not item["online"] and item.get("kind"):
                yield faults.INTERFACE_DOWN(interface=item["name"])
        missing = not shown
    else:
        missing = patient.config is not None and not patient.interfaces
    if missing:
        yield faults.RNS_NO_INTERFACES(where=patient.rns_dir / "config", program="the node")


def sharer(patient: Patient, config: Config) -> Process | None:
    """The process that has the socket of the shared instance; None where nobody has."""
    machine = patient.machine
    if config.socket is not None:
        listener = sockets.on_path(machine, f"@rns/{config.socket}")
    else:
        listener = sockets.on_port(machine, config.data_port)
    return None if listener is None else sockets.owner(machine, listener)


def socket_name(config: Config) -> str:
    return f"@rns/{config.socket}" if config.socket is not None else f"TCP port {config.data_port}"


CHECKS = (configuration, instance)
