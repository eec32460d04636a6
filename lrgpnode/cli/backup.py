"""``lrgpnode backup`` and ``restore``: a whole node in one file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from lrgpnode import __version__
from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, sentence
from lrgpnode.cli.text import clean, when
from lrgpnode.control.client import ClientError, NotRunning

BACKUP_SECONDS: Final = 3600.0
"""A large database on a slow card takes minutes."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@pass_context
def backup(context: Context, file: Path, as_json: bool) -> None:
    """Write the whole node to FILE, while it runs or not.

    FILE holds the private keys of your identities: keep it as you keep a password. It has mode 0600.
    An older backup of that name is replaced, once the new one is whole. A running node writes it
    itself, so its user must be allowed to.
    """
    target = file.expanduser().absolute()
    try:
        with context.client(BACKUP_SECONDS) as client:
            result = client.call("node.backup", file=str(target))
    except NotRunning as error:
        if isinstance(error.__cause__, PermissionError):
            raise context.explain(error) from None
        result = _offline(context, target)
    except ClientError as error:
        raise context.explain(error) from None
    if as_json:
        say_json(result)
        return
    identities = _counted(len(result["identities"]), "identity", "identities")
    games = _counted(result["sessions"], "game", "games")
    write(f"Wrote {clean(result['file'], 4096)}: {identities}, {games}, {result['size']} bytes.")
    write("It holds private keys: whoever has it can act as you.")


def _offline(context: Context, target: Path) -> dict[str, Any]:
    from lrgpnode.backup.make import make  # noqa: PLC0415 - loads sqlite3

    paths = context.paths()
    with _explained():
        made = make(paths.data, paths.config, target, now=time.time(), program=__version__)
    return {
        "file": str(made.file),
        "size": made.size,
        "created_at": made.created_at,
        "identities": list(made.identities),
        "members": made.members,
        "sessions": made.sessions,
    }


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--move-aside", is_flag=True, help="Rename a node that is there, instead of refusing to replace it."
)
@json_option
@pass_context
def restore(context: Context, file: Path, move_aside: bool, as_json: bool) -> None:
    """Make a node from FILE, which `lrgpnode backup` wrote.

    It goes to the data directory, which --data names and which must be empty or missing. All of FILE is
    checked before anything is changed. Never run the old node and the restored one at the same time.
    """
    from lrgpnode.backup.restore import restore as put_back  # noqa: PLC0415 - loads sqlite3

    paths = context.paths()
    with _explained():
        there = put_back(
            file.expanduser(),
            paths.data,
            _owner,
            move_aside=move_aside,
            account=_service_account() if paths.service else None,
        )
    moved = None if there.moved is None else str(there.moved)
    if as_json:
        say_json(
            {
                "data": str(there.data),
                "created_at": there.created_at,
                "program": there.program,
                "identities": list(there.identities),
                "sessions": there.sessions,
                "moved": moved,
                "silent": there.silent,
            }
        )
        return
    identities = _counted(len(there.identities), "identity", "identities")
    games = _counted(there.sessions, "game", "games")
    write(
        f"Restored to {clean(str(there.data), 4096)}: {identities}, {games}, as of {when(there.created_at)}."
    )
    if moved is not None:
        write(f"What was there is now {clean(moved, 4096)}.")
    if there.silent:
        write("By radio it sends nothing for an hour: what it sent since the backup is not known.")
    write("What was played after the backup is not in it; docs/backup.md says what to expect.")


def _owner(key: bytes) -> str:
    from lrgpnode.mesh import identity  # noqa: PLC0415 - loads Reticulum

    try:
        return identity.from_key(key).hash
    except identity.IdentityError as error:
        raise ValueError(str(error)) from None


def _service_account() -> tuple[int, int] | None:
    import pwd  # noqa: PLC0415 - only for the installed service

    if os.geteuid() != 0:
        return None
    try:
        user = pwd.getpwnam("lrgpnode")
    except KeyError:
        return None
    return user.pw_uid, user.pw_gid


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


@contextmanager
def _explained() -> Iterator[None]:
    from lrgpnode.backup.errors import BackupError  # noqa: PLC0415
    from storage.errors import StorageError  # noqa: PLC0415 - loads sqlite3

    try:
        yield
    except BackupError as error:
        raise CliError(Exit.FAILED, error.kind, sentence(str(error)), error.hint) from None
    except StorageError as error:
        raise CliError(Exit.DATABASE, "storage", str(error)) from None
