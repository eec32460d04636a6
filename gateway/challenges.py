"""Challenges to the gateway: which becomes a seat, which is refused with a word, which is left unanswered."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lrgpnode.limit import Limit
from lrgpnode.protocol.errors import CallerError
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.errors import StorageError
from storage.gateway import NoSlot
from storage.gateway_model import NewBridge, SeatResult, SeatStage

from .bridge.driver import Bridge
from .bridge.notes import SLOW, Notes
from .bridge.rules import PLAYED
from .pace import again, limit_words
from .policy import Verdict, full
from .seat import Side

if TYPE_CHECKING:
    from .service import Gateway

log = logging.getLogger(__name__)

CHALLENGES_PER_HOUR: Final = 12
"""Of one player that are answered at least: each costs airtime, and a request at a platform."""

AGAIN_SECONDS: Final = 5.0
"""Before a challenge is looked at again that the database did not take."""


class _TooSlow(Exception):
    """The player's link is too slow for the platform; ``str()`` says so to him."""

    def __init__(self, platform: str, why: str) -> None:
        super().__init__(why)
        self.platform = platform


class Challenges:
    """Of one gateway. ``consider`` may be called any number of times for the same challenge."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._considered: set[SessionKey] = set()
        # Who may begin many games a day may ask as often.
        most = max(CHALLENGES_PER_HOUR, gateway.settings.caps.day)
        self._limit = Limit(most, seconds=3600.0)

    def consider(self, key: SessionKey) -> None:
        """A session with us may be a challenge that nobody has looked at yet. Returns at once."""
        if key not in self._considered:
            self._considered.add(key)
            self._gateway.spawn(self._look(key))

    async def _look(self, key: SessionKey) -> None:
        try:
            while not await self._looked(key):  # noqa: ASYNC110 - nobody says when the database is back
                await asyncio.sleep(AGAIN_SECONDS)
        finally:
            self._considered.discard(key)

    async def _looked(self, key: SessionKey) -> bool:
        """Make a seat of a challenge, refuse it, or leave it; False to look again later."""
        gateway = self._gateway
        try:
            session = gateway.node.session(key)
            if session.status is not Status.PENDING or session.initiator != session.peer:
                return True
            if gateway.of_session(key) is None:
                await self._take_on(session)
        except CallerError as error:
            log.info("a challenge to the gateway is gone: %s", error)
        except StorageError as error:
            log.warning("a challenge to the gateway waits for the database: %s", error)
            return False
        return True

    async def _take_on(self, session: Session) -> None:
        gateway = self._gateway
        judgement = gateway.judge(session.peer)
        blocked = session.peer in gateway.settings.policy.block or judgement.verdict is Verdict.DECLINE
        wished = self._invited(session.peer, session.app_id) or self._again(session.peer, session.app_id)
        if not blocked and wished is None and await gateway.matched(session):
            return
        often = not self._limit.allow(session.peer, gateway.node.now())
        if judgement.verdict is Verdict.IGNORE or often:
            why = "there were too many" if often else "it is not one of gateway.players"
            log.info("the gateway leaves a challenge of %s unanswered: %s", session.peer, why)
        elif session.app_id not in PLAYED:
            await gateway.node.act(session.key, Command.DECLINE, {})
        elif judgement.verdict is Verdict.DECLINE:
            await self._refuse(session, judgement.why)
        else:
            await self._seat(session)

    async def _seat(self, session: Session) -> None:
        gateway = self._gateway
        invited = self._invited(session.peer, session.app_id)
        again = self._again(session.peer, session.app_id)
        platform = gateway.settings.policy.routes.get(session.app_id, "")
        try:
            if invited is not None and (
                invited.row.table or invited.notes.named or not await self._with_us(session)
            ):
                notes = self._paced(session, invited.row.platform, invited.notes)
                await invited.change(
                    stage=SeatStage.OPENING,
                    session=session.key.session_id,
                    notes=notes,
                    takes=gateway.settings.caps,
                )
                invited.wake()
            elif invited is not None:
                reason = "there was somebody at a table of ours"
                await invited.change(stage=SeatStage.OVER, result=SeatResult.NONE, reason=reason)
                invited.wake()
            elif again is not None:
                await self._go_on(session, again)
            elif await self._with_us(session):
                log.info("%s plays somebody who waits at a table of ours", session.peer)
            elif platform:
                await self._insert(session, platform)
            else:
                game = gateway.node.games[session.app_id].manifest.display_name
                await self._refuse(session, f"I know no table of {game}")
        except NoSlot as none:
            await self._refuse(session, full(none.cap))
        except _TooSlow as slow:
            await self._refuse(session, str(slow), slow.platform)

    def _paced(self, session: Session, platform: str, notes: Notes) -> Notes:
        """``notes`` with what the player is to be told of the platform's time for a move.

        Raises ``_TooSlow`` where his link is too slow for that and he has not insisted.
        """
        gateway, peer = self._gateway, session.peer
        pace, known = gateway.pace(platform, peer), gateway.platforms.get(platform)
        if pace is None or known is None or session.app_id not in known.games:
            return notes
        insists = notes.insists or self._insists(peer, session.app_id, platform)
        if pace.too_slow and not insists:
            raise _TooSlow(platform, again(platform, pace, gateway.settings.insist))
        return replace(notes, limit=limit_words(platform, pace), seconds=pace.limit)

    def _insists(self, peer: str, app: str, platform: str) -> bool:
        """Whether the last that the player has heard of this game is that his link is too slow for it."""
        since = self._gateway.node.now() - self._gateway.settings.insist
        rows = self._gateway.store.gateway.of_peer(peer, since)
        same = (row for row in rows if row.app == app and row.stage is not SeatStage.INVITED)
        last = next((row for row in same if row.platform == platform), None)
        return last is not None and SLOW in Notes.load(last.notes).told

    async def _with_us(self, session: Session) -> bool:
        """Whether the player was seated with somebody from the web who waits at a table of ours."""
        gateway, now = self._gateway, self._gateway.node.now()
        for platform, host in tuple(gateway.hosts.items()):
            full = gateway.store.gateway.reached(platform, session.peer, gateway.settings.caps, now)
            if full is not None or session.app_id not in host.games:
                continue  # who waits there must not lose by a seat that nobody gets
            async with host.still():
                if await host.take(session.peer, session.app_id, session.key.session_id):
                    return True
        return False

    async def _go_on(self, session: Session, before: Bridge) -> None:
        """The next game at the table of ``before``; at one of ours the other side has the first move now."""
        gateway, row = self._gateway, before.row
        first = ""
        if row.hosted and before.key is not None:
            try:
                beginner = gateway.node.session(before.key).metadata["first_turn"]
            except CallerError:
                beginner = ""  # that game was deleted: nobody can say how it was
            if beginner:
                first = Side.THEM if beginner == row.peer else Side.US
        notes = Notes(rematch_of=row.id, first=first)
        await self._insert(session, row.platform, row.account, notes, hosted=row.hosted)

    async def _insert(
        self,
        session: Session,
        platform: str,
        account: str = "",
        notes: Notes | None = None,
        *,
        hosted: bool = False,
    ) -> None:
        gateway = self._gateway
        new = NewBridge(
            identity=gateway.identity,
            peer=session.peer,
            app=session.app_id,
            platform=platform,
            account=account,
            stage=SeatStage.OPENING,
            at=gateway.node.now(),
            session=session.key.session_id,
            notes=self._paced(session, platform, notes or Notes()).dump(),
            hosted=hosted,
            caps=gateway.settings.caps,
        )
        await gateway.begin(new)

    async def _refuse(self, session: Session, why: str, slow: str = "") -> None:
        """A bridge that has nothing to do but to say no: durably, and once.

        ``slow``: the platform that the player's link is too slow for, "" where that is not why.
        """
        gateway = self._gateway
        new = NewBridge(
            identity=gateway.identity,
            peer=session.peer,
            app=session.app_id,
            platform=slow or gateway.settings.policy.routes.get(session.app_id, ""),
            stage=SeatStage.OPENING,
            at=gateway.node.now(),
            session=session.key.session_id,
            notes=Notes(broken=why, told=frozenset((SLOW,) if slow else ())).dump(),
        )
        await gateway.begin(new)

    def _invited(self, peer: str, app: str) -> Bridge | None:
        found = (bridge for bridge in self._gateway.of_peer(peer) if bridge.row.app == app)
        return next((bridge for bridge in found if bridge.row.stage is SeatStage.INVITED), None)

    def _again(self, peer: str, app: str) -> Bridge | None:
        """The player's last seat, where its table goes on with another game."""
        found = (bridge for bridge in self._gateway.of_peer(peer) if bridge.row.app == app)
        return next((bridge for bridge in found if bridge.invites_again), None)
