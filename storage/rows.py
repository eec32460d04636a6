"""Sessions and actions as plain rows with the column names of spec §16, for programs that speak those.

Built from the statements of ``storage.sessions`` and ``storage.actions``; what is added here is being
strict: exactly the known columns, each of its type and in its canonical form. Raises ``Invalid``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from lrgpnode.protocol.session import Session, SessionKey, Status, is_session_id

from . import actions, errors, sessions
from .codec import encode_payload
from .store import Store

Row = Mapping[str, Any]

_HASH = re.compile(r"[0-9a-f]{32}")
_APP = re.compile(r"[a-z][a-z0-9_.-]*")
_COMMAND = re.compile(r"[a-z][a-z0-9_]*")


def _hash(value: object) -> str:
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise ValueError("must be 32 lower-case hexadecimal characters")
    return value


def _session_id(value: object) -> str:
    if not isinstance(value, str) or not is_session_id(value):
        raise ValueError("must be 16 lower-case hexadecimal characters")
    return value


def _app(value: object) -> str:
    if not isinstance(value, str) or not _APP.fullmatch(value):
        raise ValueError("must be a game id")
    return value


def _command(value: object) -> str:
    if not isinstance(value, str) or not _COMMAND.fullmatch(value):
        raise ValueError("must be a command")
    return value


def _integer(low: int, high: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"must be an integer from {low} to {high}")
        return value

    return check


def _time(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("must be a finite number of seconds")
    return float(value)


def _status(value: object) -> Status:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return Status(value)


def _metadata(value: object) -> Mapping[str, Any]:
    found = (
        json.loads(value, object_pairs_hook=_pairs, parse_constant=_constant)
        if isinstance(value, str)
        else value
    )
    if not isinstance(found, Mapping) or not all(isinstance(key, str) for key in found):
        raise ValueError("must be a JSON object")
    return found


def _payload(value: object) -> str:
    """JSON text, kept as given; a mapping is written as JSON."""
    if isinstance(value, Mapping):
        return encode_payload(value)
    if not isinstance(value, str):
        raise ValueError("must be JSON text")
    json.loads(value, parse_constant=_constant)
    return value


def _bytes(value: object) -> bytes | None:
    if value is not None and not isinstance(value, bytes):
        raise ValueError("must be bytes or None")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_SESSION: Mapping[str, Callable[[object], Any]] = {
    "session_id": _session_id,
    "identity_id": _hash,
    "app_id": _app,
    "app_version": _integer(1, 2**32 - 1),
    "contact_hash": _hash,
    "initiator": _hash,
    "status": _status,
    "metadata": _metadata,
    "unread": _integer(0, 1),
    "created_at": _time,
    "updated_at": _time,
    "last_action_at": _time,
}
_ACTION: Mapping[str, Callable[[object], Any]] = {
    "session_id": _session_id,
    "identity_id": _hash,
    "action_num": _integer(0, 2**63 - 1),
    "command": _command,
    "payload_json": _payload,
    "sender": _hash,
    "timestamp": _time,
}
_OURS: Mapping[str, Callable[[object], Any]] = {
    "nonce": _bytes,
    "envelope": _bytes,
    "message_hash": _bytes,
    "signed": _bytes,
}


def insert_row(store: Store, row: Row) -> None:
    """A row of ``game_sessions``; ``metadata`` is a mapping or JSON text. Raises ``Conflict``."""
    store.sessions.insert(row_session(store, row))


def row_session(store: Store, row: Row) -> Session:
    """The session that a complete row of ``game_sessions`` describes. Raises ``Invalid``."""
    values = _checked(store, row, _SESSION, frozenset(_SESSION))
    return Session(
        SessionKey(values["identity_id"], values["session_id"]),
        values["app_id"],
        values["app_version"],
        values["contact_hash"],
        values["initiator"],
        values["status"],
        values["metadata"],
        values["unread"],
        values["created_at"],
        values["updated_at"],
        values["last_action_at"],
    )


def update_row(store: Store, session_id: object, identity_id: object, columns: Row) -> None:
    """Change mutable columns. Raises ``Forbidden`` (then nothing was changed) and ``NotFound``."""
    key = _key(store, session_id, identity_id)
    sessions.refuse_immutable(store.path, columns)
    store.sessions.update(key, _checked(store, columns, _SESSION, frozenset()))


def get_row(store: Store, session_id: object, identity_id: object) -> dict[str, Any] | None:
    """The row, with ``metadata`` as a mapping, or None."""
    session = store.sessions.get(_key(store, session_id, identity_id))
    return None if session is None else session_row(session)


def session_row(session: Session) -> dict[str, Any]:
    """A session with the column names of spec §16, ``metadata`` as a mapping."""
    return {
        "session_id": session.key.session_id,
        "identity_id": session.key.identity,
        "app_id": session.app_id,
        "app_version": session.app_version,
        "contact_hash": session.peer,
        "initiator": session.initiator,
        "status": str(session.status),
        "metadata": dict(session.metadata),
        "unread": session.unread,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "last_action_at": session.last_action_at,
    }


def delete_row(store: Store, session_id: object, identity_id: object) -> bool:
    """Delete a session with its actions, leaving no tombstone; False if there was none."""
    return store.sessions.delete(_key(store, session_id, identity_id))


def add_action_row(store: Store, row: Row) -> None:
    """Append a row of ``game_actions`` under its own number. Raises ``Conflict`` if that is taken."""
    values = _checked(store, row, {**_ACTION, **_OURS}, frozenset(_ACTION))
    key = SessionKey(values["identity_id"], values["session_id"])
    rest = tuple(values.get(name) for name in (*tuple(_ACTION)[3:], *_OURS))
    with store.database.transaction() as connection:
        actions.append_row(connection, key, values["action_num"], rest)


def action_rows(store: Store, session_id: object, identity_id: object) -> list[dict[str, Any]]:
    """The action rows of a session in order, the columns of spec §16 only."""
    key = _key(store, session_id, identity_id)
    ids = {"session_id": key.session_id, "identity_id": key.identity}
    return [{**ids, **dict(zip(tuple(_ACTION)[2:], row, strict=False))} for row in store.actions.rows(key)]


def _key(store: Store, session_id: object, identity_id: object) -> SessionKey:
    ids = {"session_id": session_id, "identity_id": identity_id}
    _checked(store, ids, _SESSION, frozenset(ids))
    return SessionKey(str(identity_id), str(session_id))


def _checked(
    store: Store, row: Row, checks: Mapping[str, Callable[[object], Any]], required: frozenset[str]
) -> dict[str, Any]:
    unknown = sorted(str(name) for name in set(row) - set(checks))
    missing = sorted(required - set(row))
    if unknown or missing:
        words = [f"unknown column {name}" for name in unknown] + [f"no column {name}" for name in missing]
        raise errors.Invalid(f"{store.path}: {', '.join(words)}.")
    values = {}
    for name, value in row.items():
        try:
            values[name] = checks[name](value)
        except (ValueError, TypeError, OverflowError) as error:
            raise errors.Invalid(f"{store.path}: {name} {error}.") from error
    return values
