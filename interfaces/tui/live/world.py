"""Identity, games, people and the open game, as the node last told.

Nothing is polled: lists are loaded once for each connection, and events say what to ask again. What an event
says by itself (deliveries, peers heard) is taken from it without a question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from interfaces.tui.models import notices, words
from interfaces.tui.models.notices import Notice, Unplayable
from lrgpnode.control.client import CallFailed, ClientError, NotRunning

from .answers import Answers
from .deliveries import Deliveries
from .link import Done, Failed, Link
from .lists import Key, Lists
from .past import Past
from .people import People
from .talks import Talks

Json = Mapping[str, Any]

UNPLAYABLE: Final = 5


class State(Enum):
    CONNECTING = "connecting"
    READY = "ready"
    LOST = "lost"


class Topic(Enum):
    """What has changed."""

    STATE = "state"
    GAMES = "games"
    OPEN = "open"
    PEOPLE = "people"
    TALKS = "talks"
    ANSWERS = "answers"


class World:
    """``changed`` is told what has changed, ``told`` what a person should know.

    ``wanted`` is the identity that the command line names, or None. Clocks: ``now`` in Unix seconds.
    """

    def __init__(
        self,
        wanted: str | None,
        now: Callable[[], float],
        changed: Callable[[Topic], object],
        told: Callable[[Notice], object],
    ) -> None:
        self._wanted = wanted
        self.now = now
        self._changed = changed
        self._told = told
        self._link: Link | None = None
        self._replayed = 0
        self.state = State.CONNECTING
        self.words = "Looking for the node."
        self.status: Json = {}
        self.me = ""
        self.identities: dict[str, Json] = {}
        self.house: Json | None = None
        self._lists = Lists(self.call, self._loaded, lambda: changed(Topic.GAMES), self._failed)
        self.people = People(self.call, lambda: self.me, lambda: changed(Topic.PEOPLE))
        self.talks = Talks(self.call, lambda: changed(Topic.TALKS))
        self.answers = Answers(self.call, lambda: changed(Topic.ANSWERS))
        self.unplayable: list[Unplayable] = []
        self.open: Key | None = None
        self.detail: Json | None = None
        self.past: Past | None = None
        self._asking: set[Key] = set()
        self._again: set[Key] = set()
        self._deliveries = Deliveries()

    def use(self, link: Link) -> None:
        self._link = link

    # What the screens ask

    def call(self, method: str, params: Json, done: Done, failed: Failed) -> None:
        """Ask the node something; see ``Link.call``."""
        assert self._link is not None
        self._link.call(method, params, done, failed)

    @property
    def games(self) -> dict[Key, dict[str, Any]]:
        """The games that are loaded, as ``game.list`` has them."""
        return self._lists.games

    @property
    def more(self) -> str | None:
        """Whether there are more that are over: then not None."""
        return self._lists.more

    @property
    def names(self) -> dict[str, str]:
        """What the installed games are called, by app id."""
        return {str(game["app"]): str(game["name"]) for game in self.status.get("games", ())}

    def actions(self, app: str) -> tuple[str, ...]:
        """The commands of an installed game."""
        for game in self.status.get("games", ()):
            if game["app"] == app:
                return tuple(game["actions"])
        return ()

    @property
    def my_name(self) -> str:
        return str(self.identities.get(self.me, {}).get("name", ""))

    @property
    def persons(self) -> list[Json]:
        """The identities that people play as, without the house."""
        return [one for one in self.identities.values() if one.get("role") != "house"]

    @property
    def always_here(self) -> tuple[str, ...]:
        """Who plays on this very node."""
        return tuple(self.identities)

    def heard_at(self, peer: str) -> float | None:
        """When a peer was last heard, as far as the lists say."""
        if peer in self.identities:
            return self.now()
        if peer in self.people.peers:
            return float(self.people.peers[peer]["heard_at"])
        for game in self.games.values():
            if game["peer"] == peer and game.get("peer_heard_at") is not None:
                return float(game["peer_heard_at"])
        return None

    def show(self, key: Key | None) -> None:
        """Keep this game up to date as the open one; None: none."""
        if key != self.open:
            self.open, self.detail = key, None
            self.past = None if key is None else self._past(key)
        if key is not None:
            self._ask(key)

    def _past(self, key: Key) -> Past:
        return Past(self.call, "game.frames", {"id": key[1], "identity": key[0]})

    def read(self, key: Key) -> None:
        """A person has seen the game."""
        game = self.games.get(key)
        if game is None or not game.get("unread") or game.get("request"):
            return
        game["unread"] = 0
        self._changed(Topic.GAMES)
        self.call("game.read", {"id": key[1], "identity": key[0]}, _nothing, _nothing)

    def load_more(self) -> None:
        """The next page of finished games, if there is one."""
        if self.state is State.READY:
            self._lists.load_more()

    def reads(self, peer: str) -> bool:
        """Whether texts can be written to this peer: the house and ourselves do not read them."""
        return peer != self.me and self.identities.get(peer, {}).get("role") != "house"

    def switch(self, identity: str) -> None:
        """Show, and act as, another identity of the node from now on."""
        if identity == self.me or identity not in self.identities:
            return
        self.show(None)
        self.state, self.words = State.CONNECTING, "Loading its games."
        self._lists.clear()
        self.unplayable = []
        self.me = identity
        self._changed(Topic.STATE)
        self._changed(Topic.GAMES)
        self._lists.load(identity)

    def waiting_turn(self) -> int:
        """Games in which it is the person's turn."""
        return sum(bool(game.get("your_turn")) and game["status"] == "active" for game in self.games.values())

    # The link

    def connected(self, seq: int, missed: bool) -> None:
        """Load everything anew: whatever happened meanwhile, the lists have it."""
        self._replayed = seq
        self.call("node.status", {}, self._status, self._failed)
        self.call("house.show", {}, self._house, self._failed)
        self.call("identity.list", {}, self._identities, self._failed)

    def lost(self, why: ClientError) -> None:
        self._asking.clear()
        self._again.clear()
        self._lists.lost()
        self.answers.lost()
        was = self.state
        self.state = State.LOST
        if isinstance(why, NotRunning):
            self.words = "No node is running. This screen goes on as soon as one is."
        elif isinstance(why, CallFailed):
            self.words = f"{why.message} Trying again."
        else:
            self.words = "The node has gone away. This screen goes on as soon as it is back."
        if was is not self.state:
            self._changed(Topic.STATE)

    def event(self, event: Json) -> None:
        data, kind = event["data"], str(event["type"])
        old = int(event["seq"]) <= self._replayed
        if not old:
            self.answers.event(kind)
        if kind == "game.unknown":
            self._unplayable(data)
        if kind == "peer.heard":
            self._heard(data, float(event["at"]))
        elif kind == "game.delivery":
            self._delivery(data)
        elif kind == "game.deleted":
            self._deleted((str(data["identity"]), str(data["id"])))
        elif kind == "game.request":
            self.load_requests()
        elif kind.startswith("message."):
            if not old and data["identity"] == self.me:
                self.talks.event(kind, data)
        elif kind == "node.stopping":
            self.words = "The node is stopping."
            self._changed(Topic.STATE)
        elif kind in ("identity.changed", "identity.deleted", "node.clock") and not old:
            self.call("identity.list", {}, self._identities_only, _nothing)
            self.call("node.status", {}, self._status_only, _nothing)
        elif kind.startswith("game.") and "id" in data and not old and data.get("identity") == self.me:
            self._moved(data)
        if not old and data.get("identity", self.me) == self.me:
            self._tell(event)

    def peer_names(self) -> dict[str, str]:
        """What peers are called, by their addresses, as far as anything has told."""
        names = self.people.names()
        names |= {str(game["peer"]): str(game.get("peer_name", "")) for game in self.games.values()}
        return {**self.talks.names, **{peer: name for peer, name in names.items() if name}}

    def called(self, peer: str) -> str:
        """A peer, as it is shown."""
        return words.who(self.peer_names().get(peer, ""), peer)

    def _tell(self, event: Json) -> None:
        names = self.peer_names()
        if event["type"] == "message.received" and self.talks.sees(str(event["data"]["peer"])):
            return
        found = notices.notice(event, self.names, names)
        if found is not None:
            self._told(found)

    # Loading

    def _status(self, status: Json) -> None:
        self.status = status

    def _status_only(self, status: Json) -> None:
        self.status = status
        self._changed(Topic.STATE)

    def _house(self, house: Json) -> None:
        self.house = house

    def load_identities(self) -> None:
        """Ask for them again, after a change of which no event tells."""
        self.call("identity.list", {}, self._identities_only, _nothing)

    def _identities_only(self, result: Json) -> None:
        if self.me and all(one["hash"] != self.me for one in result["identities"]):
            # It was deleted: go on as another one.
            self._wanted, self.me = None, ""
            self._lists.clear()
            self._identities(result)
        else:
            self.identities = {str(one["hash"]): one for one in result["identities"]}
        self._changed(Topic.STATE)

    def _identities(self, result: Json) -> None:
        self.identities = {str(one["hash"]): one for one in result["identities"]}
        if self.me in self.identities:
            self._lists.load(self.me)
        elif self._wanted is not None:
            self.call("identity.show", {"identity": self._wanted}, self._chosen, self._failed)
        else:
            people = self.persons
            usual = [one for one in people if one.get("default")] or [one for one in people if one["enabled"]]
            if not (usual or people):
                self._failed(CallFailed("identity", "The node has no identity.", ""))
                return
            self._chosen((usual or people)[0])

    def _chosen(self, identity: Json) -> None:
        self.me = str(identity["hash"])
        self._lists.load(self.me)

    def _loaded(self) -> None:
        """The lists are complete."""
        self.state, self.words = State.READY, ""
        self._changed(Topic.STATE)
        self._changed(Topic.GAMES)
        if self.open is not None:
            self._ask(self.open)
        self.people.reload()
        self.talks.load(self.me)
        self.answers.reload()

    def _failed(self, error: ClientError) -> None:
        if isinstance(error, CallFailed):
            self.words = f"{error.message} {error.hint}".strip()
            self._changed(Topic.STATE)

    def load_requests(self) -> None:
        """Ask for the challenges of strangers again."""
        if self.state is State.READY:
            self._lists.load_requests()

    # One game

    def _ask(self, key: Key) -> None:
        """Ask how a game stands, once more if it changes while the answer is on its way."""
        if key in self._asking:
            self._again.add(key)
            return
        if self._link is None or not self._link.up:
            return
        self._asking.add(key)

        def arrived(detail: Json) -> None:
            self._asking.discard(key)
            self._put(key, detail)
            self._once_more(key)

        def failed(error: ClientError) -> None:
            self._asking.discard(key)
            if isinstance(error, CallFailed) and self.open == key:
                self.words = f"{error.message} {error.hint}".strip()
                self._changed(Topic.STATE)
            self._once_more(key)

        self.call("game.show", {"id": key[1], "identity": key[0]}, arrived, failed)

    def _once_more(self, key: Key) -> None:
        if key in self._again:
            self._again.discard(key)
            self._ask(key)

    def _put(self, key: Key, detail: Json) -> None:
        if key[0] != self.me:
            return
        before = self.games.get(key, {})
        row = {name: value for name, value in detail.items() if name not in ("view", "flags", "expires_at")}
        pending = detail["status"] == "pending" and detail["initiator"] != key[0]
        row["your_turn"] = pending or bool(detail["view"]["my_turn"])
        row["flags"] = tuple(detail["flags"])
        row["last_own"] = self._deliveries.answered(detail.get("last_own"))
        row["peer_heard_at"] = before.get("peer_heard_at") or self.heard_at(str(detail["peer"]))
        self.games[key] = row
        if key == self.open:
            shorter = self.detail is not None and len(detail["view"]["history"]) < len(
                self.detail["view"]["history"]
            )
            if shorter:
                self.past = self._past(key)
            self.detail = {**detail, "last_own": row["last_own"]}
            self._changed(Topic.OPEN)
        self._changed(Topic.GAMES)

    # Events

    def _heard(self, data: Json, at: float) -> None:
        peer = str(data["peer"])
        self.people.heard(data, at)
        touched = False
        for game in self.games.values():
            if game["peer"] == peer:
                game["peer_heard_at"] = at
                touched = True
        if touched:
            self._changed(Topic.GAMES)

    def _moved(self, data: Json) -> None:
        self._ask((str(data["identity"]), str(data["id"])))
        if data.get("status") == "completed":
            self.people.finished(str(data["peer"]))

    def _delivery(self, data: Json) -> None:
        key = (str(data["identity"]), str(data["id"]))
        self._deliveries.tell(data)
        for game in self._places(key):
            game["last_own"] = self._deliveries.newest(game.get("last_own"))
        if key == self.open:
            self._changed(Topic.OPEN)
            if data.get("state") == "failed":
                # When it is tried again is not in the event.
                self._ask(key)
        if key in self.games:
            self._changed(Topic.GAMES)

    def _places(self, key: Key) -> Iterator[dict[str, Any]]:
        if key in self.games:
            yield self.games[key]
        if key == self.open and self.detail is not None:
            self.detail = dict(self.detail)
            yield self.detail

    def _deleted(self, key: Key) -> None:
        if self.games.pop(key, None) is not None:
            self._changed(Topic.GAMES)

    def _unplayable(self, data: Json) -> None:
        found = notices.unplayable(data)
        if all((one.id, one.text) != (found.id, found.text) for one in self.unplayable):
            self.unplayable = [*self.unplayable, found][-UNPLAYABLE:]
            self._changed(Topic.GAMES)

    def dismiss(self, gone: Unplayable) -> None:
        """A person has seen it."""
        self.unplayable = [one for one in self.unplayable if one != gone]
        self._changed(Topic.GAMES)


def _nothing(_: object) -> None:
    """Where an answer does not matter, since events tell what follows."""
