"""Why a record cannot be made or is not believed."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """The first thing found wrong with a record. Stable: scripts read them."""

    TOO_LARGE = "too_large"
    NOT_A_RECORD = "not_a_record"
    UNSUPPORTED_VERSION = "unsupported_version"
    MALFORMED = "malformed"
    INDEX_SIGNATURE = "index_signature"
    INDEX_DIGEST = "index_digest"
    INDEX = "index"
    KEY = "key"
    MESSAGE = "message"
    MESSAGE_SIGNATURE = "message_signature"
    ENVELOPE = "envelope"
    AUTHOR = "author"
    ADDRESSEE = "addressee"
    APP = "app"
    SESSION = "session"
    NONCE = "nonce"
    RULES = "rules"
    POSITION = "position"
    RESULT = "result"
    TEXT = "text"
    UNPROVEN = "unproven"
    DISAGREEMENT = "disagreement"


class RecordError(Exception):
    """Base of what this package raises; ``message`` is one sentence for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(RecordError):
    """The record does not prove what it says. ``action``: the number of the one it failed at, or 0."""

    def __init__(self, reason: Refusal, message: str, action: int = 0) -> None:
        super().__init__(f"Action {action}: {message}" if action else message)
        self.reason = reason
        self.action = action


class GameMissing(RecordError):
    """Nothing can be said: the game, in the record's version, is not installed here."""


class CannotExport(RecordError):
    """The node's journal does not make a record; ``kind`` for programs, ``hint`` for people."""

    def __init__(self, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint
