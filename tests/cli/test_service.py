"""``lrgpnode service`` from the outside; what it writes is tested in tests/service."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from lrgpnode.cli import service
from lrgpnode.cli.root import main
from lrgpnode.config import paths
from lrgpnode.service.units import UNIT, service_files, this_program
from tests.cli.conftest import Run


def test_print_needs_no_root_and_writes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    ran = run("service", "install", "--print")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n### ") == 2
    assert f"ExecStart={this_program()} run --service\n" in ran.out
    files = run("service", "install", "--print", "--program", "/usr/bin/lrgpnode", "--json").json["files"]
    assert files[0]["path"] == str(UNIT)
    assert "ExecStart=/usr/bin/lrgpnode run --service\n" in files[0]["content"]


def test_without_root_it_says_the_exact_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for word in ("install", "uninstall"):
        ran = run("service", word)
        assert ran.code == 1
        assert ran.err == f"lrgpnode: Only root may do this. Run `sudo {this_program()} service {word}`.\n"
    assert run("service", "install", "--json").json["error"]["kind"] == "not_root"


def test_root_is_for_images(run: Run, short_path: Path) -> None:
    written = run("service", "install", "--root", str(short_path), "--json").json["written"]
    assert written[0] == f"{short_path}{UNIT}"
    assert "Wrote" in run("service", "install", "--root", str(short_path)).out
    assert run("service", "uninstall", "--root", str(short_path)).out.count("Removed") == 3
    assert run("service", "uninstall", "--root", str(short_path)).out == "The service was not installed.\n"


def test_show(run: Run, short_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unit = short_path / "lrgpnode.service"
    monkeypatch.setattr(service, "UNIT", unit)
    monkeypatch.setattr(
        service,
        "service_files",
        lambda program: [type(file)(unit, file.content) for file in service_files(program)[:1]],
    )
    shown = run("service", "show", "--json").json
    assert (shown["installed"], shown["current"]) == (False, False)
    unit.write_text(service_files(this_program())[0].content)
    shown = run("service", "show", "--json").json
    assert (shown["installed"], shown["current"]) == (True, True)
    unit.write_text("[Unit]\n")
    ran = run("service", "show")
    assert ran.code == 0
    assert "differs from what this installation writes" in ran.out


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_a_service_that_one_may_not_use(
    short_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The directory of its socket is closed to whoever is not in its group."""
    (short_path / "run").mkdir(mode=0o700)  # this user stays in our groups
    (short_path / "data").mkdir(mode=0o700)
    short_path.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(short_path / "run/control.sock"))
        monkeypatch.setattr(paths, "UNIT_FILES", (short_path,))
        monkeypatch.setattr(paths, "SERVICE_SOCKET", short_path / "run/control.sock")
        monkeypatch.setattr(paths, "SERVICE_DATA", short_path / "data")
        # Loads all that it needs, which another user may not be able to read.
        assert main(["status"]) == 3
        assert "sudo systemctl start lrgpnode" in capfd.readouterr().err
        os.seteuid(65534)
        try:
            assert main(["status"]) == 3
        finally:
            os.seteuid(0)
    assert "sudo adduser $USER lrgpnode" in capfd.readouterr().err
