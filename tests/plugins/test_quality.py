"""The example is exemplary: typed, pure, and unshaken by whatever arrives."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from lrgpnode.protocol.errors import Corrupt, Rejection
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.session import Session, SessionKey, Status
from tests.plugins.pair import ANN, BEN, EVE, SALT

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "tests/example_game/src"
ALLOWED = {"__future__", "collections", "dataclasses", "hashlib", "lrgpnode", "re", "typing"}
QUIET = settings(max_examples=100, deadline=None)

NUMBERS = st.integers(-1, 12) | st.booleans() | st.floats() | st.none() | st.integers()
VALUES: st.SearchStrategy[Any] = (
    NUMBERS | st.text(max_size=4) | st.binary(max_size=40) | st.just([]) | st.just(int("1" * 32))
)
KEYS = st.sampled_from(["f", "g", "k", "h", "x", "commitment", "answer", "revealed", "salt", "winner"])
PAYLOADS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    KEYS, VALUES, max_size=5
) | st.fixed_dictionaries(
    {"f": NUMBERS, "g": NUMBERS}, optional={"k": st.just(bytes(16)) | st.just(SALT) | VALUES}
)


def test_it_passes_mypy_strict(tmp_path: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "-p", "lrgp_morra"],
        cwd=ROOT,
        env=os.environ | {"MYPYPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.stem)
def test_it_imports_nothing_impure(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= ALLOWED
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] in ALLOWED


def stages(game: Game) -> list[Session]:
    """A round of morra before and after each message."""
    session = game.open(SessionKey(ANN, "0" * 16), BEN, ANN, 0.0)
    opened = {"f": 2, "g": 5, "k": SALT}
    found = [session]
    for actor, command, intent in (
        (ANN, "challenge", opened),
        (BEN, "accept", {"f": 3, "g": 4}),
        (ANN, "reveal", opened),
    ):
        payload = game.intend(session, actor, command, intent, lambda: True)
        session = game.apply(session, actor, command, payload, 1.0)
        found.append(session)
    return found


@QUIET
@given(stage=st.integers(0, 3), actor=st.sampled_from([ANN, BEN]), payload=PAYLOADS, data=st.data())
def test_any_payload_is_applied_or_rejected(
    games: dict[str, Game], stage: int, actor: str, payload: dict[str, Any], data: st.DataObject
) -> None:
    morra = games["morra"]
    command = data.draw(st.sampled_from(["challenge", "accept", "decline", "reveal", "move"]))
    session = stages(morra)[stage]
    for attempt in (
        lambda: morra.apply(session, actor, command, payload, 2.0),
        lambda: morra.intend(session, actor, command, payload, lambda: False),
    ):
        try:
            attempt()
        except Rejection as rejection:
            assert rejection.message


@QUIET
@given(
    stage=st.integers(1, 3),
    status=st.sampled_from(Status),
    changes=st.dictionaries(KEYS, VALUES | PAYLOADS | st.sampled_from([ANN, EVE, "00" * 32]), max_size=2),
)
def test_any_record_is_loaded_unchanged_or_refused(
    games: dict[str, Game], stage: int, status: Status, changes: dict[str, Any]
) -> None:
    morra = games["morra"]
    session = stages(morra)[stage]
    record = replace(session, status=status, metadata={**session.metadata, **changes})
    try:
        assert morra.normalise(record) == record
    except Corrupt as corrupt:
        assert str(corrupt)
        return
    alive = status is Status.EXPIRED and not session.status.ended
    assert record.metadata == session.metadata or {"commitment", "answer"} & changes.keys()
    assert status is session.status or alive


@pytest.mark.parametrize("status", list(Status))
def test_it_can_be_seen_in_every_status(games: dict[str, Game], status: Status) -> None:
    morra = games["morra"]
    for session in stages(morra):
        for viewer in (ANN, BEN):
            view = morra.view(replace(session, status=status), viewer)
            assert view.status_line.endswith(".")
            assert (view.result is not None) is status.ended
