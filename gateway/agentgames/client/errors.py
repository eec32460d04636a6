"""What can go wrong between us and an AgentGames server, one class for each thing that a caller does next.

Texts are one sentence for a person and never contain a token or a key.
"""

from __future__ import annotations

from collections.abc import Collection


class AgentGamesError(Exception):
    """Base."""


class Unreachable(AgentGamesError):
    """No connection. ``retry_after``: seconds that the server asked us to wait, None where it named none."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class HostKeyRefused(Unreachable):
    """The server shows another SSH host key than the one that is known; nobody was told who we are."""


class Refused(Unreachable):
    """The server has named an error that is none of the three of the protocol, and closes."""


class Unauthorized(AgentGamesError):
    """The server does not take the token or the key, or the account may not play."""


class UnknownGame(AgentGamesError):
    """The server does not have the game. ``games``: those that it has, as far as it says."""

    def __init__(self, message: str, games: Collection[str]) -> None:
        super().__init__(message)
        self.games = frozenset(games)


class NoOpponent(AgentGamesError):
    """Nobody came while we waited; the place in the queue is gone."""


class Ended(AgentGamesError):
    """The connection is gone; in a match that is a forfeit."""


class Silent(AgentGamesError):
    """Nothing came for longer than the protocol allows."""


class Unusable(AgentGamesError):
    """The server says what is not of this protocol, or too much."""
