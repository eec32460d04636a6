"""Whether a TCP address is free to listen on, before Reticulum tries and goes on without it."""

from __future__ import annotations

import errno
import os
import socket

from . import sockets
from .machine import Machine


def refusal(host: str, port: int, machine: Machine | None = None) -> str:
    """Why nothing can listen there, in a sentence; empty if it can. Port 0 is always free.

    Binds the address for a moment, as whoever listens there would.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        return f"cannot listen on {host}: {error.strerror}"
    try:
        with socket.socket(family, kind, protocol) as probe:
            # As socketserver does: connections of an earlier life that are not over yet do not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            return f"cannot listen on {host} port {port}: {os.strerror(error.errno or 0)}"
        machine = machine or Machine()
        taken = sockets.on_port(machine, port)
        owner = sockets.owner(machine, taken) if taken is not None else "another program"
        return f"cannot listen on port {port}: {owner} has it; stop that program or choose another port"
    return ""
