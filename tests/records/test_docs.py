"""What docs/records.md says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lrgpnode.records import format
from lrgpnode.records.errors import Refusal
from lrgpnode.records.verify import verify
from tests.records.played import GAMES, scholars_mate, tic_tac_toe

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "records.md").read_text()


OLD = (
    (DOCS / "example-record.pgn", "checkmate", 4),
    (Path(__file__).with_name("tic_tac_toe.txt"), "win", 5),
    (Path(__file__).with_name("four_in_a_row.txt"), "resignation", 6),
)


@pytest.mark.parametrize(("path", "reason", "ply"), OLD, ids=lambda value: getattr(value, "stem", value))
def test_records_from_before_stay_proven(path: Path, reason: str, ply: int) -> None:
    """Who breaks this by other labels or another text must begin a version 2 and still know 1."""
    found = verify(path.read_bytes(), GAMES)
    assert (found.end.status, found.end.reason, found.end.ply) == ("completed", reason, ply)


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path_factory.mktemp("docs") / "verifier.py"
    path.write_text(code)
    return path


def run(verifier: Path, record: Path) -> subprocess.CompletedProcess[str]:
    # -I: nothing of ours is found, only installed packages.
    words = [sys.executable, "-I", str(verifier), str(record)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def test_the_verifier_of_the_page(verifier: Path, tmp_path: Path) -> None:
    done = run(verifier, DOCS / "example-record.pgn")
    assert done.returncode == 0, done.stderr
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["challenge", "accept", *["move"] * 4]
    for game in (tic_tac_toe(stamp=b"\7" * 32), scholars_mate()):
        record = tmp_path / "record"
        record.write_bytes(game.export().data)
        assert run(verifier, record).stdout.count("\n") == len(game.actions)
    data = record.read_bytes()
    record.write_bytes(data.replace(b"1-0", b"0-1"))
    assert run(verifier, record).returncode != 0


def test_every_reason_and_limit_is_named() -> None:
    table = PAGE.partition("| reason |")[2].partition("## ")[0]
    assert set(re.findall(r"`(\w+)`", table.replace("`--partial`", ""))) == {
        str(reason) for reason in Refusal
    }
    assert (
        f"{format.MAX_FILE // 2**20} MiB, {format.MAX_LINES:,} lines and {format.MAX_ACTIONS:,} actions"
        in PAGE
    )


def test_every_key_is_named_in_order() -> None:
    for name, model in (("game", format.Game), ("action", format.Action), ("index", format.Index)):
        paragraph = PAGE.partition(f"\n**{name}**:")[2].partition("\n\n")[0]
        named = re.findall(r"`(\w+)`", paragraph)
        places = [named.index(key) for key in model.__struct_fields__]
        assert places == sorted(places), name


def test_what_is_signed() -> None:
    assert format.to_sign(b"x\n").decode().removesuffix("\nx") in PAGE
