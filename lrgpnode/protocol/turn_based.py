"""What all turn-based two-player games share: the session state machine and draw offers (spec §6).

A game derives from ``TurnBasedGame`` and gives its opening state, its accept payload and its moves.
Everything else — who may do what in which status, who owns a draw offer, exact payload keys — is
decided here once. The payload's shape is checked before the session's state, so that a malformed
move is ``protocol_error`` even where a well-formed one would be ``invalid_move``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from .errors import Corrupt, ErrorCode, Rejection
from .game import Coin, Command, Delivery, Game, Intent, Payload
from .session import Session, SessionKey, Status

Shape = Mapping[str, type]
"""Exact keys of a payload, each with its exact type (bool is no int)."""

EMPTY: Final[Shape] = {}

ACTIONS: Final = tuple(Command)
"""Every command of the state machine, ``error`` included."""

PREFERRED_DELIVERY: Final[Mapping[str, Delivery]] = {
    command: Delivery.DIRECT
    if command in (Command.RESIGN, Command.DRAW_ACCEPT, Command.DRAW_DECLINE)
    else Delivery.OPPORTUNISTIC
    for command in Command
}
"""Spec §11."""


def matches(payload: Mapping[Any, Any], shape: Shape) -> bool:
    """Whether the payload has exactly the keys and types of ``shape``."""
    return payload.keys() == shape.keys() and all(type(payload[key]) is kind for key, kind in shape.items())


def malformed(command: str, shape: Shape = EMPTY) -> Rejection:
    """Wrong keys or types; ``shape`` is what was expected."""
    keys = ", ".join(f"{key} ({kind.__name__})" for key, kind in sorted(shape.items()))
    return Rejection(ErrorCode.PROTOCOL_ERROR, f"This {command} must carry exactly {keys or 'nothing'}")


def contradicts(message: str) -> Rejection:
    """Right keys and types, but a value that the protocol fixes is another."""
    return Rejection(ErrorCode.PROTOCOL_ERROR, message)


def illegal(message: str) -> Rejection:
    """A command that the session's state does not allow."""
    return Rejection(ErrorCode.PROTOCOL_ERROR, message, transition=True)


def invalid(message: str) -> Rejection:
    return Rejection(ErrorCode.INVALID_MOVE, message)


class TurnBasedGame(Game):
    """Metadata keys used here: ``turn``, ``winner``, ``terminal``, ``draw_offered``, ``draw_offered_by``."""

    resign_terminal: ClassVar[str] = "resign"

    # What a game gives

    @abstractmethod
    def opening(self, key: SessionKey, peer: str, initiator: str) -> dict[str, Any]:
        """The metadata of a pending session."""

    @abstractmethod
    def accept_payload(self, session: Session, coin: Coin) -> Payload:
        """What the responder sends with ``accept``."""

    @abstractmethod
    def accepted(self, session: Session, payload: Payload) -> dict[str, Any]:
        """The metadata of the active session; ``turn`` is set. Raises ``Rejection``."""

    @abstractmethod
    def move_payload(self, session: Session, actor: str, intent: Intent) -> Payload:
        """The wire payload of a move intent whose shape is right and whose turn it is."""

    @abstractmethod
    def check_move_shape(self, payload: Payload) -> None:
        """Raises ``protocol_error`` for wrong keys or types, whatever the position."""

    @abstractmethod
    def moved(self, session: Session, actor: str, payload: Payload) -> dict[str, Any]:
        """The metadata after a well-formed move by the player whose turn it is.

        Sets ``terminal`` (and the rest) where the move ends the game. Raises ``Rejection``.
        """

    @property
    @abstractmethod
    def move_intent(self) -> Shape:
        """The exact shape of a local move intent."""

    @property
    @abstractmethod
    def accept_shape(self) -> Shape:
        """The exact shape of an accept payload."""

    # Hooks with a default

    def check_offer_shape(self, payload: Payload) -> None:
        """Raises ``protocol_error`` for wrong keys or types of a draw_offer payload or intent."""
        if payload:
            raise malformed(Command.DRAW_OFFER)

    def claimed(self, session: Session, actor: str, payload: Payload) -> dict[str, Any] | None:
        """The metadata of a game that this offer ends at once (a verified claim), or None."""
        return None

    def resigned(self, session: Session, actor: str) -> dict[str, Any]:
        """The metadata after ``actor`` resigned, the offer aside."""
        return {"turn": "", "winner": session.other(actor), "terminal": self.resign_terminal}

    def agreed(self, session: Session) -> dict[str, Any]:
        """What changes when a draw is agreed, the offer aside."""
        return {"turn": "", "winner": "", "terminal": "draw"}

    def declined(self, session: Session, actor: str) -> dict[str, Any]:
        """What changes when a challenge is declined (or cancelled by its initiator)."""
        return {}

    # The contract

    def open(self, key: SessionKey, peer: str, initiator: str, now: float) -> Session:
        manifest = self.manifest
        metadata = self.opening(key, peer, initiator)
        return Session(
            key,
            manifest.app_id,
            manifest.version,
            peer,
            initiator,
            Status.PENDING,
            metadata,
            0,
            now,
            now,
            now,
        )

    def intend(self, session: Session, actor: str, command: str, intent: Intent, coin: Coin) -> Payload:
        payload = dict(intent)
        if command == Command.MOVE:
            if not matches(payload, self.move_intent):
                raise malformed("move intent", self.move_intent)
            self._check_turn(session, actor)
            return self.move_payload(session, actor, intent)
        if command == Command.DRAW_OFFER:
            self._check_shape(command, payload)
            return payload
        if payload:
            raise malformed(f"{command} intent")
        if command == Command.ACCEPT:
            self._check_accept(session, actor)
            return self.accept_payload(session, coin)
        return payload

    def apply(self, session: Session, actor: str, command: str, payload: Payload, now: float) -> Session:
        self._check_shape(command, payload)
        handler = self._HANDLERS.get(command)
        if handler is None:
            raise illegal(f"There is no {command} in this game")
        status, changes = handler(self, session, actor, payload)
        return replace(
            session,
            status=status,
            metadata={**session.metadata, **changes},
            updated_at=now,
            last_action_at=now,
        )

    def early(self, session: Session | None, actor: str, command: str, payload: Payload) -> bool:
        """Whether an action, refused now, becomes valid when one that ``actor`` sent before it arrives.

        Only actions of ``actor`` can be missing: our own are committed before they are sent. So

        * a decline may overtake its challenge;
        * on a challenge of ours, whatever one of its possible accepts would make valid is early;
        * in an active game ``actor``, if it is to move, may have moved before it offered a draw, and
          that move would have cleared an offer that is open here (and see ``early_offer``).

        A move with a later number is not early: moves alternate, so the one before it is ours, and a
        peer that counts differently is out of step for good. Nor is an answer to a draw: it answers
        an offer of ours, which nothing the peer sent can bring back.
        """
        if session is None:
            return command == Command.DECLINE and not payload
        if session.status is Status.PENDING and command != Command.ACCEPT and actor != session.initiator:
            return self._valid(session, actor, command, payload) is None and any(
                self._valid(accepted, actor, command, payload)
                for coin in (False, True)
                if (accepted := self._valid(session, actor, Command.ACCEPT, self._accept_by(session, coin)))
            )
        if command != Command.DRAW_OFFER or session.status is not Status.ACTIVE:
            return False
        if session.metadata["turn"] != actor:
            return False
        try:
            self.check_offer_shape(payload)
        except Rejection:
            return False
        return self.early_offer(session, actor, payload)

    def _accept_by(self, session: Session, coin: bool) -> Payload:
        return self.accept_payload(session, lambda: coin)

    def _valid(self, session: Session, actor: str, command: str, payload: Payload) -> Session | None:
        """The session after the action, None where it is refused."""
        try:
            return self.apply(session, actor, command, payload, session.last_action_at)
        except Rejection:
            return None

    def early_offer(self, session: Session, actor: str, payload: Payload) -> bool:
        """Whether a well-formed offer of the player to move would be better judged after that move."""
        return bool(session.metadata["draw_offered"]) and self.claimed(session, actor, payload) is None

    def fallback(self, before: Session, after: Session, actor: str, command: str, payload: Payload) -> str:
        text = self.move_text(after, payload) if command == Command.MOVE else None
        if text is None:
            text = self.command_text(before, actor, command, payload)
        return f"[LRGP {self.manifest.tag}] {text}"

    @abstractmethod
    def move_text(self, after: Session, payload: Payload) -> str:
        """Fallback text of a move."""

    def command_text(self, before: Session, actor: str, command: str, payload: Payload) -> str:
        """Fallback text of anything but a move, as deployed clients show it."""
        return _TEXTS.get(command, command)

    # The state machine

    def _check_shape(self, command: str, payload: Payload) -> None:
        if command == Command.MOVE:
            self.check_move_shape(payload)
            return
        if command == Command.ACCEPT:
            if not matches(payload, self.accept_shape):
                raise malformed(command, self.accept_shape)
        elif command == Command.DRAW_OFFER:
            self.check_offer_shape(payload)
        elif payload:
            raise malformed(command)

    def _challenge(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        if session.status is not Status.PENDING or actor != session.initiator:
            raise illegal("The challenge has been made already")
        return Status.PENDING, {}

    def _check_accept(self, session: Session, actor: str) -> None:
        if session.status is not Status.PENDING:
            raise illegal(f"A challenge that is {session.status} cannot be accepted")
        if actor == session.initiator:
            raise illegal("Only the challenged player can accept")

    def _accept(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        self._check_accept(session, actor)
        return Status.ACTIVE, self.accepted(session, payload)

    def _decline(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        if session.status is not Status.PENDING:
            raise illegal(f"A challenge that is {session.status} cannot be declined")
        return Status.DECLINED, self.declined(session, actor)

    def _check_turn(self, session: Session, actor: str) -> None:
        if session.status is not Status.ACTIVE:
            raise invalid(f"The game is {session.status}, not active")
        turn = session.metadata["turn"]
        if not turn:
            raise invalid("Nobody is to move: the game's state is damaged")
        if turn != actor:
            raise Rejection(ErrorCode.NOT_YOUR_TURN, "It is the other player's turn")

    def _move(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        self._check_turn(session, actor)
        changes = self.moved(session, actor, payload)
        status = Status.COMPLETED if changes["terminal"] else Status.ACTIVE
        return status, changes | NO_OFFER

    def _resign(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        _check_active(session, Command.RESIGN)
        return Status.COMPLETED, self.resigned(session, actor) | NO_OFFER

    def _draw_offer(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        _check_active(session, Command.DRAW_OFFER)
        claimed = self.claimed(session, actor, payload)
        if claimed is not None:
            return Status.COMPLETED, claimed | NO_OFFER
        if session.metadata["draw_offered"]:
            raise illegal("A draw offer is open already")
        return Status.ACTIVE, {"draw_offered": True, "draw_offered_by": actor}

    def _draw_accept(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        self._check_answer(session, actor, Command.DRAW_ACCEPT)
        return Status.COMPLETED, self.agreed(session) | NO_OFFER

    def _draw_decline(self, session: Session, actor: str, payload: Payload) -> tuple[Status, dict[str, Any]]:
        self._check_answer(session, actor, Command.DRAW_DECLINE)
        return Status.ACTIVE, dict(NO_OFFER)

    def _check_answer(self, session: Session, actor: str, command: Command) -> None:
        _check_active(session, command)
        owner = session.metadata["draw_offered_by"]
        if not session.metadata["draw_offered"] or not owner:
            raise illegal("There is no draw offer to answer")
        if owner == actor:
            raise illegal("You cannot answer your own draw offer")

    _HANDLERS: ClassVar[
        Mapping[str, Callable[[Any, Session, str, Payload], tuple[Status, dict[str, Any]]]]
    ] = {
        Command.CHALLENGE: _challenge,
        Command.ACCEPT: _accept,
        Command.DECLINE: _decline,
        Command.MOVE: _move,
        Command.RESIGN: _resign,
        Command.DRAW_OFFER: _draw_offer,
        Command.DRAW_ACCEPT: _draw_accept,
        Command.DRAW_DECLINE: _draw_decline,
    }


NO_OFFER: Final[dict[str, Any]] = {"draw_offered": False, "draw_offered_by": ""}

_TEXTS: Final[Mapping[str, str]] = {
    Command.CHALLENGE: "Sent a challenge!",
    Command.ACCEPT: "Challenge accepted",
    Command.DECLINE: "Challenge declined",
    Command.RESIGN: "Resigned.",
    Command.DRAW_OFFER: "Offered a draw",
    Command.DRAW_ACCEPT: "Draw accepted",
    Command.DRAW_DECLINE: "Declined draw offer",
}


def _check_active(session: Session, command: Command) -> None:
    if session.status is not Status.ACTIVE:
        raise illegal(f"{command} needs an active game; this one is {session.status}")


def loaded(session: Session, shape: Mapping[str, tuple[type, ...]], optional: Iterable[str] = ()) -> Session:
    """A stored session with the keys of ``shape`` and a complete draw offer or none.

    ``shape`` names each key of the game's own and its exact types; ``optional`` keys are kept as
    they are. Keys nobody knows are dropped, for deployed clients keep notes of their own there; an
    offer without an owner, or an owner without an offer, is no offer (spec §6). Raises ``Corrupt``.
    """
    stored = session.metadata
    missing = sorted(shape.keys() - stored.keys())
    require(not missing, f"metadata lacks {', '.join(missing)}")
    for key, kinds in shape.items():
        require(type(stored[key]) in kinds, f"{key} has the wrong type")
    offered = stored.get("draw_offered", False)
    owner = stored.get("draw_offered_by", "")
    owner = "" if owner is None else owner
    require(type(offered) is bool and type(owner) is str, "the draw offer is malformed")
    require(not owner or owner in session.participants, "the draw offer belongs to a stranger")
    complete = offered and bool(owner)
    if complete:
        alive = session.status in (Status.ACTIVE, Status.EXPIRED)
        require(alive, f"a draw offer is open in a game that is {session.status}")
    offer: dict[str, Any] = {"draw_offered": True, "draw_offered_by": owner} if complete else NO_OFFER
    kept = {key: stored[key] for key in (*shape, *optional) if key in stored}
    return replace(session, metadata=kept | offer)


def require(condition: object, problem: str) -> None:
    """For hydration: raises ``Corrupt(problem)`` unless the condition holds."""
    if not condition:
        raise Corrupt(problem)
