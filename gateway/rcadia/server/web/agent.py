"""The routes of agents and spectators (§5, §7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import msgspec
from aiohttp import web

from gateway.rcadia import wire
from gateway.rcadia.server import slugs, turns, views
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Action, Seat, Session
from gateway.rcadia.server.web import answers, direct, requests
from gateway.rcadia.server.web.service import Service

BASE: Final = "/api/v1/agent/sessions"

MAX_PER_ADDRESS: Final = 3000
"""Requests of spectators that may wait from one address; a village may be behind one."""

MAX_LISTED: Final = 500
MAX_LISTED_BYTES: Final = 1024 * 1024
"""Bytes of the configurations of the tables that are listed."""

MAX_NAME: Final = 40

_join: Final = msgspec.json.Decoder(wire.JoinRequest)
_action: Final = msgspec.json.Decoder(wire.ActionRequest)


class AgentRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._engine = service.engine

    def table(self) -> list[web.RouteDef]:
        get, post, route = web.get, web.post, self._service.route
        return [
            get(f"{BASE}/available", route(self.available)),
            post(f"{BASE}/{{id}}/join", route(self.join)),
            get(f"{BASE}/{{id}}/state", route(self.state)),
            post(f"{BASE}/{{id}}/action", route(self.action)),
            post(f"{BASE}/{{id}}/leave", route(self.leave)),
            get(f"{BASE}/{{id}}/events", route(self.events)),
            get(f"{BASE}/{{id}}/public", route(self.public)),
        ]

    async def available(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        service.gate.anybody(request)
        self._engine.advance(service.now())
        everything = request.query.get("all") in ("1", "true")
        found = self._engine.tables(request.query.get("game"), everything=everything)
        base = service.base(request)
        return answers.ok(
            request,
            wire.AvailableAnswer(sessions=[views.table(session, base) for session in _listed(found)]),
        )

    async def join(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who = service.gate.who(request, "play")
        session = self._engine.session(request.match_info["id"], service.now())
        given = await requests.body(request, _join, empty=b"{}")
        name = slugs.label((given.as_name or "")[:MAX_NAME]) or who.name
        seat = self._engine.join(session, who.account, name, service.now())
        return self._snapshot(seat, request)

    async def state(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who, session, seat = service.player(request)
        wait, since = requests.wait(request), requests.whole(request, "since")
        if wait:
            service.settled()
            reply, base = direct.Reply(request), service.base(request)

            def deliver() -> None:
                if seat in session.seats and session.id in self._engine.room.sessions:
                    reply.send(direct.packet(answers.encode(views.snapshot(seat, base))))

            await service.hold(
                session,
                _news(seat, since),
                wait,
                who.account,
                deliver=deliver if direct.possible(request) else None,
                caller=request,
            )
            if reply.response is not None:
                return reply.response
            # The seat may be gone by now, or the session.
            seat = self._engine.seat(self._engine.session(session.id, service.now()), who.account)
        return self._snapshot(seat, request)

    async def action(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who, session, seat = service.player(request)
        wait = requests.wait(request)
        given = await requests.body(request, _action)
        # While the body came in, the seat may have gone.
        self._engine.session(session.id, service.now())
        self._engine.seat(session, who.account)
        taken = self._engine.act(session, seat, given, service.now())
        service.settled()
        if wait:
            await self._outcome(session, taken, wait, who.account, request)
        return answers.ok(request, views.action(session, taken, seat, service.base(request)))

    async def _outcome(
        self, session: Session, taken: Action, wait: float, who: str, request: web.Request
    ) -> None:
        try:
            await self._service.hold(session, lambda: not taken.pending, wait, who, caller=request)
        except Refusal:
            # The action is taken; that nobody can wait for its outcome must not look like a refusal.
            return

    async def leave(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who = service.gate.who(request, "play")
        session = self._engine.session(request.match_info["id"], service.now())
        seat = self._engine.seat(session, who.account)
        self._engine.leave(session, seat, service.now())
        return answers.ok(request, views.left(session))

    async def events(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who = service.gate.caller(request)
        id, now = request.match_info["id"], service.now()
        if not self._engine.hosts(who.account, id) or "host" not in who.scopes:
            who.check("play")
        session = self._engine.session(id, now)
        if session.host.account != who.account:
            self._engine.enter(session, self._engine.seat(session, who.account), now)
        wait, since = requests.wait(request), requests.whole(request, "since") or 0
        if wait:
            service.settled()
            await service.hold(
                session,
                lambda: session.event_index > since or session.finished,
                wait,
                who.account,
                caller=request,
            )
        return answers.ok(request, views.events(session, since))

    async def public(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        service.gate.anybody(request)
        session = self._engine.session(request.match_info["id"], service.now())
        wait, since = requests.wait(request), requests.whole(request, "since")
        if wait and since is not None:
            service.settled()
            reply = direct.Reply(request)
            await service.hold(
                session,
                lambda: session.version > since,
                wait,
                f"address {request.remote}",
                MAX_PER_ADDRESS,
                deliver=(lambda: reply.send(_public_packet(session))) if direct.possible(request) else None,
                spectator=True,
            )
            if reply.response is not None:
                return reply.response
        return answers.ok_raw(request, views.public(session))

    def _snapshot(self, seat: Seat, request: web.Request) -> web.StreamResponse:
        return answers.ok(request, views.snapshot(seat, self._service.base(request)))


def _listed(found: list[Session]) -> list[Session]:
    """As many as one answer has place for, in the same order: where not all have, as many of each host."""
    counts: Counter[str] = Counter()
    ranks: dict[Session, int] = {}
    for session in found:
        ranks[session] = counts[session.host.account]
        counts[session.host.account] += 1
    chosen: set[Session] = set()
    size = 0
    for session in sorted(found, key=ranks.__getitem__)[:MAX_LISTED]:
        size += len(session.config.echo)
        if size > MAX_LISTED_BYTES:
            break
        chosen.add(session)
    return [session for session in found if session in chosen]


def _public_packet(session: Session) -> bytes:
    """Made once for each version, however many wait for it."""
    body = views.public(session)
    if session.packet is None or session.packet[0] is not body:
        session.packet = (body, direct.packet(body))
    return session.packet[1]


def _news(seat: Seat, since: int | None) -> Callable[[], bool]:
    """Whether there is what a player waits for: its turn, a verdict, the end, or any change since then."""
    session, resolved = seat.session, seat.resolved

    def ready() -> bool:
        return (
            session.finished
            or turns.your_turn(seat)
            or seat.resolved != resolved
            or (since is not None and session.version > since)
            or seat not in session.seats
        )

    return ready
