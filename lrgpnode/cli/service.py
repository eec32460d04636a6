"""``lrgpnode service``: the node as a service of systemd."""

from __future__ import annotations

import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from lrgpnode.cli.context import json_option, say_json, write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.config.paths import SERVICE_DATA, SERVICE_SOCKET
from lrgpnode.service.units import (
    UNIT,
    USER,
    ServiceError,
    ServiceFile,
    check_reachable,
    needed,
    service_files,
    this_program,
)

root_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Only the files, below this directory: for packages and images.",
)
program_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--program",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The command that the service starts; without it that of this very installation.",
)


@click.group()
def service() -> None:
    """Install the node as a service.

    The service runs as a user of its own, keeps its data in /var/lib/lrgpnode, and starts with the machine.
    """


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except ServiceError as error:
        raise CliError(Exit.FAILED, "service", sentence(str(error)), error.hint) from None


def _need_root(*words: str) -> None:
    if os.geteuid() != 0:
        # sudo has another search path, in which an environment's commands are not.
        command = shlex.join(["sudo", str(this_program()), "service", *words])
        raise CliError(Exit.FAILED, "not_root", "Only root may do this.", f"Run `{command}`.")


@service.command("install")
@click.option("--print", "print_only", is_flag=True, help="Print the files instead of installing them.")
@root_option
@program_option
@json_option
def install(print_only: bool, root: Path | None, program: Path | None, as_json: bool) -> None:
    """Install the systemd unit, its user and a udev rule.

    Again after an update to another place. Changes of your own go into `systemctl edit lrgpnode`.
    """
    from lrgpnode.service.install import install as install_files  # noqa: PLC0415 - loads subprocess

    with _explained():
        files = service_files(program if program is not None else this_program())
        if print_only:
            _print(files, as_json)
            return
        if root is None:
            _need_root("install", *(("--program", str(program)) if program is not None else ()))
            check_reachable(needed() if program is None else (program,))
        written = install_files(files, root=root)
    if as_json:
        say_json({"written": [str(path) for path in written]})
        return
    for path in written:
        write(f"Wrote {path}")
    if root is None:
        from lrgpnode.service.sharing import advice  # noqa: PLC0415 - only said here

        user, home = _caller()
        write("\nStart it, now and with the machine: sudo systemctl enable --now lrgpnode")
        write(f"Use it as yourself: sudo adduser {user} {USER}, and log in again")
        write("See how it is: lrgpnode status, systemctl status lrgpnode, journalctl -u lrgpnode")
        write(f"\n{advice(home, user)}")


def _caller() -> tuple[str, Path | None]:
    """(name, home) of whoever called sudo; what a shell fills in where that is not known."""
    name = os.environ.get("SUDO_USER", "")
    try:
        return name, Path(pwd.getpwnam(name).pw_dir)
    except (KeyError, ValueError):
        return "$USER", None


def _print(files: Sequence[ServiceFile], as_json: bool) -> None:
    if as_json:
        say_json({"files": [{"path": str(file.path), "content": file.content} for file in files]})
        return
    for file in files:
        write(f"### {file.path}\n{file.content}")


@service.command("uninstall")
@root_option
@json_option
def uninstall(root: Path | None, as_json: bool) -> None:
    """Stop the service and remove its files.

    The data, with the identities and all games, and the user stay.
    """
    from lrgpnode.service.install import uninstall as uninstall_files  # noqa: PLC0415 - as above

    with _explained():
        if root is None:
            _need_root("uninstall")
        # Where this installation is makes no difference to what is removed.
        removed = uninstall_files(service_files(Path("/usr/bin/lrgpnode")), root=root)
    if as_json:
        say_json({"removed": [str(path) for path in removed]})
        return
    for path in removed:
        write(f"Removed {path}")
    if not removed:
        write("The service was not installed.")
    elif root is None:
        write(f"The data stays in {SERVICE_DATA}; to remove it too: sudo rm -r {SERVICE_DATA}")


@service.command("show")
@json_option
def show(as_json: bool) -> None:
    """Show whether the service is installed and runs."""
    with _explained():
        state = _state()
    if as_json:
        say_json(state)
        return
    write(f"unit      {state['unit']}: {'installed' if state['installed'] else 'not installed'}")
    if state["installed"] and not state["current"]:
        write("          It differs from what this installation writes: `lrgpnode service install --print`.")
    write(f"state     {state['active']}")
    write(f"user      {USER}")
    write(f"data      {SERVICE_DATA}")
    write(f"socket    {SERVICE_SOCKET}")


def _state() -> dict[str, Any]:
    try:
        content: str | None = UNIT.read_text()
    except FileNotFoundError:
        content = None
    except OSError as error:
        raise ServiceError(f"cannot read {UNIT}: {error.strerror}") from error
    unit = next(file for file in service_files(this_program()) if file.path == UNIT)
    return {
        "unit": str(UNIT),
        "installed": content is not None,
        "current": content == unit.content,
        "active": _active(),
        "data": str(SERVICE_DATA),
        "socket": str(SERVICE_SOCKET),
    }


def _active() -> str:
    """What systemd says of the unit: ``active``, ``failed`` and so on; ``unknown`` without systemd."""
    program = shutil.which("systemctl")
    if program is None:
        return "unknown"
    done = subprocess.run(  # noqa: S603 - fixed words
        [program, "is-active", "lrgpnode.service"], capture_output=True, text=True, timeout=30, check=False
    )
    return done.stdout.strip() or "unknown"
