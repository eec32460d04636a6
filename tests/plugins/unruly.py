"""Games that no author should write, for the tests of the door and of the router's patience."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.game import (
    Coin,
    Game,
    GameView,
    Intent,
    Manifest,
    Payload,
    SessionType,
    Validation,
)
from lrgpnode.protocol.session import Session, SessionKey, Status

BASE = Manifest(
    app_id="unruly",
    version=1,
    display_name="Unruly",
    icon="unruly",
    session_type=SessionType.SINGLE_ROUND,
    validation=Validation.BOTH,
    actions=("challenge", "accept", "move", "error"),
    tag="Unruly",
)


class Unruly(Game):
    """Allows everything, and fails the way the payload asks for under ``do``."""

    manifest: ClassVar[Manifest] = BASE

    def open(self, key: SessionKey, peer: str, initiator: str, now: float) -> Session:
        app, version = self.manifest.app_id, self.manifest.version
        return Session(key, app, version, peer, initiator, Status.PENDING, {}, 0, now, now, now)

    def intend(self, session: Session, actor: str, command: str, intent: Intent, coin: Coin) -> Payload:
        return dict(intent)

    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        match payload.get("do"):
            case "raise":
                raise ZeroDivisionError("a bug of the game")
            case "recurse":
                return self.apply(session, actor, command, payload, now)
            case "steal":
                return replace(session, peer=actor[::-1])
            case "rekey":
                return replace(session, key=SessionKey(session.key.identity, "f" * 16))
            case "promote":
                return replace(session, initiator=session.responder)
            case "rename":
                return replace(session, app_id="chess")
            case "upgrade":
                return replace(session, app_version=2)
            case "nothing":
                return None  # type: ignore[return-value]
        return replace(session, status=Status.ACTIVE, updated_at=now, last_action_at=now)

    def early(self, session: Session | None, actor: str, command: str, payload: Payload) -> bool:
        return False

    def normalise(self, session: Session) -> Session:
        return session

    def fallback(self, before: Session, after: Session, actor: str, command: str, payload: Payload) -> str:
        return f"[LRGP {self.manifest.tag}] {command}"

    def view(self, session: Session, viewer: str) -> GameView:
        raise NotImplementedError

    def parse(self, session: Session, text: str) -> dict[str, Any]:
        return {}


class Trusting(Unruly):
    """Validated by the sender: a receiver that refuses anyway stays silent."""

    manifest: ClassVar[Manifest] = replace(BASE, app_id="trusting", validation=Validation.SENDER)

    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        if command == "move" and payload:
            raise Rejection(ErrorCode.INVALID_MOVE, "no")
        return super().apply(session, actor, command, payload, now)


class RealTime(Unruly):
    manifest: ClassVar[Manifest] = replace(BASE, app_id="real", session_type=SessionType.REAL_TIME)


class RoundBased(Unruly):
    manifest: ClassVar[Manifest] = replace(BASE, app_id="rounds", session_type=SessionType.ROUND_BASED)


class FalseChess(Unruly):
    manifest: ClassVar[Manifest] = replace(BASE, app_id="chess")


class ThreePlayers(Unruly):
    manifest: ClassVar[Manifest] = replace(BASE, app_id="three", max_players=3)


class NoManifest(Unruly):
    manifest = None  # type: ignore[assignment]


class Abstract(Game):
    manifest: ClassVar[Manifest] = BASE


class NotAGame:
    manifest = BASE


def explodes() -> Game:
    raise RuntimeError("no luck today")
