"""A process that is killed at each step: there is the old node, the new one, or the old one aside.

And a disk that fills up while a backup is written.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lrgpnode.backup import contents, restore
from lrgpnode.backup.errors import CannotWrite
from tests.backup.conftest import Save, owner
from tests.backup.test_restore import tree

ROOT = Path(__file__).parents[2]

# Kills itself before the nth call that changes what there is on the disk.
DYING = """
import os, signal, sys
from pathlib import Path
from lrgpnode.backup import restore
from tests.backup.conftest import owner

left = int(sys.argv[1])

def dying(call):
    def wrapped(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)
    return wrapped

for name in ("rename", "mkdir", "unlink", "fsync", "open", "chmod"):
    setattr(os, name, dying(getattr(os, name)))
Path.rename = dying(Path.rename)
restore.restore(Path(sys.argv[2]), Path(sys.argv[3]), owner, move_aside=True)
"""


def run(step: int, file: Path, data: Path) -> int:
    return subprocess.run(
        [sys.executable, "-c", DYING, str(step), str(file), str(data)], check=False, cwd=ROOT
    ).returncode


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_restore_that_is_killed_leaves_no_half_node(whole: Path, save: Save, data: Path) -> None:
    restored = restore.restore(whole, data.with_name("example"), owner).data
    new, old = tree(restored), tree(data)
    # The node that is replaced knows what its radio has sent.
    new["airtime-LoRa.json"] = old["airtime-LoRa.json"]
    base = data.parent
    step, ended = 1, False
    while not ended:
        code = run(step, whole, data)
        assert code in (0, -signal.SIGKILL)
        ended = code == 0
        aside = [path for path in base.iterdir() if ".before-" in path.name]
        assert len(aside) <= 1
        if aside:
            assert tree(aside[0]) == old
            if data.exists():
                assert tree(data) == new
            else:
                assert not ended
                aside[0].rename(data)  # what docs/backup.md says to do
                step += 1
                continue
            # It was done; put the old one back for the next step.
            for path in sorted(data.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            data.rmdir()
            aside[0].rename(data)
        else:
            assert not ended
            assert tree(data) == old
        step += max(1, step // 6)  # every early step, and then fewer
    # What killed ones left has been removed by later ones.
    assert [path for path in base.iterdir() if path.name.endswith(".restore")] == []


def test_a_disk_that_fills_up(save: Save, data: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        target = disk / "backup"
        whole = save(target).file.read_bytes()
        (disk / "ballast").write_bytes(bytes((1 << 20) - 2 * len(whole)))
        with (data / f"inbox/{'b' * 32}.log").open("wb") as inbox:
            inbox.write(bytes(len(whole)))
        with pytest.raises(CannotWrite, match="kB are free"):
            save(target)
        assert target.read_bytes() == whole
        assert sorted(path.name for path in disk.iterdir()) == ["backup", "ballast"]
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert contents.DATABASE in {path.name for path in data.iterdir()}
