"""``lrgpnode house``, challenges at a level, and what ``watch`` says of the house's games."""

from __future__ import annotations

import json

import pytest

from lrgpnode.control import models
from storage.model import Role
from tests.cli.conftest import Run
from tests.cli.fakes import HOUSE, ID, IDENTITY, ME, FakeNode


def test_the_levels_are_listed(node: FakeNode, run: Run) -> None:
    shown = run("house")
    assert (shown.code, shown.err) == (0, "")
    assert f"house ({HOUSE})" in shown.out
    assert "1 absent-minded, 2 perfect (usual)" in shown.out
    assert "the people of this node" in shown.out
    assert "challenge house chess --level 1" in shown.out
    assert json.loads(run("house", "--json").out)["games"][0]["usual"] == 2


def test_a_closed_house_says_how_to_open_it(node: FakeNode, run: Run) -> None:
    node.results["house.show"] = models.HouseInfo(
        enabled=False, identity="", name="", open_to_peers=False, live_games=0, thinking="", games=()
    )
    shown = run("house")
    assert "config set house.enabled true" in shown.out


def test_a_level_goes_with_the_challenge(node: FakeNode, run: Run) -> None:
    assert run("challenge", "house", "chess", "--level", "3").code == 0
    assert node.calls == [("game.challenge", {"peer": "house", "app": "chess", "level": 3})]
    assert run("challenge", "house", "chess", "--level", "0").code == 2


def test_without_games_the_house_is_recommended(node: FakeNode, run: Run) -> None:
    node.results["game.list"] = models.GamePage(games=())
    assert "house` shows whom you can play at once" in run("games").out


@pytest.mark.parametrize(("options", "sides"), [((), [ME]), (("--as", "house"), [HOUSE, ME])])
def test_watch_leaves_out_the_houses_side(
    node: FakeNode, run: Run, options: tuple[str, ...], sides: list[str]
) -> None:
    house = models.IdentityInfo(hash=HOUSE, name="house", created_at=2.0, enabled=True, role=Role.HOUSE)
    node.results["identity.list"] = models.IdentityList(identities=(models.IdentityInfo(**IDENTITY), house))
    for side, other in ((HOUSE, ME), (ME, HOUSE)):
        node.publish("game.expired", id=ID, identity=side, peer=other, app="ttt")
    shown = run(*options, "watch", "--after", "0", "--count", str(len(sides)))
    assert [f"#{number} " in shown.out for number in (1, 2)] == [HOUSE in sides, ME in sides]
    raw = run("watch", "--json", "--after", "0", "--count", "2").out.splitlines()
    assert [json.loads(line)["data"]["identity"] for line in raw] == [HOUSE, ME]
