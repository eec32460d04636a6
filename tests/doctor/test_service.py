"""``doctor --unit``: the service with the eyes of its user, from real units, users and programs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lrgpnode.cli.context import Context
from lrgpnode.cli.doctor import look
from lrgpnode.doctor.checks import reticulum, serial, service
from lrgpnode.doctor.examine import examine
from lrgpnode.doctor.finding import Finding
from lrgpnode.doctor.unit import read_unit, service_account
from lrgpnode.service.units import service_files
from tests.doctor.conftest import DIALOUT, Ward, as_root

CHECKS = (*service.CHECKS, *serial.CHECKS, *reticulum.CHECKS[:1])


def examined(ward: Ward) -> dict[str, Finding]:
    context = Context(data=ward.data, socket=ward.data / "s")
    return {one.id: one for one in examine(look(context, ward.machine, service=True), CHECKS)}


def install(ward: Ward, program: Path | str, user: str = "nobody", more: str = "") -> Path:
    """The unit that `lrgpnode service install` writes, for another user."""
    content = next(file.content for file in service_files(Path(program)) if file.path.suffix == ".service")
    unit = ward.machine.etc / "systemd/system/lrgpnode.service"
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text(content.replace("User=lrgpnode", f"User={user}") + more)
    return unit


@pytest.fixture
def opt() -> Iterator[Path]:
    """A directory that everybody may enter."""
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        yield Path(base)


def test_no_unit(ward: Ward) -> None:
    assert examined(ward)["unit-missing"].fix == "`sudo lrgpnode service install`."


def test_a_good_one(ward: Ward, opt: Path) -> None:
    program = opt / "lrgpnode"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    install(ward, program)
    assert not [id for id in examined(ward) if id.startswith("unit")]


def test_no_such_user(ward: Ward) -> None:
    install(ward, "/bin/sh", user="nobody-of-that-name")
    assert "nobody-of-that-name" in examined(ward)["unit-user"].cause


def test_a_program_that_its_user_cannot_reach(ward: Ward, opt: Path) -> None:
    home = opt / "home of pi"
    program = home / "venv/bin/lrgpnode"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    home.chmod(0o700)
    install(ward, program)
    if home.stat().st_uid != 65534:
        assert f"{home} is closed to it" in examined(ward)["unit-program"].cause
    home.chmod(0o755)
    assert "unit-program" not in examined(ward)
    program.chmod(0o700)
    assert f"{program} is closed to it" in examined(ward)["unit-program"].cause
    program.chmod(0o755)
    program.write_text(f"#!{opt}/python3 -I\n")
    assert f"there is no {opt}/python3" in examined(ward)["unit-program-missing"].cause
    secret = opt / "secret"
    secret.mkdir(mode=0o700)
    (secret / "python3").write_text("")
    (opt / "python3").symlink_to(secret / "python3")
    assert f"{secret} is closed to it" in examined(ward)["unit-program"].cause
    program.unlink()
    assert f"there is no {program}" in examined(ward)["unit-program-missing"].cause


def test_what_a_unit_and_its_drop_ins_say(ward: Ward) -> None:
    unit = install(ward, "/opt/my node/lrgpnode")
    found = read_unit(ward.machine)
    assert found is not None
    assert (found.user, found.groups) == ("nobody", ("dialout", "plugdev"))
    assert found.program == Path("/opt/my node/lrgpnode")
    account = service_account(found)
    assert account is not None
    assert DIALOUT in account.groups
    drop_in = unit.with_name("lrgpnode.service.d") / "override.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("# mine\n[Service]\nSupplementaryGroups=\nSupplementaryGroups=video\nUser=\n")
    found = read_unit(ward.machine)
    assert found is not None
    assert (found.user, found.groups) == ("root", ("video",))


@as_root
def test_the_groups_that_the_unit_gives_open_the_radio(ward: Ward) -> None:
    """Trixie: the port belongs to a group that the user himself is not in."""
    _, device = ward.pty("serial/by-id/usb-RAK")
    os.chown(device, 0, DIALOUT)
    device.chmod(0o660)
    ward.interfaces(ward.rnode("/dev/serial/by-id/usb-RAK"))
    install(ward, "/bin/sh")
    assert "serial-group" not in examined(ward)
    install(ward, "/bin/sh", more="SupplementaryGroups=\n")
    assert examined(ward)["serial-group"].fix.startswith("`sudo usermod -aG dialout nobody`")


@as_root
def test_a_reticulum_directory_that_the_service_may_not_write(ward: Ward) -> None:
    install(ward, "/bin/sh")
    ward.rns.chmod(0o755)
    finding = examined(ward)["rns-dir-closed"]
    assert f"The user nobody may not write to {ward.rns}" in finding.cause
    ward.rns.chmod(0o777)
    assert "rns-dir-closed" not in examined(ward)
    (ward.rns / "storage").mkdir(mode=0o700)
    assert "rns-dir-closed" in examined(ward)
