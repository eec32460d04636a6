"""Morra, ``morra.1``: both throw 0 to 5 fingers and call the total; who calls it right wins.

Three messages make it fair. The challenge carries a commitment to the challenger's throw, the accept
carries the responder's throw in the open, the reveal opens the commitment, and each side checks it.

The salt of the commitment comes from the caller, as 32 hex characters, and comes again with the
reveal. A game cannot draw it with ``coin``: what ``intend`` draws lives on in the payload only, and
there it would be public. The responder's throw is public at once, so there ``coin`` may draw it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from lrgpnode.protocol.errors import Corrupt, ErrorCode, Rejection
from lrgpnode.protocol.game import (
    Coin,
    Command,
    Game,
    GameView,
    Intent,
    Manifest,
    Payload,
    Reason,
    Result,
    SessionType,
    Validation,
)
from lrgpnode.protocol.session import Session, SessionKey, Status

Throw = dict[str, int]

EMPTY: Mapping[str, Any] = {
    "commitment": "",
    "answer": {},
    "revealed": {},
    "salt": "",
    "winner": "",
    "declined_by": "",
}


class Morra(Game):
    manifest: ClassVar[Manifest] = Manifest(
        app_id="morra",
        version=1,
        display_name="Morra",
        icon="hand",
        session_type=SessionType.SINGLE_ROUND,
        validation=Validation.RECEIVER,
        actions=("challenge", "accept", "decline", "reveal", "error"),
        tag="Morra",
        ttl={Status.ACTIVE: 86_400.0},
    )
    reveal: ClassVar[str] = "reveal"
    ranges: ClassVar[Mapping[str, range]] = {"f": range(6), "g": range(11)}
    columns: ClassVar[tuple[str, ...]] = ("fingers", "call")

    def winner(self, session: Session, challenger: Throw, responder: Throw) -> str:
        total = challenger["f"] + responder["f"]
        right = [challenger["g"] == total, responder["g"] == total]
        if right[0] == right[1]:
            return ""
        return session.initiator if right[0] else session.responder

    # What happens: open -> intend (local only) -> apply -> fallback (local only)

    def open(self, key: SessionKey, peer: str, initiator: str, now: float) -> Session:
        app, version = self.manifest.app_id, self.manifest.version
        return Session(key, app, version, peer, initiator, Status.PENDING, dict(EMPTY), 0, now, now, now)

    def intend(self, session: Session, actor: str, command: str, intent: Intent, coin: Coin) -> Payload:
        if command == Command.ACCEPT and not intent:
            bits = {key: sum(coin() << place for place in range(32)) for key in self.ranges}
            return {key: choices[bits[key] % len(choices)] for key, choices in self.ranges.items()}
        if command in (Command.CHALLENGE, self.reveal):
            salt = intent.get("k")
            if not isinstance(salt, str) or not re.fullmatch(r"[0-9a-f]{32}", salt):
                raise Rejection(ErrorCode.PROTOCOL_ERROR, "The salt k must be 32 lower-case hex characters")
            opened = {**intent, "k": bytes.fromhex(salt)}
            throw = self._throw(opened, "k")
            return {"h": _commitment(session, throw, opened["k"])} if command == "challenge" else opened
        return dict(intent)

    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        status, changes = self._judged(session, actor, command, payload)
        metadata = {**session.metadata, **changes}
        return replace(session, status=status, metadata=metadata, updated_at=now, last_action_at=now)

    def _judged(
        self, session: Session, actor: str, command: str, payload: Payload
    ) -> tuple[Status, dict[str, Any]]:
        challenger = actor == session.initiator
        if command == Command.CHALLENGE:
            digest = payload.get("h")
            if payload.keys() != {"h"} or type(digest) is not bytes or len(digest) != 32:
                raise Rejection(ErrorCode.PROTOCOL_ERROR, "A challenge carries one commitment of 32 bytes")
            _need(session, Status.PENDING, challenger and not session.metadata["commitment"])
            return Status.PENDING, {"commitment": digest.hex()}
        if command == Command.ACCEPT:
            throw = self._throw(payload)
            _need(session, Status.PENDING, not challenger)
            return Status.ACTIVE, {"answer": throw}
        if command == Command.DECLINE:
            if payload:
                raise Rejection(ErrorCode.PROTOCOL_ERROR, "A decline carries nothing")
            _need(session, Status.PENDING, actor in session.participants)
            return Status.DECLINED, {"declined_by": actor}
        if command != self.reveal:
            raise Rejection(ErrorCode.PROTOCOL_ERROR, f"There is no {command} in this game", transition=True)
        throw, salt = self._throw(payload, "k"), payload["k"]
        _need(session, Status.ACTIVE, True)
        if not challenger:
            raise Rejection(ErrorCode.NOT_YOUR_TURN, "Only the challenger has something to reveal")
        if _commitment(session, throw, salt).hex() != session.metadata["commitment"]:
            raise Rejection(ErrorCode.INVALID_MOVE, "This is not the throw that was committed to")
        winner = self.winner(session, throw, session.metadata["answer"])
        return Status.COMPLETED, {"revealed": throw, "salt": salt.hex(), "winner": winner}

    def _throw(self, payload: Mapping[str, Any], *salt: str) -> Throw:
        """The throw in a payload of exactly the right keys and types (bool is no int)."""
        if payload.keys() != {*self.ranges, *salt}:
            raise Rejection(ErrorCode.PROTOCOL_ERROR, f"Exactly {[*self.ranges, *salt]} is needed")
        throw = {key: payload[key] for key in self.ranges}
        salted = all(type(payload[key]) is bytes and len(payload[key]) == 16 for key in salt)
        if not salted or any(type(value) is not int for value in throw.values()):
            raise Rejection(ErrorCode.PROTOCOL_ERROR, "A value has the wrong type or length")
        for key, value in throw.items():
            if value not in self.ranges[key]:
                raise Rejection(ErrorCode.INVALID_MOVE, f"{key} is 0 to {self.ranges[key][-1]}, not {value}")
        return throw

    def early(self, session: Session | None, actor: str, command: str, payload: Payload) -> bool:
        return session is None and command == Command.DECLINE and not payload

    def normalise(self, session: Session) -> Session:
        """Plays the record again; it must lead to itself."""
        m = session.metadata
        if m.keys() != EMPTY.keys() or any(type(m[key]) is not type(EMPTY[key]) for key in EMPTY):
            raise Corrupt("the metadata is malformed")
        one, two = session.initiator, session.responder
        played = self.open(session.key, session.peer, one, 0.0)
        try:
            played = self.apply(played, one, "challenge", {"h": bytes.fromhex(m["commitment"])}, 0.0)
            if m["declined_by"]:
                played = self.apply(played, m["declined_by"], "decline", {}, 0.0)
            if m["answer"]:
                played = self.apply(played, two, "accept", m["answer"], 0.0)
            if m["revealed"]:
                opened = {**m["revealed"], "k": bytes.fromhex(m["salt"])}
                played = self.apply(played, one, self.reveal, opened, 0.0)
        except (Rejection, ValueError) as error:
            raise Corrupt(f"the record breaks the rules: {error}") from None
        unfinished = session.status is Status.EXPIRED and not played.status.ended
        if played.metadata != m or (played.status is not session.status and not unfinished):
            raise Corrupt("the record contradicts itself")
        return session

    # What people see

    def fallback(self, before: Session, after: Session, actor: str, command: str, payload: Payload) -> str:
        if command == self.reveal:
            winner = after.metadata["winner"]
            end = "a draw" if not winner else "I win!" if winner == actor else "you win!"
            text = f"Revealed {self._label(after.metadata['revealed'])}: {end}"
        elif command == Command.ACCEPT:
            text = f"Accepted and threw {self._label(payload)}"
        else:
            text = {"challenge": "Sent a challenge!", "decline": "Challenge declined"}.get(command, command)
        return f"[LRGP {self.manifest.tag}] {text}"

    def _label(self, throw: Mapping[str, Any]) -> str:
        return "/".join(str(throw[key]) for key in self.ranges)

    def view(self, session: Session, viewer: str) -> GameView:
        throws = (session.metadata["revealed"], session.metadata["answer"])
        active, mine = session.status is Status.ACTIVE, viewer == session.initiator
        result = self._result(session)
        return GameView(
            app_id=self.manifest.app_id,
            grid=tuple(tuple(str(throw.get(key, "")) for key in self.ranges) for throw in throws),
            row_labels=("challenger", "challenged"),
            column_labels=self.columns,
            seat="challenger" if mine else "challenged",
            turn=session.initiator if active else "",
            my_turn=active and mine,
            legal=(),
            last_cells=(),
            status_line=_status_line(session, viewer, result),
            result=result,
            history=tuple(self._label(throw) for throw in reversed(throws) if throw),
            ply=sum(map(bool, throws)),
        )

    def _result(self, session: Session) -> Result | None:
        if not session.status.ended:
            return None
        m = session.metadata
        if session.status is Status.DECLINED:
            cancelled = m["declined_by"] == session.initiator
            return Result(reason=Reason.CANCELLED if cancelled else Reason.DECLINED)
        if session.status is Status.EXPIRED:  # who was to reveal, and did not, forfeits
            return Result(reason=Reason.EXPIRED, winner=session.responder if m["answer"] else "")
        return Result(reason=Reason.WIN if m["winner"] else Reason.DRAW, winner=m["winner"])

    def parse(self, session: Session, text: str) -> dict[str, Any]:
        *numbers, salt = text.lower().split() or [""]
        if len(numbers) != len(self.ranges) or not all(re.fullmatch("[0-9]{1,2}", n) for n in numbers):
            raise Rejection(ErrorCode.INVALID_MOVE, f"Type {', '.join(self.columns)} and your salt")
        return {**dict(zip(self.ranges, map(int, numbers), strict=True)), "k": salt}


def _need(session: Session, status: Status, allowed: bool) -> None:
    if session.status is not status or not allowed:
        raise Rejection(ErrorCode.PROTOCOL_ERROR, f"Not now: the game is {session.status}", transition=True)


def _commitment(session: Session, throw: Throw, salt: bytes) -> bytes:
    """Bound to app, session and challenger, so that it is good for nothing else."""
    parts = (session.app_id, session.key.session_id, session.initiator, *map(str, throw.values()))
    return hashlib.sha256("|".join(parts).encode() + b"|" + salt).digest()


def _status_line(session: Session, viewer: str, result: Result | None) -> str:
    if result is not None:
        words = {Reason.WIN: "The round is over", Reason.DRAW: "Nobody wins", Reason.EXPIRED: "Time is up"}
        end = f": you {'win' if result.winner == viewer else 'lose'}." if result.winner else "."
        return words.get(result.reason, f"The challenge was {result.reason}") + end
    if session.status is Status.PENDING:
        challenged = viewer != session.initiator
        return "You are challenged: throw or decline." if challenged else "Waiting for the other throw."
    return "Reveal your throw." if viewer == session.initiator else "Waiting for the reveal."
