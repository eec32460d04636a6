"""A seat at an RCADIA table for one player (``gateway.seat.RemoteSeat``).

``Watch`` brings snapshots, ``Course`` makes events of them, ``Actor`` sends moves; here they are tied
together, and what can go wrong becomes one of the outcomes of the contract. Everything is rebuilt from the
full remote state: a seat that was closed, or cut off for hours, goes on with the next snapshot.

The next session of a series is not touched before ``rematch``: any request for it would say that the player
is ready (§6).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gateway.lines import Move
from gateway.seat import (
    ActionRefused,
    Event,
    Lost,
    NotYourTurn,
    Outcome,
    Rematch,
    SeatLost,
    Side,
    Word,
)
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import Intent
from lrgpnode.protocol.value import Value

from .client.acting import Actor, Result, Verdict
from .client.agent import AgentApi
from .client.errors import (
    Conflict,
    Forbidden,
    RcadiaError,
    Refused,
    ServerRestarted,
    Unauthorized,
    UnknownSession,
    Unreachable,
    Unusable,
)
from .client.pauses import Pauses
from .client.watch import Pace, Watch, WatchClosed
from .course import Course
from .shapes import order
from .translate import gone, platform_error
from .wire import Snapshot

log = logging.getLogger(__name__)

KEY_VERSION: Final = 1
RESERVED_SECONDS: Final = 60.0
"""For which the seats of the next session are kept (§6)."""

REMATCH_WAIT: Final = 20
"""Seconds for which a finished session is watched for the next one: a game may ask for it a little later."""

UNKNOWN_BEFORE_LOST: Final = 3
"""404s in a row before a session counts as gone: a proxy in trouble says that as well."""

FAILURES_BEFORE_AWAY: Final = 2
LONGEST_PAUSE: Final = 60.0
"""Seconds between two tries at a platform that has been away for long."""

UNREADABLE_PAUSES: Final = (1.0, 2.0, 4.0, 8.0)
"""Seconds between looks at a state that cannot be read on our turn: state and actions may come one by one."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Timing(Value):
    """Seconds. ``patience``, ``confirm``: see ``Actor``; ``unreadable``: see ``UNREADABLE_PAUSES``."""

    pace: Pace = field(default_factory=Pace)
    patience: float = 60.0
    confirm: float = 15.0
    rematch: int = REMATCH_WAIT
    unreadable: tuple[float, ...] = UNREADABLE_PAUSES
    pauses: Callable[[], Pauses] = lambda: Pauses(longest=LONGEST_PAUSE)


class RcadiaSeat:
    """One seat. ``snapshot``: how the table was when the seat was taken or reopened, if that is known."""

    def __init__(
        self,
        api: AgentApi,
        session_id: str,
        course: Course,
        *,
        snapshot: Snapshot | None = None,
        timing: Timing | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._api = api
        self._id = session_id
        self._course = course
        self._timing = timing or Timing()
        self._clock = clock
        self._watch = Watch(api, session_id, pace=self._timing.pace)
        self._actor = Actor(
            api,
            self._watch,
            session_id,
            wait=self._timing.pace.wait,
            patience=self._timing.patience,
            confirm=self._timing.confirm,
            pauses=self._timing.pauses,
        )
        self._uncertain = False
        self._left = False
        if snapshot is not None:
            self._watch.take(snapshot)

    @property
    def resume_key(self) -> dict[str, Any]:
        """Reopens the seat (``RcadiaPlatform.resume``)."""
        course = self._course
        return seat_key(self._id, course.app, course.line.moves, course.first, course.sent)

    # Events

    async def events(self) -> AsyncIterator[Event]:
        """As ``RemoteSeat.events``. Who comes later is told from the beginning, too."""
        if self._course.latest is not None:
            self._course.tell_again()
            self._watch.wake()
        pauses = self._timing.pauses()
        unknown = 0
        while not self._course.over:
            try:
                snapshot = await self._watch.next()
            except WatchClosed:
                return
            except RcadiaError as error:
                unknown = unknown + 1 if isinstance(error, UnknownSession) else 0
                lost = self._lost(error, unknown)
                if lost is not None:
                    yield lost
                    return
                if pauses.failed + 1 >= FAILURES_BEFORE_AWAY:
                    for event in self._course.away(str(error)):
                        yield event
                await self._watch.rest(pauses.after(error))
                continue
            pauses.worked()
            unknown = 0
            for event in self._course.take(snapshot):
                yield event
            if self._course.trouble and snapshot.status == "active" and snapshot.your_turn:
                lost = await self._unreadable()
                if lost is not None:
                    yield lost
                    return
        rematch = await self._next_session()
        if rematch is not None:
            yield rematch

    def _lost(self, error: RcadiaError, unknown: int) -> Lost | None:
        """The end of the seat that an error means, None if it is to be tried again."""
        if self._left and isinstance(error, Forbidden | UnknownSession | ServerRestarted):
            return Lost(reason="The seat was given up")
        if isinstance(error, ServerRestarted):
            return Lost(reason="The platform was restarted, and the game is lost with it")
        if isinstance(error, UnknownSession) and unknown >= UNKNOWN_BEFORE_LOST:
            return Lost(reason="The platform does not know the table any more")
        if isinstance(error, Forbidden):
            # A token that lost its scope may get it back; a seat that is another's may not.
            scope = "scope" in f"{error.code} {error}".lower()
            return Lost(reason=f"The seat is not ours any more: {error}", resumable=scope)
        if isinstance(error, Unauthorized):
            return Lost(reason=str(error), resumable=True)
        if isinstance(error, Refused):
            return Lost(reason=f"The platform refuses to show the table: {error}", resumable=True)
        return None

    async def _unreadable(self) -> Lost | None:
        """Look again a few times; give the seat up if the table stays in a form that nobody understands."""
        for pause in self._timing.unreadable:
            await self._watch.rest(asyncio.sleep(pause))
            if self._watch.closed:
                return None
            try:
                snapshot = await self._watch.look()
            except (Unreachable, Unusable):
                return None  # the loop goes on and comes back here
            except RcadiaError as error:
                return self._lost(error, UNKNOWN_BEFORE_LOST)
            if snapshot.status != "active" or not snapshot.your_turn or self._course.readable(snapshot):
                return None  # and the loop takes it
        reason = f"This table cannot be played from here: {self._course.trouble}"
        log.warning("table %s: %s", self._id, reason)
        try:
            await self.leave()
        except Exception as error:  # noqa: BLE001 - the table's clock ends what cannot be left
            log.warning("table %s could not be left: %s", self._id, error)
        return Lost(reason=reason)

    async def _next_session(self) -> Rematch | None:
        """The invitation to the next round, which mostly exists with the end of the game."""
        snapshot = self._course.latest
        if snapshot is None or self._left:
            return None
        if not snapshot.next_session_id and self._timing.rematch:
            try:
                await self._watch.rest(self._later(snapshot))
            except RcadiaError:
                return None
            snapshot = self._course.latest or snapshot
        if not snapshot.next_session_id:
            return None
        return Rematch(until=self._clock() + RESERVED_SECONDS)

    async def _later(self, snapshot: Snapshot) -> None:
        """Wait for a change of a finished session."""
        await self._api.public(self._id, since=snapshot.version, wait=self._timing.rematch)
        self._course.latest = await self._api.state(self._id)

    # Doing

    async def act(self, intent: Intent, turn: int | None = None) -> Outcome:
        """As ``RemoteSeat.act``."""
        snapshot = await self._ready(turn)
        if order.pending(snapshot):
            # It was sent before a restart, or by a request whose answer was lost.
            return await self._send(None, None, snapshot)
        move, offer = self._move(intent), self._course.offer
        if offer is None:
            raise NotYourTurn(self._course.trouble or "The table does not say yet what can be played")
        if move not in offer.moves:
            raise ActionRefused("The table does not take that move now")
        return await self._send(offer.moves[move], move, snapshot)

    async def say(self, word: Word) -> Outcome:
        """As ``RemoteSeat.say``. A resignation that the game has no action for is leaving the table."""
        offer = self._course.offer
        if offer is not None and word in offer.words:
            snapshot = await self._ready(None)
            if not order.pending(snapshot):
                return await self._send(offer.words[word], None, snapshot)
        if word is Word.RESIGN:
            await self.leave()
            return Outcome.APPLIED
        raise ActionRefused("That cannot be said at this table now")

    async def leave(self) -> None:
        """As ``RemoteSeat.leave``."""
        try:
            await self._api.leave(self._id)
        except (Forbidden, UnknownSession, ServerRestarted, Conflict):
            pass  # it is left already
        except RcadiaError as error:
            raise platform_error(error) from None
        self._left = True
        try:
            await self._watch.look()
        except RcadiaError:
            self._watch.wake()

    async def rematch(self) -> RcadiaSeat:
        """As ``RemoteSeat.rematch``. Looking at the next session is what makes us ready there."""
        latest = self._course.latest
        following = latest.next_session_id if latest is not None else None
        if following is None:
            raise SeatLost("There is no other round at this table")
        try:
            snapshot = await self._api.state(following)
        except RcadiaError as error:
            raise gone(error, "The other round has begun without us, or was given up") from None
        course = Course(self._course.app)
        return RcadiaSeat(
            self._api, following, course, snapshot=snapshot, timing=self._timing, clock=self._clock
        )

    async def close(self) -> None:
        """As ``RemoteSeat.close``."""
        self._watch.close()

    # Inside

    async def _ready(self, turn: int | None) -> Snapshot:
        """The snapshot of our turn, ready for an action, or with one of ours that is pending."""
        known = snapshot = self._course.latest
        if self._uncertain or snapshot is None:
            try:
                snapshot = await self._watch.look()
            except RcadiaError as error:
                raise gone(error, "The table is gone") from None
            self._uncertain = False
        if self._course.over or snapshot.status == "finished":
            raise NotYourTurn("The game at the table is over")
        if order.pending(snapshot):
            return snapshot
        if not snapshot.your_turn:
            raise NotYourTurn("It is not our turn at the table")
        if known is None or snapshot.turn != known.turn or turn not in (None, snapshot.turn):
            raise NotYourTurn("The table has gone on meanwhile")
        return snapshot

    def _move(self, intent: Intent) -> Move:
        try:
            return self._course.move(intent)
        except Rejection as rejection:
            raise ActionRefused(f"That move cannot be made at the table: {rejection.message}") from None

    async def _send(self, action: Any, move: Move | None, snapshot: Snapshot) -> Outcome:
        """Send an action, or (``action`` None) wait for the one that is pending."""
        course = self._course
        course.acting, course.sent = snapshot.turn, move if move is not None else course.sent
        self._watch.busy(True)
        try:
            if action is None:
                result = await self._actor.resume(snapshot)
            else:
                result = await self._actor.act(action, snapshot)
        except Refused as error:
            raise ActionRefused(f"The platform does not take the action: {error}") from None
        except RcadiaError as error:
            # The next snapshot says how things are, when there is one.
            self._uncertain = True
            raise gone(error, "The table is gone") from None
        else:
            self._watch.wake()
        finally:
            self._watch.busy(False)
            course.acting = None
            course.renew()
        return self._outcome(result, snapshot.turn)

    def _outcome(self, result: Result, turn: int) -> Outcome:
        course = self._course
        if result.action_id:
            course.heard(result.action_id)
        match result.verdict:
            case Verdict.APPLIED:
                return Outcome.APPLIED
            case Verdict.UNCONFIRMED:
                return Outcome.UNKNOWN
            case Verdict.REJECTED:
                course.sent = None
                raise ActionRefused(result.reason or "The game refuses the move")
        latest = self._watch.latest
        if latest is not None and latest.status == "finished":
            raise NotYourTurn("The game at the table was over before the move arrived")
        raise NotYourTurn(f"Turn {turn} of the table was over before the move arrived")


# Keys


def seat_key(
    session_id: str,
    app: str,
    moves: tuple[Move, ...] = (),
    first: Side | None = None,
    sent: Move | None = None,
) -> dict[str, Any]:
    """What reopens a seat: JSON, without a secret."""
    return {
        "v": KEY_VERSION,
        "session": session_id,
        "app": app,
        "moves": list(moves),
        "first": None if first is None else first.value,
        "sent": sent,
    }


def course_of(key: Mapping[str, Any]) -> tuple[str, Course]:
    """(session id, what was known) of a key. Raises ``SeatLost``."""
    try:
        if key["v"] != KEY_VERSION or not isinstance(key["session"], str):
            raise ValueError(key["v"])
        first = None if key["first"] is None else Side(key["first"])
        course = Course(key["app"], moves=tuple(key["moves"]), first=first)
        sent = key["sent"]
        course.sent = sent if isinstance(sent, str | int) else None
        return key["session"], course
    except (KeyError, ValueError, TypeError, Rejection):
        raise SeatLost("What was stored of the seat cannot be read") from None
