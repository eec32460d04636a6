"""RCADIA as a platform of the gateway (``gateway.seat.Platform``): tables, taking seats, reopening them.

Nothing is joined before the game, the mode and what is shown of the state are known to be playable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final

import msgspec

from gateway.address import parse_address
from gateway.seat import (
    Account,
    AccountRefused,
    CannotPlay,
    NoTable,
    Note,
    PlatformError,
    RemoteTable,
    ResumeKey,
    Unreachable,
)
from lrgpnode.protocol.printable import printable

from .client.agent import AgentApi
from .client.errors import (
    Conflict,
    Forbidden,
    RcadiaError,
    Refused,
    ServerRestarted,
    UnknownSession,
    Unreachable as NoAnswer,
    Unusable,
)
from .client.transport import Connections, Transport
from .course import Course
from .seat import RcadiaSeat, Timing, course_of, seat_key
from .shapes.lobby import unplayable
from .shapes.which import APPS, app_of, playable
from .translate import gone, platform_error
from .wire import SESSION_ID, Snapshot, Table, read_answered_config

JOINED_AGAIN: Final = 3
"""How often joining is tried where no answer comes: it may be repeated (§5)."""

TABLES_TRIED: Final = 5
NO_SESSION: Final = "ses_000000000000"
"""An id of another start of the server: whoever asks for it learns whether the token is good, no more.

No request of the protocol says that alone (§3, §5): those with a token make something or name a session, and
to name one that is there could make a player ready in it (§6), or say nothing of the scope. Such an id is
what every program has that outlives a restart, and its answer is written down (§1: 410, §7: 404).
"""


class RcadiaPlatform:
    """``name``: of the platform in the settings. ``connections`` are closed with it."""

    def __init__(
        self,
        name: str,
        connections: Connections,
        *,
        timing: Timing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._name = name
        self._connections = connections
        self._timing = timing or Timing()
        self._clock = clock

    @property
    def name(self) -> str:
        return self._name

    @property
    def games(self) -> Collection[str]:
        return APPS

    @property
    def move_seconds(self) -> float | None:
        """As ``Platform.move_seconds``: each table has its own clock."""
        return None

    @property
    def queue_seconds(self) -> float | None:
        """As ``Platform.queue_seconds``: a seat is kept until somebody comes."""
        return None

    def move(self, url: str) -> None:
        """The platform is at another address, of this computer or a private network. Raises ``RcadiaError``.

        Before anything was asked of it.
        """
        self._connections.address = parse_address(url, allow_plain=True)

    async def tables(self, app: str | None = None) -> Sequence[RemoteTable]:
        """As ``Platform.tables``: those with somebody waiting first."""
        return [
            RemoteTable(
                id=table.session_id,
                app=found,
                title=_line(table.game_title or table.game_slug or found),
                players=table.current_players,
                seats=table.max_players,
                host=_line(table.host),
                move_seconds=_clock_of(table),
            )
            for found, table in await self._open_tables(app)
        ]

    async def open_seat(
        self,
        app: str,
        table: str | None,
        account: Account,
        player: str,
        note: Note,
        avoid: Collection[str] = (),
    ) -> RcadiaSeat:
        """As ``Platform.open_seat``. A table that is taken meanwhile is followed by the next."""
        api = self._api(account)
        open_tables = await self._open_tables(None if table else app)
        if table is not None:
            chosen = [entry for entry in open_tables if entry[1].session_id == table]
            if chosen and chosen[0][0] != app:
                raise CannotPlay("Another game is played at that table")
            if not chosen:
                await self._explain(table)
        else:
            chosen = [entry for entry in open_tables if entry[1].session_id not in avoid]
        trouble: PlatformError = NoTable("No table of that game has a free seat now")
        for _, entry in chosen[:TABLES_TRIED]:
            try:
                await self._check_shown(api, app, entry)
                return await self._join(api, app, entry.session_id, player, note)
            except (NoTable, CannotPlay) as error:
                trouble = error
        raise trouble

    async def resume(self, key: ResumeKey, account: Account) -> RcadiaSeat:
        """As ``Platform.resume``."""
        session_id, course = course_of(key)
        api = self._api(account)
        try:
            snapshot = await api.state(session_id)
        except RcadiaError as error:
            raise gone(error, "There is no such seat any more") from None
        return self._seat(api, session_id, course, snapshot)

    async def check(self, account: Account | None) -> None:
        """As ``Platform.check``."""
        try:
            if account is None:
                await AgentApi(Transport(self._connections)).available()
            else:
                await self._api(account).state(NO_SESSION)
        except (UnknownSession, ServerRestarted):
            return
        except RcadiaError as error:
            raise platform_error(error) from None

    async def close(self) -> None:
        await self._connections.close()

    # Inside

    def _api(self, account: Account) -> AgentApi:
        try:
            return AgentApi(Transport(self._connections, account.token))
        except RcadiaError as error:
            raise AccountRefused(str(error)) from None

    def _seat(self, api: AgentApi, session_id: str, course: Course, snapshot: Snapshot) -> RcadiaSeat:
        return RcadiaSeat(api, session_id, course, snapshot=snapshot, timing=self._timing, clock=self._clock)

    async def _open_tables(self, app: str | None) -> list[tuple[str, Table]]:
        try:
            listed = await AgentApi(Transport(self._connections)).available()
        except RcadiaError as error:
            raise platform_error(error) from None
        found = [
            (game, table)
            for table in listed
            if table.joinable and not table.reserved and SESSION_ID.match(table.session_id)
            for game in [app_of(table)]
            if game is not None and app in (None, game) and playable(table)
        ]
        return sorted(found, key=lambda entry: (-entry[1].current_players, entry[1].host != "house"))

    async def _explain(self, table: str) -> None:
        """Why a table that was asked for cannot be sat down at. Raises ``NoTable`` or ``CannotPlay``."""
        try:
            listed = await AgentApi(Transport(self._connections)).available(everything=True)
        except RcadiaError as error:
            raise platform_error(error) from None
        entry = next((one for one in listed if one.session_id == table), None)
        if entry is None:
            raise NoTable("There is no such table")
        if app_of(entry) is None or not playable(entry):
            raise CannotPlay("The game of that table cannot be played from here")
        raise NoTable("That table has no free seat")

    async def _check_shown(self, api: AgentApi, app: str, table: Table) -> None:
        """Raises ``CannotPlay`` for a state that nobody here understands, ``NoTable`` if there is none."""
        try:
            view = await api.public(table.session_id)
        except ServerRestarted:
            raise NoTable("There is no such table any more") from None
        except NoAnswer as error:
            raise platform_error(error) from None
        except RcadiaError:
            return  # the platform has no public view: joining and the seat will tell
        if why := unplayable(app, view.state):
            raise CannotPlay(f"That table cannot be played from here: {why}")

    async def _join(self, api: AgentApi, app: str, session_id: str, player: str, note: Note) -> RcadiaSeat:
        await note(seat_key(session_id, app))
        pauses = self._timing.pauses()
        for attempt in range(JOINED_AGAIN):
            try:
                snapshot = await api.join(session_id, _line(player))
            except Conflict as conflict:
                raise NoTable(_taken(conflict)) from None
            except (UnknownSession, ServerRestarted):
                raise NoTable("There is no such table any more") from None
            except (NoAnswer, Unusable) as error:
                if attempt + 1 == JOINED_AGAIN or (isinstance(error, NoAnswer) and error.retry_after):
                    raise platform_error(error) from None
                await pauses.after(error)
            except (Forbidden, Refused) as error:
                raise AccountRefused(str(error)) from None
            except RcadiaError as error:
                raise platform_error(error) from None
            else:
                return self._seat(api, session_id, Course(app), snapshot)
        raise Unreachable("The platform does not answer")


def _clock_of(table: Table) -> float | None:
    """The time for a move at a table, seconds; 0 on the wire is none."""
    try:
        seconds = read_answered_config(table.config).turn_timeout
    except msgspec.ValidationError:
        return None
    return seconds if seconds > 0 else None


def _taken(conflict: Conflict) -> str:
    return {
        "full": "The table is full",
        "in_progress": "The game at that table has begun",
        "reserved": "The table is kept for those who played there",
        "finished": "The game at that table is over",
    }.get(conflict.code, f"The table cannot be joined: {conflict}")


def _line(text: str) -> str:
    """A name as one line, for the platform or for people here."""
    return "".join(c if printable(c) else " " for c in text).strip()[:60]
