"""Sessions that both sides see differently: a local flag with the reason (architecture §5).

LRGP has no resync. What a person can do is send again, or end the game here. The flag never blocks
play; the next action of the peer that we accept takes it away.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.limit import Limit
from lrgpnode.outbox import PRESUPPOSING
from lrgpnode.protocol.crossing import Step, converges
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.router import Rejected, RemoteError
from lrgpnode.protocol.session import Session, SessionKey
from storage.errors import StorageError
from storage.model import Action, Flag, OutboxRow
from storage.scores import OUT_OF_SYNC
from storage.store import Store

DOUBT: Final = "doubt"
"""The peer has refused a copy: maybe it only forgot that it has the original."""

CLOSED: Final = "closed"
"""The game was ended here, and its peer is to be told why if it goes on."""

SILENT_SECONDS: Final = 6 * 3600.0
"""A doubt becomes certain if the peer does nothing that we accept for so long."""

MOST_ALIKE: Final = 256
"""Sessions for which it is remembered that both ends agree: until the peer's error has come."""

ANALYSES_PER_MINUTE: Final = 4
LONGEST_JOURNAL: Final = 600
"""To see what a crossing has done, a game is played again; a peer must not keep us busy with that."""

_NONCE_KEPT: Final = frozenset(
    (Command.RESIGN, Command.DECLINE, Command.DRAW_OFFER, Command.DRAW_ACCEPT, Command.DRAW_DECLINE)
)

log = logging.getLogger(__name__)


def keeps_nonce(command: str) -> bool:
    """Whether a refused action stays refused for the life of its session. An accept or a move that was
    refused may be sent again and fit then."""
    return command in _NONCE_KEPT


class Sync:
    """``attempts`` says how often an action of ours was sent; ``certain`` is called with a session whose
    peer has stayed silent. Times in Unix seconds."""

    def __init__(
        self,
        store: Store,
        games: Mapping[str, Game],
        agenda: Agenda,
        *,
        attempts: Callable[[SessionKey, str], int],
        certain: Callable[[SessionKey], None],
    ) -> None:
        self._store = store
        self._games = games
        self._agenda = agenda
        self._attempts = attempts
        self._certain = certain
        self._flags: dict[SessionKey, dict[str, Flag]] = {}
        self._doubts: dict[SessionKey, Entry] = {}
        self._alike: OrderedDict[SessionKey, None] = OrderedDict()
        self._analyses = Limit(ANALYSES_PER_MINUTE, seconds=60.0)

    def start(self, now: float) -> None:
        """Take up the flags of live sessions."""
        for flag in self._store.mail.live_flags():
            if flag.flag in (OUT_OF_SYNC, DOUBT):
                self._remember(flag, now)

    # What a commit writes

    def refused(self, outcome: Rejected, now: float) -> Flag | None:
        """The flag for an action of the peer that we refuse, if that shows that the sides differ."""
        session, envelope = outcome.session, outcome.envelope
        if session is None or envelope is None or self._flagged(session.key):
            return None
        refused = Step(session.peer, envelope.command, envelope.payload, now)
        if self._harmless(session, refused, now):
            if session.status.ended:
                self._alike[session.key] = None
                if len(self._alike) > MOST_ALIKE:
                    self._alike.popitem(last=False)
            return None
        reason = f"we refused the peer's {envelope.command}: {outcome.message}"
        return Flag(key=session.key, flag=OUT_OF_SYNC, reason=reason, at=now)

    def alike(self, key: SessionKey) -> bool:
        """Whether both sides are known to have ended a session in the same way, each by its own action."""
        return key in self._alike

    def error(self, outcome: RemoteError, now: float) -> Flag | None:
        """The flag for the peer's error about an action of ours, if that shows that the sides differ."""
        session = outcome.session
        if self._flagged(session.key) or outcome.ref == Command.DRAW_DECLINE:
            # It had no offer open, and neither have we: the same.
            return None
        if session.status.ended and self.alike(session.key):
            return None
        journal = self._store.actions.of(session.key)
        own = [a for a in journal if a.sender == session.key.identity and a.command == outcome.ref]
        if not own or _accepted_since(session, journal, own[-1]):
            return None
        copy = self._attempts(session.key, outcome.ref) > 1
        if copy and session.status.ended:
            # Silence says nothing after the end; had something crossed it, we would have refused that.
            return None
        reason = f"the peer refused our {outcome.ref}: {outcome.msg}"
        return Flag(key=session.key, flag=DOUBT if copy else OUT_OF_SYNC, reason=reason, at=now)

    def crossed(
        self, after: Session, command: str, undelivered: Sequence[OutboxRow], now: float
    ) -> Flag | None:
        """The flag for an accepted action of the peer that crossed one of ours, of which we do not know that
        it arrived: a move ends an offer on one side that comes after it on the other."""
        if after.status.ended:
            return None
        tried = {row.command for row in undelivered if row.attempts}
        if command == Command.DRAW_OFFER and Command.MOVE in tried:
            reason = "the peer's draw offer crossed our move; there it may count as declined"
        elif command == Command.MOVE and Command.DRAW_OFFER in tried:
            reason = "our draw offer crossed the peer's move; there it may still be open"
        else:
            return None
        return Flag(key=after.key, flag=OUT_OF_SYNC, reason=reason, at=now)

    def clearing(self, key: SessionKey) -> tuple[tuple[SessionKey, str], ...]:
        """The flags that an accepted action of the peer takes away."""
        return tuple((key, flag) for flag in self._flags.get(key, ()))

    # After the commit

    def flagged(self, flag: Flag, session: Session) -> bool:
        """A flag is stored; whether the session is out of sync for sure."""
        log.info("session %s %s: %s", flag.key.session_id, flag.flag, flag.reason)
        if session.status.ended:
            self.cleared(flag.key)  # nothing can take it away any more
        else:
            self._remember(flag, flag.at)
        return flag.flag == OUT_OF_SYNC

    def cleared(self, key: SessionKey) -> bool:
        """The flags of a session are gone from the store; whether it was out of sync for sure."""
        self._agenda.cancel(self._doubts.pop(key, None))
        return OUT_OF_SYNC in self._flags.pop(key, {})

    def doubt(self, key: SessionKey) -> Flag | None:
        return self._flags.get(key, {}).get(DOUBT)

    # Inside

    def _flagged(self, key: SessionKey) -> bool:
        return OUT_OF_SYNC in self._flags.get(key, {})

    def _remember(self, flag: Flag, now: float) -> None:
        flags = self._flags.setdefault(flag.key, {})
        flags[flag.flag] = flag
        if flag.flag == OUT_OF_SYNC:
            flags.pop(DOUBT, None)
            self._agenda.cancel(self._doubts.pop(flag.key, None))
        elif flag.key not in self._doubts:
            wait = min(max(0.0, flag.at + SILENT_SECONDS - now), SILENT_SECONDS)
            self._doubts[flag.key] = self._agenda.after(wait, self._certain, flag.key)

    def _harmless(self, session: Session, refused: Step, now: float) -> bool:
        game = self._games.get(session.app_id)
        if game is None or not self._analyses.allow(session.peer, now):
            return False
        try:
            journal = self._store.actions.of(session.key)
        except StorageError as error:
            log.warning("the journal of session %s: %s", session.key.session_id, error)
            return False
        if len(journal) > LONGEST_JOURNAL:
            return False
        try:
            steps = [_step(action) for action in journal]
        except InvalidEnvelope:
            return False
        return converges(game, session, steps, refused)


def _step(action: Action) -> Step:
    payload = Envelope.unpack(action.envelope).payload if action.envelope else dict(action.payload)
    return Step(action.sender, action.command, payload, action.timestamp)


def _accepted_since(session: Session, journal: Sequence[Action], own: Action) -> bool:
    """Whether the peer has since done what shows that it had our action, or has ended the game."""
    later = [a for a in journal if a.action_num > own.action_num and a.sender == session.peer]
    if any(action.command in PRESUPPOSING for action in later):
        return True
    return bool(later) and session.status.ended and journal[-1].sender == session.peer
