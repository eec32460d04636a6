"""Tables of web platforms, as far as a text player is concerned; the gateway is handed in (`Gateway`).

A seat there is a game by LRGP between the player and the gateway's identity. Whoever has LRGP asks for one by
text and plays with his client; for others LRGP is spoken here (`wire`), and they play by text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from lrgpnode.protocol.errors import CallerError, ErrorCode, Rejection
from lrgpnode.protocol.value import Value

from . import replies
from .clean import fold
from .desk import WEB_NAME, Desk
from .draft import Draft


class Assist(Protocol):
    def __call__(self, player: str, app: str, *, wanted: bool) -> None: ...


def _never(player: str, app: str, *, wanted: bool) -> None:
    """Nobody is assisted."""


class Gateway(Protocol):
    """The part of ``lrgpnode.api.gateway.Desk`` that is used here. Raises ``CallerError``."""

    async def tables(self, app: str | None = None, platform: str | None = None) -> Any: ...
    def seats(self, peer: str | None = None, *, ended: bool = False) -> Sequence[Any]: ...
    @property
    def platforms(self) -> Collection[str]: ...
    async def request(
        self,
        peer: str,
        app: str,
        table: str | None = None,
        *,
        platform: str | None = None,
        insists: bool = False,
    ) -> Any: ...
    async def leave(self, peer: str | None, seat: int | None = None) -> Any: ...
    async def seek(self, peer: str, app: str) -> str: ...
    async def unseek(self, peer: str) -> bool: ...


INSISTS: Final = frozenset(["anyway", "insist", "insisting", "trotzdem"])
ASSIST: Final = frozenset(["assist", "assisted", "assistance"])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Wish(Value):
    """Where somebody wants to play.

    ``table``: its id, "" for any, or for the next game at the one where he has just played; ``platform``: a
    name, or "" for where the game goes usually. ``insists``: though his link is slow. ``assist``: the node is
    to move before his time is up.
    """

    table: str = ""
    platform: str = ""
    insists: bool = False
    assist: bool = False


def wish(words: str, platform: str = "") -> Wish:
    """What follows ``web`` or a platform's name, as it was written: others may tell tables by capitals."""
    said = [(word, fold(word).strip(".,;:!?")) for word in words.split()]
    known = INSISTS | ASSIST
    return Wish(
        table=" ".join(word for word, folded in said if folded not in known),
        platform=platform,
        insists=any(folded in INSISTS for _, folded in said),
        assist=any(folded in ASSIST for _, folded in said),
    )


class Web:
    """``gateway`` None: there is none. ``has_lrgp``: whether a player has a client that knows LRGP.

    ``assist`` is told whether a player wants to be assisted in his next game of a kind.
    """

    def __init__(
        self,
        gateway: Gateway | None,
        has_lrgp: Callable[[str], bool],
        title: Callable[[str], str],
        assist: Assist = _never,
    ) -> None:
        self._gateway = gateway
        self._has_lrgp = has_lrgp
        self._title = title
        self.assist = assist

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

    @property
    def platforms(self) -> Collection[str]:
        """What platforms are called."""
        return () if self._gateway is None else self._gateway.platforms

    async def play(self, desk: Desk, draft: Draft, app: str, wish: Wish) -> None:
        """Raises ``Rejection``."""
        gateway, me = self._gateway, draft.player.player
        if gateway is None:
            raise _refused("This node has no tables on the web.")
        with_client = self._has_lrgp(me)
        if with_client and wish.assist:
            raise _refused("You have an LRGP client: in its games every move is your own. Leave out assist.")
        if with_client or wish.table or wish.platform or wish.insists:
            try:
                await gateway.request(
                    me, app, wish.table or None, platform=wish.platform or None, insists=wish.insists
                )
            except CallerError as error:
                raise _refused(error.message) from None
        self.assist(me, app, wanted=wish.assist)
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

    def deadline(self, player: str, game_id: str) -> float | None:
        """Until when the player's move must be at the table, Unix seconds; None where it has no clock now."""
        held = self._gateway.seats(player) if self._gateway is not None else ()
        return next((seat.deadline for seat in held if seat.session == game_id), None)

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
