"""The running node, and what a node that ended left behind."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator

from lrgpnode.config import LOCK_NAME
from lrgpnode.doctor import faults
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.machine import Process
from lrgpnode.doctor.patient import Patient


def control_socket(patient: Patient) -> Iterator[Finding]:
    """the control socket"""
    if patient.running is not None:
        return
    holder = _lock_holder(patient)
    if holder is not None:
        yield faults.NODE_SILENT(
            data=patient.data,
            process=holder,
            socket=patient.socket,
            end="sudo systemctl kill -s KILL lrgpnode" if patient.service else f"kill -KILL {holder.pid}",
            start=patient.start,
        )
        return
    try:
        mode = patient.socket.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        yield faults.SOCKET_BLOCKED(socket=patient.socket)
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        error = probe.connect_ex(str(patient.socket))
    if error == errno.ECONNREFUSED:
        yield faults.SOCKET_STALE(socket=patient.socket, start=patient.start)
    elif error:
        yield faults.NOT_LOOKED(what=patient.socket, reason=os.strerror(error))


def problems(patient: Patient) -> Iterator[Finding]:
    """what the running node reports"""
    if patient.running is None:
        return
    for problem in patient.running.status.get("problems", ()):
        kind, _, rest = problem.partition(" ")
        name, separator, reason = rest.partition(": ")
        if kind == "Interface" and separator:
            yield faults.INTERFACE_FAILED(interface=name, reason=reason)
        elif kind == "Platform" and separator:
            accounts = patient.command("gateway", "account", "list")
            yield faults.PLATFORM_DOWN(platform=name, reason=reason.rstrip("."), accounts=accounts)
        else:
            yield faults.NODE_PROBLEM(problem=problem)


def _lock_holder(patient: Patient) -> Process | None:
    """The node that holds the data directory, although it does not answer.

    Read from /proc/locks: trying the lock would keep a node from starting at that moment.
    """
    try:
        status = (patient.data / LOCK_NAME).stat()
    except OSError:
        return None
    place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in (patient.machine.proc / "locks").read_text().splitlines():
        fields = line.split()
        if fields[1] == "FLOCK" and place in fields:
            return patient.machine.process(int(fields[4])) or Process(0, "a process that cannot be seen")
    return None


CHECKS = (control_socket, problems)
