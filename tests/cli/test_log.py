"""``lrgpnode log``: the last lines, new ones as they come, and the level."""

from __future__ import annotations

from typing import Any

from lrgpnode.control import models
from tests.cli.conftest import Run
from tests.cli.fakes import FakeNode

LINE = models.LogLine(
    number=7, at=61.0, level="warning", logger="lrgpnode.mesh", text="no \x1b[1mpeer\n    Traceback\x07"
)


def page(*lines: models.LogLine, number: int = 7) -> models.LogPage:
    return models.LogPage(level="info", number=number, lines=lines)


def test_lines(node: FakeNode, run: Run) -> None:
    node.results["node.log"] = page(LINE)
    ran = run("log")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "1970-01-01 00:01:01 warning lrgpnode.mesh: no [1mpeer\n    Traceback\n"
    assert run("log", "--json").json["number"] == 7
    run("log", "-n", "3", "--level", "error")
    asked: dict[str, Any] = {"after": 0, "wait": 0.0}
    assert [call[1] for call in node.calls] == [
        {"limit": 50, "level": "debug", **asked},
        {"limit": 50, "level": "debug", **asked},
        {"limit": 3, "level": "error", **asked},
    ]


def test_following_asks_for_what_is_new_until_the_node_is_gone(node: FakeNode, run: Run) -> None:
    node.results["node.log"] = page(LINE)
    pages = iter([page(LINE), page(number=9), page(LINE, number=11)])

    def next_page(params: models.LogParams) -> models.LogPage:
        node.calls.append(("node.log", {"after": params.after, "wait": params.wait}))
        following = next(pages, None)
        if following is None:
            node.leave()
            return page()
        return following

    node.answers["node.log"] = next_page
    ran = run("log", "--follow", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count('"number": 7') == 2
    assert [call[1]["after"] for call in node.calls] == [0, 7, 9, 11]
    assert [call[1]["wait"] > 0 for call in node.calls] == [False, True, True, True]


def test_the_level(node: FakeNode, run: Run) -> None:
    node.results["node.log_level"] = models.LogLevelSet(level="debug", previous="info")
    assert run("log", "--set-level", "debug").out == "The node logs debug and above; before, it was info.\n"
    assert node.calls == [("node.log_level", {"level": "debug"})]
    assert run("log", "--set-level", "debug", "--json").json == {"level": "debug", "previous": "info"}
    assert run("log", "--set-level", "debug", "-f").code == 2
