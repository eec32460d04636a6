"""The engine with a clock that stands still until it is moved, spoken to as over HTTP: JSON in, JSON out.

What is checked in the tests are literals of the protocol's text, never objects of our models.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

from gateway.rcadia import wire
from gateway.rcadia.server import views
from gateway.rcadia.server.engine import Engine, Limits
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Host, Session

CONFIG = {
    "minPlayers": 2,
    "maxPlayers": 2,
    "turnBased": True,
    "simultaneous": False,
    "gameType": "test",
    "sdkVersion": "2.0.0",
}
SIMULTANEOUS = {"simultaneous": True}
FREE = {"turnBased": False}


class Refused(Exception):
    """An answer of 400 or more."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.code = body.get("code")
        self.body = body


class Desk:
    """Accounts are named by single words; the host is ``host``."""

    def __init__(self, limits: Limits | None = None) -> None:
        source = random.Random(1)
        self.engine = Engine("abcd", lambda count: source.randbytes(count).hex(), limits)
        self.now = 1_800_000_000.0

    # Time

    def tick(self, seconds: float = 1.0) -> None:
        """Time passes, and the server does what is due, when it is due."""
        end = self.now + seconds
        while (due := self.engine.next_due()) is not None and due <= end:
            self.now = max(self.now, due)
            self.engine.advance(self.now)
            self.engine.take_changed()
        self.now = end

    def at(self, seconds: float) -> str:
        """The time so many seconds from now, as it is written."""
        return wire.format_time(self.now + seconds)

    # Hosts

    def create(self, *, host: str = "host", title: str | None = None, **config: Any) -> str:
        return str(self.created(host=host, title=title, **config)["sessionId"])

    def created(self, *, host: str = "host", title: str | None = None, **config: Any) -> dict[str, Any]:
        given: dict[str, Any] = {"config": {**CONFIG, **config}}
        if title is not None:
            given["gameTitle"] = title
        return self.create_with(given, host=host)

    def create_with(self, given: dict[str, Any], *, host: str = "host") -> dict[str, Any]:
        def make() -> Any:
            request = _read(given, wire.CreateRequest)
            return views.created(self.engine.create(Host(host, "agent"), request, self.now), "http://a")

        return self._call(make)

    def ops(self, id: str, *ops: dict[str, Any]) -> dict[str, Any]:
        def apply() -> Any:
            session = self._hosted(id)
            self.engine.ops(session, _read({"ops": ops}, wire.OpsRequest).ops, self.now)
            return views.after_ops(session)

        return self._call(apply)

    def legal(self, id: str, player: str, *actions: Any) -> dict[str, Any]:
        return self.ops(id, {"op": "legal_actions", "playerId": player, "actions": list(actions)})

    def reject(self, id: str, player: str, reason: str = "no", **more: Any) -> dict[str, Any]:
        return self.ops(id, {"op": "reject", "playerId": player, "reason": reason, **more})

    def end(self, id: str, result: Any = None, **more: Any) -> dict[str, Any]:
        return self.ops(id, {"op": "end", "result": result, **more})

    def poll(self, id: str, after: int | None = None) -> dict[str, Any]:
        """A poll that does not wait."""

        def take() -> Any:
            session = self._hosted(id)
            self.engine.poll_begins(session, after, self.now)
            entries = self.engine.poll_takes(session, after, self.now)
            self.engine.poll_ends(session, self.now)
            return views.pending(session, entries)

        return self._call(take)

    def entries(self, id: str, after: int | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.poll(id, after)["actions"]
        return found

    def alive(self, id: str, seconds: float) -> None:
        """Time passes while the host has a poll open all along."""
        session = self._hosted(id)
        self.engine.poll_begins(session, 0, self.now)
        self.tick(seconds)
        self.engine.poll_ends(session, self.now)
        self.engine.take_changed()

    def rematch(self, id: str) -> dict[str, Any]:
        return self._call(lambda: views.rematch(self.engine.rematch(self._hosted(id), self.now)))

    # Players

    def join(self, id: str, who: str, **given: Any) -> dict[str, Any]:
        def join() -> Any:
            session = self.engine.session(id, self.now)
            name = _read(given, wire.JoinRequest).as_name or who
            return views.snapshot(self.engine.join(session, who, name, self.now), "http://a")

        return self._call(join)

    def state(self, id: str, who: str) -> dict[str, Any]:
        def look() -> Any:
            _session, seat = self._seat(id, who)
            return views.snapshot(seat, "http://a")

        return self._call(look)

    def act(self, id: str, who: str, action: Any, **more: Any) -> dict[str, Any]:
        def act() -> Any:
            session, seat = self._seat(id, who)
            request = _read({"action": action, **more}, wire.ActionRequest)
            return views.action(session, self.engine.act(session, seat, request, self.now), seat, "http://a")

        return self._call(act)

    def leave(self, id: str, who: str) -> dict[str, Any]:
        def leave() -> Any:
            session = self.engine.session(id, self.now)
            self.engine.leave(session, self.engine.seat(session, who), self.now)
            return views.left(session)

        return self._call(leave)

    def events(self, id: str, since: int = 0) -> dict[str, Any]:
        return self._call(lambda: views.events(self.engine.session(id, self.now), since))

    def public(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(views.public(self.engine.session(id, self.now)))
        return found

    def available(self, game: str | None = None, *, everything: bool = False) -> list[dict[str, Any]]:
        found = self.engine.tables(game, everything=everything)
        return [json.loads(msgspec.json.encode(views.table(one, "http://a"))) for one in found]

    # Games

    def game(self, *players: str, **config: Any) -> tuple[str, list[str]]:
        """A session that has begun, of which the host knows; the ids of its players by seat."""
        names = players or ("ann", "ben")
        counts = {"minPlayers": len(names), "maxPlayers": len(names)}
        id = self.create(**{**counts, **config})
        for name in names:
            self.join(id, name)
        self.entries(id)
        return id, [one["playerId"] for one in self.public(id)["players"]]

    # Within

    def _call(self, what: Callable[[], Any]) -> dict[str, Any]:
        try:
            answer = what()
            found: dict[str, Any] = json.loads(msgspec.json.encode(answer))
        except Refusal as refusal:
            body: dict[str, Any] = {"error": str(refusal), "code": refusal.code}
            if refusal.seat is not None:
                body["snapshot"] = json.loads(msgspec.json.encode(views.snapshot(refusal.seat, "http://a")))
            raise Refused(refusal.status, body) from None
        finally:
            self.engine.take_changed()
        return found

    def _hosted(self, id: str) -> Session:
        session = self.engine.session(id, self.now)
        self.engine.check_host(session, "host")
        return session

    def _seat(self, id: str, who: str) -> tuple[Session, Any]:
        session = self.engine.session(id, self.now)
        seat = self.engine.seat(session, who)
        self.engine.enter(session, seat, self.now)
        return session, seat


def _read(given: Any, model: Any) -> Any:
    try:
        return msgspec.json.decode(json.dumps(given), type=model)
    except msgspec.ValidationError as error:
        raise Refusal(400, "bad_request", str(error)) from None
