"""What happens to games of text players without a text of theirs: peers act, time limits pass."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from lrgpnode.mesh.transport import Outgoing, Progress
from lrgpnode.protocol.errors import CallerError, Rejection
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.router import Applied, RemoteError
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import StorageError
from storage.text_model import Kind, Seat, Seek

from . import replies, seats, wire
from .desk import Desk
from .draft import Draft, nobody
from .held import Held

SWEEP_SECONDS: Final = 600.0
"""Pause between looks for games whose time limit has passed."""

log = logging.getLogger(__name__)


class Happening(Protocol):
    """What is needed of the node."""

    def now(self) -> float: ...
    def session(self, key: SessionKey) -> Session: ...
    def progress(self, ref: int, progress: Progress, reason: str) -> None: ...


class Following:
    """``commit`` writes a draft, with ``lock`` held; ``trusted``: whether the wall clock is."""

    def __init__(
        self,
        desk: Desk,
        node: Happening,
        held: Held,
        lock: asyncio.Lock,
        commit: Callable[[Draft], Awaitable[None]],
        trusted: Callable[[], bool],
    ) -> None:
        self._desk = desk
        self._node = node
        self._held = held
        self._lock = lock
        self._commit = commit
        self._trusted = trusted
        self._changed: dict[SessionKey, None] = {}

    def changed(self, key: SessionKey) -> None:
        """Something has happened in a session of the node."""
        self._changed[key] = None

    async def catch_up(self) -> None:
        """Tell players of what has happened. Raises ``StorageError``: call it again."""
        while self._held.arrived:
            message = self._held.arrived.popleft()
            try:
                await self._arrived(message)
            except StorageError:
                self._held.arrived.appendleft(message)
                raise
            except Exception as error:
                # One that cannot be judged must not keep the others waiting.
                log.exception("what %s was sent by LRGP could not be judged", message.peer)
                self._node.progress(message.ref, Progress.FAILED, str(error)[:200])
        while self._changed:
            key = next(iter(self._changed))
            async with self._lock:
                for seat in self._desk.table.at(key.session_id):
                    if seat.kind is Kind.LRGP and seat.live and seat.key == key:
                        await self._follow(seat)
            del self._changed[key]

    async def _follow(self, seat: Seat) -> None:
        draft = nobody(self._node.now())
        try:
            after = self._desk.followed(seat, self._node.session(seat.key))
        except CallerError:
            after = seats.closed(seat, draft.now)
        if after != seat:
            draft.put((after,))
            draft.tell(after)
            await self._commit(draft)

    # By LRGP, for those who have none

    async def _arrived(self, message: Outgoing) -> None:
        async with self._lock:
            draft = nobody(self._node.now())
            begun = await self._judge(draft, message)
            await self._commit(draft)
            if begun is not None:
                await self._accept_sought(begun)
        for progress in (Progress.SENT, Progress.DELIVERED):
            self._node.progress(message.ref, progress, "")

    async def _judge(self, draft: Draft, message: Outgoing) -> Seat | None:
        """The seat of a challenge that its player has asked for."""
        player, identity = message.peer, message.identity
        seat = self._desk.table.seat(wire.session_id(message.envelope), player)
        outcome = self._desk.wire.receive(player, identity, message.envelope, seat, draft.now)
        if isinstance(outcome, Applied):
            after = self._taken(player, outcome, seat)
            draft.put((after,))
            self._held.note(after.game_id)
            if seat is None and (self._seeks(after) or self._desk.expects(player, after.app_id)):
                return after
            draft.tell(after)
        elif isinstance(outcome, RemoteError) and seat is not None:
            said = f"#{seat.number}: the other side did not take your last action: {outcome.msg}"
            draft.note(identity, player, f"error {seat.game_id}", replies.fit(replies.sentence(said)))
        elif outcome is not None:
            answer = self._desk.wire.answer(player, identity, outcome)
            if answer is not None:
                draft.hand_over(answer)
        return None

    def _taken(self, player: str, outcome: Applied, seat: Seat | None) -> Seat:
        if seat is None:
            seat = self._desk.wired(player, outcome.after)
        return wire.heard(seat, outcome)

    def _seeks(self, seat: Seat) -> list[Seek]:
        return [one for one in self._desk.table.seeks(seat.app_id) if one.player == seat.player]

    async def _accept_sought(self, seat: Seat) -> None:
        """Who has waited for just this game takes it at once. It is stored: only then it can be accepted."""
        draft = nobody(self._node.now())
        draft.wait_no_more(self._seeks(seat))
        try:
            seat = await self._desk.act(draft, seat, Command.ACCEPT, {})
        except Rejection as rejection:
            log.info("a game that %s waits for does not begin: %s", seat.player, rejection.message)
        draft.tell(seat, asked=True)
        await self._commit(draft)

    # Peers that have LRGP, and challenge the identity that he writes to

    async def meet(self, session: Session, seek: Seek) -> None:
        """A challenge of a peer is what a player has waited for. With the lock held.

        The seat is stored before the challenge is accepted: in between he can still say yes himself.
        """
        draft = nobody(self._node.now())
        seat = self._desk.held_for(self._desk.table.player(seek.identity, seek.player), session)
        draft.wait_no_more((seek,))
        draft.put((seat,))
        await self._commit(draft)
        draft = nobody(self._node.now())
        try:
            seat = await self._desk.act(draft, seat, Command.ACCEPT, {})
            me = self._desk.name(seek.player)
            about = f"You play {me}, who has waited for {replies.short(seat.app_id)} and plays by text."
            draft.note(seek.identity, session.peer, f"for {seat.game_id}", replies.fit(about))
        except Rejection as rejection:
            log.info("a game that %s waits for does not begin: %s", seat.player, rejection.message)
        draft.tell(seat, asked=True)
        await self._commit(draft)

    # Time

    async def sweep(self) -> None:
        """End games whose time limit has passed, now and then, for ever."""
        while True:
            try:
                if self._trusted():
                    async with self._lock:
                        await self._expire()
            except StorageError as error:
                log.warning("games by text are not looked through: %s", error)
            await asyncio.sleep(SWEEP_SECONDS)

    async def _expire(self) -> None:
        now = self._node.now()
        for game_id, kind in {(seat.game_id, seat.kind) for seat in self._desk.table.live()}:
            if kind is Kind.LRGP:
                continue
            held = self._desk.table.at(game_id)
            game = self._desk.games.get(held[0].app_id)
            if game is None or (kind is Kind.TABLE and len(held) < 2):
                # The rules are not installed any more, or one has gone with the identity it wrote to.
                after = tuple(seats.closed(seat, now) for seat in held)
            else:
                after = seats.expire(game, held, now)
            if after != tuple(held):
                draft = nobody(now)
                draft.put(after)
                for seat in after:
                    draft.tell(seat)
                await self._commit(draft)
