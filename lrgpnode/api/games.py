"""``game.*``: acting in sessions, and looking at them.

Handlers leave every decision about a game to ``Node``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from lrgpnode.control import models
from lrgpnode.control.methods import ControlError
from lrgpnode.house.host import House
from lrgpnode.node import Acted, Node, ply
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.errors import CallerError, Kind
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import Cursor, OutboxRow, Request, Summary
from storage.store import Store

from .lookup import Lookup
from .scores import app_record

_DRAW: Final = {
    "offer": Command.DRAW_OFFER,
    "claim": Command.DRAW_OFFER,
    "accept": Command.DRAW_ACCEPT,
    "decline": Command.DRAW_DECLINE,
}

_OPEN: Final = ("all", "live", "pending", "your_turn")
"""The lists that a challenge of a stranger belongs to."""


class GameMethods:
    def __init__(self, lookup: Lookup, node: Node, store: Store, house: House) -> None:
        self._lookup = lookup
        self._node = node
        self._store = store
        self._house = house

    def handlers(self) -> dict[str, Callable[[Any], Any]]:
        return {
            "game.challenge": self._challenge,
            "game.list": self._list,
            "game.show": self._show,
            "game.read": self._read,
            "game.accept": self._answer(Command.ACCEPT),
            "game.decline": self._answer(Command.DECLINE),
            "game.resign": self._plain(Command.RESIGN),
            "game.move": self._move,
            "game.draw": self._draw,
            "game.act": self._any,
            "game.actions": self._actions,
        }

    # Acting

    async def _challenge(self, params: models.ChallengeParams) -> models.ActionResult:
        identity = self._lookup.identity(params.identity)
        peer = self._lookup.peer(params.peer)
        if self._node.admission.blocked(peer) is not None:
            raise ControlError(
                "blocked", "You have blocked that peer.", "`lrgpnode contacts unblock` lets it through again."
            )
        app, intent = self._lookup.app(params.app), params.intent or {}
        if params.level is None:
            return _result(await self._node.challenge(identity, peer, app, intent))
        return _result(await self._house.challenge(identity, peer, app, intent, params.level))

    def _answer(self, command: Command) -> Callable[[models.SessionParams], Any]:
        """Of a challenge, also a stranger's that waits: it is let in first."""

        async def handler(params: models.SessionParams) -> models.ActionResult:
            identity = None if params.identity is None else self._lookup.identity(params.identity)
            known = self._store.sessions.find(params.id, identity)
            if not known and self._store.admission.find_requests(params.id, identity):
                await self._node.admit(self._lookup.request(params.id, identity))
            return _result(await self._node.act(self._lookup.key(params.id, identity), command, {}))

        return handler

    def _plain(self, command: Command) -> Callable[[models.SessionParams], Any]:
        async def handler(params: models.SessionParams) -> models.ActionResult:
            return _result(await self._node.act(self._lookup.key(params.id, params.identity), command, {}))

        return handler

    async def _move(self, params: models.MoveParams) -> models.ActionResult:
        key = self._lookup.key(params.id, params.identity)
        intent = params.intent
        if intent is None:
            session = self._node.session(key)
            intent = self._lookup.game(session).parse(session, params.move or "")
        return _result(await self._node.act(key, Command.MOVE, intent))

    async def _any(self, params: models.ActParams) -> models.ActionResult:
        key = self._lookup.key(params.id, params.identity)
        intent = params.intent or {}
        if params.text is not None:
            session = self._node.session(key)
            intent = self._lookup.game(session).parse(session, params.text)
        return _result(await self._node.act(key, params.command, intent))

    async def _draw(self, params: models.DrawParams) -> models.ActionResult:
        key = self._lookup.key(params.id, params.identity)
        intent: dict[str, Any] = {}
        if params.what == "claim":
            session = self._node.session(key)
            reason = self._lookup.game(session).view(session, key.identity).extras.get("claimable", "")
            if not reason:
                raise CallerError(Kind.VALIDATION, "no draw can be claimed in this position")
            intent = {"r": reason}
        return _result(await self._node.act(key, _DRAW[params.what], intent))

    # Looking

    async def _list(self, params: models.GameListParams) -> models.GamePage:
        identity = self._lookup.identity(params.identity)
        which: Any = {"all": "all", "ended": "ended"}.get(params.filter, "live")
        before = _parse_cursor(params.cursor)
        names, heard = self._lookup.names(), self._heard()
        found: list[models.GameSummary] = []
        while len(found) < params.limit:
            page = self._store.sessions.page(identity, which=which, limit=params.limit, before=before)
            for summary in page:
                before = summary.cursor
                game = self._summary(summary, names, heard)
                if _fits(game, params.filter):
                    found.append(game)
                if len(found) == params.limit:
                    break
            if len(page) < params.limit:
                break
        more = len(found) == params.limit and before is not None
        first = params.cursor is None and params.filter in _OPEN
        return models.GamePage(
            games=(*(self._requests(identity, heard) if first else ()), *found),
            cursor=_format_cursor(before) if more else None,
        )

    def _requests(self, identity: str, heard: Callable[[str], float | None]) -> Iterator[models.GameSummary]:
        for request in self._node.admission.requests():
            if request.key.identity == identity:
                at = request.received_at
                yield models.GameSummary(
                    id=request.key.session_id,
                    identity=identity,
                    app=request.app_id,
                    app_version=Envelope.unpack(request.envelope).version,
                    peer=request.peer,
                    initiator=request.peer,
                    status=Status.PENDING,
                    unread=1,
                    created_at=at,
                    updated_at=at,
                    last_action_at=at,
                    peer_name=self._lookup.name(request.peer),
                    your_turn=True,
                    request=True,
                    peer_heard_at=heard(request.peer),
                )

    def _summary(
        self, row: Summary, names: Mapping[str, str], heard: Callable[[str], float | None]
    ) -> models.GameSummary:
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
            winner=row.winner,
            last_own=self._last_own(row.key),
            flags=tuple(flag.flag for flag in self._store.mail.flags(row.key)),
            peer_heard_at=heard(row.peer),
        )

    def _heard(self) -> Callable[[str], float | None]:
        """When peers were last heard; each is looked up once."""

        @cache
        def at(peer: str) -> float | None:
            known = self._store.book.peer(peer)
            return None if known is None else known.heard_at

        return at

    async def _read(self, params: models.SessionParams) -> models.Nothing:
        await self._node.read(self._lookup.key(params.id, params.identity))
        return models.Nothing()

    async def _show(self, params: models.SessionParams) -> models.GameDetail:
        session = self._node.session(self._lookup.key(params.id, params.identity))
        game = self._lookup.game(session)
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
            peer_name=self._lookup.names().get(session.peer, ""),
            expires_at=session.expires_at(game.manifest.ttl),
            last_own=self._last_own(key),
            refused_draw=self._refused_draw(session),
            record=self._record(session),
            flags={flag.flag: flag.reason for flag in self._store.mail.flags(key)},
        )

    def _record(self, session: Session) -> models.AppRecord | None:
        score = self._store.scores.of_game(session.key.identity, session.peer, session.app_id)
        return None if score is None else app_record(score)

    def _refused_draw(self, session: Session) -> models.Draw | None:
        """A draw offer that the last action, of the other side, has turned down."""
        if session.status is not Status.ACTIVE:
            return None
        (command, sender), *before = self._store.actions.latest(session.key, 2) or [("", "")]
        if command == Command.DRAW_DECLINE:
            return models.Draw(offered_by=session.other(sender), declined=True)
        offer = (Command.DRAW_OFFER, session.other(sender))
        if command == Command.MOVE and before == [offer]:
            return models.Draw(offered_by=offer[1], declined=False)
        return None

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

    async def _actions(self, params: models.ActionListParams) -> models.ActionList:
        session = self._node.session(self._lookup.key(params.id, params.identity))
        found = self._store.actions.of(session.key, after=params.after, limit=params.limit + 1)
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
                for action in found[: params.limit]
            ),
            more=len(found) > params.limit,
        )


def request_info(request: Request, lookup: Lookup) -> models.RequestInfo:
    return models.RequestInfo(
        id=request.key.session_id,
        identity=request.key.identity,
        peer=request.peer,
        app=request.app_id,
        received_at=request.received_at,
        until=request.until,
        peer_name=lookup.name(request.peer),
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
