"""The router: what may happen to which session, and in which order it is decided (spec §3.1, §6, §8).

The router changes nothing but its replay cache. It reads stored sessions, asks the game for the next
value and returns a typed outcome; the caller commits ``after`` (and ``expired``) in one transaction
before it calls again for the same identity. Where the commit fails, the stored value is still the
one before, and ``forget`` frees the nonce.

Order of an inbound envelope: sender and identity present → canonical form → supported app, version
and command → replay probe → authorisation → check-and-record of the nonce → session namespace and
admission → game. Nothing before check-and-record leaves a trace; everything after it keeps the nonce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

from .envelope import Envelope, InvalidEnvelope, error_payload, fit_error
from .errors import CallerError, Corrupt, ErrorCode, Kind, Rejection, Scope
from .game import Coin, Command, Delivery, Game, Intent, Payload, Validation
from .replay import ReplayCache, ReplayEntry
from .session import GRACE_SECONDS, Session, SessionKey, Sessions, Status, is_session_id
from .value import Value

PENDING_PER_PARTICIPANT = 16
PENDING_PER_IDENTITY = 128
"""Spec §6, Challenge Admission."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Prepared(Value):
    """A local action, ready to be committed and sent. ``before`` is None for a new challenge."""

    before: Session | None
    after: Session
    envelope: Envelope
    fallback: str
    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome(Value):
    """What became of an inbound envelope.

    ``recorded`` is the replay entry this envelope left; ``expired`` are sessions found dead on the
    way, to be stored. ``answer`` is the error code the receiver may send to this peer, None where
    it must stay silent: to strangers, unknown sessions, replays, errors and malformed input.
    """

    envelope: Envelope | None = None
    recorded: ReplayEntry | None = None
    expired: tuple[Session, ...] = ()

    @property
    def answer(self) -> ErrorCode | None:
        return None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Applied(Outcome):
    """The game accepted the action. ``before`` is None for a new challenge."""

    before: Session | None
    after: Session


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Idempotent(Outcome):
    """A challenge that already made its session: nothing changes, nobody is told."""

    session: Session


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Duplicate(Outcome):
    """A replay: drop silently."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RemoteError(Outcome):
    """The peer refused one of our actions. The session is untouched (spec §9)."""

    session: Session
    code: str
    msg: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rejected(Outcome):
    """The game refused the action. ``cause`` is set where the game failed instead of refusing."""

    session: Session | None
    code: ErrorCode
    ref: str
    message: str
    may_answer: bool = True
    cause: Exception | None = None

    @property
    def answer(self) -> ErrorCode | None:
        return self.code if self.may_answer else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Refused(Outcome):
    """The router refused the envelope before any game saw it."""

    kind: Kind
    message: str
    scope: Scope | None = None
    session: Session | None = None
    """The session, where the sender is its peer and may be told."""

    @property
    def answer(self) -> ErrorCode | None:
        return ErrorCode.SESSION_EXPIRED if self.session is not None else None


class Router:
    """Routes actions of every local identity to the games.

    ``nonce`` gives 8 random bytes, ``new_session_id`` 16 lower-case hex characters, ``coin`` a fair
    bit; all three must come from a CSPRNG in production.
    """

    def __init__(
        self,
        games: Mapping[str, Game],
        sessions: Sessions,
        replay: ReplayCache,
        *,
        nonce: Callable[[], bytes],
        new_session_id: Callable[[], str],
        coin: Coin,
    ) -> None:
        self._games = games
        self._sessions = sessions
        self._replay = replay
        self._nonce = nonce
        self._new_session_id = new_session_id
        self._coin = coin
        self.expiring = True
        """Whether sessions expire. False while the caller's clock cannot be trusted."""

    # Outgoing

    def prepare(
        self,
        identity: str,
        peer: str | None,
        app_id: str,
        command: str,
        intent: Intent,
        session_id: str,
        now: float,
        coin: Coin | None = None,
    ) -> Prepared:
        """Validate a local intent and build its envelope. Raises ``CallerError``; changes nothing.

        ``session_id`` may be "" for a challenge: a new id is generated. ``coin``: for a caller who knows how
        the lots have fallen, because somebody else has drawn them.
        """
        if peer is None or not peer.strip():
            raise CallerError(Kind.PARTICIPANT_REQUIRED, "an action needs a recipient")
        if not identity.strip():
            raise CallerError(Kind.IDENTITY_REQUIRED, "an action needs a local identity")
        game = self._games.get(app_id)
        if game is None:
            raise CallerError(
                Kind.UNKNOWN_APP, f"this node has no game {app_id!r}", ErrorCode.UNSUPPORTED_APP
            )
        if not _supports(game, command):
            raise CallerError(Kind.UNSUPPORTED_ACTION, f"{app_id} has no action {command!r}")
        if not isinstance(intent, Mapping):
            raise CallerError(Kind.VALIDATION, "the payload must be a map")
        if command == Command.CHALLENGE:
            return self._prepare_challenge(game, identity, peer, intent, session_id, now)
        session = self._addressed(game, SessionKey(identity, _canonical(session_id)), now)
        if session.peer != peer:
            raise CallerError(Kind.UNAUTHORIZED_PEER, "that peer is not a participant of this session")
        if command == Command.ERROR:
            payload = dict(intent)
            if error_payload(payload) is None:
                raise CallerError(
                    Kind.INVALID_ENVELOPE, "an error needs code, msg and ref, all non-empty text"
                )
            envelope = self._envelope(session, command, payload)
            return Prepared(
                before=session,
                after=session,
                envelope=envelope,
                fallback="[LRGP] Protocol error",
                delivery=game.manifest.delivery(command),
            )
        if command == Command.ACCEPT and session.initiator == identity:
            raise CallerError(Kind.ILLEGAL_TRANSITION, "only the challenged player can accept")
        return self._play(game, session, identity, command, intent, now, coin)

    def _prepare_challenge(
        self, game: Game, identity: str, peer: str, intent: Intent, session_id: str, now: float
    ) -> Prepared:
        if peer == identity:
            raise CallerError(Kind.VALIDATION, "an identity cannot challenge itself")
        key = SessionKey(identity, _canonical(session_id or self._new_session_id()))
        if self._sessions.get(key) is not None:
            raise CallerError(Kind.SESSION_EXISTS, f"session {key.session_id} exists already")
        try:
            opened = game.open(key, peer, identity, now)
        except Exception as error:
            raise _broken(game) from error
        return replace(self._play(game, opened, identity, Command.CHALLENGE, intent, now), before=None)

    def _play(
        self,
        game: Game,
        session: Session,
        identity: str,
        command: str,
        intent: Intent,
        now: float,
        coin: Coin | None = None,
    ) -> Prepared:
        try:
            payload = game.intend(session, identity, command, intent, coin or self._coin)
            after = _bound(session, game.apply(session, identity, command, _own(payload), now))
            fallback = game.fallback(session, after, identity, command, payload)
        except Rejection as rejection:
            kind = Kind.ILLEGAL_TRANSITION if rejection.transition else Kind.VALIDATION
            raise CallerError(kind, rejection.message, rejection.code) from None
        except Exception as error:
            raise _broken(game) from error
        return Prepared(
            before=session,
            after=replace(after, unread=0),
            envelope=self._envelope(session, command, payload),
            fallback=fallback,
            delivery=game.manifest.delivery(command),
        )

    def _envelope(self, session: Session, command: str, payload: Payload) -> Envelope:
        return Envelope(
            session.app_id, session.app_version, str(command), session.key.session_id, payload, self._nonce()
        )

    def _addressed(self, game: Game, key: SessionKey, now: float) -> Session:
        session = self._sessions.get(key)
        if session is None or session.app_id != game.manifest.app_id:
            raise CallerError(Kind.SESSION_NOT_FOUND, f"there is no session {key.session_id}")
        if self.current(session, now).status is Status.EXPIRED:
            raise CallerError(
                Kind.SESSION_EXPIRED, f"session {key.session_id} has expired", ErrorCode.SESSION_EXPIRED
            )
        return session

    def answer(self, outcome: Outcome) -> Prepared | None:
        """The error action for an outcome that may be answered, or None (spec §9)."""
        code, envelope = outcome.answer, outcome.envelope
        if code is None or envelope is None or not isinstance(outcome, Rejected | Refused):
            return None
        session = outcome.session
        if session is None:
            return None
        payload = fit_error(
            envelope.app_id, envelope.version, envelope.session_id, code, outcome.message, envelope.command
        )
        return Prepared(
            before=session,
            after=session,
            envelope=self._envelope(session, Command.ERROR, payload),
            fallback=f"[LRGP] Action rejected: {payload['msg']}",
            delivery=self._games[session.app_id].manifest.delivery(Command.ERROR),
        )

    # Incoming

    def receive(self, identity: str, sender: str, raw: bytes | Envelope, now: float) -> Outcome:
        """Judge one inbound envelope. ``sender`` must come from the validated LXMF source only."""
        if not sender.strip():
            return Refused(kind=Kind.SENDER_REQUIRED, message="the sender is not authenticated")
        if not identity.strip():
            return Refused(kind=Kind.IDENTITY_REQUIRED, message="no receiving identity")
        try:
            envelope = raw if isinstance(raw, Envelope) else Envelope.unpack(raw)
        except InvalidEnvelope as error:
            return Refused(kind=error.kind, message=error.message)
        unsupported = self.unsupported(envelope)
        if unsupported is not None:
            return unsupported
        if self.replayed(identity, envelope):
            return Duplicate(envelope=envelope)
        key = SessionKey(identity, envelope.session_id)
        stored = self._sessions.get(key)
        refused = self._unauthorised(identity, stored, sender, envelope, now)
        if refused is not None:
            return refused
        entry = self._replay.record(identity, envelope.session_id, envelope.nonce)
        if entry is None:
            return Duplicate(envelope=envelope)
        return replace(self._dispatch(key, stored, sender, envelope, now), recorded=entry)

    def unsupported(self, envelope: Envelope) -> Refused | None:
        """The refusal of an app, version, command or error payload this node does not know."""
        game = self._games.get(envelope.app_id)
        if game is None:
            return _refuse(envelope, Kind.UNKNOWN_APP, f"this node has no game {envelope.app_id!r}")
        if game.manifest.version != envelope.version:
            return _refuse(envelope, Kind.UNSUPPORTED_VERSION, f"version {envelope.version} is not supported")
        if not _supports(game, envelope.command):
            return _refuse(envelope, Kind.UNSUPPORTED_ACTION, f"there is no action {envelope.command!r}")
        if envelope.command == Command.ERROR and error_payload(envelope.payload) is None:
            return _refuse(envelope, Kind.INVALID_ENVELOPE, "an error needs code, msg and ref")
        return None

    def replayed(self, identity: str, envelope: Envelope) -> bool:
        """The replay probe: records nothing."""
        return self._replay.seen(identity, envelope.session_id, envelope.nonce)

    def _unauthorised(
        self, identity: str, stored: Session | None, sender: str, envelope: Envelope, now: float
    ) -> Refused | None:
        owned = stored is not None and stored.app_id == envelope.app_id
        if stored is None or not owned:
            if envelope.command != Command.CHALLENGE:
                return _refuse(envelope, Kind.SESSION_NOT_FOUND, "there is no such session")
            if sender == identity:
                return _refuse(envelope, Kind.UNAUTHORIZED_PEER, "an identity cannot challenge itself")
            return None
        current = self.current(stored, now)
        if current.status is Status.EXPIRED:
            return Refused(
                envelope=envelope,
                kind=Kind.SESSION_EXPIRED,
                message="this game has expired here",
                expired=() if current is stored else (current,),
                session=current if sender == stored.peer else None,
            )
        if sender != stored.peer:
            return _refuse(envelope, Kind.UNAUTHORIZED_PEER, "the sender is not a participant")
        return None

    def _dispatch(
        self, key: SessionKey, stored: Session | None, sender: str, envelope: Envelope, now: float
    ) -> Outcome:
        game = self._games[envelope.app_id]
        if stored is not None and stored.app_id != envelope.app_id:
            return _refuse(envelope, Kind.SESSION_EXISTS, "the session id belongs to another game")
        if stored is None:
            return self._admit(game, key, sender, envelope, now)
        if envelope.command == Command.ERROR:
            code, msg, ref = error_payload(envelope.payload) or ("", "", "")
            return RemoteError(envelope=envelope, session=stored, code=code, msg=msg, ref=ref)
        if envelope.command == Command.CHALLENGE:
            retry = _apply(game, partial(game.open, key, sender, sender, now), None, sender, envelope, now)
            return retry if isinstance(retry, Rejected) else Idempotent(envelope=envelope, session=stored)
        if envelope.command == Command.ACCEPT and stored.initiator == sender:
            return _rejected(
                game,
                stored,
                envelope,
                Rejection(ErrorCode.PROTOCOL_ERROR, "Only the challenged player can accept", transition=True),
            )
        return _apply(game, lambda: stored, stored, sender, envelope, now)

    def _admit(self, game: Game, key: SessionKey, sender: str, envelope: Envelope, now: float) -> Outcome:
        since = self._horizon(Status.PENDING, now)
        older = [(s, self.current(s, now)) for s in self._sessions.older(key.identity, Status.PENDING, since)]
        expired = tuple(current for session, current in older if current is not session)
        alive = [session.peer for session, current in older if current is session]
        for scope, peer, limit, beside in (
            (Scope.PARTICIPANT, sender, PENDING_PER_PARTICIPANT, alive.count(sender)),
            (Scope.IDENTITY, None, PENDING_PER_IDENTITY, len(alive)),
        ):
            if self._sessions.pending_count(key.identity, peer, since) + beside >= limit:
                return Refused(
                    envelope=envelope,
                    kind=Kind.ADMISSION_LIMIT,
                    scope=scope,
                    message=f"too many pending challenges ({scope})",
                    expired=expired,
                )
        opened = partial(game.open, key, sender, sender, now)
        return replace(_apply(game, opened, None, sender, envelope, now), expired=expired)

    # Time to live (spec §10)

    def current(self, session: Session, now: float) -> Session:
        """The session with its TTL applied: itself, or its expired value (not yet stored)."""
        game = self._games.get(session.app_id)
        last = session.expires_at(game.manifest.ttl if game is not None else _NO_TTL)
        if last is None or now <= last or not self.expiring:
            return session
        if game is None:
            return session.expired(now)
        try:
            expired = _bound(session, game.expire(session, now))
        except Exception:  # noqa: BLE001 - one game must not keep the others from expiring
            return session.expired(now)
        return expired if expired.status.ended else session.expired(now)

    def overdue(self, identity: str, now: float, *statuses: Status) -> Iterable[Session]:
        """Expired values of the stored sessions whose time is up, for the caller to store."""
        for status in statuses or (Status.PENDING, Status.ACTIVE):
            for session in self._sessions.older(identity, status, self._horizon(status, now)):
                current = self.current(session, now)
                if current is not session:
                    yield current

    def _horizon(self, status: Status, now: float) -> float:
        """Nothing that acted since then can have expired, whatever its game."""
        ttls = [game.manifest.ttl[status] for game in self._games.values() if status in game.manifest.ttl]
        return now - min(ttls, default=0.0) - GRACE_SECONDS

    def get(self, identity: str, session_id: str, now: float) -> Session | None:
        """The session with its TTL applied, or None."""
        session = self._sessions.get(SessionKey(identity, session_id))
        return None if session is None else self.current(session, now)

    def list(self, identity: str, app_id: str | None, now: float) -> Iterable[Session]:
        """Sessions of one identity, newest action first, TTL applied."""
        return (self.current(session, now) for session in self._sessions.list(identity, app_id))

    def hydrate(self, session: Session, now: float) -> Session:
        """A session from outside, checked and repaired for storing (spec §10, §16).

        A record of the same app may replace the stored one. Raises ``CallerError``.
        """
        game = self._games.get(session.app_id)
        if game is None:
            raise CallerError(
                Kind.UNKNOWN_APP, f"this node has no game {session.app_id!r}", ErrorCode.UNSUPPORTED_APP
            )
        if session.app_version != game.manifest.version:
            raise CallerError(Kind.UNSUPPORTED_VERSION, f"version {session.app_version} is not supported")
        _canonical(session.key.session_id)
        if not session.key.identity.strip():
            raise CallerError(Kind.IDENTITY_REQUIRED, "the record has no local identity")
        if not session.peer.strip():
            raise CallerError(Kind.PARTICIPANT_REQUIRED, "the record has no peer")
        stored = self._sessions.get(session.key)
        if stored is not None and stored.app_id != session.app_id:
            raise CallerError(Kind.SESSION_EXISTS, "the session id belongs to another game")
        try:
            return self.current(self.normalised(session), now)
        except Corrupt as corrupt:
            raise CallerError(Kind.VALIDATION, f"the record is damaged: {corrupt}") from None

    def normalised(self, session: Session) -> Session:
        """A stored record as its game accepts it. Raises ``Corrupt``."""
        if session.initiator not in session.participants or session.key.identity == session.peer:
            raise Corrupt("the initiator is not a participant")
        try:
            return _bound(session, self._games[session.app_id].normalise(session))
        except Corrupt:
            raise
        except Exception as error:
            raise Corrupt(f"the game could not read it: {type(error).__name__}: {error}") from error

    def forget(self, identity: str, session_id: str, nonce: bytes) -> None:
        """Free one nonce after a failed commit (spec §3.1)."""
        self._replay.forget(identity, session_id, nonce)

    def remove(self, identity: str, session_id: str) -> None:
        """Drop the replay space of a session that the caller deletes."""
        self._replay.remove(identity, session_id)


_NO_TTL: Mapping[Status, float] = {}


def _supports(game: Game, command: str) -> bool:
    return command == Command.ERROR or command in game.manifest.actions


def _canonical(session_id: str) -> str:
    if not is_session_id(session_id):
        raise CallerError(Kind.INVALID_ENVELOPE, "a session id is 16 lower-case hexadecimal characters")
    return session_id


def _refuse(envelope: Envelope, kind: Kind, message: str) -> Refused:
    return Refused(envelope=envelope, kind=kind, message=message)


def _bound(before: Session, after: Session) -> Session:
    """``after``, if the game left alone what binds a session to its participants."""
    if not isinstance(after, Session) or type(after.status) is not Status:
        raise TypeError(f"the game {before.app_id} gave no session")
    if (before.key, before.peer, before.initiator, before.app_id, before.app_version, before.created_at) != (
        after.key,
        after.peer,
        after.initiator,
        after.app_id,
        after.app_version,
        after.created_at,
    ):
        raise RuntimeError(f"the game {before.app_id} changed the binding of its session")
    return after


def _own(payload: Payload) -> Payload:
    """A copy that a game may do with as it likes: what is committed is what was on the wire."""
    if any(isinstance(value, dict | list) for value in payload.values()):
        return deepcopy(payload)
    return dict(payload)


def _broken(game: Game) -> CallerError:
    return CallerError(Kind.VALIDATION, f"the game {game.manifest.app_id} failed; its author should know")


def _apply(
    game: Game,
    opened: Callable[[], Session],
    before: Session | None,
    sender: str,
    envelope: Envelope,
    now: float,
) -> Outcome:
    """What the game says to an action on the session that ``opened`` gives."""
    try:
        session = opened()
        applied = game.apply(session, sender, envelope.command, _own(envelope.payload), now)
        after = _bound(session, applied)
    except Rejection as rejection:
        return _rejected(game, before, envelope, rejection)
    except Exception as error:  # noqa: BLE001 - a third party's game must not take the node down
        failure = Rejection(ErrorCode.PROTOCOL_ERROR, "The game could not process this action")
        return replace(_rejected(game, before, envelope, failure), may_answer=False, cause=error)
    return Applied(envelope=envelope, before=before, after=replace(after, unread=1))


def _rejected(game: Game, session: Session | None, envelope: Envelope, rejection: Rejection) -> Rejected:
    return Rejected(
        envelope=envelope,
        session=session,
        code=rejection.code,
        ref=envelope.command,
        message=rejection.message,
        may_answer=session is not None and game.manifest.validation is not Validation.SENDER,
    )
