"""The OpenAPI document, and a schema-driven fuzzer that holds the arcade to it: never 5xx."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from gateway.arcade import openapi
from tests.gateway.arcade.served import AGENT, BRIDGE, CONFIG, Arcade, Client

ROOT = Path(__file__).parents[3]


def test_the_document_is_fresh() -> None:
    written = (ROOT / "docs" / "arcade-openapi.json").read_text()
    assert written == openapi.page(), "run: python -m gateway.arcade.openapi > docs/arcade-openapi.json"


def test_the_document_is_served(clients: dict[str, Client]) -> None:
    answer = clients[""].get("/openapi.json")
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.body == json.loads(openapi.page())


def test_every_route_of_the_protocol_is_described() -> None:
    sessions, bridge = "/api/v1/agent/sessions", "/api/v1/agent/bridge/sessions"
    described = {(row.method, row.path) for row in openapi.ROUTES}
    assert described >= {
        ("GET", f"{sessions}/available"),
        ("POST", f"{sessions}/{{id}}/join"),
        ("GET", f"{sessions}/{{id}}/state"),
        ("POST", f"{sessions}/{{id}}/action"),
        ("POST", f"{sessions}/{{id}}/leave"),
        ("GET", f"{sessions}/{{id}}/events"),
        ("GET", f"{sessions}/{{id}}/public"),
        ("POST", bridge),
        ("POST", f"{bridge}/{{id}}/ops"),
        ("GET", f"{bridge}/{{id}}/pending-actions"),
        ("POST", f"{bridge}/{{id}}/rematch"),
        ("PATCH", f"{bridge}/{{id}}/state"),
        ("PATCH", f"{bridge}/{{id}}/observation"),
        ("PATCH", f"{bridge}/{{id}}/legal-actions"),
        ("POST", f"{bridge}/{{id}}/reject-action"),
        ("POST", f"{bridge}/{{id}}/end"),
    }


class Live:
    """Sessions that go on, so that requests do more than miss."""

    def __init__(self, clients: dict[str, Client]) -> None:
        self._host, self._ann = clients["cat"], clients["ann"]
        self._id = ""
        self._calls = 0

    def id(self) -> str:
        """Another one every now and then; fuzzed requests may have ended it."""
        self._calls += 1
        if self._calls % 20 == 1:
            config = {**CONFIG, "turnBased": self._calls % 40 == 1, "autoRematch": True}
            made = self._host.call("POST", BRIDGE, {"config": config})
            if made.status == 201:
                self._id = made.body["sessionId"]
                for client in (self._host, self._ann):
                    client.ok("POST", f"{AGENT}/{self._id}/join", {})
        return self._id


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("row", openapi.ROUTES, ids=lambda row: f"{row.method} {row.path}")
def test_fuzz(row: Any, arcade: Arcade, tokens: dict[str, str], clients: dict[str, Client]) -> None:
    import schemathesis
    from schemathesis import checks

    operation = schemathesis.openapi.from_dict(openapi.document())[row.path][row.method]
    live = Live(clients)

    @settings(
        max_examples=60,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def fuzz(case: Any) -> None:
        if case.path_parameters:
            case.path_parameters["id"] = live.id()
        if case.query and isinstance(case.query.get("wait"), int | float):
            case.query["wait"] = min(case.query["wait"], 0.02)
        # `cat` plays and hosts.
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {tokens['cat']}"}
        response = case.call(base_url=f"http://127.0.0.1:{arcade.port}", timeout=60)
        assert response.status_code < 500, response.text
        if response.status_code >= 400:
            assert set(response.json()) <= {"error", "code", "snapshot"}
        # The others judge requests by the schema alone: whether a player is one of this session is not in it.
        case.validate_response(
            response,
            checks=[
                checks.not_a_server_error,
                checks.status_code_conformance,
                checks.content_type_conformance,
                checks.response_schema_conformance,
            ],
        )

    fuzz()
