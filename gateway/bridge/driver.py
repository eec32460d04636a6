"""Carries a bridge's steps out, one at a time, and asks `decide` again until there is none.

Two tasks: one sits at the table (`sitting`), the other, here, acts. Whatever fails is tried again later or
leads to a definite end; nothing that fails here reaches the node.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.game import Coin, Command, Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import Conflict, StorageError
from storage.gateway_model import Bridge as Row, BridgeChange, NewBridge, SeatStage
from storage.model import Commit
from storage.store import Store
from storage.writer import Writer

from ..seat import (
    ActionRefused,
    Event,
    HostedSeat,
    Lost,
    NotYourTurn,
    Outcome,
    PlatformError,
    RemoteSeat,
    SeatLost,
    Side,
    Unreachable,
    Word,
)
from .decide import decide
from .notes import Notes
from .rules import Rules
from .seen import Seen, fold
from .sitting import PAUSES, Sitting
from .situation import Situation
from .steps import (
    Accept,
    Act,
    AnswerDraw,
    Begin,
    Challenge,
    Close,
    Decline,
    End,
    Leave,
    MeshMove,
    MeshResign,
    Note,
    OfferDraw,
    Play,
    Say,
    Settle,
    Step,
    Tell,
    Wait,
)
from .words import quoted

log = logging.getLogger(__name__)

STORAGE_PAUSE: Final = 5.0

STUBBORN: Final = 3
"""How often a step may be refused by the node before the bridge gives its game up."""

Beside = NewBridge | BridgeChange | None


class Acting(Protocol):
    """What is needed of a committed action."""

    @property
    def session(self) -> Session: ...


class Mesh(Protocol):
    """What a bridge needs of the node; all but ``session`` and ``now`` raise as the node's methods do."""

    def now(self) -> float: ...
    def session(self, key: SessionKey) -> Session: ...
    async def act(
        self,
        key: SessionKey,
        command: str,
        intent: Mapping[str, Any],
        *,
        beside: Beside = None,
        coin: Coin | None = None,
    ) -> Acting: ...
    async def challenge(
        self, identity: str, peer: str, app_id: str, intent: Mapping[str, Any], *, beside: Beside = None
    ) -> Acting: ...
    async def write(self, identity: str, peer: str, text: str, beside: BridgeChange) -> None: ...
    async def close(self, key: SessionKey, reason: str) -> None: ...


class Seats(Protocol):
    """Who takes seats for bridges. Raises as ``Platform`` does."""

    async def open(self, bridge: Bridge) -> RemoteSeat:
        """Take the seat of a bridge that has none yet."""
        ...

    async def reopen(self, bridge: Bridge) -> RemoteSeat: ...

    async def told_to_wait(self, bridge: Bridge, seconds: float, reason: str) -> None:
        """The platform wants no request of the bridge's account for so long."""
        ...


class Bridge:
    """``seat``: if it is there already. ``changed`` is told of what people may want to know, ``over`` last;
    ``turned``, that another clock runs at the table, or none.

    ``wait_seconds``: how long a seat is kept at which nobody sits down.
    """

    def __init__(
        self,
        row: Row,
        game: Game,
        mesh: Mesh,
        seats: Seats,
        store: Store,
        writer: Writer,
        *,
        wait_seconds: float,
        changed: Callable[[Bridge], None],
        over: Callable[[Bridge], None],
        turned: Callable[[Bridge], None] = lambda bridge: None,
        seat: RemoteSeat | None = None,
    ) -> None:
        self.row = row
        self.notes = Notes.load(row.notes)
        self.seen = Seen()
        self._game = game
        self._rules = Rules(game, f"bridge {row.id}")
        self._mesh = mesh
        self._seats = seats
        self._store = store
        self._writer = writer
        self._wait_seconds = wait_seconds
        self._changed = changed
        self._over = over
        self._turned = turned
        self._wake = asyncio.Event()
        self._since = mesh.now()
        self._acted: tuple[int, int] | None = None
        self._tried: int | None = None
        self._misses = 0
        self._quiet_until = 0.0
        self._failed: tuple[type[Step], int] | None = None
        self._sitting = Sitting(self, seat)
        self._running: asyncio.Task[None] | None = None

    # Life

    def start(self) -> None:
        """Go on with what is stored. On the loop."""
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Do no more; the seat stays ours."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self._sitting.stop()

    def wake(self) -> None:
        """Something has happened in the game with the player."""
        self._since = self._mesh.now()
        self._wake.set()

    @property
    def seat(self) -> RemoteSeat | None:
        """The seat, while it is open."""
        return self._sitting.seat

    @property
    def trouble(self) -> str:
        """Why it does not go on at the table just now, or ""."""
        return self._sitting.trouble

    @property
    def invites_again(self) -> bool:
        """Whether the table goes on with another game that the player may come to."""
        gone = self.notes.left or "rematched" in self.notes.told
        return self.seen.rematch is not None and not gone

    @property
    def is_over(self) -> bool:
        return self.row.stage is SeatStage.OVER

    @property
    def key(self) -> SessionKey | None:
        return SessionKey(self.row.identity, self.row.session) if self.row.session else None

    async def give_up(self) -> None:
        """Leave, as the player or the operator wants. Raises ``Unreachable`` and ``StorageError``."""
        if self.seat is not None and (not self.seen.over or self.invites_again):
            await self.seat.leave()  # after its end: out of the next game
        reason = "the seat was given up"
        await self.change(notes=replace(self.notes, left=True, broken=self.notes.broken or reason))
        self.wake()

    async def claim_rematch(self) -> RemoteSeat:
        """The seat in the next game. Raises ``SeatLost``, ``Unreachable``."""
        if self.seat is None or self.seen.rematch is None or self.notes.left:
            raise SeatLost("the invitation to another game is over")
        seat = await self.seat.rematch()
        # Else the seat of the old game would be left, which gives up the new one.
        await self.change(notes=self.notes.with_told("rematched"))
        self.wake()
        return seat

    async def change(
        self, *, notes: Notes | None = None, stage: SeatStage | None = None, **columns: Any
    ) -> None:
        """Store a change of the bridge's own. Raises ``StorageError``; then nothing has changed."""
        unit = Commit(bridge_change=self._beside(notes=notes, stage=stage, **columns))
        await self._writer.run(self._store.commit, unit)
        self._reload()

    # The acting task

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                pause = await self._attend()
            except Exception:
                log.exception("seat %d failed", self.row.id)
                pause = STORAGE_PAUSE
            if self.is_over:
                break
            try:
                async with asyncio.timeout(pause):
                    await self._wake.wait()
            except TimeoutError:
                continue
        await self._sitting.stop()
        self._over(self)

    async def _attend(self) -> float | None:
        """Take steps until there is none; how long to wait at most for something to happen, seconds."""
        while True:
            if self.is_over:
                return None
            self._sitting.sit()
            step: Step = Wait()
            try:
                step = decide(self._situation(), self._rules)
                if isinstance(step, Wait):
                    self._failed = None
                    return None if step.until is None else max(0.1, step.until - self._mesh.now())
                quiet = self._quiet_until - asyncio.get_running_loop().time()
                if isinstance(step, Begin | Act | Say | Leave) and quiet > 0:
                    return quiet
                await self._do(step)
                self._since = self._mesh.now()
                self._failed = None
            except StorageError as error:
                if isinstance(error, Conflict):
                    await self._stuck(step, str(error))
                log.warning("seat %d waits for the database: %s", self.row.id, error)
                return STORAGE_PAUSE
            except CallerError as error:
                log.info("seat %d: %s: %s", self.row.id, type(step).__name__, error)
                if not await self._stuck(step, error.message):
                    return STORAGE_PAUSE
            except PlatformError as error:
                await self._refused(step, error)
            except Exception:
                log.exception("seat %d failed at %s", self.row.id, type(step).__name__)
                return PAUSES[-1]

    async def _stuck(self, step: Step, why: str) -> bool:
        """The node refuses a step: try again, but not for ever; whether to go on at once."""
        kind, count = self._failed or (type(step), 0)
        count = count + 1 if kind is type(step) else 1
        self._failed = (type(step), count)
        if isinstance(step, Tell):
            await self._try_change(notes=step.notes)  # who cannot be written to is not
            return True
        if count >= STUBBORN and not self.notes.broken:
            await self._try_change(notes=self._broken(why))
            return True
        return False

    def _broken(self, why: str) -> Notes:
        return replace(self.notes, broken=quoted(why))

    async def _try_change(self, **columns: Any) -> None:
        try:
            await self.change(**columns)
        except StorageError as error:
            log.warning("seat %d is not stored: %s", self.row.id, error)

    async def _refused(self, step: Step, error: PlatformError) -> None:
        """A step at the table has failed: what we have seen of it is old, or it is away, or it said no."""
        match error:
            case ActionRefused() if isinstance(step, Say):
                log.info("seat %d: the table does not take %s: %s", self.row.id, step.word, error)
                await self.change(notes=step.notes)
                if step.word is Word.DRAW_OFFER:
                    # Nobody hears of it any more: the player need not wait for an answer.
                    self.seen = replace(self.seen, declined=True)
            case ActionRefused():
                await self.change(notes=self._broken(f"the table refuses your move: {error}"))
            case SeatLost():
                self.saw(Lost(reason=str(error)))
            case _:
                pause = PAUSES[min(self._misses, len(PAUSES) - 1)]
                self._misses += 1
                if not isinstance(error, NotYourTurn):
                    self._sitting.away(str(error))
                wait = await self.told_to_wait(error)
                self._quiet_until = asyncio.get_running_loop().time() + max(pause, wait)
                await self._sitting.listen_anew()

    def _situation(self) -> Situation:
        key, session = self.key, None
        if key is not None:
            try:
                session = self._mesh.session(key)
            except CallerError as error:
                log.info("seat %d has no game any more: %s", self.row.id, error)
        return Situation(
            now=self._mesh.now(),
            stage=self.row.stage,
            hosted=self.row.hosted,
            seated=bool(self.row.seat) or self.seat is not None,
            had=key is not None,
            session=session,
            notes=self.notes,
            seen=self.seen,
            since=self._since,
            wait_until=self.row.created_at + self._wait_seconds,
            game=self._game.manifest.display_name,
            acted=self._acted,
            tried=self._tried,
        )

    # Steps

    async def _do(self, step: Step) -> None:
        match step:
            case Note(notes=notes):
                await self.change(notes=notes)
            case Play():
                await self.change(stage=SeatStage.PLAYING, accepts=True)
            case Settle():
                await self.change(stage=SeatStage.SETTLING, frees=True)
            case End(result=result, reason=reason):
                await self.change(stage=SeatStage.OVER, result=result, reason=reason)
            case Tell(text=text, notes=notes):
                row = self.row
                await self._mesh.write(row.identity, row.peer, text, self._beside(notes=notes))
                self._reload()
            case Begin() | Act() | Say() | Leave():
                await self._at_table(step)
            case _:
                await self._in_game(step)

    async def _in_game(self, step: Step) -> None:
        """An action of ours in the game with the player."""
        match step:
            case Challenge():
                beside = self._beside(stage=SeatStage.WAITING, of_action=True)
                row = self.row
                await self._mesh.challenge(row.identity, row.peer, row.app, {}, beside=beside)
            case Accept(first=first):
                beside = self._beside(stage=SeatStage.PLAYING, accepts=True)
                coin = None if first is None else lambda: first is Side.US
                await self._act(Command.ACCEPT, beside=beside, coin=coin)
            case Decline(notes=notes):
                await self._act(Command.DECLINE, beside=self._beside(notes=notes))
            case MeshMove(intent=intent):
                await self._act(Command.MOVE, intent, beside=self._beside(seat=self._seat_key()))
            case MeshResign():
                await self._act(Command.RESIGN)
            case OfferDraw(claim=claim, notes=notes):
                intent = {"r": claim} if claim else {}
                await self._act(Command.DRAW_OFFER, intent, beside=self._beside(notes=notes))
            case AnswerDraw(accept=accept, notes=notes):
                command = Command.DRAW_ACCEPT if accept else Command.DRAW_DECLINE
                await self._act(command, beside=self._beside(notes=notes))
            case Close(reason=reason):
                assert self.key is not None
                await self._mesh.close(self.key, reason)
        self._reload()

    async def _act(
        self,
        command: Command,
        intent: Mapping[str, Any] | None = None,
        *,
        beside: BridgeChange | None = None,
        coin: Coin | None = None,
    ) -> None:
        assert self.key is not None
        await self._mesh.act(self.key, command, intent or {}, beside=beside, coin=coin)

    async def _at_table(self, step: Begin | Act | Say | Leave) -> None:
        seat = self.seat
        if seat is None:
            raise Unreachable(self.trouble or "the seat is not open")
        match step:
            case Begin(first=first):
                await _hosted(seat).begin(first)
                joined = self.seen.joined
                if joined is not None:
                    self.seen = replace(self.seen, joined=replace(joined, ours_to_order=False))
            case Act(intent=intent, ply=ply, turn=turn):
                self._tried = ply
                # Whatever of the table comes while this waits is newer than what we act upon.
                self.seen = replace(self.seen, turn=None, rejected="")
                if await seat.act(intent, turn.turn) is Outcome.APPLIED:
                    self._acted = (ply, turn.turn)
                    await self.change(seat=self._seat_key())
                else:
                    await self._sitting.listen_anew()
            case Say(word=word, notes=notes):
                await seat.say(word)
                await self.change(notes=notes)
            case Leave(notes=notes):
                await seat.leave()
                await self.change(notes=notes)
        self._misses = 0

    def _beside(
        self, *, notes: Notes | None = None, stage: SeatStage | None = None, **columns: Any
    ) -> BridgeChange:
        dumped = None if notes is None else notes.dump()
        # A key may change while nothing is done at the table: when an opponent comes, for example.
        columns.setdefault("seat", self._seat_key())
        return BridgeChange(id=self.row.id, at=self._mesh.now(), stage=stage, notes=dumped, **columns)

    def _seat_key(self) -> str | None:
        """What reopens the seat as it is now, None if that is stored already."""
        if self.seat is None:
            return None
        key = json.dumps(dict(self.seat.resume_key), separators=(",", ":"))
        return key if key != self.row.seat else None

    def _reload(self) -> None:
        row = self._store.gateway.get(self.row.id)
        if row is not None:
            self.row, self.notes = row, Notes.load(row.notes)
        self._changed(self)

    # The seat (``sitting.Sitter``)

    def now(self) -> float:
        return self._mesh.now()

    async def take(self) -> RemoteSeat:
        """The seat, taken or reopened."""
        if self.row.stage is not SeatStage.OPENING or self.notes.broken:
            return await self._seats.reopen(self)
        seat = await self._seats.open(self)
        self._sitting.seat = seat
        await self.change(stage=SeatStage.WAITING, seat=self._seat_key())
        return seat

    def saw(self, event: Event) -> None:
        """One more event of the table."""
        before, self.seen = self.seen, fold(self.seen, event)
        if self.seen.deadline != before.deadline:
            self._turned(self)
        self.wake()

    def silent(self) -> None:
        """Nothing more comes of the table."""
        self.seen = replace(self.seen, silent=True)
        self._wake.set()

    async def send_off(self, why: str) -> None:
        """There is no seat for the player."""
        await self._try_change(notes=self._broken(why))
        self._wake.set()

    async def told_to_wait(self, error: PlatformError) -> float:
        """Seconds for which the platform wants no request, which holds over a restart."""
        seconds = error.retry_after if isinstance(error, Unreachable) else None
        if seconds is None:
            return 0.0
        await self._seats.told_to_wait(self, seconds, str(error))
        return seconds

    def trouble_changed(self) -> None:
        """People may want to know of it."""
        self._changed(self)


def _hosted(seat: RemoteSeat) -> HostedSeat:
    if not hasattr(seat, "begin"):
        raise SeatLost("this table is not ours to begin")
    hosted: HostedSeat = seat  # type: ignore[assignment]  # it says so itself, see `Joined.ours_to_order`
    return hosted
