"""The files of the service, and putting them where systemd finds them."""

from __future__ import annotations

import configparser
import re
import shutil
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from lrgpnode.config.paths import SERVICE_DATA, SERVICE_SOCKET, UNIT_FILES
from lrgpnode.service import install as installing
from lrgpnode.service.install import install, run_command, uninstall
from lrgpnode.service.units import (
    SYSUSERS,
    UDEV,
    UNIT,
    ServiceError,
    check_reachable,
    service_files,
    this_program,
)

PROGRAM = Path("/opt/lrgpnode/bin/lrgpnode")


def unit(program: Path = PROGRAM) -> configparser.SectionProxy:
    (content,) = (file.content for file in service_files(program) if file.path == UNIT)
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(content)
    assert parser["Install"]["WantedBy"] == "multi-user.target"
    return parser["Service"]


def test_the_unit() -> None:
    service = unit()
    assert service["Type"] == "notify"
    assert service["ExecStart"] == "/opt/lrgpnode/bin/lrgpnode run --service"
    assert service["User"] == service["Group"] == "lrgpnode"
    assert service["SupplementaryGroups"].split() == ["dialout", "plugdev"]
    assert Path("/var/lib") / service["StateDirectory"] == SERVICE_DATA
    assert Path("/run") / service["RuntimeDirectory"] == SERVICE_SOCKET.parent
    assert UNIT in UNIT_FILES
    # The node's longest wait for a database lock must not look like a hang.
    assert int(service["WatchdogSec"]) >= 60
    assert "@" not in service["ExecStart"] + service["ProtectHome"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "with space" / "lrgpnode"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (path, *_) = install(service_files(program), root=tmp_path / "root")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True, check=False
    )
    said = [line for line in done.stderr.splitlines() if "lrgpnode" in line]
    assert said == []
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="needs systemd-sysusers")
def test_systemd_makes_the_user(tmp_path: Path) -> None:
    files = install(service_files(PROGRAM), root=tmp_path)
    (tmp_path / "etc" / "group").write_text("dialout:x:20:pi\n")
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", str(files[1])], check=True, capture_output=True)
    assert "lrgpnode:x:" in (tmp_path / "etc" / "passwd").read_text()
    assert ":/var/lib/lrgpnode:" in (tmp_path / "etc" / "passwd").read_text()
    groups = (tmp_path / "etc" / "group").read_text()
    assert "dialout:x:20:pi" in groups
    assert "plugdev:x:" in groups
    assert "lrgpnode:x:" in groups


def test_the_udev_rule() -> None:
    (content,) = (file.content for file in service_files(PROGRAM) if file.path == UDEV)
    lines = [line for line in content.splitlines() if line and not line.startswith("#")]
    labels = set(re.findall(r'LABEL="(\w+)"', content))
    assert set(re.findall(r'GOTO="(\w+)"', content)) == labels
    pair = r'[A-Z]+(\{\w+\})?(==|!=|=|:=)"[^"]*"'
    assert all(re.fullmatch(rf"{pair}(, {pair})*", line) for line in lines)
    assert 'GROUP:="dialout"' in content


@pytest.mark.parametrize(
    ("program", "start"),
    [
        ("/a b/lrgpnode", '"/a b/lrgpnode" run --service'),
        ("/100%/$x/lrgpnode", "/100%%/$$x/lrgpnode run --service"),
        ('/q"uote/lrgpnode', '"/q\\"uote/lrgpnode" run --service'),
    ],
)
def test_paths_with_a_meaning_for_systemd(program: str, start: str) -> None:
    assert unit(Path(program))["ExecStart"] == start


def test_programs_that_cannot_be(tmp_path: Path) -> None:
    for program in ("lrgpnode", "/x\nExecStartPre=/evil"):
        with pytest.raises(ServiceError, match="cannot be the program"):
            service_files(Path(program))
    assert this_program().is_absolute()
    assert unit(Path("/home/pi/.venv/bin/lrgpnode"))["ProtectHome"] == "read-only"


def test_an_installation_that_others_cannot_read(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "lrgpnode").touch()
    with pytest.raises(ServiceError, match=r"cannot read .*closed") as failed:
        check_reachable([closed / "lrgpnode"])
    assert "/opt/lrgpnode" in failed.value.hint
    check_reachable([Path("/usr/bin/env")])


class Commands:
    def __init__(self) -> None:
        self.run: list[str] = []

    def __call__(self, words: Sequence[str]) -> None:
        self.run.append(" ".join(words))


def test_install_and_uninstall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the machine itself, but for the place of its files."""
    monkeypatch.setattr(installing, "RUNNING_SYSTEMD", tmp_path)
    monkeypatch.setattr(installing, "_below", lambda root, path: tmp_path / path.relative_to("/"))
    commands = Commands()
    files = service_files(PROGRAM)
    for _ in range(2):
        written = install(files, run=commands)
        assert written == [tmp_path / path.relative_to("/") for path in (UNIT, SYSUSERS, UDEV)]
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o644 for path in written)
        assert [path.read_text() for path in written] == [file.content for file in files]
    assert commands.run[:2] == [f"systemd-sysusers {SYSUSERS}", "systemctl daemon-reload"]
    commands.run.clear()
    assert uninstall(files, run=commands) == written
    assert not any(path.exists() for path in written)
    assert commands.run[0] == "systemctl disable --now lrgpnode.service"
    commands.run.clear()
    assert uninstall(files, run=commands) == []
    assert commands.run == []


def test_for_an_image_nothing_is_run(tmp_path: Path) -> None:
    commands = Commands()
    install(service_files(PROGRAM), root=tmp_path, run=commands)
    assert (tmp_path / "etc/systemd/system/lrgpnode.service").exists()
    assert len(uninstall(service_files(PROGRAM), root=tmp_path, run=commands)) == 3
    assert commands.run == []


def test_what_fails_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "RUNNING_SYSTEMD", tmp_path / "none")
    with pytest.raises(ServiceError, match="systemd does not run on this machine"):
        install(service_files(PROGRAM))
    with pytest.raises(ServiceError, match="no program there-is-no-such"):
        run_command(["there-is-no-such"])
    with pytest.raises(ServiceError, match="`ls /there/is/none` failed: "):
        run_command(["ls", "/there/is/none"])
    (tmp_path / "etc").write_text("")
    with pytest.raises(ServiceError, match=r"cannot write .*lrgpnode\.service"):
        install(service_files(PROGRAM), root=tmp_path)
