"""``games export`` and ``games verify``."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lrgpnode.control.methods import ControlError
from lrgpnode.control.models import ExportResult
from tests.cli.conftest import Run
from tests.cli.fakes import ID, ME, FakeNode
from tests.records.played import tic_tac_toe

TEXT = "Tic-Tac-Toe (ttt.1)\n\n  1. Bén  a1\n"
PLAIN = ExportResult(id=ID, identity=ME, app="ttt", notation="moves", signed=False, content=TEXT)


@pytest.fixture
def record() -> bytes:
    return tic_tac_toe().export().data


@pytest.fixture
def file(tmp_path: Path, record: bytes) -> Path:
    path = tmp_path / "record"
    path.write_bytes(record)
    return path


def test_export_prints_the_text(node: FakeNode, run: Run) -> None:
    node.results["game.export"] = PLAIN
    ran = run("games", "export", "3F2A")
    assert (ran.code, ran.out, ran.err) == (0, TEXT, "")
    assert node.calls == [("game.export", {"id": "3f2a", "signed": False, "partial": False})]


def test_export_to_a_file(node: FakeNode, run: Run, tmp_path: Path) -> None:
    node.results["game.export"] = PLAIN
    target = tmp_path / "game.txt"
    target.write_text("an older one")
    ran = run("games", "export", ID, str(target))
    assert (ran.code, ran.out) == (0, f"Wrote game {ID} to {target}.\n")
    assert target.read_bytes() == TEXT.encode()
    assert list(tmp_path.iterdir()) == [target]
    ran = run("games", "export", ID, str(target), "--json")
    assert ran.json["output"] == str(target)
    assert "content" not in ran.json


def test_a_record_may_be_large(node: FakeNode, run: Run) -> None:
    """Larger than a request may be: 300 moves of chess are 150 KB."""
    node.results["game.export"] = msgspec.structs.replace(PLAIN, content=TEXT * 20_000)
    assert run("games", "export", ID).out == TEXT * 20_000


def test_export_json_holds_the_text(node: FakeNode, run: Run) -> None:
    node.results["game.export"] = PLAIN
    assert run("games", "export", ID, "--json").json["content"] == TEXT


def test_what_is_not_proven_is_said(node: FakeNode, run: Run, tmp_path: Path) -> None:
    node.results["game.export"] = ExportResult(
        id=ID, identity=ME, app="ttt", notation="moves", signed=True, content=TEXT, unproven=(3, 5)
    )
    ran = run("games", "export", ID, str(tmp_path / "x"), "--signed", "--partial")
    assert ran.out.splitlines()[1] == "Not proven: actions 3, 5."
    assert node.calls == [("game.export", {"id": ID, "signed": True, "partial": True})]


def test_export_errors(node: FakeNode, run: Run, tmp_path: Path) -> None:
    assert run("games", "export").code == 2
    assert run("games", "export", ID, "--partial").code == 2
    node.results["game.export"] = ControlError("unproven", "No signed message.", "Use --partial.")
    ran = run("games", "export", ID, "--signed", "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (1, "unproven")
    node.results["game.export"] = PLAIN
    ran = run("games", "export", ID, str(tmp_path / "no" / "where"), "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (1, "cannot_write")


def test_the_list_and_the_board_stay_where_they_were(node: FakeNode, run: Run) -> None:
    assert run("games").code == 0
    assert run("games", "--filter", "live", "--limit", "3").code == 0
    assert run("games", "show").code == 0
    assert [name for name, _ in node.calls] == ["game.list"] * 3
    shown = run("games", "--help").out
    assert all(word in shown for word in ("--filter", "export", "verify", "[ID]"))


def test_verify_without_a_node(run: Run, file: Path) -> None:
    ran = run("games", "verify", str(file))
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert lines[0] == "Proven: 9 of 9 actions of ttt.1 0123456789abcdef."
    assert lines[3].startswith("Result   completed: win, won by Ann (")
    assert lines[4].startswith("Exported 2026-09-22 14:13 by Ann (")
    assert lines[-1] == "Result: Ann won"
    found = run("games", "verify", str(file), "--json").json
    assert (found["status"], found["reason"], found["unproven"]) == ("completed", "win", [])
    assert [act["number"] for act in found["actions"]] == list(range(1, 10))


def test_verify_with_the_record_of_the_other_player(run: Run, tmp_path: Path) -> None:
    game = tic_tac_toe()
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.write_bytes(game.export().data)
    theirs.write_bytes(game.export_of_ben().data)
    ran = run("games", "verify", str(mine), str(theirs))
    assert (ran.code, "The record of the other player tells the same." in ran.out) == (0, True)
    assert run("games", "verify", str(theirs), str(mine), "--json").json["both"] is True
    theirs.write_bytes(tic_tac_toe(id="f" * 16).export_of_ben().data)
    ran = run("games", "verify", str(mine), str(theirs), "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (7, "disagreement")


def test_verify_reads_standard_input(run: Run, record: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(record)))
    assert run("games", "verify", "-").code == 0


def test_a_partial_record(run: Run, tmp_path: Path) -> None:
    game = tic_tac_toe()
    game.actions[3] = replace(game.actions[3], signed=None)
    file = tmp_path / "record"
    file.write_bytes(game.export(partial=True).data)
    ran = run("games", "verify", str(file), "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (7, "unproven")
    ran = run("games", "verify", str(file), "--partial")
    assert ran.code == 0
    assert ran.out.splitlines()[:2] == [
        "Proven: 8 of 9 actions of ttt.1 0123456789abcdef.",
        "Not proven: action 4.",
    ]


def test_a_record_that_proves_nothing(run: Run, file: Path) -> None:
    data = file.read_bytes()
    for changed, kind in (
        (b"", "not_a_record"),
        (data[:-1], "malformed"),
        (data.replace(b"RECORD 1", b"RECORD 2"), "unsupported_version"),
        (data.replace(b"Ann won", b"Ben won"), "index_digest"),
        (data + b" " * 9_000_000, "too_large"),
    ):
        file.write_bytes(changed)
        ran = run("games", "verify", str(file), "--json")
        assert (ran.code, ran.json["error"]["kind"]) == (7, kind)
    ran = run("games", "verify", str(file.parent), "--json")
    assert ran.code == 2
    ran = run("games", "verify", str(file.with_name("other")), "--json")
    assert (ran.code, ran.json["error"]["kind"]) == (1, "cannot_read")
