"""What can go wrong between us and an RCADIA server, one class for each thing that a caller does next.

Texts are one sentence for a person and never contain the token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.rcadia.wire import Snapshot


class RcadiaError(Exception):
    """Base. ``code`` is the server's word for the reason, "" where it gave none."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Unreachable(RcadiaError):
    """No answer, or one that says to come back later. Whether the request was carried out is not known.

    ``retry_after``: seconds that the server asked us to wait, None where it named none.
    """

    def __init__(self, message: str, code: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, code)
        self.retry_after = retry_after


class CoolingDown(Unreachable):
    """The server has asked for a pause that is not over; nothing was sent."""


class Unusable(RcadiaError):
    """An answer that is no answer of this protocol: too long, not JSON, a redirect to elsewhere."""


class Unauthorized(RcadiaError):
    """401: the token is missing, unknown or revoked."""


class Forbidden(RcadiaError):
    """403: not a player of this session, or the token lacks the scope."""


class UnknownSession(RcadiaError):
    """404: the server has no such session."""


class ServerRestarted(RcadiaError):
    """410: the session was lost when the server restarted (§1, §7)."""


class Conflict(RcadiaError):
    """409. ``code`` says which, ``snapshot`` how the table is, where the server sent one."""

    def __init__(self, message: str, code: str = "", snapshot: Snapshot | None = None) -> None:
        super().__init__(message, code)
        self.snapshot = snapshot


class Refused(RcadiaError):
    """Any other refusal of the request itself, 400 above all; asking again would not help."""
