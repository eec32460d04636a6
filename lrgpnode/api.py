"""The control API of a running node: what its methods do (models in ``lrgpnode.control.models``).

Handlers look things up for people — prefixes, names, typed moves — and leave every decision about a
game to ``Node``. They run on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError, Methods
from lrgpnode.node import Acted, Node, ply
from lrgpnode.protocol.errors import CallerError, Kind, LrgpError, Rejection
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.errors import StorageError
from storage.model import Cursor, LocalIdentity, OutboxRow, Summary
from storage.store import Store

T = TypeVar("T")

KNOWN_PEERS: Final = 2000

_HINTS: Final[Mapping[Kind, str]] = {
    Kind.SESSION_NOT_FOUND: "`lrgpnode games` lists the sessions.",
    Kind.SESSION_EXPIRED: "Challenge the peer again.",
    Kind.UNKNOWN_APP: "`lrgpnode status` lists the games this node has.",
}
_DRAW: Final = {
    "offer": Command.DRAW_OFFER,
    "claim": Command.DRAW_OFFER,
    "accept": Command.DRAW_ACCEPT,
    "decline": Command.DRAW_DECLINE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the composition root knows and the node does not."""

    status: Callable[[], models.NodeStatus]
    stop: Callable[[], None]
    announce: Callable[[str | None], None]
    key_file: Callable[[str], str]
    public_key: Callable[[str], str]


def translate(error: Exception) -> ControlError | None:
    """Errors of the lower rooms in the words of the control API."""
    if isinstance(error, LrgpError):
        return ControlError(str(error.kind), _sentence(error.message), _HINTS.get(error.kind, ""))
    if isinstance(error, Rejection):
        return ControlError(str(Kind.VALIDATION), _sentence(error.message))
    if isinstance(error, StorageError):
        return ControlError("storage", str(error))
    return None


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Api:
    def __init__(
        self, node: Node, store: Store, identities: Sequence[LocalIdentity], around: Surroundings
    ) -> None:
        self._node = node
        self._store = store
        self._identities = {identity.hash: identity for identity in identities}
        self._around = around

    def methods(self) -> Methods:
        """Every method of the API but ``events.subscribe``, which the server has built in."""
        methods = Methods(translate)
        handlers: dict[str, Callable[[Any], Any]] = {
            "node.status": self._status,
            "node.stop": self._stop,
            "node.announce": self._announce,
            "identity.list": self._identity_list,
            "identity.show": self._identity_show,
            "peer.list": self._peer_list,
            "game.challenge": self._challenge,
            "game.list": self._list,
            "game.show": self._show,
            "game.accept": self._plain(Command.ACCEPT),
            "game.decline": self._plain(Command.DECLINE),
            "game.resign": self._plain(Command.RESIGN),
            "game.move": self._move,
            "game.draw": self._draw,
            "game.actions": self._actions,
        }
        for name, handler in handlers.items():
            method = models.METHODS[name]
            methods.add(name, method.params, method.result, handler)
        return methods

    # The node and its identities

    async def _status(self, _: models.Nothing) -> models.NodeStatus:
        return self._around.status()

    async def _stop(self, _: models.Nothing) -> models.Nothing:
        self._around.stop()
        return models.Nothing()

    async def _announce(self, params: models.AnnounceParams) -> models.AnnounceResult:
        if params.identity is None:
            self._around.announce(None)
            return models.AnnounceResult(identities=tuple(self._identities))
        identity = self._identity(params.identity)
        self._around.announce(identity)
        return models.AnnounceResult(identities=(identity,))

    async def _identity_list(self, _: models.Nothing) -> models.IdentityList:
        return models.IdentityList(identities=tuple(map(_identity_info, self._identities.values())))

    async def _identity_show(self, params: models.IdentityParams) -> models.IdentityDetail:
        identity = self._identities[self._identity(params.identity)]
        return models.IdentityDetail(
            hash=identity.hash,
            name=identity.name,
            created_at=identity.created_at,
            enabled=identity.enabled,
            public_key=self._around.public_key(identity.hash),
            key_file=self._around.key_file(identity.hash),
        )

    async def _peer_list(self, params: models.PeerListParams) -> models.PeerList:
        return models.PeerList(
            peers=tuple(
                models.PeerInfo(
                    peer=peer.peer,
                    name=peer.name,
                    hops=peer.hops,
                    interface=peer.interface,
                    heard_at=peer.heard_at,
                    games=peer.games,
                )
                for peer in self._store.book.peers(params.limit)
            )
        )

    # Actions

    async def _challenge(self, params: models.ChallengeParams) -> models.ActionResult:
        identity = self._identity(params.identity)
        peer = self._peer(params.peer)
        return _result(await self._node.challenge(identity, peer, params.app, params.intent or {}))

    def _plain(self, command: Command) -> Callable[[models.SessionParams], Any]:
        async def handler(params: models.SessionParams) -> models.ActionResult:
            return _result(await self._node.act(self._key(params), command, {}))

        return handler

    async def _move(self, params: models.MoveParams) -> models.ActionResult:
        key = self._key(params)
        intent = params.intent
        if intent is None:
            session = self._node.session(key)
            intent = self._game(session).parse(session, params.move or "")
        return _result(await self._node.act(key, Command.MOVE, intent))

    async def _draw(self, params: models.DrawParams) -> models.ActionResult:
        key = self._key(params)
        intent: dict[str, Any] = {}
        if params.what == "claim":
            session = self._node.session(key)
            reason = self._game(session).view(session, key.identity).extras.get("claimable", "")
            if not reason:
                raise CallerError(Kind.VALIDATION, "no draw can be claimed in this position")
            intent = {"r": reason}
        return _result(await self._node.act(key, _DRAW[params.what], intent))

    # Sessions

    async def _list(self, params: models.GameListParams) -> models.GamePage:
        identity = self._identity(params.identity)
        which: Any = {"all": "all", "ended": "ended"}.get(params.filter, "live")
        before = _parse_cursor(params.cursor)
        names = self._names()
        found: list[models.GameSummary] = []
        while len(found) < params.limit:
            page = self._store.sessions.page(identity, which=which, limit=params.limit, before=before)
            for summary in page:
                before = summary.cursor
                game = self._summary(summary, names)
                if _fits(game, params.filter):
                    found.append(game)
                if len(found) == params.limit:
                    break
            if len(page) < params.limit:
                break
        more = len(found) == params.limit and before is not None
        return models.GamePage(games=tuple(found), cursor=_format_cursor(before) if more else None)

    def _summary(self, row: Summary, names: Mapping[str, str]) -> models.GameSummary:
        status, turn = row.status, None
        if not status.ended and row.app_id in self._node.games:
            session = self._node.session(row.key)
            status, turn = session.status, _awaits(session)
        return models.GameSummary(
            id=row.key.session_id,
            identity=row.key.identity,
            app=row.app_id,
            app_version=row.app_version,
            peer=row.peer,
            initiator=row.initiator,
            status=status,
            unread=row.unread,
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_action_at=row.last_action_at,
            peer_name=names.get(row.peer, ""),
            your_turn=turn,
        )

    async def _show(self, params: models.SessionParams) -> models.GameDetail:
        session = self._node.session(self._key(params))
        game = self._game(session)
        key = session.key
        return models.GameDetail(
            id=key.session_id,
            identity=key.identity,
            app=session.app_id,
            app_version=session.app_version,
            peer=session.peer,
            initiator=session.initiator,
            status=session.status,
            unread=session.unread,
            created_at=session.created_at,
            updated_at=session.updated_at,
            last_action_at=session.last_action_at,
            view=models.view_json(game.view(session, key.identity)),
            peer_name=self._names().get(session.peer, ""),
            expires_at=session.expires_at(game.manifest.ttl),
            last_own=self._last_own(key),
            flags={flag.flag: flag.reason for flag in self._store.mail.flags(key)},
        )

    def _last_own(self, key: SessionKey) -> models.OwnAction | None:
        stored = self._store.outbox.last_of(key)
        if stored is None:
            return None
        row: OutboxRow = self._node.outbox.state(stored.id) or stored
        return models.OwnAction(
            outbox_id=row.id,
            command=row.command,
            state=row.state,
            reason=row.reason,
            action_num=row.action_num,
            attempts=row.attempts,
            next_attempt_at=row.next_attempt_at,
        )

    async def _actions(self, params: models.SessionParams) -> models.ActionList:
        session = self._node.session(self._key(params))
        return models.ActionList(
            id=session.key.session_id,
            identity=session.key.identity,
            app=session.app_id,
            actions=tuple(
                models.ActionRow(
                    action_num=action.action_num,
                    command=action.command,
                    payload=action.payload,
                    sender=action.sender,
                    timestamp=action.timestamp,
                    nonce=action.nonce.hex() if action.nonce is not None else None,
                    envelope=action.envelope.hex() if action.envelope is not None else None,
                )
                for action in self._store.actions.of(session.key)
            ),
        )

    # Looking things up

    def _game(self, session: Session) -> Game:
        game = self._node.games.get(session.app_id)
        if game is None:
            raise CallerError(Kind.UNKNOWN_APP, f"this node has no game {session.app_id!r} any more")
        return game

    def _identity(self, wanted: str | None) -> str:
        if wanted is None:
            if len(self._identities) == 1:
                return next(iter(self._identities))
            raise ControlError("identity_ambiguous", "This node has several identities.", "Choose with --as.")
        named = [h for h, identity in self._identities.items() if identity.name == wanted]
        found = named or [h for h in self._identities if h.startswith(wanted.lower())]
        return _one(found, f"identity {wanted!r}", "`lrgpnode identity list` lists them.")

    def _key(self, params: models.SessionParams | models.MoveParams | models.DrawParams) -> SessionKey:
        identity = self._identity(params.identity) if params.identity is not None else None
        found = self._store.sessions.find(params.id, identity)
        return _one(list(found), f"session {params.id}", _HINTS[Kind.SESSION_NOT_FOUND])

    def _peer(self, wanted: str) -> str:
        lowered = wanted.lower()
        if len(lowered) == 32 and set(lowered) <= set("0123456789abcdef"):
            return lowered
        names = self._names()
        named = [peer for peer, name in names.items() if name == wanted]
        found = named or [peer for peer in names if peer.startswith(lowered)]
        return _one(
            found, f"peer {wanted!r}", "`lrgpnode peers` lists who was heard; a full hash always works."
        )

    def _names(self) -> dict[str, str]:
        """Names by peer; the address book goes before what announces say."""
        names = {peer.peer: peer.name for peer in self._store.book.peers(KNOWN_PEERS)}
        names.update({contact.peer: contact.name for contact in self._store.book.contacts() if contact.name})
        return names


def _one(found: Sequence[T], what: str, hint: str) -> T:
    if len(found) == 1:
        return found[0]
    if not found:
        raise ControlError("not_found", f"There is no {what}.", hint)
    raise ControlError("ambiguous", f"More than one {what} is meant.", "Give more characters.")


def _identity_info(identity: LocalIdentity) -> models.IdentityInfo:
    return models.IdentityInfo(
        hash=identity.hash, name=identity.name, created_at=identity.created_at, enabled=identity.enabled
    )


def _result(acted: Acted) -> models.ActionResult:
    session = acted.session
    return models.ActionResult(
        id=session.key.session_id,
        app=session.app_id,
        action_num=acted.action_num,
        outbox_id=acted.outbox_id,
        status=session.status,
        ply=ply(session),
        command=acted.command,
    )


def _awaits(session: Session) -> bool:
    """Whether the session waits for its local identity."""
    mine = session.key.identity
    if session.status is Status.PENDING:
        return session.initiator != mine
    return session.status is Status.ACTIVE and session.metadata.get("turn") == mine


def _fits(game: models.GameSummary, wanted: str) -> bool:
    match wanted:
        case "pending":
            return game.status is Status.PENDING
        case "your_turn":
            return bool(game.your_turn)
        case "live":
            return not game.status.ended
        case _:
            return True


def _format_cursor(cursor: Cursor | None) -> str | None:
    return None if cursor is None else f"{cursor.last_action_at!r}:{cursor.session_id}"


def _parse_cursor(text: str | None) -> Cursor | None:
    if text is None:
        return None
    at, _, session_id = text.partition(":")
    try:
        return Cursor(last_action_at=float(at), session_id=session_id)
    except ValueError:
        raise ControlError("bad_cursor", "That is no cursor of a page.", "Start without one.") from None
