"""A player's node and a node with a gateway, as real processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.nodes import Json, NodeProcess, free_port, until
from tests.gateway.e2e.web import Web

WAIT = 60.0


@contextmanager
def meshed(base: Path, prepare: Callable[[NodeProcess], None]) -> Iterator[Mesh]:
    """A node with a gateway, which ``prepare`` makes of it, and a player's node that has heard it."""
    endpoint = f"127.0.0.1:{free_port()}"
    gate = NodeProcess(base / "gate", "--listen", endpoint)
    player = NodeProcess(base / "ann", "--connect", endpoint)
    prepare(gate)
    try:
        gate.start()
        player.start()
        mesh = Mesh(player, gate)
        mesh.heard()
        yield mesh
    finally:
        print(gate.log)
        player.kill()
        gate.kill()


def configure(node: NodeProcess, web: Web) -> None:
    """Make a gateway of a node that has not been started."""
    routes = '["chess=rcadia", "ttt=rcadia", "four_in_a_row=rcadia"]'
    with (node.data / "lrgpnode.toml").open("a") as file:
        file.write(
            f'[gateway]\nenabled = true\nplayers = "everyone"\nroutes = {routes}\nseats_per_day = 1000\n'
            f'[rcadia]\nurl = "{web.town.url}"\n[house]\nenabled = false\n'
        )
    write_token(node.data, web.token)


def write_token(data: Path, token: str, name: str = "main") -> None:
    file = data / "gateway-tokens" / "rcadia" / name
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_text(token)
    file.chmod(0o600)


class Mesh:
    """``player`` and ``gate``, both started; ``deadline``: for what goes by the mesh."""

    def __init__(self, player: NodeProcess, gate: NodeProcess, deadline: float = WAIT) -> None:
        self.player = player
        self.gate = gate
        self.deadline = deadline
        status = until(self._status, "the gateway is open")
        self.address: str = status["identity"]

    def _status(self) -> Json | None:
        status = self.gate.call("gateway.status")
        return status if status["enabled"] else None

    def heard(self) -> None:
        """Wait until the player has heard the gateway."""
        peers = lambda: self.player.call("peer.list")["peers"]  # noqa: E731
        until(
            lambda: any(peer["peer"] == self.address for peer in peers()),
            "the gateway is heard",
            self.deadline,
        )

    def challenge(self, app: str) -> str:
        id: str = self.player.call("game.challenge", peer=self.address, app=app)["id"]
        return id

    def until(self, id: str, condition: Any, what: str) -> Json:
        """Wait until the player's game is so."""

        def found() -> Json | None:
            game = self.player.game(id)
            return game if game is not None and condition(game) else None

        return until(found, what, self.deadline)

    def turn(self, id: str, ply: int | None = None) -> Json:
        return self.until(
            id,
            lambda game: game["view"]["my_turn"] and ply in (None, game["view"]["ply"]),
            f"the player is to move ({ply})",
        )

    def ended(self, id: str) -> Json:
        game = self.until(id, lambda game: game["status"] not in ("pending", "active"), "the game is over")
        result: Json = game["view"]["result"]
        return {"status": game["status"], **(result or {})}

    def move(self, id: str, *moves: str) -> None:
        for move in moves:
            self.turn(id)
            self.player.call("game.move", id=id, move=move)

    def challenged(self, app: str, but: set[str]) -> str:
        """Wait for a challenge of the gateway."""

        def found() -> str | None:
            games = self.player.call("game.list")["games"]
            new = [g for g in games if g["app"] == app and g["id"] not in but and g["status"] == "pending"]
            return next((g["id"] for g in new if g["initiator"] == self.address), None)

        return until(found, "the gateway challenges", self.deadline)

    def seat(self, **wanted: Any) -> Json:
        """Wait until the newest seat is so."""

        def found() -> Json | None:
            seats = self.gate.call("gateway.seats", ended=True)["seats"]
            if not seats:
                return None
            return seats[0] if all(seats[0].get(key) == value for key, value in wanted.items()) else None

        return until(found, f"the seat is {wanted}", self.deadline)

    def texts(self) -> list[str]:
        """What the gateway has written to the player, oldest first."""
        page = self.player.call("message.list", peer=self.address)["messages"]
        return [message["text"] for message in reversed(page) if not message["own"]]
