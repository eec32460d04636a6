"""Where the service is installed, nobody starts a second node of it by accident."""

from __future__ import annotations

from pathlib import Path

import pytest

from lrgpnode import app
from lrgpnode.cli.exits import Exit
from lrgpnode.config import RunOptions, paths


def test_run_without_a_directory_does_not_become_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unit = tmp_path / "lrgpnode.service"
    unit.touch()
    monkeypatch.setattr(paths, "UNIT_FILES", (unit,))
    monkeypatch.setattr(paths, "SERVICE_DATA", tmp_path / "data")
    monkeypatch.delenv("LRGPNODE_DATA", raising=False)
    assert app.run(RunOptions()) == Exit.CONFIG
    said = capsys.readouterr().err
    assert "sudo systemctl start lrgpnode" in said
    assert "--data DIR" in said
    assert not (tmp_path / "data").exists()
