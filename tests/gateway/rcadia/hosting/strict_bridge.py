"""A bridge API of the test's own, written from the protocol's text (§3): strict, and it records violations.

The tests play the players: they fill seats, act, time out, and look at what the host has said. Faults can
be ordered: answers that get lost before or after the request was carried out, refusals, a restart.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

BASE = "/api/v1/agent/bridge/sessions"
TOKEN = "host-token-sentinel"

OPS = {
    "state": {"op", "state"},
    "observation": {"op", "playerId", "observation"},
    "legal_actions": {"op", "playerId", "actions"},
    "reject": {"op", "playerId", "reason"},
    "end": {"op", "result"},
}


class Session:
    def __init__(self, id: str, config: dict[str, Any], number: int = 1) -> None:
        self.id = id
        self.config = config
        self.round = number
        self.players: list[str] = []
        self.status = "waiting"
        self.entries: list[dict[str, Any]] = []
        self.acked = 0
        self.returned = 0
        self.seq = 0
        self.ops: list[dict[str, Any]] = []
        self.state: Any = None
        self.legal: dict[str, list[Any]] = {}
        self.result: Any = None
        self.next_id: str | None = None
        self.ops_in_flight = 0
        self.polls = 0
        self.version = 0


class StrictBridge:
    """``violations`` must be empty in the end."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.violations: list[str] = []
        self.requests: list[tuple[str, str]] = []
        self.faults: dict[str, list[str]] = {"ops": [], "pending": [], "create": [], "rematch": []}
        self.boot = 0xA000
        self.changed = asyncio.Condition()
        self.url = ""

    # What the test does

    async def wait_for(self, condition: Any, seconds: float = 20.0) -> None:
        async with asyncio.timeout(seconds), self.changed:
            await self.changed.wait_for(condition)

    async def tell(self, session: Session, entry: dict[str, Any]) -> int:
        session.seq += 1
        session.entries.append({"seq": session.seq, **entry})
        await self.change(session)
        return session.seq

    async def seat(self, session: Session, *players: str) -> None:
        """These players sit down, and the game starts."""
        session.players = list(players)
        session.status = "active"
        entry: dict[str, Any] = {"type": "system", "event": "game_start", "players": list(players)}
        entry["round"] = session.round
        if "sdkVersion" not in session.config:
            action = {"type": "__game_start__", "players": list(players)}
            entry = {"type": "action", "playerId": "__system__", "action": action}
        await self.tell(session, entry)

    async def act(self, session: Session, player: str, action: Any) -> str:
        """An action, queued; its id."""
        id = f"a_{session.seq + 1}"
        await self.tell(session, {"type": "action", "playerId": player, "action": action, "actionId": id})
        return id

    async def end(self, session: Session, result: Any, reason: str) -> None:
        session.status, session.result = "finished", result
        await self.tell(
            session, {"type": "system", "event": "session_end", "result": result, "reason": reason}
        )

    async def restart(self) -> None:
        """The server loses all sessions; their ids are of another boot from now on."""
        self.sessions.clear()
        self.boot += 1
        await self.change(None)

    async def change(self, session: Session | None) -> None:
        if session is not None:
            session.version += 1
        async with self.changed:
            self.changed.notify_all()

    def only(self) -> Session:
        (session,) = self.sessions.values()
        return session

    # Requests

    def violation(self, text: str) -> web.Response:
        self.violations.append(text)
        return _json({"error": text, "code": "violation"}, 400)

    async def fault(self, kind: str, request: web.Request) -> web.StreamResponse | None:
        """The next fault of this kind that strikes before anything is done."""
        if not self.faults[kind] or self.faults[kind][0] == "lost answer":
            return None
        match self.faults[kind].pop(0):
            case "lost request":
                return _hang_up(request)
            case "busy":
                return web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "0.2"})
            case "down":
                return web.Response(status=503, text="<html>bad gateway</html>")
            case "html":
                return web.Response(status=200, text="<html>hello</html>", content_type="text/html")
            case fault:
                return _json({"error": fault, "code": fault}, int(fault))

    def lost(self, kind: str, request: web.Request) -> web.StreamResponse | None:
        """A fault that strikes after everything was done."""
        if self.faults[kind] and self.faults[kind][0] == "lost answer":
            self.faults[kind].pop(0)
            return _hang_up(request)
        return None

    def found(self, request: web.Request) -> Session | web.Response:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return _json({"error": "who are you"}, 401)
        id = request.match_info["id"]
        if id in self.sessions:
            return self.sessions[id]
        if not id.startswith(f"ses_{self.boot:04x}"):
            return _json({"error": "gone", "code": "server_restarted"}, 410)
        return _json({"error": "no such session"}, 404)

    async def create(self, request: web.Request) -> web.StreamResponse:
        if struck := await self.fault("create", request):
            return struck
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return _json({"error": "who are you"}, 401)
        body = await request.json()
        config = body.get("config")
        if not isinstance(config, dict) or not set(body) <= {"config", "gameId", "gameTitle"}:
            return self.violation(f"POST /sessions with {sorted(body)}")
        if any(value is None for value in body.values()):
            return self.violation("POST /sessions with a null")
        if {"minPlayers", "maxPlayers", "turnBased", "simultaneous", "gameType"} - set(config):
            return self.violation(f"the configuration has only {sorted(config)}")
        session = self.open(config)
        await self.change(session)
        return _json(
            {"sessionId": session.id, "config": config, "round": 1, "seriesId": session.id} | _FEW, 201
        )

    def open(self, config: dict[str, Any], number: int = 1) -> Session:
        session = Session(f"ses_{self.boot:04x}{len(self.sessions):08x}", config, number)
        self.sessions[session.id] = session
        return session

    async def ops(self, request: web.Request) -> web.StreamResponse:
        session = self.found(request)
        if isinstance(session, web.Response):
            return session
        session.ops_in_flight += 1
        try:
            if session.ops_in_flight > 1:
                self.violations.append("two requests with ops in flight")
            if struck := await self.fault("ops", request):
                return struck
            body = await request.json()
            await asyncio.sleep(0)
            problem = self.check_ops(session, body)
            if problem:
                return self.violation(problem)
            for op in body["ops"]:
                self.apply(session, op)
            await self.change(session)
            return self.lost("ops", request) or _json(
                _about(session) | {"ok": True, "version": session.version}
            )
        finally:
            session.ops_in_flight -= 1

    def check_ops(self, session: Session, body: Any) -> str:
        ops = body.get("ops")
        if set(body) != {"ops"} or not isinstance(ops, list) or not 1 <= len(ops) <= 100:
            return "a batch must be 1 to 100 ops"
        for op in ops:
            fields = OPS.get(op.get("op"))
            if fields is None or not fields <= set(op):
                return f"no op: {json.dumps(op)[:200]}"
            if set(op) - fields - {"reject": {"actionId"}, "end": {"reason"}}.get(op["op"], set()):
                return f"{op['op']} with {sorted(op)}"
            if "playerId" in fields and op["playerId"] not in session.players:
                return f"{op['op']} for a stranger"
            if op["op"] == "legal_actions" and not isinstance(op["actions"], list):
                return "actions must be a list"
            if op["op"] == "reject" and not (isinstance(op["reason"], str) and op["reason"]):
                return "a rejection needs a reason"
        return ""

    def apply(self, session: Session, op: dict[str, Any]) -> None:
        session.ops.append(op)
        match op["op"]:
            case "state":
                session.state = op["state"]
            case "legal_actions":
                session.legal = {op["playerId"]: op["actions"]}
            case "end":
                session.status, session.result = "finished", op["result"]
                rematch = session.config.get("autoRematch") and op.get("reason") != "host_left"
                if rematch and "sdkVersion" in session.config:
                    self.next_round(session)

    def next_round(self, session: Session) -> None:
        if session.next_id is None:
            following = self.open(session.config, session.round + 1)
            following.players = list(session.players)
            session.next_id = following.id

    async def pending(self, request: web.Request) -> web.StreamResponse:
        session = self.found(request)
        if isinstance(session, web.Response):
            return session
        if struck := await self.fault("pending", request):
            return struck
        problem, after, wait = self.check_poll(session, request)
        if problem:
            return self.violation(problem)
        session.acked = max(session.acked, after)
        session.polls += 1
        await self.change(None)
        await self.hold(session, after, wait)
        if self.sessions.get(session.id) is not session:
            return _json({"error": "gone", "code": "server_restarted"}, 410)
        entries = [entry for entry in session.entries if entry["seq"] > after]
        session.returned = session.seq
        answer = _about(session) | {"actions": entries, "result": session.result}
        return self.lost("pending", request) or _json(answer)

    def check_poll(self, session: Session, request: web.Request) -> tuple[str, int, float]:
        query = request.query
        if set(query) - {"after", "wait"} or "after" not in query:
            return f"a poll with {sorted(query)}", 0, 0
        after, wait = int(query["after"]), float(query.get("wait", 0))
        if not 0 <= wait <= 25:
            return "wait must be 0 to 25", 0, 0
        if after < session.acked or after > session.returned:
            return (
                f"after={after}, but {session.acked} were acknowledged and {session.returned} returned",
                0,
                0,
            )
        if session.ops_in_flight:
            return "a poll while what it acknowledges is not known to be answered", 0, 0
        return "", after, wait

    async def hold(self, session: Session, after: int, wait: float) -> None:
        def ready() -> bool:
            gone = self.sessions.get(session.id) is not session
            return gone or session.seq > after or session.status == "finished"

        try:
            await self.wait_for(ready, wait)
        except TimeoutError:
            return

    async def rematch(self, request: web.Request) -> web.StreamResponse:
        session = self.found(request)
        if isinstance(session, web.Response):
            return session
        if struck := await self.fault("rematch", request):
            return struck
        if session.status != "finished":
            return _json({"error": "the game is not over"}, 409)
        self.next_round(session)
        await self.change(session)
        assert session.next_id is not None
        following = self.sessions[session.next_id]
        answer = {"sessionId": following.id, "round": following.round, "seriesId": session.id, **_FEW}
        return self.lost("rematch", request) or _json(answer)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[StrictBridge]:
        app = web.Application()
        app.router.add_post(BASE, self.create)
        app.router.add_post(BASE + "/{id}/ops", self.ops)
        app.router.add_get(BASE + "/{id}/pending-actions", self.pending)
        app.router.add_post(BASE + "/{id}/rematch", self.rematch)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        try:
            yield self
        finally:
            await runner.cleanup()


_FEW: dict[str, Any] = {"players": [], "skillUrl": None}


def _about(session: Session) -> dict[str, Any]:
    players = [{"playerId": one, "seat": seat, "asName": None} for seat, one in enumerate(session.players)]
    return {
        "status": session.status,
        "round": session.round,
        "nextSessionId": session.next_id,
        "players": players,
    }


def _json(body: dict[str, Any], status: int = 200) -> web.Response:
    return web.json_response(body, status=status)


def _hang_up(request: web.Request) -> web.StreamResponse:
    """Close the connection without an answer."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response(status=500)
