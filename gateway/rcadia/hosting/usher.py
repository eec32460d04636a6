"""Who sits down for us at which table: the seats of the house and of players of the mesh."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

from gateway.rcadia.client.pauses import Pauses
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
from gateway.seeking import Mesh, Seek, Unwanted
from storage.errors import StorageError

from .engine import Engine
from .own_seat import HOSTED, SEAT, OwnSeat
from .place import HOUSE, MESH, Place
from .plan import HostSettings
from .table import Table

log = logging.getLogger(__name__)

AGAIN_SECONDS: Final = 5.0
"""Before a seat that was refused is tried again, and before a table is opened after one that failed."""

REFUSED_SECONDS: Final = 300.0
"""The same where the platform does not take an account: somebody has to change something."""


class Hall(Protocol):
    """What is needed of the house host."""

    @property
    def places(self) -> Sequence[Place]: ...

    def changed(self) -> None:
        """Look at everything again."""
        ...

    async def save(self) -> None:
        """Keep what a restart needs."""
        ...

    def trouble_is(self, text: str) -> None: ...

    def waited_for(self, app: str) -> bool:
        """Whether somebody waits for this game, or cannot sit down at any table of it."""
        ...

    async def seated(self, seek: Seek) -> None:
        """The player does not wait any more."""
        ...


class Usher:
    """Implements ``own_seat.Keeper``. ``spawn`` runs a task that ends with the host."""

    def __init__(
        self,
        hall: Hall,
        settings: HostSettings,
        platform: Platform,
        account: Account,
        engine: Engine | None,
        mesh: Mesh | None,
        name: str,
        clock: Callable[[], float],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._hall = hall
        self._settings = settings
        self._platform = platform
        self._account = account
        self._engine = engine
        self._mesh = mesh
        self._name = name
        self._clock = clock
        self._spawn = spawn

    # Sitting down

    async def seat_player(self, place: Place, seek: Seek) -> bool:
        """A player of the mesh takes the free seat, and says later who begins; whether that was done."""
        assert self._mesh is not None
        place.seated = MESH
        place.table.hold(True)
        seat = await self._sit(place, self._mesh.name(seek.peer))
        return seat is not None and await self._bring(seek, seat)

    async def _bring(self, seek: Seek, seat: OwnSeat) -> bool:
        """Whether the player was brought to the seat, which is given back otherwise."""
        assert self._mesh is not None
        seated = True
        try:
            await self._mesh.seat(seek, seat, self._account)
        except (Unwanted, StorageError) as error:
            log.info("%s is not seated: %s", seek.peer, error)
            seated = False
            await self._try_give_back(seat)
        # Also where it was not stored: to try again might be to try for ever.
        await self._hall.seated(seek)
        return seated

    async def seat_house(self, place: Place) -> None:
        """The house takes the free seat."""
        seat = await self._sit(place, self._name)
        if seat is not None:
            self._play(place, seat)

    async def resume_house(self, place: Place) -> None:
        """The house goes on in a seat that is ours, by its key."""

        async def go_on(seat: OwnSeat) -> None:
            if self._settings.house:
                self._play(place, seat)
            else:
                await seat.inner.leave()
                place.unseat()

        await self._resumed(place, go_on)

    async def bring_again(self, place: Place, seek: Seek | None) -> None:
        """A seat that a kill kept its player from: whoever has this ``seek`` gets it, else the house."""

        async def go_on(seat: OwnSeat) -> None:
            self._sits(place, MESH, seat)
            if seek is None:
                await self.give_back(seat)
            else:
                await self._bring(seek, seat)

        await self._resumed(place, go_on)

    async def _resumed(self, place: Place, go_on: Callable[[OwnSeat], Awaitable[None]]) -> None:
        """Do that with the seat that is ours by the key of the place, as soon as the platform is there."""
        pauses = Pauses()
        while True:
            try:
                inner = await self._platform.resume(place.key.get(SEAT) or {}, self._account)
                await go_on(OwnSeat(inner, str(place.key.get(HOSTED)), place.table, self))
                return
            except Unreachable as error:
                await pauses.after_seconds(error.retry_after)
            except PlatformError as error:
                log.info("our seat at table %s is lost: %s", place.table.id, error)
                place.unseat()
                return

    async def reopen(self, key: ResumeKey) -> HostedSeat:
        """As ``Host.reopen``; of a table that is closed, too: the seat then says how it ended."""
        session = str(key.get(HOSTED))
        place = self._at(session)
        if place is not None and place.seated != MESH:
            raise SeatLost("Somebody else sits there now")
        inner = await self._platform.resume(key.get(SEAT) or {}, self._account)
        seat = OwnSeat(inner, session, self._table_of(session), self)
        return seat if place is None else self._sits(place, MESH, seat)

    # Getting up

    async def no_order(self, place: Place) -> None:
        """The player of the mesh does not accept, or nobody knows of the seat any more."""
        if place.seated != MESH:
            place.table.hold(False)
        elif place.seat is not None:
            await self._try_give_back(place.seat)
        elif self._settings.house and place.key:
            self._hand_over(place)
        else:
            place.table.stop("opponent_absent")

    async def give_back(self, seat: OwnSeat) -> None:
        """Before the game the house takes the seat of a player of the mesh: who waits there shall play."""
        place = next((one for one in self._hall.places if one.seat is seat), None)
        mesh = place is not None and place.seated == MESH
        if place is not None and mesh and not seat.begun and self._settings.house:
            place.key, seat.handed_over = seat.resume_key, True
            self._hand_over(place)
            await seat.close()
            return
        await seat.inner.leave()
        if place is not None and mesh:
            place.unseat()

    def _hand_over(self, place: Place) -> None:
        place.seated, place.seat = HOUSE, None
        place.table.hold(False)
        self._spawn(self.resume_house(place))

    async def _try_give_back(self, seat: OwnSeat) -> None:
        try:
            await self.give_back(seat)
        except PlatformError as error:
            log.info("a seat at table %s is not given back: %s", seat.session, error)

    # What seats tell

    def sat_again(self, seat: OwnSeat) -> None:
        place = self._at(seat.session)
        if place is None or not place.seated:
            return
        self._sits(place, place.seated, seat)
        if place.table.app == "chess":
            # The colours change now; in other games the player's challenge says who begins.
            place.table.hold(False)

    def told(self, seat: OwnSeat) -> None:
        self._hall.changed()

    # Inside

    def _at(self, session: str) -> Place | None:
        return next((place for place in self._hall.places if place.table.id == session), None)

    def _table_of(self, session: str) -> Table | None:
        """The table with this session, or whose last one it was."""
        tables = (place.table for place in self._hall.places)
        return next((table for table in tables if session in (table.id, table.before)), None)

    async def _sit(self, place: Place, name: str) -> OwnSeat | None:
        """Sit down at the table; None where that does not work now."""
        table, session = place.table, place.table.id

        async def note(key: ResumeKey) -> None:
            place.key = {HOSTED: session, SEAT: dict(key)}
            await self._hall.save()

        try:
            inner = await self._platform.open_seat(table.app, session, self._account, name, note)
        except PlatformError as error:
            self._refused(place, error)
            return None
        self._hall.trouble_is("")
        return self._sits(place, place.seated, OwnSeat(inner, session, table, self))

    def _refused(self, place: Place, error: PlatformError) -> None:
        pause = AGAIN_SECONDS
        if isinstance(error, AccountRefused):
            self._hall.trouble_is(str(error))
            pause = REFUSED_SECONDS
        elif isinstance(error, Unreachable) and error.retry_after is not None:
            pause = max(pause, error.retry_after)
        log.info("no seat at table %s: %s", place.table.id, error)
        place.not_before = self._clock() + pause
        place.unseat()

    def _sits(self, place: Place, who: str, seat: OwnSeat) -> OwnSeat:
        place.seated, place.seat, place.key = who, seat, seat.resume_key
        self._hall.changed()
        return seat

    def _play(self, place: Place, seat: OwnSeat) -> None:
        """The house plays in this seat from now on."""
        self._spawn(self._engine_plays(place, self._sits(place, HOUSE, seat)))

    async def _engine_plays(self, place: Place, seat: OwnSeat) -> None:
        assert self._engine is not None
        app = place.table.app
        await self._engine.play(app, seat, lambda: self._stays(app))
        if place.seated == HOUSE:
            place.unseat()

    def _stays(self, app: str) -> bool:
        """The house makes room for players who wait."""
        return self._settings.rematch and not self._hall.waited_for(app)
