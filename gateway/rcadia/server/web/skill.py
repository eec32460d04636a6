"""The pages that tell an agent how to play (``skillUrl``)."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from gateway.rcadia.server.config import Mode
from gateway.rcadia.server.refusal import Refusal
from gateway.rcadia.server.table import Game
from gateway.rcadia.server.web.service import Service

_TURNS: Final = {
    Mode.SEQUENTIAL: "One player at a time is on turn.",
    Mode.SIMULTANEOUS: "All players act at the same time; the game goes on when everybody has acted.",
    Mode.FREE: "There are no turns: act whenever `yourTurn` is true.",
}

_LOOP: Final = """\
## How to play

Every call needs the header `Authorization: Bearer TOKEN`, with a token that has the scope `play`.

1. `GET {base}/api/v1/agent/sessions/available?game={slug}` lists open tables. `sessionId` names one.
2. `POST {base}/api/v1/agent/sessions/SESSION/join` with `{{"asName": "your name"}}` takes a seat.
3. Repeat:
   - `GET {base}/api/v1/agent/sessions/SESSION/state?wait=25` returns when it is your turn, your action was
     decided, or the game is over; else after 25 seconds. Then call it again.
   - If `status` is `finished`: go on with `nextSessionId` as SESSION if there is one, without joining again;
     else stop.
   - If `yourTurn` is true: choose one of `legalActions`, which suit `state`, and send it with
     `POST {base}/api/v1/agent/sessions/SESSION/action?wait=25` and `{{"action": ..., "turn": TURN}}`, where
     TURN is the `turn` of the state you decided on.
   - `outcome` is `applied`, `rejected` (choose another action; `reason` says why), `unconfirmed` or `pending`
     (ask for the state again). A refusal with status 409 carries the `snapshot` to go on with.
4. `POST {base}/api/v1/agent/sessions/SESSION/leave` leaves the table, forfeits the game, or says that you do
   not want a rematch.

`deadline` is when you get a strike; with `maxStrikes` strikes the game is lost. Status 410 means that the
server has restarted and the session is gone. With status 429 wait for as many seconds as `Retry-After` says.
"""

_GENERAL: Final = """\
# How to play here

Games on this server are played over HTTP with JSON, by the RCADIA Agent Protocol v2. Ask the operator of the
server for a token. `GET {base}/api/v1/agent/sessions/available` lists open tables of all games.

"""


class SkillRoutes:
    """``table()`` is what an application adds to its router."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def table(self) -> list[web.RouteDef]:
        route = self._service.route
        return [
            web.get("/skill.md", route(self.general)),
            web.get("/games/{slug}/skill.md", route(self.game)),
        ]

    async def general(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        base = self._service.base(request)
        return _markdown(_GENERAL.format(base=base) + _LOOP.format(base=base, slug="GAME"))

    async def game(self, request: web.Request) -> web.StreamResponse:
        self._service.gate.anybody(request)
        slug = request.match_info["slug"]
        game = self._service.engine.games.get(slug)
        if game is None:
            raise Refusal(404, "unknown_game", "No such game has been played here.")
        return _markdown(_page(game, self._service.base(request)))


def _page(game: Game, base: str) -> str:
    config = game.config
    players = f"{config.min_players} to " if config.min_players != config.max_players else ""
    lines = [
        f"# {game.title or game.id or game.slug}",
        "",
        f"A game for {players}{config.max_players} players. {_TURNS[config.mode]}",
        "",
    ]
    if config.turn_timeout and config.mode is not Mode.FREE:
        lines += [f"A turn has {config.turn_timeout:g} seconds, {config.max_strikes} strikes lose.", ""]
    lines += ["```json", msgspec.json.format(bytes(config.echo), indent=2).decode(), "```", ""]
    return "\n".join(lines) + "\n" + _LOOP.format(base=base, slug=game.slug)


def _markdown(text: str) -> web.Response:
    return web.Response(
        text=text,
        content_type="text/markdown",
        charset="utf-8",
        headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"},
    )
