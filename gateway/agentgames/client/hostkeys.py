"""Which SSH host keys are trusted: those in a file, and, where it has none for a host, the first one seen.

The file has OpenSSH's ``known_hosts`` form, so an operator can put a key there beforehand.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final

import asyncssh

from .errors import HostKeyRefused

log = logging.getLogger(__name__)

FILE_NAME: Final = "agentgames-known-hosts"
"""In the data directory, mode 0600."""

MOST_BYTES: Final = 1 << 20
SSH_PORT: Final = 22


class HostKeys:
    """``path``: the file, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self, host: str, address: str, port: int, key: asyncssh.SSHKey) -> None:
        """Raises ``HostKeyRefused`` for another key than the known one; the first one is kept."""
        known, revoked = self._known(host, address, port)
        if key in revoked:
            raise HostKeyRefused(f"The SSH host key of {host} is marked as revoked in {self._path.name}")
        if key in known:
            return
        if known:
            raise HostKeyRefused(
                f"The SSH host key of {host} is not the known one: somebody may stand between. If the server "
                f"has a new key, take its line out of {self._path.name}. It shows {key.get_fingerprint()}"
            )
        self._keep(host, port, key)
        log.warning("the SSH host key of %s is taken as it is: %s", host, key.get_fingerprint())

    def _known(
        self, host: str, address: str, port: int
    ) -> tuple[list[asyncssh.SSHKey], list[asyncssh.SSHKey]]:
        try:
            with self._path.open("rb") as file:
                data = file.read(MOST_BYTES)
        except FileNotFoundError:
            return [], []
        except OSError as error:
            raise HostKeyRefused(f"{self._path.name} cannot be read: {error.strerror}") from None
        try:
            found = asyncssh.match_known_hosts(data, host, address, port)
            # It looks again without the port where no key is good for it, and misses what is revoked there.
            marked = asyncssh.match_known_hosts(data, _named(host, port), "", None)
        except ValueError as error:
            raise HostKeyRefused(f"{self._path.name} cannot be read: {error}") from None
        return list(found[0]), [*found[2], *marked[2]]

    def _keep(self, host: str, port: int, key: asyncssh.SSHKey) -> None:
        name = _named(host, port)
        public = " ".join(key.export_public_key("openssh").decode().split()[:2])
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "w") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(f"{name} {public}\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise HostKeyRefused(f"{self._path.name} cannot be written: {error.strerror}") from None


def _named(host: str, port: int) -> str:
    return host if port == SSH_PORT else f"[{host}]:{port}"
