"""Values to store, with sensible defaults."""

from __future__ import annotations

from typing import Any

from lrgpnode.protocol.game import Delivery
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import NewAction, NewOutbox

ME = "a" * 32
OTHER_ME = "c" * 32
PEER = "b" * 32
MOVES = ["e2e4", "e7e5", "g1f3", "b8c6"]


def key(number: int = 1, identity: str = ME) -> SessionKey:
    return SessionKey(identity, f"{number:016x}")


def session(number: int = 1, identity: str = ME, **values: Any) -> Session:
    defaults: dict[str, Any] = {
        "app_id": "chess",
        "app_version": 1,
        "peer": PEER,
        "initiator": PEER,
        "status": Status.ACTIVE,
        "metadata": {"moves": MOVES, "turn": PEER, "draw_offered": False},
        "unread": 0,
        "created_at": 1000.0,
        "updated_at": 1000.0,
        "last_action_at": 1000.0 + number,
    }
    return Session(key(number, identity), **{**defaults, **values})


def action(number: int = 1, nonce: int = 1, identity: str = ME, **values: Any) -> NewAction:
    defaults: dict[str, Any] = {
        "key": key(number, identity),
        "command": "move",
        "payload": {"m": "e2e4", "n": 0, "x": ""},
        "sender": ME,
        "timestamp": 1000.0,
        "envelope": b"envelope %d" % nonce,
        "nonce": nonce.to_bytes(8, "big"),
    }
    return NewAction(**{**defaults, **values})


def outgoing(number: int = 1, nonce: int = 1, identity: str = ME, **values: Any) -> NewOutbox:
    defaults: dict[str, Any] = {
        "key": key(number, identity),
        "peer": PEER,
        "command": "move",
        "envelope": b"envelope %d" % nonce,
        "content": "[LRGP Chess] e4",
        "delivery": Delivery.OPPORTUNISTIC,
        "created_at": 1000.0,
    }
    return NewOutbox(**{**defaults, **values})


def row(number: int = 1, **values: Any) -> dict[str, Any]:
    """A row of ``game_sessions`` with the column names of spec §16."""
    return {
        "session_id": f"{number:016x}",
        "identity_id": ME,
        "app_id": "ttt",
        "app_version": 1,
        "contact_hash": PEER,
        "initiator": ME,
        "status": "pending",
        "metadata": {"board": "_________"},
        "unread": 0,
        "created_at": 1000.0,
        "updated_at": 1000.0,
        "last_action_at": 1000.5,
        **values,
    }


def action_row(number: int = 1, action_num: int = 1, **values: Any) -> dict[str, Any]:
    return {
        "session_id": f"{number:016x}",
        "identity_id": ME,
        "action_num": action_num,
        "command": "challenge",
        "payload_json": "{}",
        "sender": ME,
        "timestamp": 1000.5,
        **values,
    }
