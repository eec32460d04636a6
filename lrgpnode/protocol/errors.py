"""The two families of errors, and the words they use on the wire and to callers.

``CallerError`` is our caller's fault (a local intent that cannot be carried out, a stored record
that cannot be loaded); ``PeerError`` is the peer's fault (bytes that are not a canonical envelope).
A game raises ``Rejection``, which belongs to neither: the router knows whose action it was and
turns it into a ``CallerError`` for a local intent or into a ``Rejected`` outcome for an inbound one.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Standard error codes of an LRGP ``error`` action (spec §9). Peers may send others."""

    UNSUPPORTED_APP = "unsupported_app"
    INVALID_MOVE = "invalid_move"
    NOT_YOUR_TURN = "not_your_turn"
    SESSION_EXPIRED = "session_expired"
    PROTOCOL_ERROR = "protocol_error"


class Kind(StrEnum):
    """Why the router refused something, for callers; never sent to a peer."""

    SENDER_REQUIRED = "sender_required"
    IDENTITY_REQUIRED = "identity_required"
    PARTICIPANT_REQUIRED = "participant_required"
    INVALID_ENVELOPE = "invalid_envelope"
    ENVELOPE_TOO_LARGE = "envelope_too_large"
    UNKNOWN_APP = "unknown_app"
    UNSUPPORTED_VERSION = "unsupported_version"
    UNSUPPORTED_ACTION = "unsupported_action"
    UNAUTHORIZED_PEER = "unauthorized_peer"
    SESSION_NOT_FOUND = "session_not_found"
    SESSION_EXPIRED = "session_expired"
    SESSION_EXISTS = "session_exists"
    ADMISSION_LIMIT = "admission_limit"
    ILLEGAL_TRANSITION = "illegal_transition"
    VALIDATION = "validation"


class Scope(StrEnum):
    """Which admission limit was reached (spec §6, Challenge Admission)."""

    PARTICIPANT = "participant"
    IDENTITY = "identity"


class LrgpError(Exception):
    """Base of every error of the protocol core.

    ``kind`` says what went wrong to the program, ``code`` is the standard code a peer would be
    given, ``message`` is one sentence for a person.
    """

    def __init__(self, kind: Kind, message: str, code: ErrorCode = ErrorCode.PROTOCOL_ERROR) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.message = message


class CallerError(LrgpError):
    """The local caller asked for something that cannot be done; nothing has changed."""


class PeerError(LrgpError):
    """A peer sent something that is not LRGP; nothing has been recorded."""


class Rejection(Exception):
    """A game refuses an action. Raised by ``Game.intend``, ``Game.apply`` and ``Game.parse``.

    ``transition`` marks an action that the session's state does not allow at all (accepting an
    active game, answering an offer that does not exist), as opposed to a bad payload or move.
    """

    def __init__(self, code: ErrorCode, message: str, *, transition: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.transition = transition


class Corrupt(Exception):
    """``Game.normalise``: a stored session contradicts the rules and must not be loaded."""
