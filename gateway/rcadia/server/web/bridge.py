"""The routes of hosts (§3), those of version 1 included."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from gateway.rcadia import wire
from gateway.rcadia.server import views
from gateway.rcadia.server.table import Host, Session
from gateway.rcadia.server.web import answers, requests
from gateway.rcadia.server.web.service import Handler, Service

BASE: Final = "/api/v1/agent/bridge"

_create: Final = msgspec.json.Decoder(wire.CreateRequest)
_ops: Final = msgspec.json.Decoder(wire.OpsRequest)

_V1: Final[tuple[tuple[str, str, msgspec.json.Decoder[wire.Op]], ...]] = (
    ("PATCH", "state", msgspec.json.Decoder(wire.StateOp)),
    ("PATCH", "observation", msgspec.json.Decoder(wire.ObservationOp)),
    ("PATCH", "legal-actions", msgspec.json.Decoder(wire.LegalActionsOp)),
    ("POST", "reject-action", msgspec.json.Decoder(wire.RejectOp)),
    ("POST", "end", msgspec.json.Decoder(wire.EndOp)),
)
"""Endpoints of version 1: method, last part of the path, and the op that the body is, without ``op``."""


class BridgeRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._engine = service.engine

    def table(self) -> list[web.RouteDef]:
        get, post, route = web.get, web.post, self._service.route
        sessions = f"{BASE}/sessions"
        return [
            post(sessions, route(self.create)),
            post(f"{sessions}/{{id}}/ops", route(self.ops)),
            get(f"{sessions}/{{id}}/pending-actions", route(self.pending)),
            post(f"{sessions}/{{id}}/rematch", route(self.rematch)),
            *(
                web.route(method, f"{sessions}/{{id}}/{name}", route(self._one_op(decoder)))
                for method, name, decoder in _V1
            ),
        ]

    async def create(self, request: web.Request) -> web.StreamResponse:
        service = self._service
        who = service.gate.who(request, "host")
        given = await requests.body(request, _create)
        service.gate.costly(who, "session")
        session = self._engine.create(Host(who.account, who.kind), given, service.now())
        return answers.json(views.created(session, service.base(request)), 201)

    async def ops(self, request: web.Request) -> web.StreamResponse:
        session = self._service.hosted(request)
        given = await requests.body(request, _ops)
        self._apply(session, given.ops)
        return answers.ok(request, views.after_ops(session))

    async def pending(self, request: web.Request) -> web.StreamResponse:
        service, engine = self._service, self._engine
        session = service.hosted(request)
        wait, after = requests.wait(request), requests.whole(request, "after")
        engine.poll_begins(session, after, service.now())
        try:
            service.settled()
            host = f"host {session.host.account}"
            await service.hold(session, lambda: engine.poll_ready(session, after), wait, host, caller=request)
            entries = engine.poll_takes(session, after, service.now())
        finally:
            engine.poll_ends(session, service.now())
        return answers.ok(request, views.pending(session, entries))

    async def rematch(self, request: web.Request) -> web.StreamResponse:
        session = self._service.hosted(request)
        return answers.ok(request, views.rematch(self._engine.rematch(session, self._service.now())))

    def _one_op(self, decoder: msgspec.json.Decoder[wire.Op]) -> Handler:
        async def handler(request: web.Request) -> web.StreamResponse:
            session = self._service.hosted(request)
            op = await requests.body(request, decoder)
            self._apply(session, [op])
            ended = isinstance(op, wire.EndOp)
            return answers.ok(
                request, wire.OkAnswer(next_session_id=session.next if ended else msgspec.UNSET)
            )

        return handler

    def _apply(self, session: Session, ops: list[wire.Op]) -> None:
        now = self._service.now()
        # Something may have become due while the body came in.
        self._engine.ops(self._engine.session(session.id, now), ops, now)
