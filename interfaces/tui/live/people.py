"""Peers that were heard, and contacts: loaded when first needed, then kept by events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .link import Done, Failed

Json = Mapping[str, Any]
Call = Callable[[str, Json, Done, Failed], None]

MOST: Final = 1000
"""Entries of each list that are loaded."""

PAGE: Final = 50


class People:
    """``changed`` is called when either list has."""

    def __init__(self, call: Call, changed: Callable[[], object]) -> None:
        self._call = call
        self._changed = changed
        self.peers: dict[str, dict[str, Any]] = {}
        self.contacts: dict[str, dict[str, Any]] = {}
        self._loaded = False

    def load(self) -> None:
        """Load both lists."""
        self._loaded = True
        self._page("peer.list", "peers", self.peers, None)
        self._page("contact.list", "contacts", self.contacts, None)

    def reload(self) -> None:
        """Load them again, if they ever were."""
        if self._loaded:
            self.load()

    def heard(self, data: Json, at: float) -> None:
        """A ``peer.heard`` event, of ``at`` in Unix seconds."""
        peer = str(data["peer"])
        known = self.peers.get(peer, {"contact": "", "played": False, "blocked": False})
        self.peers[peer] = {**known, **data, "heard_at": at, "name": data["name"] or known.get("name", "")}
        if len(self.peers) > 2 * MOST:
            self.peers.pop(next(iter(self.peers)))
        self._changed()

    def names(self) -> dict[str, str]:
        """What peers are called, by their addresses."""
        return {peer: str(one.get("contact") or one.get("name") or "") for peer, one in self.peers.items()}

    def _page(self, method: str, what: str, into: dict[str, dict[str, Any]], cursor: str | None) -> None:
        def arrived(page: Json) -> None:
            into.update({str(one["peer"]): dict(one) for one in page[what]})
            if page.get("cursor") and len(into) < MOST:
                self._page(method, what, into, page["cursor"])
            self._changed()

        # A node that goes away is told elsewhere, and the lists are loaded again when it is back.
        self._call(method, {"limit": PAGE, "cursor": cursor}, arrived, lambda _: None)
