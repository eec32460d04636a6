"""One arcade for all tests that only talk to it, and a table of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.arcade.served import AGENT, BRIDGE, CONFIG, Arcade, Client, Json, made_token


class Table:
    """A session with ann and ben, its host, and a stranger."""

    def __init__(self, host: Client, ann: Client, ben: Client, stranger: Client, config: Json) -> None:
        self.host, self.ann, self.ben, self.stranger = host, ann, ben, stranger
        self.id: str = host.ok("POST", BRIDGE, {"config": config}, 201)["sessionId"]
        self.hosted = f"{BRIDGE}/{self.id}"
        self.path = f"{AGENT}/{self.id}"
        self.ids = [one.ok("POST", f"{self.path}/join", {})["playerId"] for one in (ann, ben)]

    def ops(self, *ops: Json) -> Json:
        answer: Json = self.host.ok("POST", f"{self.hosted}/ops", {"ops": list(ops)})
        return answer

    def turn(self, seat: int, *actions: Any) -> Json:
        return self.ops(
            {"op": "legal_actions", "playerId": self.ids[seat], "actions": list(actions) or ["x"]}
        )

    def entries(self, after: int | None = None) -> list[Json]:
        query = "" if after is None else f"?after={after}"
        found: list[Json] = self.host.ok("GET", f"{self.hosted}/pending-actions{query}")["actions"]
        return found

    def version(self) -> int:
        return int(self.host.ok("GET", f"{self.path}/public")["version"])


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arcade")


@pytest.fixture(scope="session")
def arcade(data: Path, tokens: dict[str, str]) -> Iterator[Arcade]:
    running = Arcade(data)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def tokens(data: Path) -> dict[str, str]:
    return {
        "host": made_token(data, "host", "host"),
        "ann": made_token(data, "ann", "play"),
        "ben": made_token(data, "ben", "play"),
        "cat": made_token(data, "cat", "play", "host"),
        "house": made_token(data, "house", "host", house=True),
    }


@pytest.fixture
def start() -> Iterator[Callable[..., Arcade]]:
    """Starts arcades of the test's own, none of which outlives it."""
    started: list[Arcade] = []

    def begin(data: Path, *options: str) -> Arcade:
        started.append(Arcade(data, *options))
        return started[-1]

    yield begin
    for running in started:
        running.stop()


@pytest.fixture
def clients(arcade: Arcade, tokens: dict[str, str]) -> Iterator[dict[str, Client]]:
    made = {name: arcade.client(token) for name, token in tokens.items()} | {"": arcade.client()}
    yield made
    for client in made.values():
        client.close()


@pytest.fixture
def table(clients: dict[str, Client]) -> Callable[..., Table]:
    def make(**config: Any) -> Table:
        names = ("host", "ann", "ben", "cat")
        return Table(*(clients[name] for name in names), config={**CONFIG, **config})

    return make
