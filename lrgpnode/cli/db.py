"""``lrgpnode db``: look after the database, with or without a running node."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import TextIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Literal, TextIO, cast

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, stdout_failed
from lrgpnode.cli.text import clean
from lrgpnode.config import DATABASE_NAME

if TYPE_CHECKING:
    from storage.maintenance import Report

_DAMAGED: Final = (
    "The database is damaged. Stop the node, keep a copy of the file, and put back the newest backup."
)


@click.group()
def db() -> None:
    """Check, back up and export the database.

    Works whether the node runs or not, and never changes the database.
    """


@contextmanager
def _explained() -> Iterator[None]:
    from storage.errors import StorageError  # noqa: PLC0415 - loads sqlite3

    try:
        yield
    except StorageError as error:
        raise CliError(Exit.DATABASE, "storage", str(error)) from None


def _database(context: Context) -> Path:
    return context.paths().data / DATABASE_NAME


def _as_json(report: Report) -> dict[str, Any]:
    return {"ok": report.ok, **asdict(report)}


@db.command()
@json_option
@pass_context
def check(context: Context, as_json: bool) -> None:
    """Read the whole database and check it."""
    from storage import maintenance  # noqa: PLC0415

    with _explained():
        report = maintenance.check(_database(context))
    if as_json:
        say_json(_as_json(report))
    else:
        rows = ", ".join(f"{count} {table}" for table, count in report.rows.items())
        write(f"{clean(report.path)}: version {report.version}, {report.size + report.log_size} bytes")
        write(f"rows: {rows or 'not counted'}")
        for problem in report.problems:
            write(f"Problem: {clean(problem)}")
        write("The database is sound." if report.ok else _DAMAGED)
    if not report.ok:
        raise click.exceptions.Exit(Exit.DATABASE)


@db.command()
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@pass_context
def backup(context: Context, target: Path, as_json: bool) -> None:
    """Copy the database to the file TARGET and check the copy.

    An older TARGET is replaced, once the copy is whole and sound.
    """
    from storage import maintenance  # noqa: PLC0415

    with _explained():
        report = maintenance.backup(_database(context), target)
    if as_json:
        say_json(_as_json(report))
    else:
        write(f"Copied to {clean(report.path)}, {report.size} bytes; the copy is sound.")


@db.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(("json", "ndjson")),
    default="json",
    show_default=True,
    help="One JSON object, or one session a line.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file instead of standard output.",
)
@json_option
@pass_context
def export(context: Context, form: Literal["json", "ndjson"], output: Path | None, as_json: bool) -> None:
    """Write every session with its actions as JSON.

    The result of --json is {"sessions", "output"}, printed only together with --output: otherwise
    the export itself is printed.
    """
    from storage import maintenance  # noqa: PLC0415

    path = _database(context)
    if output is None:
        with _explained(), _stdout() as out:
            maintenance.export(path, out, form)
        return
    with _explained(), _replacing(output) as out:
        count = maintenance.export(path, out, form)
    if as_json:
        say_json({"sessions": count, "output": str(output)})
    else:
        write(f"Wrote {count} sessions to {clean(output)}.")


class _Out(TextIOBase):
    """Text output whose failures are not taken for the database's."""

    def __init__(self, stream: TextIO, failed: Callable[[OSError], Exception]) -> None:
        self._stream = stream
        self._failed = failed

    def write(self, text: str, /) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise self._failed(error) from None


@contextmanager
def _stdout() -> Iterator[IO[str]]:
    """Standard output in UTF-8, whatever the terminal is: JSON is."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    out = _Out(sys.stdout, stdout_failed)
    yield cast("IO[str]", out)
    out.flush()


@contextmanager
def _replacing(target: Path) -> Iterator[IO[str]]:
    """A file that takes the place of ``target`` when it is whole. Readable by its owner only."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _unwritable(target, error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            out = _Out(stream, lambda error: _unwritable(target, error))
            yield cast("IO[str]", out)
            out.flush()
            os.fsync(handle)
        temporary.replace(target)
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(target: Path, error: OSError) -> CliError:
    message = f"Cannot write {target}: {error.strerror or error}."
    return CliError(Exit.FAILED, "cannot_write", message, "Name another file with --output.")
