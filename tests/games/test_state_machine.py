"""The session state machine of spec §6, for every game that builds on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lrgpnode.protocol.errors import ErrorCode
from lrgpnode.protocol.session import Status
from tests.games.table import ANN, APPS, BEN, FIRST, GAMES, NOW, SECOND, Table, refusal, tails

PLAIN = ("decline", "resign", "draw_offer", "draw_accept", "draw_decline")

pytestmark = pytest.mark.parametrize("app", APPS)


def ended(app: str, how: str) -> Table:
    if how in ("declined", "cancelled"):
        table = Table.challenged(app)
        table.play(BEN if how == "declined" else ANN, "decline")
        return table
    table = Table.active(app)
    if how == "resigned":
        table.play(BEN, "resign")
    else:
        table.play(ANN, "draw_offer")
        table.play(BEN, "draw_accept")
    return table


def test_a_challenge_opens_a_pending_session(app: str) -> None:
    table = Table.challenged(app)
    assert table.status is Status.PENDING
    assert (table.ann.initiator, table.ben.initiator) == (ANN, ANN)
    assert (table.ann.app_id, table.ann.app_version, table.ann.created_at) == (app, 1, NOW)
    common = ("turn", "winner", "terminal", "draw_offered_by")
    assert [table.metadata[key] for key in common] == [""] * 4
    assert (table.metadata["draw_offered"], table.metadata["move_count"]) == (False, 0)


def test_a_challenge_is_made_once_and_by_its_initiator(app: str) -> None:
    table = Table.challenged(app)
    table.forbid(BEN, "challenge")
    table = Table.active(app)
    table.forbid(ANN, "challenge")


def test_the_challenged_player_accepts(app: str) -> None:
    table = Table.active(app)
    assert table.status is Status.ACTIVE
    assert table.turn == table.metadata["first_turn"] == ANN


def test_the_challenger_cannot_accept(app: str) -> None:
    table = Table.challenged(app)
    payload = table.payload(BEN, "accept")
    table.forbid(ANN, "accept", payload)
    refusal(lambda: table.payload(ANN, "accept"), ErrorCode.PROTOCOL_ERROR, transition=True)


@pytest.mark.parametrize("who", [ANN, BEN])
def test_either_side_ends_a_pending_challenge(app: str, who: str) -> None:
    table = Table.challenged(app)
    table.play(who, "decline")
    assert table.status is Status.DECLINED


@pytest.mark.parametrize("who", [ANN, BEN])
@pytest.mark.parametrize("command", ["resign", "draw_offer", "draw_accept", "draw_decline"])
def test_a_pending_challenge_can_only_be_answered(app: str, command: str, who: str) -> None:
    Table.challenged(app).forbid(who, command)


@pytest.mark.parametrize("who", [ANN, BEN])
def test_a_move_needs_an_active_game(app: str, who: str) -> None:
    table = Table.challenged(app)
    payload = Table.active(app).payload(ANN, "move", FIRST[app])
    table.refuse(who, "move", payload, ErrorCode.INVALID_MOVE)
    refusal(lambda: table.payload(who, "move", FIRST[app]), ErrorCode.INVALID_MOVE)


@pytest.mark.parametrize("command", ["accept", "decline"])
@pytest.mark.parametrize("who", [ANN, BEN])
def test_an_active_game_is_not_answered_again(app: str, who: str, command: str) -> None:
    payload = Table.challenged(app).payload(BEN, "accept") if command == "accept" else {}
    Table.active(app).forbid(who, command, payload)


@pytest.mark.parametrize("how", ["declined", "cancelled", "resigned", "drawn"])
@pytest.mark.parametrize("who", [ANN, BEN])
def test_nothing_happens_in_an_ended_session(app: str, how: str, who: str) -> None:
    table = ended(app, how)
    assert table.status is (Status.DECLINED if how in ("declined", "cancelled") else Status.COMPLETED)
    for command in PLAIN:
        table.forbid(who, command)
    accept = Table.challenged(app).payload(BEN, "accept")
    table.forbid(who, "accept", accept)
    move = Table.active(app).payload(ANN, "move", FIRST[app])
    table.refuse(who, "move", move, ErrorCode.INVALID_MOVE)


@pytest.mark.parametrize("how", ["pending", "active"])
def test_nothing_happens_in_an_expired_session(app: str, how: str) -> None:
    table = Table.challenged(app) if how == "pending" else Table.active(app)
    for me, side in table.sides.items():
        expired = table.game.expire(side, NOW + 1e6)
        assert (expired.status, expired.last_action_at) == (Status.EXPIRED, side.last_action_at)
        assert table.game.normalise(expired) == expired
        table.sides[me] = expired
    for command in PLAIN:
        table.forbid(BEN, command)


def test_a_move_changes_the_turn(app: str) -> None:
    table = Table.active(app).moves(FIRST[app])
    assert (table.turn, table.metadata["move_count"], table.status) == (BEN, 1, Status.ACTIVE)
    table.moves(SECOND[app])
    assert (table.turn, table.metadata["move_count"]) == (ANN, 2)


def test_a_move_out_of_turn(app: str) -> None:
    table = Table.active(app)
    payload = table.payload(ANN, "move", FIRST[app])
    table.refuse(BEN, "move", payload, ErrorCode.NOT_YOUR_TURN)
    refusal(lambda: table.payload(BEN, "move", FIRST[app]), ErrorCode.NOT_YOUR_TURN)
    table.apply(ANN, "move", payload)
    table.refuse(ANN, "move", payload, ErrorCode.NOT_YOUR_TURN)


def test_a_move_where_nobody_is_to_move_is_refused(app: str) -> None:
    table = Table.active(app)
    payload = table.payload(ANN, "move", FIRST[app])
    for me, side in table.sides.items():
        table.sides[me] = replace(side, metadata={**side.metadata, "turn": ""})
    table.refuse(ANN, "move", payload, ErrorCode.INVALID_MOVE)


@pytest.mark.parametrize("who", [ANN, BEN])
def test_resigning_needs_no_turn(app: str, who: str) -> None:
    table = Table.active(app)
    table.play(who, "resign")
    assert table.status is Status.COMPLETED
    expected = ("win", "rsn") if app == "chess" else ("resign", None)
    assert (table.metadata["terminal"], table.metadata.get("reason")) == expected
    assert (table.metadata["winner"], table.turn) == (table.ann.other(who), "")


def test_an_unknown_command_is_illegal(app: str) -> None:
    Table.active(app).forbid(ANN, "castle")


@pytest.mark.parametrize("command", ["challenge", "accept", "decline", *PLAIN[1:]])
def test_intents_carry_nothing(app: str, command: str) -> None:
    table = Table.challenged(app)
    refusal(
        lambda: GAMES[app].intend(table.ben, BEN, command, {"x": 1}, tails),
        ErrorCode.PROTOCOL_ERROR,
    )


@pytest.mark.parametrize("command", ["challenge", "decline", *PLAIN[1:]])
@pytest.mark.parametrize("state", ["pending", "active"])
def test_payloads_of_plain_commands_are_empty(app: str, command: str, state: str) -> None:
    table = Table.challenged(app) if state == "pending" else Table.active(app)
    payloads: tuple[dict[Any, Any], ...] = ({"x": 1}, {"w": ANN}, {"r": ""}, {"r": 1}, {1: 2})
    for payload in payloads:
        table.refuse(ANN, command, payload, ErrorCode.PROTOCOL_ERROR)
