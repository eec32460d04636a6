"""What is said about Reticulum fits what the machine has."""

from __future__ import annotations

from pathlib import Path

from lrgpnode.service.sharing import advice


def test_a_machine_with_one_configuration_for_all(tmp_path: Path) -> None:
    etc = tmp_path / "etc reticulum"
    etc.mkdir()
    (etc / "config").touch()
    said = advice(None, "pi", etc)
    assert f"the service uses {etc}" in said
    assert "sudo adduser pi lrgpnode" in said


def test_a_user_with_a_configuration_of_his_own(tmp_path: Path) -> None:
    for name in (".reticulum", ".config/reticulum"):
        own = tmp_path / name
        own.mkdir(parents=True)
        (own / "config").touch()
        said = advice(tmp_path, "pi", tmp_path / "none")
        assert f"sudo cp -rT {own} " in said
        assert "rpc_key" in said


def test_a_machine_without_reticulum(tmp_path: Path) -> None:
    for home in (tmp_path, None):
        said = advice(home, "pi", tmp_path / "none")
        assert "/var/lib/lrgpnode/.reticulum" in said
        assert f"sudo mkdir -p {tmp_path}/none" in said
        assert f"lrgpnode radio setup --config-dir {tmp_path}/none" in said
