"""``lrgpnode conform``: the LRGP core as a black box, one JSON object a line (docs/conformance.md).

It composes the node's own Router, games and Store (an in-memory database) and adds nothing but a
clock that moves only when told. There is no Reticulum here, and no parking or durable nonce check:
replay behaviour is exactly spec §3.1.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from lrgpnode.plugins import load_games
from lrgpnode.protocol.envelope import Envelope, InvalidEnvelope
from lrgpnode.protocol.errors import CallerError, Kind, LrgpError
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.jsonable import from_json, to_json
from lrgpnode.protocol.replay import NONCE_BYTES, ReplayCache
from lrgpnode.protocol.router import (
    Applied,
    Duplicate,
    Idempotent,
    Outcome,
    Prepared,
    Refused,
    Rejected,
    RemoteError,
    Router,
)
from lrgpnode.protocol.session import Session, SessionKey, is_session_id
from storage import rows
from storage.errors import StorageError
from storage.model import Commit, NewAction
from storage.store import Store

CAPABILITIES = (
    "bytes",
    "multi_identity",
    "export",
    "hydrate",
    "remove",
    "list",
    "manifest",
    "store",
    "fields",
    "commit_fault",
)
START = 1_750_000_000.0
"""Where the driver's clock starts, Unix seconds; arbitrary."""

VIEW_KEYS = (
    "turn",
    "first_turn",
    "winner",
    "terminal",
    "reason",
    "draw_offered",
    "draw_offered_by",
    "move_count",
    "board",
    "last_column",
    "last_row",
    "last_cell",
    "my_marker",
    "my_color",
    "first_marker",
    "second_marker",
)


class BadRequest(Exception):
    """The request itself is malformed; answered with ``ok: false``."""


@dataclass(slots=True)
class Clock:
    now: float = START

    def __call__(self) -> float:
        return self.now


@dataclass(slots=True)
class Peer:
    """One node: a router over its own in-memory database."""

    identity: str
    games: Mapping[str, Game]
    clock: Clock
    store: Store = field(default_factory=lambda: Store(":memory:"))
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        self.router = Router(
            self.games,
            self.store.sessions,
            ReplayCache(self.clock),
            nonce=lambda: secrets.token_bytes(NONCE_BYTES),
            new_session_id=lambda: secrets.token_hex(8),
            coin=lambda: bool(secrets.randbits(1)),
        )

    def expire(self, identity: str) -> None:
        """Make every expiry that is due durable, as the node does before it reads."""
        overdue = tuple(self.router.overdue(identity, self.clock.now))
        if overdue:
            self.store.commit(Commit(expired=overdue))

    def commit(self, before: Session | None, after: Session, sender: str, envelope: Envelope) -> None:
        action = NewAction(
            key=after.key,
            command=envelope.command,
            payload=envelope.payload,
            sender=sender,
            timestamp=self.clock.now,
            envelope=envelope.pack(),
            nonce=envelope.nonce,
        )
        if before is None:
            self.store.commit(Commit(insert=after, action=action))
        else:
            self.store.commit(Commit(update=after, action=action))


class Driver:
    """The state of one conversation. ``handle`` answers one request."""

    def __init__(self) -> None:
        self._games, self._problems = load_games()
        self._clock = Clock()
        self._peers: list[Peer] = []
        self._stores: list[Store] = []
        self._ops: dict[str, Callable[[dict[str, Any]], Any]] = {
            "capabilities": lambda _: list(CAPABILITIES),
            "reset": self._reset,
            "new_peer": self._new_peer,
            "local": self._local,
            "wire": self._wire,
            "advance": self._advance,
            "now": lambda _: self._clock.now,
            "state": self._state,
            "list": self._list,
            "export": self._export,
            "hydrate": self._hydrate,
            "remove": self._remove,
            "manifest": lambda r: self._game(r).manifest.as_dict(),
            "store_open": self._store_open,
            "store": self._store,
            "unpack_fields": self._unpack_fields,
            "pack_fields": self._pack_fields,
        }

    def handle(self, request: Any) -> dict[str, Any]:
        number = request.get("id") if isinstance(request, dict) else None
        try:
            if not isinstance(request, dict):
                raise BadRequest("a request is a JSON object")
            op = self._ops.get(str(request.get("op")))
            if op is None:
                raise BadRequest(f"unknown op {request.get('op')!r}")
            return {"id": number, "ok": True, "result": op(request)}
        except BadRequest as error:
            return {"id": number, "ok": False, "error": str(error)}

    # Peers and the clock

    def _reset(self, _: dict[str, Any]) -> dict[str, Any]:
        for store in [peer.store for peer in self._peers] + self._stores:
            store.close()
        self._peers.clear()
        self._stores.clear()
        self._clock.now = START
        return {}

    def _new_peer(self, request: dict[str, Any]) -> dict[str, Any]:
        self._peers.append(Peer(_text(request, "identity"), self._games, self._clock))
        return {"peer": len(self._peers) - 1}

    def _advance(self, request: dict[str, Any]) -> dict[str, Any]:
        seconds = request.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, int | float):
            raise BadRequest("seconds must be a number")
        self._clock.now += seconds
        return {}

    def _peer(self, request: dict[str, Any]) -> Peer:
        number = request.get("peer")
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < len(self._peers):
            return self._peers[number]
        raise BadRequest(f"there is no peer {number!r}")

    def _game(self, request: dict[str, Any]) -> Game:
        game = self._peer(request).games.get(_text(request, "app"))
        if game is None:
            raise BadRequest(f"there is no app {request.get('app')!r}")
        return game

    # Actions

    def _local(self, request: dict[str, Any]) -> dict[str, Any]:
        peer = self._peer(request)
        identity = _text(request, "identity", peer.identity)
        peer.expire(identity)
        try:
            prepared = peer.router.prepare(
                identity,
                _text(request, "to", ""),
                _text(request, "app"),
                _text(request, "command"),
                _value(request, "payload", {}),
                _text(request, "session", ""),
                self._clock.now,
            )
        except CallerError as error:
            return {"outcome": "refused", "kind": str(error.kind), "code": str(error.code)}
        if prepared.after is not prepared.before:
            peer.commit(prepared.before, prepared.after, identity, prepared.envelope)
        return _prepared(prepared)

    def _wire(self, request: dict[str, Any]) -> dict[str, Any]:
        peer = self._peer(request)
        identity = _text(request, "identity", peer.identity)
        try:
            raw = bytes.fromhex(_text(request, "raw"))
        except ValueError as error:
            raise BadRequest(f"raw is not hexadecimal: {error}") from None
        peer.expire(identity)
        outcome = peer.router.receive(identity, _text(request, "sender", ""), raw, self._clock.now)
        if outcome.expired:
            peer.store.commit(Commit(expired=outcome.expired))
        if isinstance(outcome, Applied | RemoteError) and request.get("fail_commit"):
            assert outcome.envelope is not None
            peer.router.forget(identity, outcome.envelope.session_id, outcome.envelope.nonce)
            return {"outcome": "commit_failed"}
        if isinstance(outcome, Applied):
            assert outcome.envelope is not None
            peer.commit(outcome.before, outcome.after, outcome.after.peer, outcome.envelope)
        return _judged(outcome)

    # Sessions

    def _state(self, request: dict[str, Any]) -> dict[str, Any] | None:
        peer, key = self._peer(request), self._key(request)
        peer.expire(key.identity)
        session = peer.router.get(key.identity, key.session_id, self._clock.now)
        if session is None or session.app_id != _text(request, "app"):
            return None
        return self._view(peer, session)

    def _list(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        peer = self._peer(request)
        identity = _text(request, "identity", peer.identity)
        peer.expire(identity)
        listed = peer.router.list(identity, _text(request, "app"), self._clock.now)
        return [self._view(peer, session) for session in listed]

    def _view(self, peer: Peer, session: Session) -> dict[str, Any]:
        public = peer.games[session.app_id].public(session)
        return {
            "app": session.app_id,
            "version": session.app_version,
            "session": session.key.session_id,
            "status": str(session.status),
            "initiator": session.initiator,
            "contact": session.peer,
        } | {key: public[key] for key in VIEW_KEYS if key in public}

    def _export(self, request: dict[str, Any]) -> dict[str, Any] | None:
        peer, key = self._peer(request), self._key(request)
        peer.expire(key.identity)
        session = peer.router.get(key.identity, key.session_id, self._clock.now)
        if session is None or session.app_id != _text(request, "app"):
            return None
        return rows.session_row(session) | {"metadata": peer.games[session.app_id].public(session)}

    def _hydrate(self, request: dict[str, Any]) -> dict[str, Any]:
        peer, record = self._peer(request), request.get("record")
        if not isinstance(record, dict):
            raise BadRequest("record must be an object")
        try:
            session = peer.router.hydrate(rows.row_session(peer.store, record), self._clock.now)
        except StorageError:
            return {"outcome": "refused", "kind": str(_record_kind(record))}
        except CallerError as error:
            return {"outcome": "refused", "kind": str(error.kind)}
        peer.store.sessions.delete(session.key)
        peer.store.commit(Commit(insert=session))
        return {"outcome": "hydrated"}

    def _remove(self, request: dict[str, Any]) -> dict[str, Any]:
        peer, key = self._peer(request), self._key(request)
        session = peer.store.sessions.get(key)
        if session is not None and session.app_id == _text(request, "app"):
            peer.store.sessions.delete(key)
            peer.router.remove(key.identity, key.session_id)
        return {"outcome": "ok"}

    def _key(self, request: dict[str, Any]) -> SessionKey:
        identity = _text(request, "identity", self._peer(request).identity)
        return SessionKey(identity, _text(request, "session"))

    # The store alone

    def _store_open(self, _: dict[str, Any]) -> dict[str, Any]:
        self._stores.append(Store(":memory:"))
        return {"store": len(self._stores) - 1}

    def _store(self, request: dict[str, Any]) -> dict[str, Any]:
        number = request.get("store")
        if not isinstance(number, int) or not 0 <= number < len(self._stores):
            raise BadRequest(f"there is no store {number!r}")
        action, args = _STORE_ACTIONS.get(_text(request, "action")), request.get("args")
        if action is None or not isinstance(args, dict):
            raise BadRequest(f"unknown store action {request.get('action')!r}, or no args")
        try:
            return {"outcome": "ok", "result": action(self._stores[number], args)}
        except StorageError:
            return {"outcome": "error"}

    # LXMF fields

    def _unpack_fields(self, request: dict[str, Any]) -> dict[str, Any]:
        self._peer(request)
        fields = _value(request, "fields", None)
        if not isinstance(fields, dict):
            raise BadRequest("fields must be a map")
        try:
            envelope = Envelope.from_fields(fields)
        except InvalidEnvelope:
            return {"outcome": "invalid"}
        return {"outcome": "not_lrgp" if envelope is None else "lrgp"}

    def _pack_fields(self, request: dict[str, Any]) -> Any:
        self._peer(request)
        try:
            envelope = Envelope.unpack(bytes.fromhex(_text(request, "raw")))
        except (ValueError, LrgpError) as error:
            raise BadRequest(f"raw is no envelope: {error}") from None
        return to_json(envelope.to_fields())


_STORE_ACTIONS: Mapping[str, Callable[[Store, dict[str, Any]], Any]] = {
    "insert": rows.insert_row,
    "update": lambda store, args: rows.update_row(store, *_ids(args), _columns(args)),
    "get": lambda store, args: rows.get_row(store, *_ids(args)),
    "delete": lambda store, args: rows.delete_row(store, *_ids(args)),
    "add_action": rows.add_action_row,
    "actions": lambda store, args: rows.action_rows(store, *_ids(args)),
}


def _ids(args: Mapping[str, Any]) -> tuple[Any, Any]:
    return args.get("session_id"), args.get("identity_id")


def _columns(args: Mapping[str, Any]) -> dict[str, Any]:
    columns = args.get("set")
    if not isinstance(columns, dict):
        raise BadRequest("set must be an object")
    return columns


def _prepared(prepared: Prepared) -> dict[str, Any]:
    return {
        "outcome": "prepared",
        "envelope": prepared.envelope.pack().hex(),
        "session": prepared.envelope.session_id,
        "fallback": prepared.fallback,
        "delivery": str(prepared.delivery),
    }


def _judged(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Applied():
            return {"outcome": "accepted"}
        case Idempotent():
            return {"outcome": "idempotent"}
        case Duplicate():
            return {"outcome": "duplicate"}
        case RemoteError():
            return {"outcome": "remote_error", "code": outcome.code, "ref": outcome.ref, "msg": outcome.msg}
        case Rejected():
            return {"outcome": "rejected", "code": str(outcome.code), "ref": outcome.ref}
        case Refused(scope=None):
            return {"outcome": "refused", "kind": str(outcome.kind)}
        case Refused():
            return {"outcome": "refused", "kind": str(outcome.kind), "scope": str(outcome.scope)}
    raise AssertionError(f"unknown outcome {outcome!r}")


def _record_kind(record: Any) -> Kind:
    """Why a record does not even make a session."""
    if isinstance(record, Mapping):
        if not is_session_id(record.get("session_id")):
            return Kind.INVALID_ENVELOPE
        if not isinstance(record.get("app_id"), str) or not record["app_id"]:
            return Kind.UNKNOWN_APP
        if type(record.get("app_version")) is not int or record["app_version"] < 1:
            return Kind.UNSUPPORTED_VERSION
        if not record.get("identity_id"):
            return Kind.IDENTITY_REQUIRED
        if not record.get("contact_hash"):
            return Kind.PARTICIPANT_REQUIRED
    return Kind.VALIDATION


def _value(request: Mapping[str, Any], name: str, default: Any) -> Any:
    """A value in the notation for what JSON lacks."""
    try:
        return from_json(request.get(name, default))
    except (ValueError, TypeError) as error:
        raise BadRequest(f"{name} is not written as it should be: {error}") from None


def _text(request: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = request.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise BadRequest(f"{name} must be text")
    return value


def serve(lines: IO[str], out: IO[str]) -> None:
    """Answer every line until end of input."""
    driver = Driver()
    for line in lines:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except ValueError as error:
            answer: dict[str, Any] = {"id": None, "ok": False, "error": f"not JSON: {error}"}
        else:
            answer = driver.handle(request)
        out.write(json.dumps(answer) + "\n")
        out.flush()


def main() -> None:
    serve(sys.stdin, sys.stdout)


if __name__ == "__main__":
    main()
