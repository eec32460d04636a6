"""The two ways to a server, behind one contract: a stream of messages, and how to get one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from gateway.secret import Secret
from lrgpnode.protocol.value import Value

USER: Final = "game"
"""Whom SSH asks for."""

PROBE: Final = "list"
"""A game that no server has: the error names those that it has, and says that the account is good."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits(Value):
    """Seconds and bytes. ``message``: of one message, which for the longest game of chess has a few KiB."""

    connect: float = 15.0
    close: float = 1.0
    message: int = 64 * 1024


class Connection(Protocol):
    """One connection, which the server closes after a match. One reader at a time."""

    @property
    def leaves_queue(self) -> bool:
        """Whether closing it takes us out of the queue; else a ghost stays there, which loses its match."""
        ...

    async def receive(self) -> bytes:
        """The next message, which need not be JSON. Raises ``Ended`` and ``Unusable``."""
        ...

    async def send(self, message: bytes) -> None:
        """Send one message with its newline. Raises ``Ended``."""
        ...

    async def close(self) -> None:
        """Close, not waiting long for the server to agree."""
        ...


class Dialer(Protocol):
    """Opens connections to one server."""

    async def dial(self, game: str, secret: Secret) -> Connection:
        """Ask for a place in the queue of a game. Raises ``Unreachable`` and ``Unauthorized``."""
        ...

    async def reach(self) -> None:
        """See whether the server is there, without an account. Raises ``Unreachable``."""
        ...

    async def close(self) -> None:
        """For good; connections that are open end."""
        ...
