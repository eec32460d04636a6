"""Whatever players send: it is a move by the rules, or it is rejected with a reason and changes nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from gateway.rcadia.hosting.revive import NoGame, revived
from tests.gateway.rcadia.hosting.platform import ANN, BEN, SESSION, WORDS, Platform

APPS = ("ttt", "four_in_a_row", "chess")
MOST_PLIES = {"ttt": 9, "four_in_a_row": 42, "chess": 24}

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=40),
    st.sampled_from(["e2e4", "--", "0000", "O-O-O", "e9e9", "a7a8k", "é2e4", "resign ", "move", "99", "-1"]),
)
NAMES = st.sampled_from(
    [
        "type",
        "uci",
        "move",
        "san",
        "from",
        "to",
        "promotion",
        "cell",
        "index",
        "row",
        "column",
        "col",
        "m",
        "x",
    ]
)
GARBAGE = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
HUGE = st.sampled_from(
    [
        "e2e4" * 50_000,
        {"uci": "x" * 100_000},
        [[[[]]]] * 10_000,
        {"cell": 10**18},
        {"column": -1},
        {"row": 1, "column": 10**30},
        {"from": "e2" * 1000, "to": "e4", "promotion": "q" * 1000},
        {str(number): number for number in range(5000)},
    ]
)

DEEDS = st.sampled_from(["move", "move", "move", "wrong turn", "garbage", "stranger", "again"])


def _said(platform: Platform) -> dict[str, Any]:
    """All of the game that matters; which entry was the last does not."""
    game = platform.game
    return {"session": game.session, "offer": game.offer, "result": game.result, "players": game.players}


def _check_rejected(platform: Platform, player: str, action: Any, id: str | None = None) -> None:
    before = _said(platform)
    ops = platform.act(player, action, id)
    assert [op["op"] for op in ops] == ["reject"]
    assert (ops[0]["playerId"], ops[0]["actionId"]) == (player, platform.last_id)
    assert 0 < len(ops[0]["reason"]) <= 300
    assert ops[0]["reason"].isprintable()
    assert _said(platform) == before


@pytest.mark.parametrize("app", APPS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_random_games_with_hostile_players(app: str, data: st.DataObject) -> None:
    platform = Platform(app, number=data.draw(st.integers(1, 4)))
    assert platform.act(ANN, "e2e4") == []  # before there are players
    platform.start()
    for _ in range(data.draw(st.integers(0, MOST_PLIES[app]))):
        if platform.ended is not None:
            break
        waiting = BEN if platform.to_move == ANN else ANN
        match data.draw(
            st.sampled_from(["move", "move", "move", "wrong turn", "garbage", "stranger", "again"])
        ):
            case "move":
                legal = platform.legal
                action = data.draw(st.sampled_from(legal))
                ops = platform.act(platform.to_move, action)
                assert ops[0]["op"] == "state", (action, ops)
            case "wrong turn":
                _check_rejected(platform, waiting, data.draw(st.sampled_from(platform.legal)))
            case "garbage":
                _garbage(platform, data.draw(GARBAGE | HUGE))
            case "stranger":
                before = _said(platform)
                assert platform.act("p_stranger", platform.legal[0]) == []
                assert _said(platform) == before
            case "again":
                before = _said(platform)
                assert platform.act(platform.to_move, platform.legal[0], platform.last_id) == []
                assert _said(platform) == before
    if platform.ended is not None:
        assert platform.ended["winner"] in (ANN, BEN, None)
        for player in (ANN, BEN):
            _check_rejected(platform, player, "e2e4")


def _garbage(platform: Platform, action: Any) -> None:
    """Some garbage is a move; everything else is rejected."""
    before, player = _said(platform), platform.to_move
    ply, legal = platform.game.ply, len(platform.legal)
    ops = platform.act(player, action)
    if ops[0]["op"] == "reject":
        assert 0 < len(ops[0]["reason"]) <= 300
        assert _said(platform) == before
    else:
        assert platform.game.ply == ply + 1
        assert legal > 0
        assert len(json.dumps(platform.state)) < 20_000


@pytest.mark.parametrize("app", APPS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_a_game_is_taken_up_from_its_public_state(app: str, data: st.DataObject) -> None:
    platform = Platform(app, number=data.draw(st.integers(1, 2)))
    platform.start()
    for _ in range(data.draw(st.integers(0, MOST_PLIES[app]))):
        action = data.draw(st.sampled_from(platform.legal))
        if data.draw(st.booleans()):
            action = action | {"offerDraw": True}
        platform.act(platform.to_move, action)
        if platform.ended is not None:
            return
    again = revived(
        WORDS[app], SESSION, number=platform.game.round, state=json.loads(json.dumps(platform.state))
    )
    game = platform.game
    assert (again.session, again.players, again.offer, again.seq) == (
        game.session,
        game.players,
        game.offer,
        game.seq,
    )
    assert (again.turn, again.first, again.phase) == (game.turn, game.first, game.phase)


@given(
    state=GARBAGE
    | st.fixed_dictionaries(
        {"game": st.just("chess"), "seq": st.just(1)},
        optional={
            "players": GARBAGE | st.just([ANN, BEN]),
            "white": GARBAGE | st.just(ANN),
            "moves": GARBAGE,
        },
    )
)
@settings(max_examples=60, deadline=None)
def test_what_is_no_state_of_ours_is_refused(state: Any) -> None:
    try:
        game = revived(WORDS["chess"], SESSION, number=1, state=state)
    except NoGame:
        return
    assert game.session is None or set(game.players) == {ANN, BEN}
