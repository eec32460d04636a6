"""Texts between people: what is unread of whom, and the conversation that is open."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

from lrgpnode.control.client import ClientError

from .link import Done, Failed

Json = Mapping[str, Any]
Call = Callable[[str, Json, Done, Failed], None]

PAGE: Final = 50
MOST_THREADS: Final = 500
MOST: Final = 500
"""Texts of the open conversation that are kept here."""

TOLD: Final = 100


class Talks:
    """Of one identity, ``me``. ``changed`` is called when anything has.

    Loaded once for each connection; then events say what is new.
    """

    def __init__(self, call: Call, changed: Callable[[], object]) -> None:
        self._call = call
        self._changed = changed
        self.me = ""
        self.unread: dict[str, int] = {}
        self.threads: dict[str, Json] = {}
        """The conversations by peer, as ``message.threads`` has them."""
        self.known = False
        """Whether they are loaded."""
        self.peer: str | None = None
        self.texts: list[dict[str, Any]] = []
        self.more: str | None = None
        self.loaded = False
        self.seen = False
        """Whether a person looks at the open conversation: then nothing in it is unread."""
        self._told: OrderedDict[int, Json] = OrderedDict()
        self._loading = False

    def load(self, me: str) -> None:
        """Load everything anew, for this identity."""
        if me != self.me:
            self.threads, self.unread, self.known = {}, {}, False
        self.me, self._loading = me, False
        self._load(None, {})
        if self.peer is not None:
            self._page(None)

    def show(self, peer: str | None) -> None:
        """Keep what was written with this peer up to date; None: with nobody."""
        if peer == self.peer:
            return
        self.peer, self.texts, self.more, self.loaded, self._loading = peer, [], None, False, False
        if peer is not None:
            self._page(None)

    def look(self, seen: bool) -> None:
        """A person begins or ceases to look at the open conversation."""
        self.seen = seen
        self._read()

    def sees(self, peer: str) -> bool:
        """Whether a person looks at what is written with this peer."""
        return self.seen and self.peer == peer

    def older(self) -> None:
        """Load what was written before, if there is more."""
        if self.more is not None and not self._loading and len(self.texts) < MOST:
            self._page(self.more)

    def send(self, text: str, failed: Failed) -> None:
        """Write to the peer of the open conversation."""

        def sent(result: Json) -> None:
            self._last(str(result["peer"]), result["message"])
            if result["peer"] == self.peer:
                self._put(result["message"])
            self._changed()

        self._call("message.send", {"peer": self.peer, "identity": self.me, "text": text}, sent, failed)

    def event(self, kind: str, data: Json) -> None:
        """An event of the kinds ``message.*`` for this identity."""
        peer = str(data["peer"])
        if kind == "message.delivery":
            self._delivered(data)
        elif kind == "message.read":
            if self.unread.pop(peer, 0):
                self._changed()
        else:
            own = kind == "message.sent"
            fields = {name: value for name, value in data.items() if name not in ("identity", "peer")}
            one = {**fields, "own": own, **({"state": "queued"} if own else {})}
            self._last(peer, one)
            if not own:
                self.unread[peer] = self.unread.get(peer, 0) + 1
            if peer == self.peer:
                self._put(one)
                self._read()
            self._changed()

    # Inside

    @property
    def names(self) -> dict[str, str]:
        """What those are called with whom there are texts."""
        return {peer: str(one.get("peer_name", "")) for peer, one in self.threads.items()}

    def _load(self, cursor: str | None, found: dict[str, Json]) -> None:
        me = self.me

        def arrived(page: Json) -> None:
            if me != self.me:
                return
            for thread in page["threads"]:
                found[str(thread["peer"])] = thread
            if page.get("cursor") and len(found) < MOST_THREADS:
                self._load(page["cursor"], found)
                return
            self.threads, self.known = found, True
            self.unread = {peer: int(one["unread"]) for peer, one in found.items() if one["unread"]}
            self._read()
            self._changed()

        self._call("message.threads", {"identity": me, "limit": PAGE, "cursor": cursor}, arrived, _nothing)

    def _page(self, cursor: str | None) -> None:
        if not self.me:
            return
        peer, self._loading = self.peer, True

        def arrived(page: Json) -> None:
            if peer != self.peer:
                return
            self._loading = False
            if cursor is None:
                # After a lost connection there may be a gap: begin anew.
                self.texts = []
            for message in page["messages"]:
                self._put(message)
            self.more, self.loaded = page.get("cursor"), True
            self._read()
            self._changed()

        def failed(_: ClientError) -> None:
            if peer == self.peer:
                self._loading = False

        params = {"peer": peer, "identity": self.me, "limit": PAGE, "cursor": cursor}
        self._call("message.list", params, arrived, failed)

    def _last(self, peer: str, message: Json) -> None:
        """The newest text of a conversation."""
        before = self.threads.get(peer, {"peer": peer, "peer_name": ""})
        if int(before.get("last", message)["id"]) <= int(message["id"]):
            self.threads[peer] = {**before, "last": {**message, **self._news(message)}}

    def _news(self, message: Json) -> Json:
        """What an event has told of its delivery."""
        told = self._told.get(int(message["outbox_id"])) if message.get("outbox_id") else None
        return told or {}

    def _put(self, message: Json) -> None:
        """Into its place; what is there already is made newer."""
        new = {**message, **self._news(message)}
        kept = [one for one in self.texts if one["id"] != new["id"]]
        self.texts = sorted([*kept, new], key=lambda one: int(one["id"]))[-MOST:]

    def _delivered(self, data: Json) -> None:
        # An event may come before the answer that first names its text.
        news = {"state": data["state"], "reason": data.get("reason", "")}
        self._told[int(data["outbox_id"])] = news
        if len(self._told) > TOLD:
            self._told.popitem(last=False)
        thread = self.threads.get(str(data["peer"]))
        if thread is not None and thread["last"].get("outbox_id") == data["outbox_id"]:
            self.threads[str(data["peer"])] = {**thread, "last": {**thread["last"], **news}}
            self._changed()
        for number, one in enumerate(self.texts):
            if one.get("outbox_id") == data["outbox_id"]:
                self.texts[number] = {**one, **news}
                self._changed()

    def _read(self) -> None:
        if self.seen and self.loaded and self.peer is not None and self.unread.pop(self.peer, 0):
            self._call("message.read", {"peer": self.peer, "identity": self.me}, _nothing, _nothing)
            self._changed()


def _nothing(_: object) -> None:
    """Where an answer does not matter: it is loaded again with the next connection."""
