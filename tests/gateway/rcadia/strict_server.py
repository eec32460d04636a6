"""An RCADIA server for agents that is strict about its clients (protocol §1, §4 to §7).

Written from the text of the protocol, with literal JSON; nothing of lrgpnode is used. Whatever a client
does that the text does not allow, or that wastes the server, is in ``violations``. The other side and the
host of a table are driven by the test. Requests can be made to fail (``fail``). Times are seconds and can
be short.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from tests.gateway.rcadia.table_games import TableGame

IN_FLIGHT = 0.4
"""Seconds within which a client may not have seen an answer to another of its requests."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

CONFIG = {
    "minPlayers": 2,
    "maxPlayers": 2,
    "turnBased": True,
    "simultaneous": False,
    "gameType": "board",
    "sdkVersion": "2.0.0",
    "turnTimeout": 300,
    "maxTurnTimeouts": 2,
    "forfeitOnTimeout": True,
    "autoRematch": False,
}

FAST_POLLS = 4
"""Requests for an unchanged state in one second that are no violation yet."""


@dataclass
class Host:
    """How the host of a table behaves. ``delay``: before it answers an action. ``silent``: it answers
    nothing.

    ``rejects``: reasons, one for each coming action. ``verdict``: after which an action is unconfirmed.
    """

    delay: float = 0.0
    silent: bool = False
    rejects: deque[str] = field(default_factory=deque)
    verdict: float = 15.0


@dataclass
class Seat:
    account: str
    player_id: str
    name: str
    ready: bool = True
    strikes: int = 0
    last: dict[str, Any] | None = None
    rejections: list[dict[str, Any]] = field(default_factory=list)
    opted_out: bool = False
    joins: int = 1


class Table:
    """One session. Seat 0 has the first move in odd rounds, seat 1 in even ones."""

    def __init__(self, server: StrictServer, new_game: Callable[[], TableGame], *, round_: int = 1) -> None:
        self.server = server
        self.new_game = new_game
        self.game = new_game()
        self.id = server.new_id()
        self.round = round_
        self.series = self.id
        self.previous: Table | None = None
        self.next: Table | None = None
        self.status = "waiting"
        self.seats: list[Seat] = []
        self.host = Host()
        self.version = 1
        self.turn = 0
        self.on_turn: int | None = None
        self.deadline: float | None = None
        self.state: Any = {}
        self.legal: dict[str, Any] = {}
        self.result: Any = None
        self.reserved = False
        self.auto_rematch = False
        self.changed = asyncio.Event()
        self.accepted: list[tuple[int, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.tasks: set[asyncio.Task[None]] = set()

    # What the test does

    def sit(self, name: str) -> Seat:
        """Somebody from the web takes a seat."""
        seat = Seat(account=f"web-{name}", player_id="p_" + secrets.token_hex(4), name=name)
        self.seats.append(seat)
        self._seated()
        return seat

    def play(self, name: str) -> None:
        """The player on turn moves, by the name of the move; the host answers at once."""
        assert self.status == "active"
        assert name in self.game.legal(), (name, list(self.game.legal()))
        self.game.play(name)
        self.publish()

    def strike(self) -> None:
        """The player on turn ran out of time (§4)."""
        assert self.on_turn is not None
        seat = self.seats[self.on_turn]
        seat.strikes += 1
        if seat.strikes >= 2:
            winner = self.seats[1 - self.on_turn].player_id
            loser = {"forfeitedBy": seat.player_id, "strikes": seat.strikes}
            self.end({"winner": winner, "reason": "timeout", **loser})
        else:
            self.deadline = time.time() + 300
            self.bump()

    def leave(self, seat: Seat) -> None:
        if self.status == "active":
            other = next(one for one in self.seats if one is not seat)
            seat.opted_out = True
            self.end({"winner": other.player_id, "reason": "left", "forfeitedBy": seat.player_id})
        elif self.status == "waiting":
            self.seats.remove(seat)
            self.bump()
        else:
            seat.opted_out = True
            if self.next is not None:
                self.next.seats = [one for one in self.next.seats if one.account != seat.account]
                self.next.bump()
            self.bump()

    def end(self, result: Any) -> None:
        self.status, self.result, self.on_turn, self.deadline = "finished", result, None, None
        for seat in self.seats:
            if seat.last and seat.last["status"] == "pending":
                seat.last["status"] = "applied"
        left = any(seat.opted_out for seat in self.seats)
        if self.auto_rematch and not left and result.get("reason") != "host_disconnected":
            self.rematch()
        self.bump()

    def rematch(self) -> Table:
        """The next session, with reserved seats (§6)."""
        table = Table(self.server, self.new_game, round_=self.round + 1)
        table.series, table.previous, table.reserved = self.series, self, True
        table.auto_rematch, table.host = self.auto_rematch, self.host
        table.seats = [
            Seat(account=s.account, player_id=s.player_id, name=s.name, ready=s.account.startswith("web-"))
            for s in self.seats
        ]
        self.next = table
        self.server.tables[table.id] = table
        self.bump()
        return table

    def publish(self, *, state_only: bool = False) -> None:
        """State and legal actions of the game as it is now, or its end."""
        self.state = self.game.state()
        if state_only:
            self.bump()
            return
        over = self.game.over()
        if self.on_turn is not None:
            seat = self.seats[self.on_turn]
            open_ = seat.last is not None and seat.last["status"] in ("pending", "unconfirmed")
            if seat.last is not None and open_ and seat.last["turn"] == self.turn:
                seat.last["status"] = "applied"
                seat.strikes = 0
        if over is not None:
            winner, why = over
            who = None if winner is None else self.seats[self.seat_of(winner)].player_id
            self.end({"winner": who, "reason": why})
            return
        self.on_turn = self.seat_of(self.game.mover())
        self.turn += 1
        self.legal = self.game.legal()
        self.deadline = time.time() + 300
        for seat in self.seats:
            seat.rejections = []
        self.bump()

    def seat_of(self, mover: int) -> int:
        return mover if self.round % 2 else 1 - mover

    # Inside

    def bump(self) -> None:
        self.version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def _seated(self) -> None:
        self.bump()
        if self.status == "waiting" and len(self.seats) == 2 and all(seat.ready for seat in self.seats):
            self.status, self.reserved = "active", False
            self.publish()

    def accept(self, seat: Seat, action: Any) -> dict[str, Any]:
        seat.last = {
            "actionId": "a_" + secrets.token_hex(4),
            "turn": self.turn,
            "status": "pending",
            "reason": None,
            "at": iso(time.time()),
        }
        self.accepted.append((self.turn, action))
        self.bump()
        task = asyncio.ensure_future(self._host(seat, seat.last, action))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return seat.last

    async def _host(self, seat: Seat, entry: dict[str, Any], action: Any) -> None:
        if self.host.silent:
            await asyncio.sleep(self.host.verdict)
            if entry["status"] == "pending":
                entry["status"] = "unconfirmed"
                self.bump()
            return
        await asyncio.sleep(self.host.delay)
        if self.status != "active" or entry["status"] not in ("pending", "unconfirmed"):
            return
        if self.host.rejects:
            reason = self.host.rejects.popleft()
            entry.update(status="rejected", reason=reason)
            at = {"actionId": entry["actionId"], "turn": self.turn, "at": iso(time.time())}
            seat.rejections.append({"playerId": seat.player_id, "reason": reason, **at})
            self.bump()
            return
        self.play(next(name for name, written in self.legal.items() if written == action))

    def snapshot(self, seat: Seat) -> dict[str, Any]:
        at = self.seats.index(seat)
        active = self.status == "active"
        pending = bool(seat.last and seat.last["status"] == "pending")
        yours = active and self.on_turn == at and not pending
        if self.status == "waiting":
            waiting: str | None = "players"
        else:
            waiting = None if yours or not active else "host" if pending else "opponent"
        kept = self.next is not None and any(one.account == seat.account for one in self.next.seats)
        following = self.next if kept else None
        return {
            "sessionId": self.id,
            "playerId": seat.player_id,
            "seat": at,
            "status": self.status,
            "round": self.round,
            "seriesId": self.series,
            "previousSessionId": self.previous.id if self.previous else None,
            "nextSessionId": following.id if following else None,
            "yourTurn": yours,
            "turn": self.turn,
            "deadline": iso(self.deadline) if self.deadline else None,
            "strikes": seat.strikes,
            "maxStrikes": 2,
            "waitingFor": waiting,
            "state": self.state,
            "legalActions": list(self.legal.values()) if yours else None,
            "lastAction": dict(seat.last) if seat.last else None,
            "rejections": list(seat.rejections),
            "players": [
                {"playerId": s.player_id, "seat": i, "asName": s.name, "you": s is seat, "ready": s.ready}
                for i, s in enumerate(self.seats)
            ],
            "result": self.result,
            "skillUrl": f"https://api.rcadia.xyz/games/{self.game.title.lower()}/skill.md",
            "version": self.version,
        }

    def public(self) -> dict[str, Any]:
        return {
            "sessionId": self.id,
            "gameId": "g_1",
            "gameTitle": self.game.title,
            "status": self.status,
            "round": self.round,
            "seriesId": self.series,
            "turn": self.turn,
            "deadline": iso(self.deadline) if self.deadline else None,
            "onTurnSeats": [] if self.on_turn is None else [self.on_turn],
            "players": [
                {"playerId": one.player_id, "seat": at, "asName": one.name}
                for at, one in enumerate(self.seats)
            ],
            "state": self.state,
            "result": self.result,
            "version": self.version,
            "nextSessionId": self.next.id if self.next else None,
            "previousSessionId": self.previous.id if self.previous else None,
        }


class StrictServer:
    """``accounts``: tokens and whose they are. ``calls``: every request, as ``POST action``."""

    def __init__(self, accounts: dict[str, str]) -> None:
        self.accounts = accounts
        self.tables: dict[str, Table] = {}
        self.violations: list[str] = []
        self.calls: list[str] = []
        self.boot = secrets.token_hex(2)
        self._faults: list[tuple[str, int, Any]] = []
        self._counts: dict[str, int] = defaultdict(int)
        self._polls: dict[tuple[str, str], deque[tuple[float, int]]] = defaultdict(deque)
        self._open_polls: dict[tuple[str, str], int] = defaultdict(int)
        self._quiet_from = self._quiet_until = 0.0
        self.has_public = True
        self.holds = True
        self.app = web.Application(middlewares=[self._guard])
        base = "/api/v1/agent/sessions"
        self.app.add_routes(
            [
                web.get(base + "/available", self.available),
                web.post(base + "/{id}/join", self.join),
                web.get(base + "/{id}/state", self.get_state),
                web.post(base + "/{id}/action", self.action),
                web.post(base + "/{id}/leave", self.post_leave),
                web.get(base + "/{id}/events", self.get_events),
                web.get(base + "/{id}/public", self.get_public),
            ]
        )

    def new_id(self) -> str:
        return f"ses_{self.boot}{secrets.token_hex(4)}"

    def table(self, new_game: Callable[[], TableGame]) -> Table:
        table = Table(self, new_game)
        self.tables[table.id] = table
        return table

    def restart(self) -> None:
        """All sessions are lost (§1)."""
        old = self.boot
        while self.boot == old:
            self.boot = secrets.token_hex(2)
        lost = list(self.tables.values())
        self.tables.clear()
        for table in lost:
            table.bump()

    def fail(self, call: str, how: Any, *, nth: int = 1) -> None:
        """The ``nth`` coming request of this kind (``POST action``, ``*`` for any) goes wrong.

        ``how``: ``lost`` (it never arrives), ``unanswered`` (it is carried out, the answer is lost), bytes
        (the body of an answer), or (status, headers) of one.
        """
        self._faults.append((call, self._counts[call] + nth, how))

    def wrong(self, text: str) -> None:
        self.violations.append(text)

    # Every request

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        call = f"{request.method} {request.path.rsplit('/', 1)[-1]}"
        self.calls.append(call)
        for name in (call, "*"):
            self._counts[name] += 1
        body = await request.text()
        elsewhere = [str(request.rel_url), body, request.headers.get("Cookie", "")]
        elsewhere += [value for name, value in request.headers.items() if name != "Authorization"]
        if any(token in text for token in self.accounts for text in elsewhere):
            self.wrong(f"{call}: the token is outside of the Authorization header")
        if self._quiet_from < time.monotonic() < self._quiet_until:
            self.wrong(f"{call}: sent although Retry-After is not over")
        how = self._fault(call)
        if how == "lost":
            return drop(request)
        if isinstance(how, bytes):
            return web.Response(body=how, content_type="application/json")
        if isinstance(how, tuple):
            status, headers = how
            if "Retry-After" in headers and headers["Retry-After"].isdecimal():
                now = time.monotonic()
                self._quiet_from = now + IN_FLIGHT
                self._quiet_until = now + float(headers["Retry-After"]) - 0.02
            return web.json_response({"error": "not now", "code": "busy"}, status=status, headers=headers)
        response = await handler(request)
        return drop(request) if how == "unanswered" else response

    def _fault(self, call: str) -> Any:
        for fault in self._faults:
            if fault[0] in (call, "*") and self._counts[fault[0]] == fault[1]:
                self._faults.remove(fault)
                return fault[2]
        return None

    def _account(self, request: web.Request) -> str:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self.accounts:
            raise error(web.HTTPUnauthorized, "a token is needed", "unauthorized")
        return self.accounts[token]

    def _table(self, request: web.Request) -> Table:
        session_id = request.match_info["id"]
        if session_id in self.tables:
            return self.tables[session_id]
        if session_id.startswith("ses_") and session_id[4:8] != self.boot:
            raise error(web.HTTPGone, "the server was restarted", "server_restarted")
        raise error(web.HTTPNotFound, "no such session", "not_found")

    def _seat(self, request: web.Request) -> tuple[Table, Seat]:
        account = self._account(request)
        table = self._table(request)
        seat = next((one for one in table.seats if one.account == account), None)
        if seat is None:
            raise error(web.HTTPForbidden, "not a player of this session", "not_a_player")
        if not seat.ready:
            seat.ready = True
            table._seated()
        return table, seat

    def _wait(self, request: web.Request) -> float:
        text = request.query.get("wait", "0")
        if not text.isdecimal() or not 0 <= int(text) <= 25:
            self.wrong(f"wait={text} is not in 0 to 25")
            return 0
        return float(text)

    async def _hold(self, table: Table, done: Callable[[], bool], wait: float) -> None:
        until = time.monotonic() + (wait if self.holds else 0)
        while not done() and (left := until - time.monotonic()) > 0 and table.id in self.tables:
            try:
                await asyncio.wait_for(table.changed.wait(), left)
            except TimeoutError:
                return

    # Endpoints (§5)

    async def available(self, request: web.Request) -> web.Response:
        entries = [
            {
                "sessionId": table.id,
                "gameId": "g_1",
                "gameTitle": table.game.title,
                "gameSlug": table.game.title.lower().replace(" ", "-"),
                "skillUrl": f"https://api.rcadia.xyz/games/{table.game.title.lower()}/skill.md",
                "status": table.status,
                "joinable": table.status == "waiting" and len(table.seats) < 2 and not table.reserved,
                "reserved": table.reserved,
                "currentPlayers": len(table.seats),
                "minPlayers": 2,
                "maxPlayers": 2,
                "round": table.round,
                "host": "house",
                "createdAt": "2026-10-07T19:00:00.000Z",
                "config": CONFIG,
            }
            for table in self.tables.values()
            if table.status != "finished"
        ]
        everything = request.query.get("all") == "1"
        return web.json_response({"sessions": [e for e in entries if everything or e["joinable"]]})

    async def join(self, request: web.Request) -> web.Response:
        account = self._account(request)
        table = self._table(request)
        body = await request.json()
        seat = next((one for one in table.seats if one.account == account), None)
        if seat is not None:
            seat.joins += 1
            if table.round > 1:
                self.wrong("join: the seat in a series is kept without joining again")
            return web.json_response(table.snapshot(seat))
        code = None
        if table.status == "finished":
            code = "finished"
        elif table.status == "active":
            code = "in_progress"
        elif table.reserved:
            code = "reserved"
        elif len(table.seats) >= 2:
            code = "full"
        if code is not None:
            raise error(web.HTTPConflict, "cannot join", code)
        name = body.get("asName") or "player"
        seat = Seat(account=account, player_id="p_" + secrets.token_hex(4), name=name)
        table.seats.append(seat)
        table._seated()
        return web.json_response(table.snapshot(seat))

    async def get_state(self, request: web.Request) -> web.Response:
        table, seat = self._seat(request)
        wait = self._wait(request)
        since = request.query.get("since")
        polls = self._polls[seat.account, table.id]
        polls.append((time.monotonic(), table.version))
        while polls[0][0] < time.monotonic() - 1 or polls[0][1] != table.version:
            polls.popleft()
        if len(polls) > FAST_POLLS:
            self.wrong(f"state: {len(polls)} requests in a second, and nothing had changed")
        was_pending = bool(seat.last and seat.last["status"] == "pending")

        def done() -> bool:
            shown = table.snapshot(seat)
            pending = bool(seat.last and seat.last["status"] == "pending")
            return (
                shown["yourTurn"]
                or table.status == "finished"
                or (was_pending and not pending)
                or (since is not None and table.version > int(since))
            )

        key = seat.account, table.id
        self._open_polls[key] += 1
        if wait and self._open_polls[key] > 1:
            self.wrong("state: two requests are held at a time")
        try:
            await self._hold(table, done, wait)
        finally:
            self._open_polls[key] -= 1
        if table.id not in self.tables:
            raise error(web.HTTPGone, "the server was restarted", "server_restarted")
        return web.json_response(table.snapshot(seat))

    async def action(self, request: web.Request) -> web.Response:
        table, seat = self._seat(request)
        wait = self._wait(request)
        body = await request.json()
        action, turn = body.get("action"), body.get("turn")
        kind = action.get("type") if isinstance(action, dict) else action
        if isinstance(kind, str) and kind.startswith("__"):
            self.wrong("action: the type is reserved")
            raise error(web.HTTPBadRequest, "reserved", "reserved_action")
        shown = table.snapshot(seat)
        code = None
        if table.status == "finished":
            code = "finished"
        elif table.status != "active":
            code = "not_active"
        elif seat.last and seat.last["status"] == "pending":
            code = "action_pending"
        elif not shown["yourTurn"]:
            code = "not_your_turn"
        elif turn != table.turn:
            code = "stale_turn"
        if turn is None:
            self.wrong("action: the turn is not echoed")
        if code is not None:
            self.wrong(f"action: {code} (turn {turn}, it is {table.turn})")
            answer = {"error": "refused", "code": code, "snapshot": shown}
            return web.json_response(answer, status=409)
        if action not in list(table.legal.values()):
            self.wrong(f"action: {action!r} is not one of the legal actions")
        entry = table.accept(seat, action)
        await self._hold(table, lambda: entry["status"] != "pending", wait)
        answer = {
            "accepted": True,
            "actionId": entry["actionId"],
            "turn": entry["turn"],
            "outcome": entry["status"] if wait else "pending",
        }
        if wait:
            answer["snapshot"] = table.snapshot(seat)
            if entry["status"] == "rejected":
                answer["reason"] = entry["reason"]
        return web.json_response(answer)

    async def post_leave(self, request: web.Request) -> web.Response:
        table, seat = self._seat(request)
        table.leave(seat)
        answer = {"ok": True, "sessionId": table.id, "status": table.status, "result": table.result}
        return web.json_response(answer)

    async def get_events(self, request: web.Request) -> web.Response:
        table, _ = self._seat(request)
        since = int(request.query.get("since", "0"))
        events = [event for event in table.events if event["index"] > since]
        answer = {"events": events, "lastIndex": len(table.events), "status": table.status}
        return web.json_response({**answer, "version": table.version})

    async def get_public(self, request: web.Request) -> web.Response:
        if not self.has_public:
            raise error(web.HTTPNotFound, "no such page", "not_found")
        table = self._table(request)
        since = request.query.get("since")
        wait = self._wait(request) if since is not None else 0
        await self._hold(table, lambda: table.version > int(since or 0), wait)
        if table.id not in self.tables:
            raise error(web.HTTPGone, "the server was restarted", "server_restarted")
        return web.json_response(table.public())


def drop(request: web.Request) -> web.Response:
    """The connection breaks."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def error(kind: type[web.HTTPException], text: str, code: str) -> web.HTTPException:
    return kind(text=f'{{"error": "{text}", "code": "{code}"}}', content_type="application/json")


def iso(seconds: float) -> str:
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


@asynccontextmanager
async def serving(server: StrictServer) -> AsyncIterator[str]:
    """The address of the server, on a free port of this computer."""
    runner = web.AppRunner(server.app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        for table in server.tables.values():
            for task in list(table.tasks):
                task.cancel()
        await runner.cleanup()
