"""Every way to fail: one sentence, what to do next, and the exit code."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lrgpnode import app
from lrgpnode.cli import exits
from lrgpnode.cli.exits import Exit
from lrgpnode.control.server import ControlError
from tests.cli.conftest import Run, Start
from tests.cli.fakes import FakeNode


def test_no_node(run: Run, short_path: Path) -> None:
    ran = run("status")
    start = f"lrgpnode --data {short_path} --socket {short_path / 's'} run"
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == f"lrgpnode: No node is running for {short_path}. Start it with `{start}`.\n"
    assert run("watch").code == 3
    ran = run("games", "--json")
    assert (ran.code, ran.err) == (3, "")
    assert ran.json == {
        "error": {
            "kind": "not_running",
            "message": f"No node is running for {short_path}.",
            "hint": f"Start it with `{start}`.",
        }
    }


def test_a_socket_that_nobody_serves(run: Run, short_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(short_path / "s"))
    assert run("status").code == 3


def test_a_socket_of_others(run: Run, node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", type("Refusing", (socket.socket,), {"connect": refuse}))
    ran = run("status")
    assert ran.code == 3
    assert f"You may not open the node's socket {node.path}." in ran.err
    assert "adduser" in ran.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ControlError("validation", "No such move", "Try e4."), 1, "No such move. Try e4."),
        (ControlError("storage", "The disk is full."), 4, "The disk is full."),
        (RuntimeError("secret"), 1, "The node failed because of a defect. Its log says more."),
        (ControlError("x", "\x1b[2J\u202ebad\nname"), 1, "[2Jbad name."),
    ],
)
def test_refusals(run: Run, node: FakeNode, error: Exception, code: int, said: str) -> None:
    node.results["game.move"] = error
    ran = run("move", "3f", "e4")
    assert (ran.code, ran.out, ran.err) == (code, "", f"lrgpnode: {said}\n")
    as_json = run("move", "3f", "e4", "--json")
    assert (as_json.code, as_json.err) == (code, "")
    assert set(as_json.json["error"]) == {"kind", "message", "hint"}


def test_a_node_that_does_not_answer(run: Run, short_path: Path, program: str) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short_path / "s"))
        server.listen()

        def hang_up() -> None:
            connection, _ = server.accept()
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        ran = run("resign", "3f", "--json")
        thread.join()
    assert ran.code == 6
    assert ran.json["error"]["kind"] == "disconnected"
    assert f"{program} games" in ran.json["error"]["hint"]


def test_a_mistyped_command(run: Run) -> None:
    ran = run("mvoe", "3f", "e4")
    assert ran.code == 2
    assert "No such command 'mvoe'. Did you mean 'move'?" in ran.err
    assert "mean" not in run("xyzzy").err


WRONG = [
    ("nonsense",),
    ("games", "xyz"),
    ("games", "0" * 17),
    ("games", ""),
    ("games", "--filter", "none"),
    ("games", "--limit", "51"),
    ("move", "3f"),
    ("move", "3f", "x" * 257),
    ("move", "3f", " "),
    ("draw", "3f", "please"),
    ("accept",),
    ("accept", "3f", "more"),
    ("challenge", "bob"),
    ("challenge", "", "chess"),
    ("challenge", "bob\n", "chess"),
    ("challenge", "bob", "chess", "--intent", "[1]"),
    ("challenge", "bob", "chess", "--intent", "{"),
    ("watch", "--count", "0"),
    ("watch", "--after", "x"),
    ("peers", "--nonsense"),
    ("identity", "nonsense"),
    ("db", "nonsense"),
    ("db", "backup"),
]


@pytest.mark.parametrize("args", WRONG, ids=" ".join)
def test_wrong_usage(run: Run, node: FakeNode, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lrgpnode: ")
    assert ran.err.count("\n") == 1
    assert "See `lrgpnode" in ran.err
    as_json = run(args[0], "--json", *args[1:])
    assert (as_json.code, as_json.err) == (2, "")
    assert as_json.json["error"]["kind"] == "usage"
    assert node.calls == []


@pytest.mark.parametrize("args", [("--help",), ("games", "-h"), ("db", "--help"), ("--version",)])
def test_help_is_no_error(run: Run, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


@pytest.mark.parametrize("args", [("identity",), ("db",)])
def test_a_group_without_a_command_shows_its_help(run: Run, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert ran.code == 2
    assert "Commands:" in ran.err


def test_a_path_that_cannot_be(run: Run) -> None:
    ran = run("--socket", "/tmp/" + "x" * 200, "status", "--json")
    assert ran.code == 5
    assert ran.json["error"]["kind"] == "config"


def test_output_that_cannot_be_written(start: Start, node: FakeNode) -> None:
    with Path("/dev/full").open("w") as full:
        process = start("status", "--json", stdout=full)
        assert process.wait(10) == 1
    assert process.stderr is not None
    assert process.stderr.read() == "lrgpnode: Cannot write the output: No space left on device.\n"


def test_every_code_has_a_meaning() -> None:
    assert set(exits.MEANINGS) == set(Exit)


def test_run_hands_everything_on(run: Run, short_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    monkeypatch.setattr(app, "run", lambda options: given.append(options) or 4)
    ends = ("--listen", "h:1", "--connect", "h:2", "--connect", "h:3")
    paths = ("--rns-config", "/r", "--config", "/c")
    assert run("run", *ends, *paths, "--name", "n", "--log-level", "debug").code == 4
    (options,) = given
    assert (options.data, options.socket) == (short_path, short_path / "s")
    assert (options.listen, options.connect) == ("h:1", ("h:2", "h:3"))
    assert (options.rns_config, options.config) == (Path("/r"), Path("/c"))
    assert (options.name, options.log_level) == ("n", "debug")


def test_only_what_is_needed_is_loaded(node: FakeNode) -> None:
    heavy = "{'RNS', 'LXMF', 'sqlite3', 'asyncio', 'msgspec', 'chess', 'urwid', 'sqlite_utils'}"
    code = (
        "import sys; from lrgpnode.cli.root import main; codes = [main(a.split('|')) for a in sys.argv[1:]];"
        f"assert codes == [0, 0, 0], codes; assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    )
    at = f"--socket|{node.path}|"
    command = [sys.executable, "-c", code, f"{at}status", f"{at}games", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
