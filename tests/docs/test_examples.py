"""The examples of README and docs/: every command line is one, and the first ones are carried out."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from lrgpnode.cli.root import lrgpnode
from tests.e2e.nodes import NodeProcess, free_port, until

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = {"control-api.md"}

# What stands for something of the reader's, and an example of it.
MEANT = {"ID": "3f2a", "ADDRESS": "a" * 32, "FILE": "file", "DIR": "dir", "PEER": "bob", "NAME": "ann"}
ALIASES = {".venv/bin/lrgpnode", "/opt/lrgpnode/bin/lrgpnode", "~/lrgpnode-venv/bin/lrgpnode", "alice", "bob"}


def blocks(text: str, *, inline: bool = True) -> Iterator[str]:
    """Lines of code blocks, fenced and indented, and code within lines."""
    fenced = False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip().removeprefix("$ ")
        elif inline:
            yield from re.findall(r"`(lrgpnode [^`]+)`", line)


def command_line(line: str) -> list[str] | None:
    """The words after ``lrgpnode``, or None where the line calls something else."""
    line = re.split(r"   | # | \| | > |  #", line)[0]
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if words[:1] == ["sudo"]:
        words = words[1:]
        while words[:1] == ["-u"]:
            words = words[2:]
    if not words or (words[0] != "lrgpnode" and words[0] not in ALIASES):
        return None
    if words[1:3] == ["record", "index,"]:
        return None  # the first line of a signed record
    return [MEANT.get(word, word) for word in words[1:]]


def examples() -> list[tuple[str, list[str]]]:
    found = []
    for page in PAGES:
        if page.name not in GENERATED:
            for line in blocks(page.read_text()):
                words = command_line(line)
                # A synopsis is no example: it is made from the command itself.
                if words and not any(word.startswith(("[", "<")) or "..." in word for word in words):
                    found.append((page.name, words))
    return found


@pytest.mark.parametrize(("page", "words"), examples(), ids=lambda value: str(value)[:60])
def test_every_command_line_is_understood(page: str, words: list[str]) -> None:
    """Down to the command itself, whose arguments are read and not carried out."""
    command: click.Command = lrgpnode
    name, rest = "lrgpnode", words
    parent = None
    while True:
        try:
            context = command.make_context(name, list(rest), parent=parent)
        except (click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
            return  # --help and --version
        except (click.MissingParameter, click.BadOptionUsage):
            return  # a mention of the command
        if not isinstance(command, click.Group):
            return
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, words
        command, parent = found, context


def test_there_are_examples_of_most_commands() -> None:
    shown = {words[0] for _, words in examples()}
    assert {"run", "challenge", "games", "move", "peers", "doctor", "backup", "outbox", "house"} <= shown


def readme(title: str) -> list[str]:
    text = (ROOT / "README.md").read_text()
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    return list(blocks(section, inline=False))


@pytest.mark.node
def test_two_nodes_as_the_readme_says(tmp_path: Path) -> None:
    """The very lines, with other directories and another port."""
    endpoint = f"127.0.0.1:{free_port()}"
    lines = [
        line.replace("127.0.0.1:4242", endpoint).replace("/tmp/", f"{tmp_path}/")
        for line in readme("Two nodes in five minutes")
    ]
    program = str(Path(sys.executable).with_name("lrgpnode"))
    runs = [line.replace(".venv/bin/lrgpnode", program) for line in lines if " run " in line]
    aliases = dict(re.findall(r"alias (\w+)='\.venv/bin/lrgpnode ([^']*)'", "\n".join(lines)))
    played = [line.split("#")[0] for line in lines if line.split()[0] in aliases]
    assert (len(runs), set(aliases), len(played)) == (2, {"alice", "bob"}, 7)

    env = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    processes = []

    def call(line: str) -> str:
        name, *words = shlex.split(line)
        done = subprocess.run(
            [program, *shlex.split(aliases[name]), *words],
            check=False,
            capture_output=True,
            text=True,
            env=env,
            timeout=30,
        )
        return done.stdout if done.returncode == 0 else ""

    try:
        for line in runs:
            with (tmp_path / "log").open("ab") as log:
                processes.append(subprocess.Popen(shlex.split(line), stdout=log, stderr=log, env=env))
            name = "alice" if "alice" in line else "bob"
            until(lambda name=name: call(f"{name} status"), f"{name} answers")
        id = ""
        for line in played:
            words = line.replace("ID", id)
            said = until(lambda words=words: call(words), words)
            if " peers" in line:
                said = until(lambda words=words: "Bob" in (text := call(words)) and text, "Bob is heard")
            if " challenge " in line:
                id = re.findall(r"game ([0-9a-f]{16})", said)[0]
                until(lambda id=id: id in call("bob games"), "the challenge arrives")
        board = until(lambda: "O" in (text := call(f"alice games {id}")) and text, "Bob's move is shown")
        assert "Your turn" in board
        assert "X" in board
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(20)


@pytest.mark.node
def test_a_game_against_the_house_as_the_readme_says(tmp_path: Path) -> None:
    with NodeProcess(tmp_path / "node", "--listen", f"127.0.0.1:{free_port()}") as node:
        program = str(Path(sys.executable).with_name("lrgpnode"))
        played = [line.split("#")[0] for line in readme("A game by commands") if line.startswith("lrgpnode ")]
        assert len(played) == 3
        id = ""
        for line in played:
            words = shlex.split(line.replace("ID", id))
            if words[1] == "move":
                node.events.wait("game.applied", id=id, command="accept", identity=node.identity)
            done = subprocess.run(
                [program, "--data", str(node.data), *words[1:]],
                check=True,
                capture_output=True,
                text=True,
                env=os.environ | {"LRGPNODE_SOCKET": str(node.socket), "PYTHONPATH": str(ROOT)},
                timeout=30,
            )
            if words[1] == "challenge":
                id = re.findall(r"game ([0-9a-f]{16})", done.stdout)[0]
        node.events.wait("game.applied", id=id, identity=node.identity, own=False, command="move", ply=2)
