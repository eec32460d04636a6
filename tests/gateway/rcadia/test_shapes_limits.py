"""What is recognised of names, order, offers and results, and above all what is not."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from gateway.lines import line_of
from gateway.rcadia.shapes import order, results
from gateway.rcadia.shapes.errors import NotOneMove, Unreadable
from gateway.rcadia.shapes.games import word_of, words_in
from gateway.rcadia.shapes.lobby import unplayable
from gateway.rcadia.shapes.reader import Reader
from gateway.rcadia.shapes.which import app_of, playable
from gateway.rcadia.wire import LastAction, Player, Snapshot, Table
from gateway.seat import Reason, Side, Winner, Word

US, THEM = "p_00000001", "p_00000002"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
TTT = {"board": ["", "", "", "", "", "", "", "", ""]}


def shown(**fields: Any) -> Snapshot:
    players = [Player(player_id=US, seat=0, as_name="Ann"), Player(player_id=THEM, seat=1, as_name="Fish")]
    given: dict[str, Any] = {"status": "active", "turn": 5, "players": players, **fields}
    return Snapshot(session_id="ses_a1b2c3d4e5f6", player_id=US, **given)


# Which game


@pytest.mark.parametrize(
    ("names", "app"),
    [
        ({"game_title": "Chess"}, "chess"),
        ({"game_slug": "tic-tac-toe"}, "ttt"),
        ({"game_title": "Connect Four", "config": {"gameType": "connect4"}}, "four_in_a_row"),
        ({"game_title": "RCADIA Chess"}, "chess"),
        ({"game_title": "Chess (rapid)"}, "chess"),
        ({"skill_url": "https://api.rcadia.xyz/games/chess/skill.md"}, "chess"),
        ({"game_title": "My game", "config": {"gameType": "chess"}}, "chess"),
        ({"game_title": "Chess 960"}, None),
        ({"game_title": "Chess Poker"}, None),
        ({"game_title": "Chess", "config": {"gameType": "tictactoe"}}, None),
        ({"game_title": "Ultimate Tic-Tac-Toe"}, None),
        ({}, None),
    ],
)
def test_the_game_of_a_table(names: dict[str, Any], app: str | None) -> None:
    assert app_of(Table(session_id="ses_a1b2c3d4e5f6", **names)) == app


@pytest.mark.parametrize(
    ("config", "seats", "good"),
    [
        ({"minPlayers": 2, "maxPlayers": 2, "turnBased": True, "simultaneous": False}, 2, True),
        ({}, 2, True),
        ({"maxPlayers": 4}, 2, False),
        ({}, 4, False),
        ({"simultaneous": True}, 2, False),
        ({"turnBased": False}, 2, False),
        ({"turnBased": "perhaps"}, 2, False),
    ],
)
def test_only_tables_for_two_in_turn(config: dict[str, Any], seats: int, good: bool) -> None:
    assert playable(Table(session_id="ses_a1b2c3d4e5f6", max_players=seats, config=config)) is good


@pytest.mark.parametrize(
    ("state", "good"),
    [
        (None, True),
        ({}, True),
        ({"phase": "waiting", "players": [US], "message": "Waiting for players.", "round": 1}, True),
        ({"fen": START}, True),
        ({"fen": "8/8/8/4k3/8/8/4P3/4K3 w - - 0 50"}, True),  # left over from the game before
        ({"hexes": [[1, 2], [3]]}, False),
        ({"tiles": "a0b1c2d3e4f5g6h7"}, False),
        ([[1, 2], [3, 4]], False),
    ],
)
def test_what_may_be_seen_before_a_game(state: Any, good: bool) -> None:
    assert (unplayable("chess", state) == "") is good


# Reading


@pytest.mark.parametrize(
    "state",
    [
        None, 5, "", [], {}, "chess", {"board": []}, {"board": [[None] * 8] * 7}, {"fen": "not one"},
        {"board": [["?"] * 8] * 8}, {"board": "x" * 63}, {"moves": 7}, {"moves": ["e2e5"]}, {"moves": ["--"]},
        {"pgn": "1. e4 (1. d4) e5"}, {"moves": [None]}, {"moves": [{"from": "e2"}]},
        {"moves": ["e2e4"] * 5000},
        {"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, {"pieces": {"e4": "wP"}},
    ],
)  # fmt: skip
def test_a_state_that_is_none_of_chess(state: Any) -> None:
    with pytest.raises(Unreadable):
        Reader("chess").read(state)


@pytest.mark.parametrize(
    "state",
    [
        None, {"board": ["X"] * 8}, {"board": [["X"] * 3] * 2}, {"board": [[["X"]] * 3] * 3},
        {"moves": [9, 9]},
        {"board": {"a": "X"}}, {"board": "XOXOX"}, {"moves": [0, 0]}, {"board": ["X", "O", 3, *[""] * 6]},
    ],
)  # fmt: skip
def test_a_state_that_is_none_of_tic_tac_toe(state: Any) -> None:
    with pytest.raises(Unreadable):
        Reader("ttt").read(state)


def test_positions_that_are_not_one_move_away() -> None:
    known = line_of("chess", ["e2e4"])
    for fen in (
        START.replace(" w ", " b "),
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3",  # White moved twice
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",  # nobody did
        "8/8/8/4k3/8/8/4P3/4K3 w - - 0 50",
    ):
        with pytest.raises(NotOneMove):
            Reader("chess").read({"fen": fen}, known)


def test_a_board_with_a_stone_too_many_is_not_read() -> None:
    with pytest.raises(NotOneMove):
        Reader("ttt").read({"board": ["X", "X", "X", "O", "", "", "", "", ""]})


def test_a_list_that_is_not_complete_gives_way_to_the_board() -> None:
    known = line_of("ttt", [4, 0])
    state = {"moves": [8], "board": ["O", "", "", "", "X", "", "", "", "X"]}
    assert Reader("ttt").read(state, known).moves == (4, 0, 8)


def test_counting_from_0_or_1_is_decided_by_what_we_may_do() -> None:
    state = {"moves": [4]}
    with pytest.raises(Unreadable, match="several ways"):
        Reader("ttt").read(state)
    from_0 = [0, 1, 2, 3, 5, 6, 7, 8]
    assert Reader("ttt").read(state, legal=from_0).moves == (4,)
    assert Reader("ttt").read(state, legal=[cell + 1 for cell in range(9) if cell != 3]).moves == (3,)
    assert Reader("ttt").read({"moves": [4, 9]}).moves == (3, 8)
    assert Reader("ttt").read({"moves": [4, 5]}, line_of("ttt", [4])).moves == (4, 5)


@pytest.mark.parametrize(("from_", "moves"), [(0, (3,)), (1, (2,))])
def test_a_list_of_columns_counts_as_what_we_may_do(from_: int, moves: tuple[int, ...]) -> None:
    """All columns are open whichever way the list is read."""
    state, legal = {"moves": [3]}, [{"type": "move", "column": from_ + at} for at in range(7)]
    assert Reader("four_in_a_row").read(state, legal=legal).moves == moves
    with pytest.raises(Unreadable, match="several ways"):
        Reader("four_in_a_row").read(state)


def test_who_began_is_not_guessed_from_the_look_of_stones() -> None:
    both = {"board": ["red", "blue", "", "", "", "", "", "", ""]}
    with pytest.raises(NotOneMove, match="several ways"):
        Reader("ttt").read(both)
    usual = {"board": ["O", "X", "", "", "", "", "", "", ""]}
    assert Reader("ttt").read(usual).moves == (1, 0)


def test_a_board_seen_from_behind_is_known_from_its_beginning() -> None:
    reader = Reader("chess")
    mirrored = [list(row)[::-1] for row in ("rnbqkbnr", "pppppppp", "." * 8, "." * 8, "." * 8, "." * 8)]
    mirrored += [list("PPPPPPPP"), list("RNBQKBNR")[::-1]]
    assert reader.read({"board": mirrored}).ply == 0
    moved = [list(row) for row in mirrored]
    moved[6][3], moved[4][3] = ".", "P"  # the e-file, seen from behind
    assert reader.read({"board": moved}).moves == ("e2e4",)


# Offers


def test_a_promotion_that_is_not_named_gets_its_piece() -> None:
    line = line_of("chess", ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6"])
    offer = Reader("chess").offer(line, ["b7a8", {"type": "move", "from": "h2", "to": "h3"}])
    assert offer.moves["b7a8n"] == "b7a8n"
    assert offer.moves["h2h3"] == {"type": "move", "from": "h2", "to": "h3"}
    offer = Reader("chess").offer(
        line, [{"type": "move", "from": "b7", "to": "a8", "promotions": ["q", "n"]}]
    )
    assert offer.moves == {
        move: {"type": "move", "from": "b7", "to": "a8", "promotion": move[4]} for move in ("b7a8q", "b7a8n")
    }
    offer = Reader("chess").offer(line, [{"move": "h3"}, {"move": {"from": "b7", "to": "a8"}}])
    assert set(offer.moves) >= {"h2h3", "b7a8q", "b7a8n"}
    assert offer.moves["b7a8r"] == {"move": {"from": "b7", "to": "a8", "promotion": "r"}}
    assert set(Reader("chess").offer(line, ["b7a8q", "h2h3"]).moves) == {"b7a8q", "h2h3"}


@pytest.mark.parametrize(
    "legal",
    [
        [],
        ["e2e5"],
        ["e7e5"],
        [{"from": "e2"}],
        [{"type": "chat"}],
        ["e2e4", "e7e5"],
        [None],
        [5],
        [["e2", "e5"]],
    ],
)
def test_offers_that_do_not_fit_the_position(legal: list[Any]) -> None:
    with pytest.raises(Unreadable):
        Reader("chess").offer(line_of("chess"), legal)


@pytest.mark.parametrize(
    "legal", [[], [0, 1, 2], list(range(10)), ["a1"], [{"row": 5, "col": 1}], [{"hex": 3}], [[0]], [True]]
)
def test_offers_that_do_not_fit_a_grid(legal: list[Any]) -> None:
    with pytest.raises(Unreadable):
        Reader("ttt").offer(line_of("ttt"), legal)


def test_words_beside_moves() -> None:
    legal = ["e2e4", "resign", {"type": "offer_draw"}, {"action": "claimDraw"}, {"type": "chat", "text": ""}]
    offer = Reader("chess").offer(line_of("chess"), legal)
    assert offer.moves == {"e2e4": "e2e4"}
    assert offer.words == {
        Word.RESIGN: "resign",
        Word.DRAW_OFFER: {"type": "offer_draw"},
        Word.CLAIM: {"action": "claimDraw"},
    }
    assert word_of({"type": "accept_draw"}) is Word.DRAW_ACCEPT
    assert word_of({"type": "move"}) is None
    state = {"otherActions": [{"type": "resign"}, {"type": "dance"}]}
    assert words_in(state) == {Word.RESIGN: {"type": "resign"}}


# Who is who


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"turn": 1, "your_turn": True}, Side.US),
        ({"turn": 1, "waiting_for": "opponent"}, Side.THEM),
        ({"turn": 1, "waiting_for": "host"}, None),
        ({"turn": 0, "waiting_for": "opponent"}, None),
        ({"turn": 2, "your_turn": True}, None),
        ({"status": "waiting", "turn": 0}, None),
        (
            {"turn": 1, "waiting_for": "host", "last_action": LastAction(action_id="a", turn=1)},
            Side.US,
        ),
    ],
)
def test_the_first_turn_says_who_began(fields: dict[str, Any], first: Side | None) -> None:
    assert order.first_side("chess", shown(**fields), None) is first


def test_our_turn_in_a_position_says_who_began() -> None:
    snapshot = shown(turn=6, your_turn=True)
    assert order.first_side("ttt", snapshot, line_of("ttt", [4]), proved=True) is Side.THEM
    assert order.first_side("ttt", snapshot, line_of("ttt", [4, 0]), proved=True) is Side.US
    assert order.first_side("ttt", snapshot, line_of("ttt", [4, 0])) is None


@pytest.mark.parametrize(
    ("app", "state", "first"),
    [
        ("chess", {"white": US, "black": THEM}, Side.US),
        ("chess", {"white": THEM}, Side.THEM),
        ("chess", {"black": {"id": US}}, Side.THEM),
        ("chess", {"whitePlayerId": THEM}, Side.THEM),
        ("chess", {"players": {"white": THEM, "black": US}}, Side.THEM),
        ("chess", {"colors": {US: "black", THEM: "white"}}, Side.THEM),
        ("chess", {"players": [{"playerId": US, "color": "w"}, {"playerId": THEM, "color": "b"}]}, Side.US),
        ("chess", {"yourColor": "black"}, Side.THEM),
        ("chess", {"white": "Fish"}, Side.THEM),
        ("chess", {"white": "somebody"}, None),
        ("chess", {"white": US, "black": US}, None),
        ("ttt", {"X": THEM, "O": US}, Side.THEM),
        ("ttt", {"symbols": {US: "X"}}, Side.US),
        ("ttt", {"players": [{"id": US, "mark": "O"}]}, Side.THEM),
        ("four_in_a_row", {"firstPlayer": US}, Side.US),
        ("four_in_a_row", {"game": {"secondPlayer": US}}, Side.THEM),
        ("four_in_a_row", {"red": US, "yellow": THEM}, None),
    ],
)
def test_fields_that_say_who_began(app: str, state: Any, first: Side | None) -> None:
    assert order.first_side(app, shown(state=state), None) is first


# Results


@pytest.mark.parametrize(
    ("result", "winner", "reason"),
    [
        ({"winner": US, "reason": "timeout", "forfeitedBy": THEM, "strikes": 2}, Winner.US, Reason.TIMEOUT),
        ({"winner": THEM, "reason": "left", "forfeitedBy": US}, Winner.THEM, Reason.LEFT),
        ({"winner": None, "reason": "host_disconnected"}, Winner.NONE, Reason.HOST_LOST),
        ({"winner": None, "reason": "session_lost"}, Winner.NONE, Reason.HOST_LOST),
        ({"winner": US, "reason": "host_left"}, Winner.NONE, Reason.HOST_LOST),
        ({"winner": None, "reason": "threefold_repetition"}, Winner.NONE, Reason.CLAIMED),
        ({"winner": None, "reason": "agreement", "draw": True}, Winner.NONE, Reason.AGREED),
        ({"winner": "white", "reason": "resignation"}, Winner.US, Reason.RESIGNED),
        ({"winner": "black"}, Winner.THEM, Reason.OTHER),
        ({"winner": 1}, Winner.THEM, Reason.OTHER),
        ({"winner": "Ann"}, Winner.US, Reason.OTHER),
        ({"winner": "draw"}, Winner.NONE, Reason.OTHER),
        ({"winnerId": THEM}, Winner.THEM, Reason.OTHER),
        ({"result": "0-1"}, Winner.THEM, Reason.OTHER),
        ("1-0", Winner.US, Reason.OTHER),
        ({"forfeitedBy": US}, Winner.THEM, Reason.LEFT),
        ({"reason": "aborted", "winner": US}, Winner.NONE, Reason.ABORTED),
        ({"winner": None, "reason": "insufficient_material"}, Winner.NONE, Reason.CLAIMED),
        ({"winner": None, "reason": "zugzwang"}, Winner.NONE, Reason.OTHER),
        (None, Winner.NONE, Reason.OTHER),
        ([1], Winner.NONE, Reason.OTHER),
    ],
)
def test_results(result: Any, winner: Winner, reason: Reason) -> None:
    snapshot = shown(status="finished", result=result)
    said = results.finished("chess", snapshot, line_of("chess", ["e2e4"]), Side.US)
    assert said[:2] == (winner, reason)


def test_a_result_that_only_the_board_says() -> None:
    line = line_of("ttt", [0, 3, 1, 4, 2])
    for first, winner in ((Side.US, Winner.US), (Side.THEM, Winner.THEM)):
        said = results.finished("ttt", shown(status="finished", result={}), line, first)
        assert said == (winner, Reason.BOARD, "")


def test_the_text_of_a_result_is_one_bounded_line() -> None:
    result = {"winner": None, "reason": "a\nb\x1b[31m_c " + "x" * 500}
    _, _, text = results.finished("chess", shown(status="finished", result=result), None, None)
    assert text.startswith("a b [31m c xxx")
    assert len(text) == 120


# Hostile tables


@pytest.mark.parametrize(
    "state",
    [
        {"pgn": "{" * 39_000},
        {"pgn": "\n" * 39_000},
        {"pgn": "[" * 39_000},
        {"moves": "e4 " * 13_000},
        {"fen": "8/" * 200},
        {"board": [[{}] * 1000] * 100},
        {"state": {"state": {"state": {"state": {"fen": START}}}}},
        {f"k{n}": n for n in range(100_000)},
    ],
    ids=range(8),
)
def test_reading_takes_no_time_to_speak_of(state: Any) -> None:
    began = time.process_time()
    for app in ("chess", "ttt", "four_in_a_row"):
        try:
            assert Reader(app).read(state).ply == 0  # a list without a move in it
        except Unreadable:
            continue
    assert time.process_time() - began < 2


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.text("eE24xX0O_./w ", max_size=9),
    lambda inner: (
        st.lists(inner, max_size=9)
        | st.dictionaries(
            st.sampled_from(["board", "moves", "fen", "from", "to", "cell", "type", "0"]), inner
        )
    ),
    max_leaves=30,
)


@settings(max_examples=25, deadline=None)
@given(state=ANY, legal=st.lists(ANY, max_size=9), app=st.sampled_from(["chess", "ttt", "four_in_a_row"]))
def test_any_json_is_read_or_refused(state: Any, legal: list[Any], app: str) -> None:
    reader = Reader(app)
    try:
        line = reader.read(state, legal=legal)
    except Unreadable:
        line = line_of(app)
    try:
        offer = reader.offer(line, legal)
    except Unreadable:
        return
    assert set(offer.moves) <= set(line.legal())
    unplayable(app, state)
    order.first_side(app, shown(state=state), line)
    results.finished(app, shown(status="finished", result=state), line, Side.US)
