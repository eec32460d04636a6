"""Why a request is not carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.rcadia.server.table import Seat


class Refusal(Exception):
    """``status`` is that of HTTP, ``code`` for programs, ``str()`` one sentence for people.

    ``seat``: the answer carries the snapshot of this seat. ``retry_after`` is in seconds.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        seat: Seat | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.seat = seat
        self.retry_after = retry_after


def bad(message: str, code: str = "bad_request") -> Refusal:
    """400: what was sent cannot be read."""
    return Refusal(400, code, message)
