"""``lrgpnode gateway``: what it says, and that a token is no argument."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from lrgpnode.control import models
from storage.gateway_model import SeatResult, SeatStage
from tests.cli.conftest import Run
from tests.cli.fakes import ID, ME, PEER, FakeNode

TOKEN = "tok_SENTINEL_12345"


def platform(**values: Any) -> models.GatewayPlatform:
    fields = {"name": "rcadia", "games": ("chess", "ttt"), "accounts": 1, "seats": 2, "most_seats": 4}
    return models.GatewayPlatform(**{**fields, **values})


def seat(**values: Any) -> models.GatewaySeat:
    fields = {
        "id": 7,
        "peer": PEER,
        "peer_name": "Bob\x1b[2J",
        "app": "chess",
        "platform": "rcadia",
        "stage": SeatStage.PLAYING,
        "created_at": 1.0,
        "updated_at": 2.0,
        "session": ID,
        "table": "ses_a1b2c3d4e5f6",
    }
    return models.GatewaySeat(**{**fields, **values})


def test_a_gateway_that_is_off_says_how_to_turn_it_on(node: FakeNode, run: Run) -> None:
    node.results["gateway.status"] = models.GatewayStatus(enabled=False)
    shown = run("gateway", "status")
    assert shown.code == 0
    assert "config set gateway.enabled true" in shown.out


def test_platforms_with_their_troubles(node: FakeNode, run: Run) -> None:
    paused = platform(trouble="it asked for a pause", paused_until=3600.0)
    node.results["gateway.status"] = models.GatewayStatus(
        enabled=True, identity=ME, name="gateway", routes={"chess": "rcadia"}, platforms=(paused,), seats=2
    )
    shown = run("gateway", "status")
    assert "gateway (" in shown.out
    assert "rcadia      2 of 4 seats, 1 accounts; chess, ttt" in shown.out
    assert "trouble: it asked for a pause until 1970-01-01 01:00" in shown.out
    assert "a challenge to chess goes to rcadia" in shown.out
    assert run("gateway", "status", "--json").json["platforms"][0]["paused_until"] == 3600.0


def test_a_route_to_nowhere_is_shown_as_such(node: FakeNode, run: Run) -> None:
    node.results["gateway.status"] = models.GatewayStatus(
        enabled=True, identity=ME, name="gateway", routes={"ttt": "arcade"}, platforms=(platform(),), seats=1
    )
    shown = run("gateway", "status").out
    assert "1 seat goes on" in shown
    assert "a challenge to ttt goes to arcade, which is not there" in shown


def test_tables(node: FakeNode, run: Run) -> None:
    table = models.GatewayTable(
        platform="rcadia", id="ses_1", app="chess", title="Chess\x07", players=1, seats=2, host="house"
    )
    node.results["gateway.tables"] = models.GatewayTables(tables=(table,), troubles={"arcade": "is closed"})
    shown = run("gateway", "tables", "--game", "chess")
    assert "rcadia  ses_1              1/2  Chess" in shown.out
    assert "(house)" in shown.out
    assert "arcade was not asked: is closed" in shown.out
    assert "\x07" not in shown.out
    assert node.calls[-1] == ("gateway.tables", {"app": "chess"})


def test_no_table_with_a_free_seat_names_the_way_to_our_own(node: FakeNode, run: Run) -> None:
    node.results["gateway.tables"] = models.GatewayTables(tables=(), troubles={})
    shown = run("gateway", "tables").out
    assert shown.startswith("No table of others has a free seat.")
    assert "gateway status` shows those of our own" in shown


def test_seats(node: FakeNode, run: Run) -> None:
    over = seat(id=6, stage=SeatStage.OVER, result=SeatResult.WON, reason="won (timeout)")
    playing = seat(opponent="Webby", trouble="the platform does not answer")
    node.results["gateway.seats"] = models.GatewaySeats(seats=(playing, over))
    shown = run("gateway", "seats", "--ended")
    first, second = shown.out.splitlines()
    assert first.startswith("   7  Bob")
    assert "chess at rcadia ses_a1b2c3d4e5f6 against Webby: plays" in first
    assert first.endswith("trouble: the platform does not answer")
    assert second.endswith("won: won (timeout)")
    assert "\x1b" not in shown.out
    node.results["gateway.seats"] = models.GatewaySeats(seats=())
    assert run("gateway", "seats").out == "Nobody has a seat.\n"


def test_leaving(node: FakeNode, run: Run) -> None:
    node.results["gateway.leave"] = seat()
    assert run("gateway", "leave", "7").out == "Seat 7 is given up.\n"
    assert node.calls == [("gateway.leave", {"id": 7})]
    assert run("gateway", "leave", "0").code == 2


def test_a_token_comes_from_standard_input(node: FakeNode, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    account = models.GatewayAccount(platform="rcadia", name="main", source="file")
    node.results["gateway.account.add"] = account
    monkeypatch.setattr(sys, "stdin", io.StringIO(f" {TOKEN}\nmore\n"))
    shown = run("gateway", "account", "add", "rcadia", "main")
    assert node.calls == [("gateway.account.add", {"platform": "rcadia", "name": "main", "token": TOKEN})]
    assert "SENTINEL" not in shown.out + shown.err
    assert run("gateway", "account", "add", "rcadia", "main", TOKEN).code == 2
    refused = run("gateway", "account", "add", "rcadia", "../main")
    assert refused.code == 2
    assert "a-z, 0-9, _ and -" in refused.err
    assert len(node.calls) == 1


def test_accounts(node: FakeNode, run: Run) -> None:
    own = models.GatewayAccount(platform="rcadia", name=f"player-{PEER}", source="file", own_of=PEER)
    pool = models.GatewayAccount(platform="rcadia", name="main", source="credential", seats=3)
    node.results["gateway.account.list"] = models.GatewayAccounts(accounts=(pool, own))
    first, second = run("gateway", "account", "list").out.splitlines()
    assert first.split() == ["rcadia", "main", "credential", "3", "seats"]
    assert second.endswith(f"of {PEER}")
    node.results["gateway.account.remove"] = pool
    assert json.loads(run("gateway", "account", "remove", "rcadia", "main", "--json").out)["name"] == "main"


def test_the_time_for_a_move_and_the_way_to_the_player(node: FakeNode, run: Run) -> None:
    rated = platform(name="agentgames", games=("ttt",), move_seconds=15.0)
    node.results["gateway.status"] = models.GatewayStatus(
        enabled=True, identity=ME, name="gateway", platforms=(rated,)
    )
    assert "agentgames  2 of 4 seats, 1 accounts; ttt; 15 s for a move\n" in run("gateway", "status").out
    slow = seat(platform="agentgames", table="ttt", round_trip=9.2, move_seconds=15.0, assisted=True)
    near = seat(id=8, round_trip=0.6)
    node.results["gateway.seats"] = models.GatewaySeats(seats=(slow, near))
    first, second = run("gateway", "seats").out.splitlines()
    assert first.endswith(": plays, 9 s on the way to the player and back, assisted")
    assert second.endswith(": plays")
