"""Installing and removing the service. Idempotent: the second time puts right what was changed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from lrgpnode.service.units import SYSUSERS, ServiceError, ServiceFile

RUNNING_SYSTEMD: Final = Path("/run/systemd/system")
"""There where systemd is the init system (sd_booted(3))."""

Run = Callable[[Sequence[str]], None]


def run_command(words: Sequence[str]) -> None:
    """Run a program of the system. Raises ``ServiceError``."""
    program = shutil.which(words[0])
    if program is None:
        raise ServiceError(f"this machine has no program {words[0]}")
    done = subprocess.run(  # noqa: S603 - fixed words
        [program, *words[1:]], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ServiceError(f"`{' '.join(words)}` failed: {said[-1] if said else done.returncode}")


def install(files: Sequence[ServiceFile], *, root: Path | None = None, run: Run = run_command) -> list[Path]:
    """Write the files and let the system know them; what was written.

    With ``root`` only the files are written, below that directory, for a package or an image.
    """
    if root is None and not RUNNING_SYSTEMD.is_dir():
        raise ServiceError(
            "systemd does not run on this machine, so it cannot have the service",
            "For a package or an image use --root DIR or --print.",
        )
    written = []
    for file in files:
        path = _below(root, file.path)
        _write(path, file.content)
        written.append(path)
    if root is None:
        run(("systemd-sysusers", str(SYSUSERS)))
        run(("systemctl", "daemon-reload"))
        run(("udevadm", "control", "--reload"))
        run(("udevadm", "trigger", "--subsystem-match=tty", "--action=change"))
    return written


def uninstall(
    files: Sequence[ServiceFile], *, root: Path | None = None, run: Run = run_command
) -> list[Path]:
    """Stop the service and remove its files; what was removed. The data and the user stay."""
    paths = [_below(root, file.path) for file in files]
    removed = [path for path in paths if path.exists()]
    if root is None and removed:
        run(("systemctl", "disable", "--now", "lrgpnode.service"))
    for path in removed:
        try:
            path.unlink()
        except OSError as error:
            raise ServiceError(f"cannot remove {path}: {error.strerror}") from error
    if root is None and removed:
        run(("systemctl", "daemon-reload"))
        run(("udevadm", "control", "--reload"))
    return removed


def _below(root: Path | None, path: Path) -> Path:
    return path if root is None else root.absolute() / path.relative_to("/")


def _write(path: Path, content: str) -> None:
    """Put a file in its place, whole or not at all."""
    partial = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with partial.open("w") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise ServiceError(f"cannot write {path}: {error.strerror}") from error
