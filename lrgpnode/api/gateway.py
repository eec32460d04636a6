"""``gateway.*``: seats of mesh players at tables of web platforms.

`Desk` is what people may ask of the gateway, by whichever interface; ``gateway.service`` implements it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from lrgpnode.control import models
from lrgpnode.protocol.errors import CallerError, Kind

from .lookup import Lookup


class Desk(Protocol):
    """All raise ``CallerError``, whose message is a sentence for the person that asks."""

    @property
    def identity(self) -> str:
        """The gateway's own identity; "" while there is none."""
        ...

    def status(self) -> models.GatewayStatus: ...

    async def tables(self, app: str | None = None, platform: str | None = None) -> models.GatewayTables:
        """Tables with a free seat, asked for at the platforms now."""
        ...

    def seats(self, peer: str | None = None, *, ended: bool = False) -> Sequence[models.GatewaySeat]:
        """Seats that are not over, of one player or of all; the newest first."""
        ...

    @property
    def platforms(self) -> Collection[str]:
        """Names of the platforms that are set up."""
        ...

    async def request(
        self,
        peer: str,
        app: str,
        table: str | None = None,
        *,
        platform: str | None = None,
        insists: bool = False,
    ) -> models.GatewaySeat:
        """A player wants a seat (``table``, ``platform``: there, else where the game is routed to).

        ``insists``: also where the link to the player is too slow for the platform's time for a move.

        The player is not written to: the caller says what `invitation` says, in its answer.
        The seat is asked for when the player challenges the gateway.
        """
        ...

    async def leave(self, peer: str | None, seat: int | None = None) -> models.GatewaySeat:
        """Give a seat up: number ``seat``, or the one that the player has. ``peer`` None: the operator."""
        ...

    async def seek(self, peer: str, app: str) -> str:
        """A player wants an opponent at one of our own tables; what to tell the player, one sentence."""
        ...

    async def unseek(self, peer: str) -> bool:
        """The player does not wait any more; False where it did not wait."""
        ...

    def accounts(self) -> Sequence[models.GatewayAccount]: ...

    async def add_account(self, platform: str, name: str, token: str) -> models.GatewayAccount: ...

    async def remove_account(self, platform: str, name: str) -> models.GatewayAccount: ...


def invitation(seat: models.GatewaySeat, game: str) -> str:
    """What a player is told whose seat waits for a challenge; ``game``: its name."""
    return (
        f"Now challenge me to {game}: I ask for your seat when I have it, and accept when the order is known."
    )


class GatewayMethods:
    """``desk`` None: the gateway is off."""

    def __init__(self, lookup: Lookup, desk: Desk | None) -> None:
        self._lookup = lookup
        self._desk = desk

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "gateway.status": self._status,
            "gateway.tables": self._tables,
            "gateway.seats": self._seats,
            "gateway.leave": self._leave,
            "gateway.seek": self._seek,
            "gateway.unseek": self._unseek,
            "gateway.account.list": self._accounts,
            "gateway.account.add": self._add,
            "gateway.account.remove": self._remove,
        }

    @property
    def _open(self) -> Desk:
        if self._desk is None:
            raise CallerError(
                Kind.VALIDATION,
                "the gateway is off; turn it on with `lrgpnode config set gateway.enabled true`",
            )
        return self._desk

    async def _status(self, _: models.Nothing) -> models.GatewayStatus:
        return models.GatewayStatus(enabled=False) if self._desk is None else self._desk.status()

    async def _tables(self, params: models.GatewayTablesParams) -> models.GatewayTables:
        return await self._open.tables(params.app, params.platform)

    async def _seats(self, params: models.GatewaySeatsParams) -> models.GatewaySeats:
        if self._desk is None:
            return models.GatewaySeats(seats=())
        peer = None if params.peer is None else self._lookup.peer(params.peer)
        return models.GatewaySeats(seats=tuple(self._desk.seats(peer, ended=params.ended)))

    async def _leave(self, params: models.GatewaySeatParams) -> models.GatewaySeat:
        return await self._open.leave(None, params.id)

    async def _seek(self, params: models.GatewaySeekParams) -> models.GatewaySought:
        return models.GatewaySought(text=await self._open.seek(self._lookup.peer(params.peer), params.app))

    async def _unseek(self, params: models.GatewayUnseekParams) -> models.GatewayUnsought:
        return models.GatewayUnsought(waited=await self._open.unseek(self._lookup.peer(params.peer)))

    async def _accounts(self, _: models.Nothing) -> models.GatewayAccounts:
        return models.GatewayAccounts(accounts=tuple(self._open.accounts()))

    async def _add(self, params: models.GatewayAccountAddParams) -> models.GatewayAccount:
        return await self._open.add_account(params.platform, params.name, params.token)

    async def _remove(self, params: models.GatewayAccountParams) -> models.GatewayAccount:
        return await self._open.remove_account(params.platform, params.name)
