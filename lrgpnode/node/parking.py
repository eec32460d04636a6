"""Messages that came too early, kept in front of the router until what they need has come.

Nothing of them is recorded or answered meanwhile. A parked message is judged again after every commit
of its session, and when its time is up the router has the word (architecture §5).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from lrgpnode.agenda import Agenda, Entry
from lrgpnode.mesh.transport import Received
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.router import Router
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import NewParked, Parked
from storage.store import Store

PARK_SECONDS: Final = 600.0
PARKED_PER_SESSION: Final = 4

DECLINE_SECONDS: Final = 30 * 86_400.0
DECLINES_PER_SENDER: Final = 4
DECLINES_PER_IDENTITY: Final = 64
"""A decline of an unknown session may have overtaken its challenge at a propagation node, where mail
stays for 30 days."""

log = logging.getLogger(__name__)


class Full(Exception):
    """The message is early, but there is no place for it: it is dropped, and may come again."""


class Parking:
    """``due`` is called with the session of a message whose time is up."""

    def __init__(
        self,
        store: Store,
        router: Router,
        games: Mapping[str, Game],
        agenda: Agenda,
        due: Callable[[SessionKey], None],
    ) -> None:
        self._store = store
        self._router = router
        self._games = games
        self._agenda = agenda
        self._due = due
        self._parked: dict[SessionKey, Entry] = {}

    def start(self, now: float) -> None:
        """Take up what was parked before a restart. ``now``: Unix seconds."""
        for key, until in self._store.mail.parked_until():
            longest = PARK_SECONDS if self._store.sessions.exists(key) else DECLINE_SECONDS
            self._remind(key, min(until - now, longest))

    def __contains__(self, key: SessionKey) -> bool:
        """Whether something is parked for this session."""
        return key in self._parked

    def place(self, message: Received, envelope: Envelope, now: float) -> NewParked | None:
        """How to park the message, or None if it is not early. Raises ``Full``."""
        key = SessionKey(message.identity, envelope.session_id)
        session = self._store.sessions.get(key)
        if not self.early(session, message.peer, envelope, now):
            return None
        if session is None:
            self._check_declines(key.identity, message.peer)
        elif key in self._parked and len(self._store.mail.parked(key)) >= PARKED_PER_SESSION:
            raise Full(f"{PARKED_PER_SESSION} messages of session {key.session_id} are parked already")
        return NewParked(
            key=key,
            sender=message.peer,
            command=envelope.command,
            nonce=envelope.nonce,
            envelope=message.envelope or b"",
            timestamp=message.timestamp,
            parked_at=now,
            until=now + (DECLINE_SECONDS if session is None else PARK_SECONDS),
            content=message.content,
            message_hash=message.message_hash,
            signed=message.signed,
        )

    def early(self, session: Session | None, sender: str, envelope: Envelope, now: float) -> bool:
        """Whether the router would refuse the envelope now, and may not when a missing one has come."""
        game = self._games.get(envelope.app_id)
        if game is None or (session is None and envelope.command != Command.DECLINE):
            return False
        if session is not None and (session.app_id != envelope.app_id or session.peer != sender):
            return False
        try:
            if not game.early(session, sender, envelope.command, dict(envelope.payload)):
                return False
        except Exception:
            log.exception("game %s cannot say whether a %s is early", envelope.app_id, envelope.command)
            return False
        if session is not None and self._router.current(session, now).status is Status.EXPIRED:
            return False
        if self._router.unsupported(envelope) is not None:
            return False
        identity = session.key.identity if session is not None else ""
        return not identity or not self._router.replayed(identity, envelope)

    def parked(self, new: NewParked, now: float) -> None:
        """The message is stored."""
        log.info("parked %s of session %s: it came too early", new.command, new.key.session_id)
        self._remind(new.key, new.until - now)

    def of(self, key: SessionKey) -> list[Parked]:
        """What is parked for a session, in the order it came."""
        return list(self._store.mail.parked(key)) if key in self._parked else []

    def judged(self, key: SessionKey, now: float) -> None:
        """Some of a session's messages are parked no more."""
        self.forget(key)
        for left in self._store.mail.parked(key):
            self._remind(key, left.until - now)

    def forget(self, key: SessionKey) -> None:
        """Nothing is parked for this session any more."""
        self._agenda.cancel(self._parked.pop(key, None))

    def _check_declines(self, identity: str, sender: str) -> None:
        mail = self._store.mail
        if mail.parked_count(identity, Command.DECLINE, sender) >= DECLINES_PER_SENDER:
            raise Full(f"{DECLINES_PER_SENDER} declines of {sender} are parked already")
        if mail.parked_count(identity, Command.DECLINE) >= DECLINES_PER_IDENTITY:
            raise Full(f"{DECLINES_PER_IDENTITY} declines are parked already")

    def _remind(self, key: SessionKey, seconds: float) -> None:
        """One reminder a session: for the first message whose time is up."""
        when = self._agenda.clock() + max(0.0, min(seconds, DECLINE_SECONDS))
        known = self._parked.get(key)
        if known is None or known.when > when:
            self._agenda.cancel(known)
            self._parked[key] = self._agenda.at(when, self._time_is_up, key)

    def _time_is_up(self, key: SessionKey) -> None:
        # It stays marked as parked until it has been judged.
        self._parked[key] = self._agenda.after(PARK_SECONDS, self._time_is_up, key)
        self._due(key)
