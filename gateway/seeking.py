"""Players of the mesh who want an opponent at a table of ours: the joint of the service and a house host.

A ``Host`` keeps open tables at one platform and takes players from its queue when somebody from the web
has sat down. It then hands the ``Mesh``, which is the service, a `HostedSeat`; all that follows between
that seat and the player is the bridge's. Both live on the node's loop.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from lrgpnode.protocol.value import Value

from .seat import Account, HostedSeat, ResumeKey


class Unwanted(Exception):
    """The player cannot be seated (it plays already, is blocked, ...); ``str()`` is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Seek(Value):
    """``at``, ``until``: Unix seconds; after ``until`` the player does not wait any more.

    ``session``: of a challenge of the player that is to be accepted, "" where the player is challenged.
    """

    peer: str
    app: str
    at: float
    until: float
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostTable(Value):
    """A table of ours. ``stage``: ``opening``, ``open``, ``starting``, ``playing`` or ``away``.

    ``seated``: who sits there for us, ``house``, ``mesh`` or "". ``trouble``: why it does not go on, or "".
    """

    id: str
    app: str
    stage: str
    round: int
    players: int
    seated: str
    trouble: str = ""


class Mesh(Protocol):
    """What a house host needs of the service."""

    def name(self, peer: str) -> str:
        """What a player is called at tables."""
        ...

    def free(self, peer: str, platform: str) -> bool:
        """Whether the player could be seated there now; else it stays in line."""
        ...

    async def seat(self, seek: Seek, seat: HostedSeat, account: Account) -> None:
        """Bring the player to this seat: challenge or invite, ``begin`` when the order is known, bridge.

        Returns when that is stored, so that a restart goes on with it (``Host.reopen``). A player that does
        not come is given up with ``seat.leave``. Raises ``Unwanted``, ``StorageError``.
        """
        ...

    async def tell(self, peer: str, text: str) -> None:
        """Write to a player, as the gateway."""
        ...


class Host(Protocol):
    """A house host, as the service sees it."""

    async def start(self) -> None:
        """Take up what was there before a restart, and begin."""
        ...

    def reconcile(self, sessions: Collection[str]) -> None:
        """Give away seats of ours that nobody sits in, but for those in these sessions. After ``start``."""
        ...

    async def stop(self) -> None:
        """Do no more; games that go on are left for the next start."""
        ...

    @property
    def games(self) -> Collection[str]:
        """App ids of the games that it hosts."""
        ...

    async def seek(self, peer: str, app: str) -> str:
        """Queue a player; one sentence that says so. Raises ``Unwanted``."""
        ...

    async def unseek(self, peer: str) -> bool:
        """Take a player from the queue; False where it was not in it."""
        ...

    def changed(self) -> None:
        """A player may be free for another game."""
        ...

    async def take(self, peer: str, app: str, session: str) -> bool:
        """Seat a player who has challenged us, if somebody from the web waits alone; whether that was done.

        True: the ``Mesh`` has the seat, for a game in ``session``.
        """
        ...

    def still(self) -> AbstractAsyncContextManager[None]:
        """No table is opened meanwhile, and all that there are are known: which are ours can be said."""
        ...

    def seeks(self) -> Sequence[Seek]:
        """The queue, the longest waiting first."""
        ...

    def tables(self) -> Sequence[HostTable]: ...

    def trouble(self) -> str:
        """Why nothing can be hosted just now, or ""."""
        ...

    async def reopen(self, key: ResumeKey) -> HostedSeat:
        """A mesh player's seat after a restart, by its ``resume_key``. Raises as ``Platform.resume`` does."""
        ...
