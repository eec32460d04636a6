"""Tables of web platforms, as far as a text player is concerned; the gateway is handed in (`Gateway`).

A seat there is a game by LRGP between the player and the gateway's identity. Whoever has LRGP asks for one by
text and plays with his client; for others LRGP is spoken here (`wire`), and they play by text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lrgpnode.protocol.errors import CallerError, ErrorCode, Rejection

from . import replies
from .desk import WEB_NAME, Desk
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

    async def tables(self, player: str, app: str) -> list[tuple[str, str]]:
        """(what to show, command that sits down there)."""
        if self._gateway is None:
            return []
        try:
            found = await self._gateway.tables(app or None)
        except CallerError:
            return []
        return [
            (
                f"{replies.short(table.app)}: {replies.name(table.title, table.id)} ({table.platform})",
                f"play {table.app} {WEB_NAME} {table.id}",
            )
            for table in found.tables
        ]

    async def play(self, desk: Desk, draft: Draft, app: str, table: str) -> None:
        """``table``: its id; "" for any, or for the next game at the one where he has just played. Raises
        ``Rejection``."""
        gateway = self._gateway
        if gateway is None:
            raise _refused("This node has no tables on the web.")
        with_client = self._has_lrgp(draft.player.player)
        if with_client or table:
            try:
                await gateway.request(draft.player.player, app, table or None)
            except CallerError as error:
                raise _refused(error.message) from None
        if not with_client:
            draft.show(desk.wire_challenge(draft, app))
            return
        draft.say(
            replies.fit(
                f"Now challenge me to {self._title(app)} with your LRGP client: I take the seat then, and "
                "accept when the order is known. leave gives it up."
            ),
            "web",
        )

    async def leave(self, player: str) -> str:
        """What was given up, "" where there was no seat. Raises ``Rejection``."""
        if self._gateway is None or not self._has_lrgp(player) or not self._gateway.seats(player):
            return ""
        try:
            seat = await self._gateway.leave(player)
        except CallerError as error:
            raise _refused(error.message) from None
        return f"{replies.short(seat.app)} at {seat.platform}"

    def playing(self, player: str) -> list[str]:
        """One line for each seat at which a player plays with his own client."""
        if self._gateway is None or not self._has_lrgp(player):
            return []
        return [
            f"{replies.short(seat.app)} at {seat.platform} v {replies.name(seat.opponent, '-')}: {seat.stage}"
            for seat in self._gateway.seats(player)
        ]

    def opponent(self, player: str, game_id: str) -> str:
        """What the platform calls the other side of a game."""
        held = self._gateway.seats(player, ended=True) if self._gateway is not None else ()
        return next((str(seat.opponent) for seat in held if seat.session == game_id), "")

    def expects(self, player: str, app: str) -> bool:
        """Whether a player is on the way to a table of this game, so that a challenge of ours is what he
        asked for: there the other side has the first move."""
        return self._gateway is not None and any(seat.app == app for seat in self._gateway.seats(player))

    async def seek(self, player: str, app: str) -> str:
        """What else is done to find an opponent, "" if nothing."""
        if self._gateway is None:
            return ""
        try:
            return " " + await self._gateway.seek(player, app)
        except CallerError:
            return ""

    async def unseek(self, player: str) -> bool:
        return self._gateway is not None and await self._gateway.unseek(player)


def _refused(message: str) -> Rejection:
    return Rejection(ErrorCode.PROTOCOL_ERROR, message)
