"""``lrgpnode gateway``: tables of our own, and who waits for a place at them."""

from __future__ import annotations

from lrgpnode.control import models
from tests.cli.conftest import Run
from tests.cli.fakes import FakeNode

PEER = "c3" * 16


def host(**fields: object) -> models.GatewayHost:
    tables = (
        models.GatewayHostTable(id="ses_ab12cd34ef56", app="chess", stage="open", round=1, players=0),
        models.GatewayHostTable(
            id="ses_ab12cd34ef57", app="chess", stage="playing", round=2, players=2, seated="mesh"
        ),
        models.GatewayHostTable(
            id="", app="ttt", stage="opening", round=1, players=0, trouble="no connection"
        ),
    )
    seek = models.GatewaySeek(peer=PEER, peer_name="bob", app="ttt", at=0.0, until=3600.0)
    known: dict[str, object] = {
        "platform": "arcade",
        "games": ("chess", "ttt"),
        "tables": tables,
        "seeks": (seek,),
    }
    return models.GatewayHost(**(known | fields))  # type: ignore[arg-type]


def status(node: FakeNode, *hosts: models.GatewayHost) -> None:
    node.results["gateway.status"] = models.GatewayStatus(
        enabled=True, identity="a1" * 16, name="gateway", hosts=hosts
    )


def test_tables_of_our_own_are_listed(node: FakeNode, run: Run) -> None:
    status(node, host())
    shown = run("gateway", "status")
    assert (shown.code, shown.err) == (0, "")
    assert "tables of ours at arcade: chess, ttt" in shown.out
    open_, playing, opening = (line for line in shown.out.splitlines() if "of 2 players" in line)
    assert "ses_ab12cd34ef56" in open_
    assert "open, 0 of 2 players" in open_
    assert "playing, 2 of 2 players, a player of the mesh among them" in playing
    assert opening.endswith("opening, 0 of 2 players  trouble: no connection")
    assert f"bob ({PEER[:8]}) waits for ttt until" in shown.out
    (listed,) = run("gateway", "status", "--json").json["hosts"]
    assert [table["stage"] for table in listed["tables"]] == ["open", "playing", "opening"]


def test_the_trouble_of_a_host_is_shown(node: FakeNode, run: Run) -> None:
    status(node, host(tables=(), seeks=(), trouble="The platform does not take the token"))
    assert "trouble: The platform does not take the token" in run("gateway", "status").out


def test_a_player_is_put_in_line(node: FakeNode, run: Run) -> None:
    node.results["gateway.seek"] = models.GatewaySought(text="You are in line for Chess.")
    assert run("gateway", "seek", "bob", "chess").out == "You are in line for Chess.\n"
    assert node.calls == [("gateway.seek", {"peer": "bob", "app": "chess"})]


def test_a_player_is_taken_out_of_the_line(node: FakeNode, run: Run) -> None:
    for waited, text in ((True, "Waits no more.\n"), (False, "That player did not wait.\n")):
        node.results["gateway.unseek"] = models.GatewayUnsought(waited=waited)
        assert run("gateway", "unseek", "bob").out == text
