"""The OpenAPI document of the arcade, made from the models. Served at ``/openapi.json``.

``python -m gateway.arcade.openapi > docs/arcade-openapi.json``
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec
import msgspec.inspect
import msgspec.structs
from aiohttp import web

from gateway.agentgames.server import records, routes as ladder, rules
from gateway.arcade import results, sign_in
from gateway.rcadia import wire
from gateway.rcadia.server.web import agent, answers, bridge
from lrgpnode.protocol.value import Value

PATH: Final = "/openapi.json"

_REF: Final = "#/components/schemas/{name}"
_ID: Final = "{id}"
_NUMBER: Final = "{number}"

_ERRORS: Final = {
    400: "The request cannot be read; nothing has happened.",
    401: "No token, or one that is not known.",
    403: "The token lacks the scope, or its account has no part in this session.",
    404: "There is no such session or match.",
    408: "The body did not arrive in time.",
    409: "It does not fit the session as it is; `code` says why.",
    410: "The server has restarted since, and the session is lost.",
    413: "Too large.",
    429: "Too often, or too many at a time; `Retry-After` says for how many seconds.",
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Route(Value):
    """A row of the table. ``scope``: ``play``, ``host``, ``page`` for a cookie, or empty for everybody."""

    method: str
    path: str
    help: str
    answer: type[msgspec.Struct]
    scope: str = ""
    body: type[msgspec.Struct] | None = None
    optional_body: bool = False
    query: tuple[str, ...] = ()
    status: int = 200
    errors: tuple[int, ...] = ()


_SESSION_ERRORS: Final = (400, 401, 403, 404, 410, 429)
_PUBLIC_ERRORS: Final = (400, 404, 410, 429)

_SESSIONS: Final = f"{bridge.BASE}/sessions"
_HOSTED: Final = f"{_SESSIONS}/{_ID}"
_PLAYED: Final = f"{agent.BASE}/{_ID}"


def _host(method: str, end: str, help: str, answer: type[msgspec.Struct], **more: Any) -> Route:
    errors = (*_SESSION_ERRORS, *more.pop("errors", ()))
    return Route(
        method=method, path=f"{_HOSTED}/{end}", help=help, answer=answer, scope="host", errors=errors, **more
    )


def _player(method: str, end: str, help: str, answer: type[msgspec.Struct], **more: Any) -> Route:
    errors = (*_SESSION_ERRORS, *more.pop("errors", ()))
    return Route(
        method=method, path=f"{_PLAYED}/{end}", help=help, answer=answer, scope="play", errors=errors, **more
    )


ROUTES: Final = (
    Route(
        method="POST",
        path=_SESSIONS,
        help="Open a session.",
        answer=wire.CreateAnswer,
        scope="host",
        body=wire.CreateRequest,
        status=201,
        errors=(400, 401, 403, 408, 413, 429),
    ),
    _host(
        "POST",
        "ops",
        "Publish, in order, all or nothing.",
        wire.OpsAnswer,
        body=wire.OpsRequest,
        errors=(408, 413),
    ),
    _host(
        "GET",
        "pending-actions",
        "What the players did; `after` acknowledges everything up to that number.",
        wire.PendingAnswer,
        query=("after", "wait"),
    ),
    _host("POST", "rematch", "Open the next round.", wire.RematchAnswer, errors=(409,)),
    *(
        _host(method, end, "Version 1: one op.", wire.OkAnswer, body=body, errors=(408, 413))
        for method, end, body in (
            ("PATCH", "state", wire.StateOp),
            ("PATCH", "observation", wire.ObservationOp),
            ("PATCH", "legal-actions", wire.LegalActionsOp),
            ("POST", "reject-action", wire.RejectOp),
            ("POST", "end", wire.EndOp),
        )
    ),
    Route(
        method="GET",
        path=f"{agent.BASE}/available",
        help="Open tables; with `all=1` also those that are reserved or playing.",
        answer=wire.AvailableAnswer,
        query=("game", "all"),
        errors=(429,),
    ),
    _player(
        "POST",
        "join",
        "Take a seat.",
        wire.Snapshot,
        body=wire.JoinRequest,
        optional_body=True,
        errors=(408, 409, 413),
    ),
    _player(
        "GET",
        "state",
        "What the player knows; with `wait`, once there is something to know.",
        wire.Snapshot,
        query=("wait", "since"),
    ),
    _player(
        "POST",
        "action",
        "Act; with `wait`, once the outcome is known.",
        wire.ActionAnswer,
        body=wire.ActionRequest,
        query=("wait",),
        errors=(408, 409, 413),
    ),
    _player("POST", "leave", "Leave the table, forfeit the game, or want no rematch.", wire.LeaveAnswer),
    _player("GET", "events", "The history of the session.", wire.EventsAnswer, query=("since", "wait")),
    Route(
        method="GET",
        path=f"{_PLAYED}/public",
        help="What spectators see; with `since` and `wait`, once it has changed.",
        answer=wire.PublicView,
        query=("since", "wait"),
        errors=_PUBLIC_ERRORS,
    ),
    Route(
        method="GET",
        path=sign_in.PATH,
        help="Who is signed in.",
        answer=sign_in.AccountAnswer,
        scope="page",
        errors=(401, 429),
    ),
    Route(
        method="POST",
        path=sign_in.PATH,
        help="Sign in; needs the server's own `Origin`.",
        answer=sign_in.AccountAnswer,
        body=sign_in.SignInRequest,
        errors=(400, 401, 403, 408, 413, 429),
    ),
    Route(
        method="DELETE",
        path=sign_in.PATH,
        help="Sign out; needs the server's own `Origin`.",
        answer=sign_in.AccountAnswer,
        scope="page",
        errors=(403, 429),
    ),
    Route(
        method="GET",
        path=results.PATH,
        help="Games that are over, the newest first.",
        answer=results.ResultsAnswer,
        query=("game", "limit"),
        errors=(400, 429),
    ),
    Route(
        method="GET",
        path=ladder.ARENA,
        help="What is played at the ladder, who waits, and how long one has.",
        answer=ladder.ArenaAnswer,
        errors=(429,),
    ),
    Route(
        method="GET",
        path=ladder.LADDER,
        help="The ladder of a game, from the best.",
        answer=ladder.LadderAnswer,
        query=("ladder", "limit", "skip"),
        errors=(400, 429),
    ),
    Route(
        method="GET",
        path=ladder.MATCHES,
        help="Matches of the ladder, the newest first.",
        answer=ladder.MatchesAnswer,
        query=("ladder", "player", "before", "limit"),
        errors=(400, 429),
    ),
    Route(
        method="GET",
        path=ladder.MATCH,
        help="A match of the ladder, move by move.",
        answer=ladder.ReplayAnswer,
        errors=(404, 429),
    ),
)

_QUERY: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "wait": (
        {"type": "number", "minimum": 0, "maximum": wire.MAX_WAIT},
        "Seconds to wait; more or less is cut.",
    ),
    "since": ({"type": "integer"}, "The version, or for events the index, that the caller has."),
    "after": ({"type": "integer", "minimum": 0}, "The highest `seq` that was processed."),
    "game": ({"type": "string"}, "Id, slug or title of a game."),
    "all": ({"type": "string", "enum": ["1"]}, "Reserved and active sessions as well."),
    "limit": ({"type": "integer", "minimum": 1, "maximum": results.PAGE}, "How many."),
    "ladder": ({"type": "string", "enum": list(rules.GAMES)}, "A game of the ladder."),
    "skip": ({"type": "integer", "minimum": 0, "maximum": ladder.MAX_SKIPPED}, "How many not to show."),
    "player": ({"type": "string"}, "The name of an account."),
    "before": ({"type": "integer", "minimum": 1, "maximum": records.MAX_NUMBER}, "Numbers below this."),
}

_NAMES: Final = {"ladder": "game"}
"""What a row of `_QUERY` is called in the address, where two are called the same."""

_REQUIRED: Final = {(ladder.LADDER, "ladder")}

_SECURITY: Final[dict[str, list[dict[str, list[str]]]]] = {
    "": [],
    "play": [{"token": []}, {"signedIn": []}],
    "host": [{"token": []}, {"signedIn": []}],
    "page": [{"signedIn": []}, {}],
}


def document() -> dict[str, Any]:
    """The whole document."""
    schemas = _schemas()
    paths: dict[str, Any] = {}
    for row in ROUTES:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "lrgpnode arcade",
            "version": "2.0.0",
            "description": (
                "RCADIA Agent Protocol v2, and the arcade's own accounts, results and ladder. Matches of the "
                "ladder are played by the AgentGames protocol over WebSocket at `/play`, or over SSH."
            ),
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "signedIn": {"type": "apiKey", "in": "cookie", "name": "arcade_session"},
            },
        },
    }


def _schemas() -> dict[str, Any]:
    models: set[type[msgspec.Struct]] = {row.answer for row in ROUTES}
    models |= {row.body for row in ROUTES if row.body is not None}
    models |= {wire.ConfigRequest, wire.ErrorAnswer}
    ordered = sorted(models, key=lambda model: model.__name__)
    _, schemas = msgspec.json.schema_components(ordered, ref_template=_REF)
    for info in msgspec.inspect.multi_type_info(ordered):
        assert isinstance(info, msgspec.inspect.StructType)
        _complete(info, schemas, set())
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = " ".join(schema["description"].replace("``", "`").split())
    schemas["CreateRequest"]["properties"]["config"] = {"$ref": _REF.format(name="ConfigRequest")}
    return schemas


def _complete(info: msgspec.inspect.StructType, schemas: dict[str, Any], seen: set[type]) -> None:
    """Defaults of answers are for clients of other servers; ours leaves out nothing but what is UNSET."""
    if info.cls in seen or not issubclass(info.cls, wire.Answer):
        return
    seen.add(info.cls)
    schema = schemas[info.cls.__name__]
    schema["required"] = [
        field.encode_name for field in msgspec.structs.fields(info.cls) if field.default is not msgspec.UNSET
    ]
    for described in schema["properties"].values():
        described.pop("default", None)
    for field in info.fields:
        for part in _structs(field.type):
            _complete(part, schemas, seen)


def _structs(kind: msgspec.inspect.Type) -> Iterator[msgspec.inspect.StructType]:
    match kind:
        case msgspec.inspect.StructType():
            yield kind
        case msgspec.inspect.UnionType():
            for part in kind.types:
                yield from _structs(part)
        case msgspec.inspect.ListType():
            yield from _structs(kind.item_type)


def _operation(row: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    parameters: list[dict[str, Any]] = [
        {
            "name": _NAMES.get(name, name),
            "in": "query",
            "schema": _QUERY[name][0],
            "description": _QUERY[name][1],
            **({"required": True} if (row.path, name) in _REQUIRED else {}),
        }
        for name in row.query
    ]
    if _ID in row.path:
        pattern = {"type": "string", "pattern": "^ses_[0-9a-f]{12}$"}
        parameters.insert(0, {"name": "id", "in": "path", "required": True, "schema": pattern})
    if _NUMBER in row.path:
        number = {"type": "integer", "minimum": 1}
        parameters.insert(0, {"name": "number", "in": "path", "required": True, "schema": number})
    operation: dict[str, Any] = {
        "summary": row.help,
        "operationId": _name(row),
        "security": _SECURITY[row.scope],
        "responses": {
            str(row.status): _json("Done.", row.answer.__name__),
            **{str(status): _json(_ERRORS[status], "ErrorAnswer") for status in sorted(row.errors)},
        },
    }
    if row.scope in ("play", "host"):
        operation["description"] = f"Needs the scope `{row.scope}`."
    if parameters:
        operation["parameters"] = parameters
    if row.body is not None:
        schema: dict[str, Any] = {"$ref": _REF.format(name=row.body.__name__)}
        if row.path.startswith(_HOSTED) and "op" in schemas[row.body.__name__]["properties"]:
            schema = _without_op(schemas[row.body.__name__])
        operation["requestBody"] = {
            "required": not row.optional_body,
            "content": {"application/json": {"schema": schema}},
        }
    return operation


def _without_op(schema: dict[str, Any]) -> dict[str, Any]:
    """The body of version 1: the fields of the op without ``op``."""
    properties = {name: value for name, value in schema["properties"].items() if name != "op"}
    required = [name for name in schema["required"] if name != "op"]
    return {"type": "object", "properties": properties, "required": required}


def _name(row: Route) -> str:
    path = row.path.removeprefix("/api/v1/").replace(_ID, "").replace(_NUMBER, "one")
    words = path.replace("-", "/").split("/")
    return row.method.lower() + "".join(word.capitalize() for word in words if word)


def _json(description: str, model: str) -> dict[str, Any]:
    schema = {"$ref": _REF.format(name=model)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


@cache
def _body() -> bytes:
    return json.dumps(document()).encode()


def page() -> str:
    """The document as it is in docs/."""
    return json.dumps(document(), indent=1) + "\n"


def routes() -> list[web.RouteDef]:
    """Serves the document."""

    async def show(_: web.Request) -> web.Response:
        return answers.raw(_body())

    return [web.get(PATH, show)]


if __name__ == "__main__":
    sys.stdout.write(page())
