"""The games of one identity as lists: the live ones and the first of those that are over, more on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lrgpnode.control.client import ClientError

from .link import Done, Failed

Json = Mapping[str, Any]
Key = tuple[str, str]
Call = Callable[[str, Json, Done, Failed], None]

MOST_LIVE: Final = 1000
"""Live games that are loaded; a node has seldom more than a handful."""

PAGE: Final = 50


class Lists:
    """``loaded`` is called when a load is complete, ``changed`` when a list has got longer or shorter,
    ``failed`` when the node refuses."""

    def __init__(
        self,
        call: Call,
        loaded: Callable[[], object],
        changed: Callable[[], object],
        failed: Callable[[ClientError], object],
    ) -> None:
        self._call = call
        self._loaded = loaded
        self._changed = changed
        self._told = failed
        self.me = ""
        self.games: dict[Key, dict[str, Any]] = {}
        self.more: str | None = None
        """Where the games that are over go on, None if all are here."""
        self._loading_more = False
        self._fresh: dict[Key, dict[str, Any]] = {}

    def clear(self) -> None:
        """Forget all; an answer that is on its way is for nobody."""
        self.me, self.games, self.more, self._loading_more = "", {}, None, False

    def lost(self) -> None:
        """The node is gone: no answer comes any more."""
        self._loading_more = False

    def load(self, me: str) -> None:
        """Load the lists of an identity anew; until then the old ones stand."""
        self.me, self._loading_more, self._fresh = me, False, {}
        self._page("live", None)

    def load_more(self) -> None:
        """The next page of games that are over, if there is one."""
        if self.more is not None and not self._loading_more:
            self._loading_more = True
            self._page("ended", self.more)

    def load_requests(self) -> None:
        """Challenges of strangers come with the first page of a list."""
        me = self.me

        def arrived(page: Json) -> None:
            if me == self.me:
                found = {_key(game): dict(game) for game in page["games"] if game.get("request")}
                self.games = {key: one for key, one in self.games.items() if not one.get("request")} | found
                self._changed()

        self._call("game.list", {"identity": me, "filter": "pending", "limit": 1}, arrived, _nothing)

    def _page(self, which: str, cursor: str | None) -> None:
        me = self.me

        def arrived(page: Json) -> None:
            if me == self.me:
                self._arrived(which, page)

        params = {"identity": me, "filter": which, "limit": PAGE, "cursor": cursor}
        self._call("game.list", params, arrived, self._failed)

    def _arrived(self, which: str, page: Json) -> None:
        found = {_key(game): dict(game) for game in page["games"]}
        if self._loading_more:
            self._loading_more = False
            self.games.update({key: game for key, game in found.items() if key not in self.games})
            self.more = page.get("cursor")
            self._changed()
            return
        self._fresh.update(found)
        if which == "live":
            cursor = page.get("cursor")
            live_is_done = cursor is None or len(self._fresh) >= MOST_LIVE
            self._page("ended" if live_is_done else "live", None if live_is_done else cursor)
            return
        self.games, self.more = self._fresh, page.get("cursor")
        self._loaded()

    def _failed(self, error: ClientError) -> None:
        self._loading_more = False
        self._told(error)


def _key(game: Json) -> Key:
    return str(game["identity"]), str(game["id"])


def _nothing(_: object) -> None:
    """Where an answer does not matter, since events tell what follows."""
