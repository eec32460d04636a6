"""The control server against well-behaved, wrong and hostile clients."""

from __future__ import annotations

import json
import logging
import socket
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lrgpnode.control.server import MAX_LINE
from tests.control.served import Raw, Served

WHILE_SERVED = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def code(answer: dict[str, Any] | None) -> int:
    assert answer is not None
    number = answer["error"]["code"]
    assert isinstance(number, int)
    return number


def alive(served: Served) -> bool:
    return served.connect().call("test.echo", text="x")["result"] == {"text": "x"}


def test_a_call(served: Served) -> None:
    answer = served.connect().ask(
        {"jsonrpc": "2.0", "id": "a", "method": "test.echo", "params": {"text": "é", "count": 2}}
    )
    assert answer == {"jsonrpc": "2.0", "id": "a", "result": {"text": "éé"}}


def test_no_params_and_a_null_id(served: Served) -> None:
    served.run(served.set_released())
    answer = served.connect().ask({"jsonrpc": "2.0", "id": None, "method": "test.wait"})
    assert answer == {"jsonrpc": "2.0", "id": None, "result": {}}


def test_a_notification_gets_no_response(served: Served) -> None:
    raw = served.connect()
    raw.send(b'{"jsonrpc":"2.0","method":"test.echo","params":{"text":"x"}}\n')
    raw.send(b'{"jsonrpc":"2.0","method":"no.such","params":{}}\n')
    assert raw.call("test.echo", text="y")["result"] == {"text": "y"}


def test_requests_are_answered_in_order(served: Served) -> None:
    raw, other = served.connect(), served.connect()
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "test.wait"}]
    lines += [
        {"jsonrpc": "2.0", "id": n, "method": "test.echo", "params": {"text": "x"}} for n in range(1, 20)
    ]
    raw.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    assert other.call("test.echo", text="not held up")["result"]
    served.run(served.set_released())
    assert [(raw.line() or {})["id"] for _ in lines] == list(range(20))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"\n", -32700),
        (b"{\n", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', -32700),
        (b"[" * 60000 + b"\n", -32700),
        (b'"x"\n', -32600),
        (b"[]\n", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"test.wait"}]\n', -32600),
        (b"{}\n", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"test.echo"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600),
        (b'{"jsonrpc":"2.0","id":[],"method":"test.echo"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"test.echo"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.nothing"}\n', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"__init__"}\n', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo"}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":["x"]}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":null}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":1}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"x","count":"2"}}\n', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"x","more":1}}\n', -32602),
    ],
)
def test_wrong_requests(served: Served, line: bytes, expected: int) -> None:
    raw = served.connect()
    raw.send(line)
    assert code(raw.line()) == expected
    assert raw.call("test.echo", text="still here")["result"] == {"text": "still here"}


def test_an_error_carries_the_id_where_there_is_one(served: Served) -> None:
    raw = served.connect()
    assert raw.ask({"id": 5, "method": "test.echo"})["id"] == 5
    assert raw.ask({"jsonrpc": "2.0", "id": 6, "method": "no"})["id"] == 6
    assert raw.ask({"jsonrpc": "2.0", "id": [7], "method": "test.echo"})["id"] is None


def test_application_errors(served: Served) -> None:
    raw = served.connect()
    assert raw.call("test.fail", how="control")["error"] == {
        "code": -32000,
        "message": "That is not allowed.",
        "data": {"kind": "illegal", "hint": "Do something else."},
    }
    assert raw.call("test.fail", how="translated")["error"]["data"] == {
        "kind": "translated",
        "hint": "a hint",
    }


@pytest.mark.parametrize("how", ["unexpected", "wrong"])
def test_a_defect_is_logged_and_tells_the_client_nothing(
    served: Served, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    raw = served.connect()
    with caplog.at_level(logging.ERROR, "lrgpnode.control"):
        assert raw.call("test.fail", how=how)["error"] == {"code": -32603, "message": "internal error"}
    assert caplog.records[0].exc_info
    assert raw.call("test.echo", text="x")["result"]


def test_the_longest_line_and_one_byte_more(served: Served) -> None:
    raw = served.connect()
    line = b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"%s"}}'
    fits = line.replace(b"%s", b"x" * (MAX_LINE - len(line) + 2))
    assert len(fits) == MAX_LINE
    raw.send(fits + b"\n")
    assert "result" in (raw.line() or {})
    raw.send(fits + b" \n")
    assert code(raw.line()) == -32600
    assert raw.line() is None
    assert alive(served)


def test_an_endless_line(served: Served) -> None:
    raw = served.connect()
    raw.send(b"x" * (4 * MAX_LINE))
    assert code(raw.line()) == -32600
    assert raw.line() is None
    assert alive(served)


def test_half_a_line_then_gone(served: Served) -> None:
    raw = served.connect()
    raw.send(b'{"jsonrpc":"2.0","id":1,"method":"test.e')
    raw.socket.shutdown(socket.SHUT_WR)
    assert raw.line() is None
    assert alive(served)


def test_a_line_in_pieces(served: Served) -> None:
    raw = served.connect()
    for byte in b'{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"x"}}\n':
        raw.send(bytes([byte]))
    assert (raw.line() or {})["result"] == {"text": "x"}


@WHILE_SERVED
@given(st.binary(max_size=300))
def test_random_bytes(served: Served, data: bytes) -> None:
    with closing(Raw(served.path)) as raw:
        raw.send(data + b"\n")
        for _ in range(data.count(b"\n") + 1):
            assert code(raw.line()) in (-32700, -32600)
        assert raw.call("test.echo", text="x")["result"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | JSON,
        "method": st.sampled_from(["test.echo", "test.fail", "events.subscribe"]) | JSON,
        "params": st.fixed_dictionaries({}, optional={"text": JSON, "count": JSON, "after": JSON}) | JSON,
    },
)


@WHILE_SERVED
@given(REQUESTS | JSON)
def test_random_requests(served: Served, request: Any) -> None:
    with closing(Raw(served.path)) as raw:
        raw.send(json.dumps(request).encode() + b"\n")
        answer = raw.call("test.echo", text="last")
        while answer.get("result") != {"text": "last"}:
            assert answer["jsonrpc"] == "2.0"
            if "error" in answer:
                assert code(answer) in (-32700, -32600, -32601, -32602, -32603)
            answer = raw.line() or {}


def test_many_connections(served: Served) -> None:
    connections = [served.connect() for _ in range(32)]
    assert all(raw.call("test.echo", text="x")["result"] for raw in connections)
    extra = served.connect()
    answer = extra.line()
    assert code(answer) == -32000
    assert (answer or {})["error"]["data"]["kind"] == "too_many_connections"
    assert extra.line() is None
    connections[0].socket.shutdown(socket.SHUT_WR)
    assert connections[0].line() is None
    assert alive(served)
