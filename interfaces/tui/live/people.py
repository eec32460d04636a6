"""Peers that were heard, contacts, and how games with them have ended: loaded when first needed, then kept
by events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .link import Done, Failed

Json = Mapping[str, Any]
Call = Callable[[str, Json, Done, Failed], None]

MOST: Final = 1000
"""Entries of each list that are loaded."""

PAGE: Final = 50

_ALL: Final[Mapping[str, Any]] = {}


class People:
    """``changed`` is called when any list has. ``me`` is the identity whose games ``records`` tell of."""

    def __init__(self, call: Call, me: Callable[[], str], changed: Callable[[], object]) -> None:
        self._call = call
        self._me = me
        self._changed = changed
        self.peers: dict[str, dict[str, Any]] = {}
        self.contacts: dict[str, dict[str, Any]] = {}
        self.records: dict[str, dict[str, Any]] = {}
        self._recorded = ""
        self._loaded = False

    def load(self) -> None:
        """Load all lists."""
        self._loaded = True
        if self._recorded != self._me():
            self._recorded, self.records = self._me(), {}
        self._page("contact.record", "records", self.records, None, {"identity": self._recorded})
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

    def finished(self, peer: str) -> None:
        """A game with this peer is over: ask how many have ended how."""
        if self._loaded and self._recorded == self._me():
            only = {"identity": self._recorded, "peer": peer}
            self._page("contact.record", "records", self.records, None, only)

    def names(self) -> dict[str, str]:
        """What peers are called, by their addresses."""
        return {peer: str(one.get("contact") or one.get("name") or "") for peer, one in self.peers.items()}

    def _page(
        self,
        method: str,
        what: str,
        into: dict[str, dict[str, Any]],
        cursor: str | None,
        which: Mapping[str, Any] = _ALL,
    ) -> None:
        def arrived(page: Json) -> None:
            into.update({str(one["peer"]): dict(one) for one in page[what]})
            if page.get("cursor") and len(into) < MOST:
                self._page(method, what, into, page["cursor"], which)
            self._changed()

        # A node that goes away is told elsewhere, and the lists are loaded again when it is back.
        self._call(method, {**which, "limit": PAGE, "cursor": cursor}, arrived, lambda _: None)
