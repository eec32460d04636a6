"""Messages: literals of the protocol's text and of what was recorded, and what a server makes of input."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from gateway.agentgames.wire import (
    C4,
    CHESS,
    TTT,
    C4Observation,
    ChessObservation,
    Error,
    Hello,
    Join,
    Malformed,
    Move,
    PlainText,
    Queued,
    Result,
    State,
    TttObservation,
    encode,
    go_int,
    join_first,
    no_opponent,
    observation_of,
    rating_of,
    read_answer,
    read_observation,
    read_request,
    unknown_game,
)
from tests.gateway.agentgames import recorded

LEGAL = ["1", "2", "3", "5", "6", "7", "8"]
BOARD = ["X", ".", ".", ".", "O", ".", ".", ".", "."]


def test_there_are_all_transcripts() -> None:
    assert len(recorded.NAMES) == 46


@pytest.mark.parametrize("name", recorded.NAMES)
def test_all_that_was_recorded_is_read_and_written_alike(name: str) -> None:
    for entry in recorded.read(name):
        if entry["dir"] != "s2c" or not entry.get("data", "").startswith("{"):
            continue
        answer = read_answer(entry["data"])
        assert answer is not None
        assert json.loads(encode(answer)) == json.loads(entry["data"])
        if isinstance(answer, State):
            game = TTT if "[[" not in entry["data"] else C4
            read = read_observation(game, answer.observation)
            assert json.loads(bytes(observation_of(read))) == json.loads(bytes(answer.observation))


def test_what_servers_say() -> None:
    assert read_answer('{"type":"queued","game":"ttt"}') == Queued(game="ttt")
    hello = read_answer(b'{"opponent":"agent-bob","player":0,"x":[1],"game":"ttt","type":"hello"}\n')
    assert hello == Hello(player=0, game="ttt", opponent="agent-bob")
    result = read_answer('{"type":"result","winner":-1,"outcome":"draw","rating":1501.4695015289756}')
    assert result == Result(winner=-1, outcome="draw", rating=1501.4695015289756)
    lost = read_answer(
        '{"type":"result","winner":1,"outcome":"loss","reason":"forfeit: move timeout","rating":1484}'
    )
    assert lost == Result(winner=1, outcome="loss", rating=1484.0, reason="forfeit: move timeout")
    assert read_answer('{"type":"error","error":"no"}') == Error(error="no")
    assert read_answer('{"type":"chat","text":"hi"}') is None
    assert read_answer('{"typ":"chat"}') is None


def test_what_servers_show() -> None:
    state = read_answer(
        '{"type":"state","observation":{"board":["X",".",".",".","O",".",".",".","."],"toMove":0,'
        '"legal":["1","2","3","5","6","7","8"]},"yourTurn":true}'
    )
    assert isinstance(state, State)
    assert state.your_turn
    assert read_observation(TTT, state.observation) == TttObservation(board=BOARD, to_move=0, legal=LEGAL)
    c4 = b'{"board":[[".","X"],["O","."]],"toMove":1,"legal":["0"]}'
    assert read_observation(C4, msgspec.Raw(c4)) == C4Observation(
        board=[[".", "X"], ["O", "."]], to_move=1, legal=["0"]
    )
    chess = b'{"fen":"8/8 w - - 0 1","toMove":0,"legal":["a2a3"],"moves":["e2e4","e7e5"]}'
    assert read_observation(CHESS, msgspec.Raw(chess)) == ChessObservation(
        fen="8/8 w - - 0 1", to_move=0, legal=["a2a3"], moves=["e2e4", "e7e5"]
    )
    for bad in (b"[]", b'{"board":7,"toMove":0,"legal":[]}', b'{"board":[],"toMove":2,"legal":[]}', b"null"):
        with pytest.raises(Malformed):
            read_observation(TTT, msgspec.Raw(bad))
    with pytest.raises(Malformed):
        read_observation("go", msgspec.Raw(b"{}"))


def test_what_a_client_needs_not_may_be_wrong() -> None:
    result = read_answer('{"type":"result","winner":0,"outcome":"win","rating":"high","reason":null}')
    assert isinstance(result, Result)
    assert rating_of(result) is None
    assert result.reason == ""
    assert read_answer('{"type":"hello","player":1,"opponent":[]}') == Hello(player=1, game="", opponent="")
    assert read_answer('{"type":"error"}') == Error(error="")


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"hello","player":2,"game":"ttt","opponent":"x"}',
        '{"type":"hello","game":"ttt","opponent":"x"}',
        '{"type":"state","observation":{}}',
        '{"type":"state","yourTurn":true}',
        '{"type":"result","winner":3,"outcome":"win","rating":1}',
        '{"type":"result","winner":0,"outcome":"victory","rating":1}',
    ],
)
def test_what_a_client_needs_must_be_there(line: str) -> None:
    with pytest.raises(Malformed):
        read_answer(line)


@pytest.mark.parametrize(
    "line", ["key not registered \u2014 run: ssh join@localhost\n", "", "[1]", "7", '"x"', "{bad", "[" * 9999]
)
def test_a_line_that_is_no_json_object_is_told_with_its_text(line: str) -> None:
    with pytest.raises(PlainText) as told:
        read_answer(line)
    assert told.value.text == line.strip()


def test_what_is_written() -> None:
    assert encode(Move(move="4")) == b'{"type":"move","move":"4"}\n'
    assert encode(Join(game="c4")) == b'{"type":"join","game":"c4"}\n'
    said = encode(Result(winner=0, outcome="win", rating=1516.0))
    assert json.loads(said) == {"type": "result", "winner": 0, "outcome": "win", "rating": 1516}
    seen = observation_of(TttObservation(board=BOARD, to_move=0, legal=LEGAL))
    assert json.loads(encode(State(observation=seen, your_turn=False))) == {
        "type": "state",
        "observation": {"board": BOARD, "toMove": 0, "legal": LEGAL},
        "yourTurn": False,
    }


def test_errors_have_the_words_of_the_reference_server() -> None:
    assert unknown_game("chess", ["ttt", "c4"]).error == "unknown game chess; games: c4, ttt"
    assert join_first(["ttt", "c4"]).error == 'send {"type":"join","game":"<id>"} first; games: c4, ttt'
    assert no_opponent().error == "no opponent found \u2014 try again later"


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ('{"type":"join","game":"ttt"}', Join(game="ttt")),
        ('{"TYPE":"join","Game":"ttt","extra":[1,2]}', Join(game="ttt")),
        ('{"MOVE":"4","id":99,"Type":"move","comment":"hi"}', Move(move="4")),
        ('{"type":"move","move":"2","move":"8"}', Move(move="8")),
        ('{"type":"move","move":"2","MOVE":"8"}', Move(move="8")),
        ('{"type":"move","move":"2","move":null}', Move(move="2")),
        ('{"type":"move","move":"4"}\r\n', Move(move="4")),
        ('  {"type":"move","move":" 4"}', Move(move=" 4")),
        ('{"type":"move","move":"4","x":{"move":"5"},"y":1e999}', Move(move="4")),
        ('{"type":"move","move":"\\ud800"}', Move(move="\ufffd")),
        (b'{"type":"move","move":"\xff"}', Move(move="\ufffd")),
        ('{"type":"join","game":"TTT"}', Join(game="TTT")),
    ],
)
def test_what_a_server_takes(line: str | bytes, request_: object) -> None:
    assert read_request(line) == request_


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"move","move":4}',
        '{"type":"move","move":""}',
        '{"type":"move"}',
        '{"type":"move","move":"4","game":7}',
        '{"type":"join","game":7}',
        '{"type":"join"}',
        '{"type":"JOIN","game":"ttt"}',
        '{"type":"ping"}',
        '{"type":"resign"}',
        '{"type":"move","move":"7"}\n{"type":"move","move":"2"}',
        "{bad",
        "[1]",
        "[]",
        "null",
        '"move"',
        "",
        "not json",
        '{"type":"move","move":"4","x":NaN}',
        '\ufeff{"type":"move","move":"4"}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_a_server_ignores(line: str | bytes) -> None:
    assert read_request(line) is None


@pytest.mark.parametrize(
    ("token", "number"),
    [
        ("4", 4), ("+4", 4), ("00", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None), (" 4", None), ("4.0", None), ("e2", None), ("", None), ("4\n", None),
        ("\u0664", None), ("1_0", None), ("0x1", None), ("9" * 5000, None), ("0" * 30 + "4", 4),
    ],
)  # fmt: skip
def test_move_tokens_are_go_integers(token: str, number: int | None) -> None:
    assert go_int(token) == number


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_nothing_breaks_the_reading(line: bytes | str) -> None:
    read_request(line)
    with contextlib.suppress(PlainText, Malformed):
        read_answer(line)


KEYS = ["type", "game", "player", "winner", "observation", "yourTurn", "board", "legal", "toMove"]
KINDS = ["queued", "hello", "state", "result", "error"]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS), inner))


@given(st.dictionaries(st.sampled_from(KEYS), VALUES), st.sampled_from(KINDS))
def test_no_answer_breaks_the_reading(value: dict[str, Any], kind: str) -> None:
    with contextlib.suppress(PlainText, Malformed):
        answer = read_answer(json.dumps({**value, "type": kind}))
        if isinstance(answer, State):
            read_observation(TTT, answer.observation)


@pytest.mark.parametrize(
    ("rating", "written"),
    [(1516.0, "1516"), (1484.0, "1484"), (-3.0, "-3"), (1530.5304984710244, "1530.5304984710244")],
)
def test_a_rating_is_written_as_go_writes_a_float(rating: float, written: str) -> None:
    line = encode(Result(winner=0, outcome="win", rating=rating))
    assert line == b'{"type":"result","winner":0,"outcome":"win","rating":%s}\n' % written.encode()
