"""The client's errors in the words of ``gateway.seat``."""

from __future__ import annotations

from gateway.seat import AccountRefused, NoTable, PlatformError, Unreachable

from .client.errors import AgentGamesError, NoOpponent, Unauthorized, UnknownGame, Unreachable as NoAnswer


def platform_error(error: AgentGamesError) -> PlatformError:
    """For whatever goes wrong before there is a match."""
    match error:
        case Unauthorized():
            return AccountRefused(str(error))
        case UnknownGame() | NoOpponent():
            return NoTable(str(error))
        case NoAnswer():
            return Unreachable(str(error), error.retry_after)
    return Unreachable(str(error))
