"""The gateway and its seats in words."""

from __future__ import annotations

from typing import Any

import msgspec

from interfaces.tui.models import gateway
from lrgpnode.control import models
from storage.gateway_model import SeatResult, SeatStage

NOW = 10_000.0
PEER = "b2" * 16


def built(model: msgspec.Struct) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(model)
    return found


def seat(**values: Any) -> models.GatewaySeat:
    fields = {
        "id": 7,
        "peer": PEER,
        "peer_name": "Bob",
        "app": "chess",
        "platform": "rcadia",
        "stage": SeatStage.PLAYING,
        "created_at": 1.0,
        "updated_at": NOW - 120,
    }
    return models.GatewaySeat(**{**fields, **values})


def test_the_gateway_is_off() -> None:
    (only,) = gateway.about(built(models.GatewayStatus(enabled=False)), NOW)
    assert "gateway.enabled" in only.value
    assert gateway.about(None, NOW)[0].value == "Loading."


def test_platforms_and_routes() -> None:
    platform = models.GatewayPlatform(
        name="rcadia",
        games=("chess",),
        accounts=1,
        seats=2,
        most_seats=4,
        trouble="it asked for a pause",
        paused_until=NOW + 600,
        move_seconds=15.0,
    )
    status = models.GatewayStatus(
        enabled=True, identity=PEER, name="gateway", routes={"chess": "rcadia"}, platforms=(platform,)
    )
    facts = {fact.name or fact.value: fact for fact in gateway.about(built(status), NOW)}
    assert facts["address"].value == "gateway (b2b2b2b2)"
    assert facts["rcadia"].value == "2 of 4 seats taken, 1 account, 15 s for a move"
    assert facts["rcadia: it asked for a pause (again in 10 minutes)"].role == "bad"
    assert facts["chess"].value == "a challenge goes to rcadia"
    nothing = gateway.about(built(msgspec.structs.replace(status, platforms=())), NOW)
    assert any("There is no platform" in fact.value for fact in nothing)


def test_seats() -> None:
    playing = seat(opponent="Webby", deadline=NOW + 300, round_trip=3.2)
    late = seat(id=6, deadline=NOW - 1, trouble="the platform does not answer")
    over = seat(id=5, stage=SeatStage.OVER, result=SeatResult.WON, reason="won (timeout)", assisted=True)
    first, second, third = gateway.seats(built(models.GatewaySeats(seats=(playing, late, over))), NOW)
    assert first.title == "Bob (b2b2b2b2), chess at rcadia against Webby"
    assert first.note == "plays, the move is due in 5 minutes, 3 s on the way there and back"
    assert (second.note, second.trouble) == (
        "plays, the time for the move is up; the platform does not answer",
        True,
    )
    assert (third.note, third.over) == ("won: won (timeout), 2min ago, assisted", True)
