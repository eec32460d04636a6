"""What may have overtaken something, and what is simply wrong (``Game.early``)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, APPS, BEN, FIRST, GAMES, SECOND, Table

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
EVERY_PLAIN = ("challenge", "accept", "decline", "resign", "draw_offer", "draw_accept", "draw_decline")


def early(table: Table, me: str, actor: str, command: str, payload: dict[Any, Any] | None = None) -> bool:
    return table.game.early(table.sides[me], actor, command, payload or {})


def chess(*moves: str, white: str = ANN) -> Table:
    return Table.active("chess", white=white).moves(*({"m": move} for move in moves))


@pytest.mark.parametrize("app", APPS)
def test_without_a_session_only_a_decline_can_have_overtaken_its_challenge(app: str) -> None:
    game = GAMES[app]
    assert game.early(None, ANN, "decline", {})
    assert not game.early(None, ANN, "decline", {"x": 1})
    for command in EVERY_PLAIN:
        assert game.early(None, ANN, command, {}) is (command == "decline")
    assert not game.early(None, ANN, "move", Table.active(app).payload(ANN, "move", FIRST[app]))
    assert not game.early(None, BEN, "accept", Table.challenged(app).payload(BEN, "accept"))


@pytest.mark.parametrize("app", APPS)
def test_on_my_challenge_the_accept_may_be_missing(app: str) -> None:
    table = Table.challenged(app)
    found = {command for command in EVERY_PLAIN if early(table, ANN, BEN, command)}
    assert found == {"resign", "draw_offer"}
    assert not early(table, ANN, BEN, "resign", {"x": 1})
    assert not early(table, ANN, BEN, "accept", table.payload(BEN, "accept"))


@pytest.mark.parametrize("app", APPS)
def test_on_a_challenge_to_me_my_own_accept_is_missing_which_nobody_can_know(app: str) -> None:
    table = Table.challenged(app)
    assert not any(early(table, BEN, ANN, command) for command in EVERY_PLAIN)
    assert not early(table, BEN, ANN, "move", Table.active(app).payload(ANN, "move", FIRST[app]))


def test_white_may_move_right_after_its_accept() -> None:
    table = Table.challenged("chess")
    assert early(table, ANN, BEN, "move", {"m": "e2e4", "n": 0, "x": ""})
    assert early(table, ANN, BEN, "draw_offer", {"r": "3fr"})
    assert not early(table, ANN, BEN, "move", {"m": "e2e5", "n": 0, "x": ""})
    assert not early(table, ANN, BEN, "move", {"m": "e7e5", "n": 1, "x": ""})
    assert not early(table, ANN, BEN, "move", {"m": "e2e4", "n": 0})
    assert not early(table, ANN, BEN, "draw_offer", {"r": "5fr"})


@pytest.mark.parametrize("app", ["ttt", "four_in_a_row"])
def test_the_responder_never_moves_first_where_the_challenger_does(app: str) -> None:
    active = Table.active(app)
    payload = active.payload(ANN, "move", FIRST[app])
    reply = active.moves(FIRST[app]).payload(BEN, "move", SECOND[app])
    table = Table.challenged(app)
    assert not early(table, ANN, BEN, "move", payload)
    assert not early(table, ANN, BEN, "move", reply)


@pytest.mark.parametrize("app", APPS)
def test_moves_alternate_so_a_later_one_is_out_of_step_and_not_early(app: str) -> None:
    table = Table.active(app)
    first = table.payload(ANN, "move", FIRST[app])
    assert not early(table, BEN, ANN, "move", first)  # valid now
    assert not early(table, BEN, ANN, "move", {**first, "n": first["n"] + 2})
    table.moves(FIRST[app])
    assert not early(table, BEN, ANN, "move", {**first, "n": first["n"] + 1})
    assert not early(table, BEN, ANN, "move", first)


@pytest.mark.parametrize("app", APPS)
def test_an_offer_over_an_open_one_may_have_overtaken_a_move(app: str) -> None:
    table = Table.active(app)
    assert not early(table, BEN, ANN, "draw_offer")  # valid now
    table.play(ANN, "draw_offer")
    assert early(table, BEN, ANN, "draw_offer")
    assert not early(table, ANN, BEN, "draw_offer")  # not Ben's turn: he can have sent nothing
    table.moves(FIRST[app])
    table.play(ANN, "draw_offer")
    assert not early(table, BEN, ANN, "draw_offer")
    assert early(table, ANN, BEN, "draw_offer")


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("command", ["draw_accept", "draw_decline"])
def test_an_answer_is_never_early_for_the_offer_would_be_mine(app: str, command: str) -> None:
    table = Table.active(app)
    assert not early(table, BEN, ANN, command)
    table.play(ANN, "draw_offer")
    assert not early(table, BEN, ANN, command)


@pytest.mark.parametrize("app", APPS)
def test_nothing_is_early_in_an_ended_session(app: str) -> None:
    table = Table.active(app)
    move = table.payload(ANN, "move", FIRST[app])
    table.play(BEN, "resign")
    for command in EVERY_PLAIN:
        assert not early(table, BEN, ANN, command)
    assert not early(table, BEN, ANN, "move", move)
    expired = table.game.expire(Table.active(app).ben, 0.0)
    assert expired.status is Status.EXPIRED
    assert not table.game.early(expired, ANN, "draw_offer", {})


def test_a_claim_is_early_only_where_a_move_of_the_claimant_would_make_it_hold() -> None:
    table = chess(*SHUFFLE, *SHUFFLE[:3])  # Black's next move may repeat the first position
    assert table.turn == BEN
    assert early(table, ANN, BEN, "draw_offer", {"r": "3fr"})
    assert not early(table, ANN, BEN, "draw_offer", {"r": "50m"})
    assert not early(table, BEN, ANN, "draw_offer", {"r": "3fr"})
    table.moves({"m": SHUFFLE[3]})
    assert not early(table, ANN, BEN, "draw_offer", {"r": "3fr"})  # valid now
    assert not early(chess(), BEN, ANN, "draw_offer", {"r": "3fr"})  # a plain offer at once


def test_a_claim_of_fifty_moves_is_early_at_the_ninety_ninth_ply() -> None:
    table = chess(*SHUFFLE * 24, *SHUFFLE[:3])
    assert early(table, ANN, BEN, "draw_offer", {"r": "50m"})
    assert not early(table, ANN, BEN, "draw_offer", {"r": "3fr"})  # holds now
    table = chess(*SHUFFLE * 24, *SHUFFLE[:2])
    assert not early(table, BEN, ANN, "draw_offer", {"r": "50m"})


def test_what_is_early_is_valid_once_the_missing_action_is_there() -> None:
    """Each action of Ben's is tried before the one that he sent just before it."""
    script: list[tuple[str, dict[str, Any]]] = [
        ("accept", {"w": BEN}),
        ("move", {"m": "g1f3", "n": 0, "x": ""}),
        ("draw_offer", {}),
    ]
    table = Table.challenged("chess")
    for before, after in pairwise(script):
        command, payload = after
        if command == "move":
            assert early(table, ANN, BEN, command, payload)
            with pytest.raises(Rejection):
                table.game.apply(table.ann, BEN, command, payload, 0.0)
        table.apply(BEN, *before)
        table.game.apply(table.ann, BEN, command, payload, 0.0)
