from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import RNS

from lrgpnode.mesh import identity
from lrgpnode.mesh.identity import IdentityError


def test_created_identities_are_reticulums_own_key_files(tmp_path: Path) -> None:
    directory = tmp_path / "data" / "identities"
    made = identity.create(directory)
    path = directory / made.hash
    assert re.fullmatch(r"[0-9a-f]{32}", made.hash)
    assert path.read_bytes() == made.key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    theirs = RNS.Identity.from_file(str(path))
    hashed = RNS.Destination.hash_from_name_and_identity("lxmf.delivery", theirs)
    assert hashed.hex() == made.hash
    assert list(directory.iterdir()) == [path]


def test_all_are_loaded_oldest_first_and_other_files_are_passed_over(tmp_path: Path) -> None:
    made = [identity.create(tmp_path) for _ in range(3)]
    for age, item in enumerate(made):
        os.utime(tmp_path / item.hash, (1000 + age, 1000 + age))
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / f".{made[0].hash}.99").write_bytes(b"half")
    assert identity.load_all(tmp_path) == tuple(made)
    assert identity.names(tmp_path) == tuple(item.hash for item in made)
    assert identity.load_all(tmp_path / "none") == ()


def test_the_key_is_in_no_repr(tmp_path: Path) -> None:
    made = identity.create(tmp_path)
    assert made.key.hex() not in repr(made)
    assert repr(made.key) not in repr(made)


def test_a_file_open_to_others_is_put_right(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = identity.create(tmp_path)
    path = tmp_path / made.hash
    path.chmod(0o644)
    assert identity.load(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(caplog.records) == 1
    assert identity.load(path) == made
    assert len(caplog.records) == 1


@pytest.mark.parametrize("content", [b"", bytes(63), bytes(65)])
def test_a_file_of_another_length_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / ("0" * 32)
    path.write_bytes(content)
    with pytest.raises(IdentityError, match="exactly 64 bytes"):
        identity.load_all(tmp_path)


def test_a_file_with_the_wrong_name_is_refused(tmp_path: Path) -> None:
    made = identity.create(tmp_path)
    (tmp_path / made.hash).rename(tmp_path / ("0" * 32))
    with pytest.raises(IdentityError, match=made.hash):
        identity.load_all(tmp_path)


def test_what_cannot_be_read_or_written_is_one_typed_error(tmp_path: Path) -> None:
    with pytest.raises(IdentityError, match="cannot be read"):
        identity.load(tmp_path / "missing")
    (tmp_path / "file").write_text("x")
    made = identity.generate()
    target = tmp_path / "directory"
    (target / made.hash / "full").mkdir(parents=True)
    with pytest.raises(IdentityError, match="could not be written"):
        identity.save(target, made)
    assert [path.name for path in target.iterdir()] == [made.hash]


def test_listing_names_does_not_load_reticulum(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "import lrgpnode.mesh.transport, lrgpnode.mesh.inbox, lrgpnode.mesh.reticulum, lrgpnode.mesh.sender\n"
        "from lrgpnode.mesh import identity\n"
        f"identity.names(pathlib.Path({str(tmp_path)!r}))\n"
        "assert 'RNS' not in sys.modules and 'LXMF' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
