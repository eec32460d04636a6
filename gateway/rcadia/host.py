"""The house host (protocol §8 without a browser): open tables for the games of this node, and who sits there.

It keeps tables through the bridge API (``hosting.table``) and decides by ``hosting.plan`` who sits down with
somebody from the web: a player of the mesh who has asked for an opponent, else after a while the opponent
in the house. Both sit with an account of the platform, as a web player does, so the platform sees nothing
special. What has to survive a restart is one small text (``hosting.memory``); the games themselves are
taken up from the platform.

Everything is on one loop. ``_wake`` is set by whatever changes; one task then does what the plan says.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gateway.rcadia.client.errors import Refused, Unauthorized
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.client.pauses import Pauses
from gateway.rcadia.hosting.engine import Engine
from gateway.rcadia.hosting.memory import Kept, KeptTable, Shelf, kept_seek, read, seek_of, written
from gateway.rcadia.hosting.own_seat import HOSTED, SEAT, OwnSeat
from gateway.rcadia.hosting.plan import (
    Deed,
    GiveUp,
    HostSettings,
    OpenTable,
    SeatHouse,
    SeatPlayer,
    TableView,
    due,
    plan,
)
from gateway.rcadia.hosting.table import Table, TableKey
from gateway.rcadia.hosting.words import Words
from gateway.seat import (
    Account,
    AccountRefused,
    HostedSeat,
    Platform,
    PlatformError,
    ResumeKey,
    SeatLost,
    Unreachable,
)
from gateway.seeking import HostTable, Mesh, Seek, Unwanted
from storage.errors import StorageError

log = logging.getLogger(__name__)

HOUSE: Final = "house"
MESH: Final = "mesh"

AGAIN_SECONDS: Final = 5.0
"""Before a seat that was refused is tried again, and before a table is opened after one that failed."""

REFUSED_SECONDS: Final = 300.0
"""The same where the platform does not take an account: somebody has to change something."""


@dataclass(slots=True)
class _Place:
    """One table, and who sits there for us: nobody, ``house`` or ``mesh`` (``seated``).

    ``player``: our player's id, "" while it is not known. ``since``: when the first stranger was seen;
    ``held``: since when a game waits for its order; ``vacant``: since when a seat that is kept for us has
    nobody in it. Seconds of the host's clock, 0 for not.
    """

    number: int
    table: Table
    opened: float
    seated: str = ""
    seat: OwnSeat | None = None
    key: Mapping[str, Any] = field(default_factory=dict)
    player: str = ""
    since: float = 0.0
    held: float = 0.0
    vacant: float = 0.0
    not_before: float = 0.0
    task: asyncio.Task[None] | None = None

    @property
    def strangers(self) -> int:
        return sum(one != self.player for one in self.table.players)


class HouseHost:
    """Implements ``gateway.seeking.Host`` and ``own_seat.Keeper``.

    ``account``: who sits down for us, ``name``: what the house is called there. ``engine`` None: no house.
    ``mesh`` None: nobody of a mesh can be seated (an arcade alone).
    """

    def __init__(
        self,
        settings: HostSettings,
        words: Mapping[str, Words],
        api: HostApi,
        platform: Platform,
        account: Account,
        engine: Engine | None,
        shelf: Shelf,
        *,
        mesh: Mesh | None = None,
        name: str = "house",
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._settings = replace(settings, house=settings.house and engine is not None)
        self._words = {app: words[app] for app in settings.games}
        self._api = api
        self._platform = platform
        self._account = account
        self._engine = engine
        self._shelf = shelf
        self._mesh = mesh
        self._name = name
        self._clock = clock
        self._wall = wall
        self._places: list[_Place] = []
        self._numbers = itertools.count(1)
        self._seeks: list[Seek] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._kept: str | None = None
        self._trouble = ""
        self._open_after = 0.0
        self._stopping = False

    # Life

    async def start(self) -> None:
        """Take up what was there before a restart, and begin. On the loop."""
        self._kept = self._shelf.load()
        kept = read(self._kept)
        self._seeks = [seek_of(one) for one in kept.seeks if one.app in self._words]
        for one in kept.tables:
            if one.app in self._words:
                self._take_up(one)
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Close tables where nobody sits; games are left as they are, for the next start."""
        await self._halt(lambda table: table.waiting and not table.players)

    async def close_tables(self) -> None:
        """End every table, games too: the host goes away for good (``host_left``, §3)."""
        await self._halt(lambda table: True)

    async def _halt(self, leaves: Callable[[Table], bool]) -> None:
        self._stopping = True
        await _end(self._running)
        left = [place for place in self._places if place.table.id and leaves(place.table)]
        await asyncio.gather(*(place.table.leave() for place in left))
        self._places = [place for place in self._places if place not in left]
        await self._save()
        await _end(*self._tasks)
        for place in self._places:
            if place.seat is not None:
                await place.seat.close()

    # The service's side (``gateway.seeking.Host``)

    @property
    def games(self) -> Collection[str]:
        return tuple(self._words)

    async def seek(self, peer: str, app: str) -> str:
        if app not in self._words:
            raise Unwanted("No tables of that game are kept here")
        others = [seek for seek in self._seeks if seek.peer != peer]
        if len(others) >= self._settings.most_seeks:
            raise Unwanted("Too many are waiting already; try again later")
        now = self._wall()
        seek = Seek(peer=peer, app=app, at=now, until=now + self._settings.seek_seconds)
        self._seeks = [*others, seek]
        await self._save()
        self._changed()
        minutes = round(self._settings.seek_seconds / 60)
        return (
            f"You are in line for {self._words[app].title}: I write to you if an opponent comes "
            f"within {minutes} min."
        )

    async def unseek(self, peer: str) -> bool:
        return await self._drop([seek for seek in self._seeks if seek.peer == peer])

    def seeks(self) -> Sequence[Seek]:
        return tuple(self._seeks)

    def tables(self) -> Sequence[HostTable]:
        return tuple(
            HostTable(
                id=place.table.id,
                app=place.table.app,
                stage=_stage(place.table),
                round=place.table.game.round,
                players=len(place.table.players),
                seated=place.seated,
                trouble=place.table.trouble,
            )
            for place in self._places
        )

    def trouble(self) -> str:
        return self._trouble

    async def reopen(self, key: ResumeKey) -> HostedSeat:
        session = str(key.get(HOSTED))
        place = self._at(session)
        if place is not None and place.seated != MESH:
            raise SeatLost("Somebody else sits there now")
        inner = await self._platform.resume(key.get(SEAT) or {}, self._account)
        seat = OwnSeat(inner, session, self._table_of(session), self)
        return seat if place is None else self._sits(place, MESH, seat)

    # A seat's side (``own_seat.Keeper``)

    async def give_back(self, seat: OwnSeat) -> None:
        """Before the game the house takes the seat of a player of the mesh: who waits there shall play."""
        place = self._of(seat)
        if place is not None and place.seated == MESH and not seat.begun and self._settings.house:
            place.seated, place.key, seat.handed_over = HOUSE, seat.resume_key, True
            await seat.close()
            place.table.hold(False)
            self._spawn(self._resume_house(place))
            return
        await seat.inner.leave()
        if place is not None and place.seated == MESH:
            self._unseat(place)

    def sat_again(self, seat: OwnSeat) -> None:
        place = self._at(seat.session)
        if place is None or not place.seated:
            return
        self._sits(place, place.seated, seat)
        if place.table.app == "chess":
            # The colours change now; in other games the player's challenge says who begins.
            place.table.hold(False)

    def told(self, seat: OwnSeat) -> None:
        self._changed()

    # The loop

    def _changed(self) -> None:
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            now, wall = self._clock(), self._wall()
            for place in self._places:
                self._look(place, now)
            settings = self._settings
            if now < self._open_after:
                settings = replace(settings, max_tables=0)
            for deed in plan(settings, self._views(), self._seeks, now=now, wall=wall):
                self._do(deed, now)
            await self._save()
            try:
                async with asyncio.timeout(self._pause()):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def _pause(self) -> float | None:
        """Seconds until something is due although nothing happens."""
        now = self._clock()
        waits = [self._open_after - now]
        since = [time for place in self._places for time in (place.held, place.vacant) if time]
        waits += [time + self._settings.order_seconds - now for time in since]
        then = due(self._settings, self._views(), self._seeks, now=now, wall=self._wall())
        later = [wait for wait in (*waits, then or 0.0) if wait > 0]
        return min(later) if later else None

    def _look(self, place: _Place, now: float) -> None:
        """Bring what is known of a table in line with what it says."""
        table, seat = place.table, place.seat
        if seat is not None and seat.seat is not None and table.game.players and seat.session == table.id:
            place.player = table.game.players[seat.seat]
        gone = table.waiting and place.player and place.player not in table.players
        if place.seated == MESH and gone and seat is not None and seat.session != table.id:
            self._unseat(place)  # the player did not come to the rematch in time
        vacant = place.seated == MESH and seat is None
        place.vacant = (place.vacant or now) if vacant else 0.0
        if vacant and table.waiting and now >= place.vacant + self._settings.order_seconds:
            self._unseat(place)  # the service does not know of it any more
        place.since = (place.since or now) if place.strangers and table.waiting else 0.0
        held = table.game.phase == "waiting" and bool(table.game.players)
        place.held = (place.held or now) if held else 0.0
        if held and now >= place.held + self._settings.order_seconds:
            place.held = now
            self._spawn(self._no_order(place))

    def _views(self) -> list[TableView]:
        return [
            TableView(
                id=str(place.number),
                app=place.table.app,
                waiting=place.table.waiting,
                strangers=place.strangers,
                taken=bool(place.seated),
                since=place.since,
                not_before=place.not_before,
            )
            for place in self._places
        ]

    def _do(self, deed: Deed, now: float) -> None:
        match deed:
            case OpenTable(app):
                self._serve(Table(self._api, self._words[app], self._settings, self._changed), now)
            case SeatPlayer(number, seek):
                place = next(one for one in self._places if str(one.number) == number)
                place.seated = MESH
                self._spawn(self._seat_player(place, seek))
            case SeatHouse(number):
                place = next(one for one in self._places if str(one.number) == number)
                place.seated = HOUSE
                self._spawn(self._seat_house(place))
            case GiveUp(seek):
                self._seeks.remove(seek)
                title = self._words[seek.app].title
                self._spawn(
                    self._tell(seek.peer, f"Nobody has come for {title}; ask again whenever you like.")
                )

    # Tables

    def _serve(self, table: Table, now: float) -> _Place:
        place = _Place(next(self._numbers), table, now)
        self._places.append(place)
        place.task = self._spawn(self._run_table(place))
        return place

    async def _run_table(self, place: _Place) -> None:
        pause = 0.0
        try:
            await place.table.run()
        except (Unauthorized, Refused) as error:
            self._is_trouble(str(error))
            pause = REFUSED_SECONDS
        except Exception:
            log.exception("table %s (%s) failed", place.table.id, place.table.app)
            pause = AGAIN_SECONDS
        else:
            if self._clock() < place.opened + AGAIN_SECONDS:
                pause = AGAIN_SECONDS
        if pause:
            self._open_after = max(self._open_after, self._clock() + pause)
        if place in self._places:
            self._places.remove(place)
        self._changed()

    def _take_up(self, kept: KeptTable) -> None:
        key = TableKey(session=kept.session, app=kept.app, hold=kept.hold)
        table = Table(self._api, self._words[kept.app], self._settings, self._changed, key=key)
        place = self._serve(table, self._clock())
        place.seated, place.key = kept.seated, kept.seat
        if kept.seated == HOUSE:
            self._spawn(self._resume_house(place))

    def _at(self, session: str) -> _Place | None:
        return next((place for place in self._places if place.table.id == session), None)

    def _table_of(self, session: str) -> Table | None:
        """The table with this session, or whose last one it was."""
        tables = (place.table for place in self._places)
        return next((table for table in tables if session in (table.id, table.before)), None)

    def _of(self, seat: OwnSeat) -> _Place | None:
        return next((place for place in self._places if place.seat is seat), None)

    # Seats

    async def _seat_player(self, place: _Place, seek: Seek) -> None:
        assert self._mesh is not None
        place.table.hold(True)
        seat = await self._sit(place, self._mesh.name(seek.peer))
        if seat is None:
            return
        try:
            await self._mesh.seat(seek, seat, self._account)
        except Unwanted as unwanted:
            log.info("%s is not seated: %s", seek.peer, unwanted)
            await self._give_back(seat)
        await self._drop([seek])

    async def _seat_house(self, place: _Place) -> None:
        seat = await self._sit(place, self._name)
        if seat is not None:
            self._play(place, seat)

    async def _sit(self, place: _Place, name: str) -> OwnSeat | None:
        """Sit down at the table; None where that does not work now."""
        table, session = place.table, place.table.id

        async def note(key: ResumeKey) -> None:
            place.key = {HOSTED: session, SEAT: dict(key)}
            await self._save()

        try:
            inner = await self._platform.open_seat(table.app, session, self._account, name, note)
        except PlatformError as error:
            refused = isinstance(error, AccountRefused)
            if refused:
                self._is_trouble(str(error))
            log.info("no seat at table %s: %s", session, error)
            asked = error.retry_after or 0.0 if isinstance(error, Unreachable) else 0.0
            place.not_before = self._clock() + max(asked, REFUSED_SECONDS if refused else AGAIN_SECONDS)
            self._unseat(place)
            return None
        self._is_trouble("")
        return self._sits(place, place.seated, OwnSeat(inner, session, table, self))

    def _sits(self, place: _Place, who: str, seat: OwnSeat) -> OwnSeat:
        place.seated, place.seat, place.key = who, seat, seat.resume_key
        self._changed()
        return seat

    def _unseat(self, place: _Place) -> None:
        place.seated, place.seat, place.key, place.player = "", None, {}, ""
        place.table.hold(False)

    def _play(self, place: _Place, seat: OwnSeat) -> None:
        """The house plays in this seat from now on."""
        self._sits(place, HOUSE, seat)
        self._spawn(self._engine_plays(place, seat))

    async def _engine_plays(self, place: _Place, seat: OwnSeat) -> None:
        assert self._engine is not None
        app = place.table.app
        try:
            await self._engine.play(app, seat, lambda: self._stays(app))
        finally:
            if place.seated == HOUSE and not self._stopping:
                self._unseat(place)

    def _stays(self, app: str) -> bool:
        """The house makes room for players who wait."""
        return self._settings.rematch and not any(seek.app == app for seek in self._seeks)

    async def _resume_house(self, place: _Place) -> None:
        pauses = Pauses()
        while True:
            try:
                inner = await self._platform.resume(place.key.get(SEAT) or {}, self._account)
                break
            except Unreachable as error:
                await pauses.after_seconds(error.retry_after)
            except PlatformError as error:
                log.info("the house has lost its seat at table %s: %s", place.table.id, error)
                self._unseat(place)
                return
        if self._settings.house:
            self._play(place, OwnSeat(inner, str(place.key.get(HOSTED)), place.table, self))
        else:
            await inner.leave()
            self._unseat(place)

    async def _no_order(self, place: _Place) -> None:
        """The player of the mesh has not accepted, or the service does not know of the seat any more."""
        if place.seat is not None:
            await self._give_back(place.seat)
        else:
            place.table.stop("opponent_absent")

    async def _give_back(self, seat: OwnSeat) -> None:
        try:
            await self.give_back(seat)
        except PlatformError as error:
            log.info("a seat at table %s is not given back: %s", seat.session, error)

    # The queue, and the rest

    async def _drop(self, seeks: Collection[Seek]) -> bool:
        before = len(self._seeks)
        self._seeks = [seek for seek in self._seeks if seek not in seeks]
        await self._save()
        return len(self._seeks) < before

    async def _tell(self, peer: str, text: str) -> None:
        if self._mesh is not None:
            await self._mesh.tell(peer, text)

    async def _save(self) -> None:
        tables = tuple(
            KeptTable(
                session=place.table.id,
                app=place.table.app,
                hold=place.table.key.hold,
                seated=place.seated,
                seat=dict(place.key),
            )
            for place in self._places
            if place.table.id
        )
        text = written(Kept(tables=tables, seeks=tuple(map(kept_seek, self._seeks))))
        if text == self._kept:
            return
        try:
            await self._shelf.save(text)
            self._kept = text
        except StorageError as error:
            log.error("what the house host does is not kept: %s", error)

    def _is_trouble(self, text: str) -> None:
        if text and text != self._trouble:
            log.error("the house host: %s", text)
        self._trouble = text

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the house host failed", exc_info=error)
        self._changed()


def _stage(table: Table) -> str:
    if not table.id:
        return "opening"
    if table.trouble:
        return "away"
    if table.game.phase == "playing":
        return "playing"
    return "open" if table.waiting else "starting"


async def _end(*tasks: asyncio.Task[None] | None) -> None:
    """Cancel tasks and wait until they have ended."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
