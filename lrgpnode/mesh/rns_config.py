"""A private Reticulum configuration for trying nodes on one machine or over one TCP connection.

``lrgpnode run --listen HOST:PORT`` and ``--connect HOST:PORT`` write it. It is written before
Reticulum starts, because Reticulum would otherwise make a default one and wait 1.5 s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lrgpnode.protocol.value import Value

LISTEN: Final = "Listen"
CONNECT: Final = "Connect"

# Host names, IPv4 and (from brackets) IPv6 with a scope. Nothing that could end a line of the file.
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?")
_IPV6 = re.compile(r"[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,15})?")


class EndpointError(ValueError):
    """A HOST:PORT that cannot be used, and why, in one sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint(Value):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_endpoint(text: str, *, any_port: bool = False) -> Endpoint:
    """``host:port`` or ``[ipv6]:port``. ``any_port`` allows port 0, the system's choice."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        valid = bool(bracket) and rest.startswith(":") and _IPV6.fullmatch(host) is not None and ":" in host
        port = rest[1:]
    else:
        host, _, port = text.rpartition(":")
        valid = _HOST.fullmatch(host) is not None
    if not valid:
        raise EndpointError(f"{text!r} is not HOST:PORT (write an IPv6 address in brackets: [::1]:4242)")
    if not (port.isascii() and port.isdigit() and (0 if any_port else 1) <= int(port) <= 65535):
        raise EndpointError(f"{text!r}: the port must be a number from 1 to 65535")
    return Endpoint(host, int(port))


def render(listen: Endpoint | None, connect: Sequence[Endpoint]) -> str:
    """The text of the configuration file."""
    lines = [
        "# Written by lrgpnode at every start with --listen or --connect; changes here are lost.",
        "[reticulum]",
        "share_instance = No",
        "enable_transport = No",
        "[interfaces]",
    ]
    if listen is not None:
        lines += [
            f"[[{LISTEN}]]",
            "type = TCPServerInterface",
            "enabled = Yes",
            f"listen_ip = {listen.host}",
            f"listen_port = {listen.port}",
        ]
    for number, endpoint in enumerate(connect, 1):
        lines += [
            f"[[{CONNECT} {number}]]",
            "type = TCPClientInterface",
            "enabled = Yes",
            f"target_host = {endpoint.host}",
            f"target_port = {endpoint.port}",
        ]
    return "\n".join(lines) + "\n"


def write(directory: Path, listen: Endpoint | None, connect: Sequence[Endpoint]) -> Path:
    """Write the configuration into ``directory``, which becomes Reticulum's configuration directory."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = directory / "config.new"
    partial.write_text(render(listen, connect), encoding="utf-8")
    partial.replace(directory / "config")
    return directory
