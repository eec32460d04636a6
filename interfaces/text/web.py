"""Tables of web platforms, as far as a text player is concerned; the gateway is handed in (`Gateway`).

A seat there is a game by LRGP between the player and the gateway's identity. So whoever has LRGP takes one by
text and plays on with his client; to others such tables are not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lrgpnode.protocol.errors import CallerError, ErrorCode, Rejection

from . import replies
from .draft import Draft


class Gateway(Protocol):
    """The part of ``lrgpnode.api.gateway.Desk`` that is used here. Raises ``CallerError``."""

    async def tables(self, app: str | None = None, platform: str | None = None) -> Any: ...
    def seats(self, peer: str | None = None, *, ended: bool = False) -> Sequence[Any]: ...
    async def request(self, peer: str, app: str, table: str | None = None) -> Any: ...
    async def leave(self, peer: str | None, seat: int | None = None) -> Any: ...
    async def seek(self, peer: str, app: str) -> str: ...
    async def unseek(self, peer: str) -> bool: ...


class Web:
    """``gateway`` None: there is none. ``has_lrgp``: whether a player has a client that knows LRGP."""

    def __init__(
        self,
        gateway: Gateway | None,
        has_lrgp: Callable[[str], bool],
        title: Callable[[str], str],
    ) -> None:
        self._gateway = gateway
        self._has_lrgp = has_lrgp
        self._title = title
        self._listed: dict[str, str] = {}

    def knows(self, word: str) -> bool:
        """Whether a table of this id was listed."""
        return word.removeprefix("@") in self._listed

    async def tables(self, player: str, app: str) -> list[tuple[str, str]]:
        """(what to show, command that sits down there)."""
        if self._gateway is None or not self._has_lrgp(player):
            return []
        try:
            found = await self._gateway.tables(app or None)
        except CallerError:
            return []
        self._listed = {table.id.casefold(): table.id for table in found.tables}
        return [
            (
                f"{replies.short(table.app)}: {replies.name(table.title, table.id)} ({table.platform})",
                f"play {table.app} @{table.id}",
            )
            for table in found.tables
        ]

    async def play(self, draft: Draft, app: str, table: str) -> None:
        """Raises ``Rejection``."""
        gateway = self._of(draft)
        wanted = self._listed.get(table.removeprefix("@"), table.removeprefix("@")) or None
        try:
            await gateway.request(draft.player.player, app, wanted)
        except CallerError as error:
            raise _refused(error.message) from None
        draft.say(
            replies.fit(
                f"Now challenge me to {self._title(app)} with your LRGP client: I take the seat then, and "
                "accept when the order is known. leave gives it up."
            ),
            "web",
        )

    async def leave(self, player: str) -> str:
        """What was given up, "" where there was no seat. Raises ``Rejection``."""
        if self._gateway is None or not self._gateway.seats(player):
            return ""
        try:
            seat = await self._gateway.leave(player)
        except CallerError as error:
            raise _refused(error.message) from None
        return f"{replies.short(seat.app)} at {seat.platform}"

    def playing(self, player: str) -> list[str]:
        """One line for each seat that a player has."""
        if self._gateway is None:
            return []
        return [
            f"{replies.short(seat.app)} at {seat.platform} v {replies.name(seat.opponent, '-')}: {seat.stage}"
            for seat in self._gateway.seats(player)
        ]

    async def seek(self, player: str, app: str) -> str:
        """What else is done to find an opponent, "" if nothing."""
        if self._gateway is None or not self._has_lrgp(player):
            return ""
        try:
            return " " + await self._gateway.seek(player, app)
        except CallerError:
            return ""

    async def unseek(self, player: str) -> bool:
        return self._gateway is not None and await self._gateway.unseek(player)

    def _of(self, draft: Draft) -> Gateway:
        if self._gateway is None:
            raise _refused("This node has no tables on the web.")
        if not self._has_lrgp(draft.player.player):
            raise _refused(
                "Tables on the web need a client with LRGP; by text you play with the house or who."
            )
        return self._gateway


def _refused(message: str) -> Rejection:
    return Rejection(ErrorCode.PROTOCOL_ERROR, message)
