"""What all web clients of the gateway need of HTTP."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Final

MAX_PAUSE: Final = 86_400.0
"""Seconds; the longest pause that a server may ask for."""


def carriable(token: str) -> bool:
    """Whether a header can carry a token."""
    return 0 < len(token) <= 4096 and all("!" <= character <= "~" for character in token)


def retry_after(header: str | None) -> float | None:
    """Seconds of a ``Retry-After``, or until its date. None where there is none, or none that can be read."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), MAX_PAUSE) if seconds == seconds else None  # noqa: PLR0124 - not NaN
