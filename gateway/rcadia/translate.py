"""The client's errors in the words of ``gateway.seat``."""

from __future__ import annotations

from gateway.seat import AccountRefused, PlatformError, SeatLost, Unreachable

from .client.errors import (
    Conflict,
    CoolingDown,
    Forbidden,
    RcadiaError,
    ServerRestarted,
    Unauthorized,
    UnknownSession,
    Unreachable as NoAnswer,
)


def platform_error(error: RcadiaError) -> PlatformError:
    """For requests about the platform or an account."""
    if isinstance(error, Unauthorized | Forbidden):
        return AccountRefused(str(error))
    if isinstance(error, NoAnswer | CoolingDown):
        return Unreachable(str(error), error.retry_after)
    return Unreachable(str(error))


def gone(error: RcadiaError, lost: str) -> PlatformError:
    """For requests about one session: whoever may not see it, or where it is not there, has no seat in it."""
    if isinstance(error, Forbidden | UnknownSession | ServerRestarted | Conflict):
        return SeatLost(f"{lost}: {error}")
    return platform_error(error)
