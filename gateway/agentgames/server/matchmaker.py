"""Who meets whom: one waiting place a game, for all transports."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Waiting(Protocol):
    """Whoever waits. An account never meets itself."""

    @property
    def account(self) -> str: ...


W = TypeVar("W", bound=Waiting)


class Matchmaker(Generic[W]):
    """Ratings play no part. Nobody who has left is ever in a place, if ``leave`` is called at once."""

    def __init__(self) -> None:
        self._places: dict[str, W] = {}

    def enter(self, game: str, who: W) -> W | None:
        """``who`` wants to play: the one that waited before, who is player 0 in a match of the two.

        None: ``who`` waits now. So it does if the one returned is of the same account: that one is replaced,
        and does not wait any more.
        """
        other = self._places.pop(game, None)
        if other is None or other.account == who.account:
            self._places[game] = who
        return other

    def leave(self, game: str, who: W) -> bool:
        """``who`` does not want to any more; False if it did not wait."""
        if self._places.get(game) is not who:
            return False
        del self._places[game]
        return True

    def waiting(self, game: str) -> W | None:
        return self._places.get(game)

    def clear(self) -> list[W]:
        """Everybody who waits, who then does so no more."""
        found, self._places = list(self._places.values()), {}
        return found
