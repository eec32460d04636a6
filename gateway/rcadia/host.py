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
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from gateway.rcadia.client.errors import Refused, Unauthorized
from gateway.rcadia.client.host import HostApi
from gateway.rcadia.hosting.engine import Engine
from gateway.rcadia.hosting.memory import Kept, KeptTable, Shelf, kept_seek, read, seek_of, written
from gateway.rcadia.hosting.own_seat import HOSTED
from gateway.rcadia.hosting.place import HOUSE, MESH, Place, patience_ends
from gateway.rcadia.hosting.plan import (
    CloseTable,
    Deed,
    GiveUp,
    HostSettings,
    OpenTable,
    SeatHouse,
    SeatPlayer,
    due,
    plan,
)
from gateway.rcadia.hosting.table import Table, TableKey
from gateway.rcadia.hosting.usher import AGAIN_SECONDS, REFUSED_SECONDS, Usher
from gateway.rcadia.hosting.words import Words
from gateway.seat import Account, HostedSeat, Platform, ResumeKey
from gateway.seeking import HostTable, Mesh, Seek, Unwanted
from storage.errors import StorageError

log = logging.getLogger(__name__)

KNOWN_SECONDS: Final = 20.0
"""So long it is waited for the platform to say which tables are ours."""


class HouseHost:
    """Implements ``gateway.seeking.Host`` and ``hosting.usher.Hall``.

    ``account``: who sits down for us, ``name``: what the house is called there. ``engine`` None: no house.
    ``mesh`` None: nobody of a mesh can be seated (an arcade alone). ``wall``: Unix seconds, for the queue.
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
        self._settings = settings = replace(settings, house=settings.house and engine is not None)
        self._words = {app: words[app] for app in settings.games}
        self._api = api
        self._shelf = shelf
        self._mesh = mesh
        self._platform = platform.name
        self._clock = clock
        self._wall = wall
        self._usher = Usher(self, settings, platform, account, engine, mesh, name, clock, self._spawn)
        self._places: list[Place] = []
        self._numbers = itertools.count(1)
        self._seeks: list[Seek] = []
        self._bringing: list[Seek] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._wake = asyncio.Event()
        self._running: asyncio.Task[Any] | None = None
        self._kept: str | None = None
        self._trouble = ""
        self._open_after = 0.0
        self._stills = 0
        self._news = asyncio.Event()

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

    def reconcile(self, sessions: Collection[str]) -> None:
        """Seats of players that no bridge knows of go to whoever is in line, else to the house.

        They were taken just before a kill. ``sessions``: those of the seats that bridges have.
        """
        for place in self._places:
            known = {place.table.id, place.table.before, str(place.key.get(HOSTED))}
            if place.seated != MESH or place.seat is not None or known.intersection(sessions):
                continue
            if not place.key:
                place.unseat()
                continue
            app = place.table.app
            seek = next((one for one in self._in_line() if one.app == app and self._free(one)), None)
            self._bring(seek, self._usher.bring_again(place, seek))
        self.changed()

    async def stop(self) -> None:
        """Close tables where nobody sits; games are left as they are, for the next start."""
        await self._halt(lambda table: table.waiting and not table.players)

    async def close_tables(self) -> None:
        """End every table, games too: the host goes away for good (``host_left``, §3)."""
        await self._halt(lambda table: True)

    async def _halt(self, leaves: Callable[[Table], bool]) -> None:
        await _end(self._running)
        left = [place for place in self._places if place.table.id and leaves(place.table)]
        await asyncio.gather(*(place.table.leave() for place in left))
        self._places = [place for place in self._places if place not in left]
        await self.save()
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
        await self.save()
        self.changed()
        title, minutes = self._words[app].title, round(self._settings.seek_seconds / 60)
        return f"You are in line for {title}: I write to you if an opponent comes within {minutes} min."

    async def unseek(self, peer: str) -> bool:
        before = len(self._seeks)
        self._seeks = [seek for seek in self._seeks if seek.peer != peer]
        await self.save()
        return len(self._seeks) < before

    async def take(self, peer: str, app: str, session: str) -> bool:
        now, wall = self._clock(), self._wall()
        found = (place for place in self._places if place.table.app == app and place.view.wanting(now))
        place = next(found, None)
        if place is None or self._mesh is None:
            return False
        until = wall + self._settings.seek_seconds
        seek = Seek(peer=peer, app=app, at=wall, until=until, session=session)
        return await self._usher.seat_player(place, seek)

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        self._stills += 1
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(KNOWN_SECONDS):
                    while not all(place.table.known for place in self._places):
                        await self._news.wait()
            yield
        finally:
            self._stills -= 1
            self.changed()

    def seeks(self) -> Sequence[Seek]:
        return tuple(self._seeks)

    def tables(self) -> Sequence[HostTable]:
        return tuple(place.shown for place in self._places)

    def trouble(self) -> str:
        return self._trouble

    async def reopen(self, key: ResumeKey) -> HostedSeat:
        return await self._usher.reopen(key)

    # The usher's side (``hosting.usher.Hall``)

    @property
    def places(self) -> Sequence[Place]:
        return self._places

    def changed(self) -> None:
        self._wake.set()
        self._news.set()
        self._news = asyncio.Event()

    def trouble_is(self, text: str) -> None:
        if text and text != self._trouble:
            log.error("the house host: %s", text)
        self._trouble = text

    def waited_for(self, app: str) -> bool:
        views = [place.view for place in self._places if place.table.app == app]
        crowded = len(views) >= self._settings.max_tables and not any(view.open for view in views)
        return crowded or any(seek.app == app and self._free(seek) for seek in self._seeks)

    def _in_line(self) -> list[Seek]:
        """Who waits and is not being seated."""
        return [seek for seek in self._seeks if all(seek.peer != one.peer for one in self._bringing)]

    def _bring(self, seek: Seek | None, seating: Coroutine[Any, Any, Any]) -> None:
        """Seat somebody, who is not seated elsewhere meanwhile."""

        async def bring() -> None:
            try:
                await seating
            finally:
                if seek is not None:
                    self._bringing.remove(seek)

        if seek is not None:
            self._bringing.append(seek)
        self._spawn(bring())

    def _free(self, seek: Seek) -> bool:
        """Whether the player could be seated now."""
        return self._mesh is not None and self._mesh.free(seek.peer, self._platform)

    async def seated(self, seek: Seek) -> None:
        self._seeks = [one for one in self._seeks if (one.peer, one.app) != (seek.peer, seek.app)]
        await self.save()

    async def save(self) -> None:
        tables = tuple(
            KeptTable(
                session=place.table.id,
                app=place.table.app,
                hold=place.table.key.hold,
                before=place.table.before,
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

    # The loop

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                self._look_and_do()
                await self.save()
                pause = self._pause()
            except Exception:
                log.exception("the house host failed")
                pause = AGAIN_SECONDS
            try:
                async with asyncio.timeout(pause):
                    await self._wake.wait()
            except TimeoutError:
                continue

    def _look_and_do(self) -> None:
        now, settings = self._clock(), self._settings
        for place in self._places:
            place.look(now)
            if place.forsaken(now, settings.order_seconds):
                place.unseat()
            if place.overdue(now, settings.order_seconds):
                place.held = now
                self._spawn(self._usher.no_order(place))
        if now < self._open_after or self._stills:
            settings = replace(settings, max_tables=0)
        views, seeks, wall = [place.view for place in self._places], self._in_line(), self._wall()
        if any(view.wanting(now) for view in views):
            # Who plays elsewhere stays in line.
            seeks = [seek for seek in seeks if seek.until <= wall or self._free(seek)]
        for deed in plan(settings, views, seeks, now=now, wall=wall):
            self._do(deed, now)

    def _pause(self) -> float | None:
        """Seconds until something is due although nothing happens."""
        now, views = self._clock(), [place.view for place in self._places]
        then = due(self._settings, views, self._seeks, now=now, wall=self._wall())
        ends = [self._open_after, *patience_ends(self._places, self._settings.order_seconds)]
        waits = [*(end - now for end in ends if end > now), *([] if then is None else [then])]
        return min(waits) if waits else None

    def _do(self, deed: Deed, now: float) -> None:
        match deed:
            case OpenTable(app):
                self._serve(Table(self._api, self._words[app], self._settings, self.changed), now)
            case CloseTable(number):
                table = self._numbered(number).table
                log.info("table %s (%s) is not needed", table.id, table.app)
                self._spawn(table.leave())
            case SeatPlayer(number, seek):
                place = self._numbered(number)
                place.seated = MESH
                self._bring(seek, self._usher.seat_player(place, seek))
            case SeatHouse(number):
                place = self._numbered(number)
                place.seated = HOUSE
                self._spawn(self._usher.seat_house(place))
            case GiveUp(seek):
                self._seeks.remove(seek)
                text = f"Nobody has come for {self._words[seek.app].title}; ask again whenever you like."
                if self._mesh is not None:
                    self._spawn(self._mesh.tell(seek.peer, text))

    def _numbered(self, number: str) -> Place:
        return next(place for place in self._places if str(place.number) == number)

    # Tables

    def _serve(self, table: Table, now: float) -> Place:
        place = Place(next(self._numbers), table, now)
        self._places.append(place)
        self._spawn(self._run_table(place))
        return place

    async def _run_table(self, place: Place) -> None:
        pause = 0.0
        try:
            await place.table.run()
            if self._clock() < place.opened + AGAIN_SECONDS:
                pause = AGAIN_SECONDS
        except (Unauthorized, Refused) as error:
            self.trouble_is(str(error))
            pause = REFUSED_SECONDS
        except Exception:
            log.exception("table %s (%s) failed", place.table.id, place.table.app)
            pause = AGAIN_SECONDS
        if pause:
            self._open_after = max(self._open_after, self._clock() + pause)
        self._places = [one for one in self._places if one is not place]

    def _take_up(self, kept: KeptTable) -> None:
        key = TableKey(session=kept.session, app=kept.app, hold=kept.hold, before=kept.before)
        table = Table(self._api, self._words[kept.app], self._settings, self.changed, key=key)
        place = self._serve(table, self._clock())
        place.seated, place.key = kept.seated, kept.seat
        if kept.seated == HOUSE:
            self._spawn(self._usher.resume_house(place))

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("the house host failed", exc_info=error)
        self.changed()


async def _end(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel tasks and wait until they have ended."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
