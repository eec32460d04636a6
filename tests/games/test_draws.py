"""Draw offers and who owns them (spec §6, Draw Offer Ownership)."""

from __future__ import annotations

import pytest

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, APPS, BEN, FIRST, NOW, SECOND, Table

pytestmark = pytest.mark.parametrize("app", APPS)


def offer(table: Table) -> tuple[bool, str]:
    return table.metadata["draw_offered"], table.metadata["draw_offered_by"]


@pytest.mark.parametrize("who", [ANN, BEN])
def test_either_side_offers_at_any_time_and_owns_the_offer(app: str, who: str) -> None:
    table = Table.active(app)
    assert table.play(who, "draw_offer") == {}
    assert offer(table) == (True, who)
    assert (table.status, table.turn) == (Status.ACTIVE, ANN)


@pytest.mark.parametrize("who", [ANN, BEN])
def test_only_the_other_side_answers(app: str, who: str) -> None:
    table = Table.active(app)
    table.play(who, "draw_offer")
    table.forbid(who, "draw_accept")
    table.forbid(who, "draw_decline")
    assert offer(table) == (True, who)


@pytest.mark.parametrize("command", ["draw_accept", "draw_decline"])
def test_there_is_nothing_to_answer(app: str, command: str) -> None:
    table = Table.active(app)
    table.forbid(ANN, command)
    table.forbid(BEN, command)


def test_an_agreed_draw_ends_the_game(app: str) -> None:
    table = Table.active(app).moves(FIRST[app])
    table.play(ANN, "draw_offer")
    table.play(BEN, "draw_accept")
    assert table.status is Status.COMPLETED
    assert (table.metadata["terminal"], table.metadata["winner"], table.turn) == ("draw", "", "")
    assert table.metadata.get("reason") == ("agr" if app == "chess" else None)
    assert offer(table) == (False, "")


def test_a_declined_offer_is_gone_and_may_be_made_again(app: str) -> None:
    table = Table.active(app)
    table.play(ANN, "draw_offer")
    table.play(BEN, "draw_decline")
    assert (offer(table), table.status) == ((False, ""), Status.ACTIVE)
    table.forbid(BEN, "draw_accept")
    table.play(BEN, "draw_offer")
    assert offer(table) == (True, BEN)


@pytest.mark.parametrize("first", [ANN, BEN])
@pytest.mark.parametrize("second", [ANN, BEN])
def test_a_second_plain_offer_replaces_nothing(app: str, first: str, second: str) -> None:
    table = Table.active(app)
    table.play(first, "draw_offer")
    table.forbid(second, "draw_offer")
    assert offer(table) == (True, first)


@pytest.mark.parametrize("owner", [ANN, BEN])
def test_any_move_clears_the_offer(app: str, owner: str) -> None:
    table = Table.active(app)
    table.play(owner, "draw_offer")
    table.moves(FIRST[app])
    assert offer(table) == (False, "")
    table.forbid(table.ann.other(owner), "draw_accept")
    table.play(owner, "draw_offer")
    table.moves(SECOND[app])
    assert offer(table) == (False, "")


@pytest.mark.parametrize("who", [ANN, BEN])
def test_a_refused_move_leaves_the_offer(app: str, who: str) -> None:
    table = Table.active(app)
    table.play(who, "draw_offer")
    wrong = {**table.payload(ANN, "move", FIRST[app]), "n": 7}
    table.refuse(ANN, "move", wrong, ErrorCode.INVALID_MOVE)
    assert offer(table) == (True, who)


@pytest.mark.parametrize("who", [ANN, BEN])
def test_resigning_clears_the_offer(app: str, who: str) -> None:
    table = Table.active(app)
    table.play(who, "draw_offer")
    table.play(ANN, "resign")
    assert (offer(table), table.metadata["winner"]) == ((False, ""), BEN)


def test_an_expired_game_answers_nothing_whatever_became_of_its_offer(app: str) -> None:
    table = Table.active(app)
    table.play(ANN, "draw_offer")
    expired = {me: table.game.expire(side, NOW + 1e6) for me, side in table.sides.items()}
    kept = app != "four_in_a_row"  # as deployed peers do
    for side in expired.values():
        assert (side.metadata["draw_offered"], side.metadata["draw_offered_by"]) == (
            (True, ANN) if kept else (False, "")
        )
    table.sides = expired
    table.forbid(BEN, "draw_accept")
