"""Commands that write games to files, and check what others wrote."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lrgpnode.cli.context import Context, json_option, pass_context, say_json, write
from lrgpnode.cli.exits import CliError, Exit, stdout_failed
from lrgpnode.cli.text import clean, when, who
from lrgpnode.cli.types import SESSION

if TYPE_CHECKING:
    from lrgpnode.records.verify import Verified


@click.command()
@click.argument("id", type=SESSION)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--signed", is_flag=True, help="Prove every action with its author's signature.")
@click.option("--partial", is_flag=True, help="With --signed: also if actions of the peer lack their proof.")
@json_option
@pass_context
def export(context: Context, id: str, file: Path | None, signed: bool, partial: bool, as_json: bool) -> None:
    """Write the game ID to FILE, or to standard output.

    Chess is written as PGN, other games as a list of moves. With --signed the same text is followed by
    what proves it, for `lrgpnode games verify`; a signed game of chess is still a PGN file. An older
    FILE is replaced.
    """
    if partial and not signed:
        raise click.UsageError("--partial goes with --signed.")
    result = context.call("game.export", id=id, identity=context.identity, signed=signed, partial=partial)
    if file is None:
        if as_json:
            say_json(result)
        else:
            _print(result["content"])
        return
    _replace(file, result.pop("content").encode())
    if as_json:
        say_json(result | {"output": str(file)})
        return
    write(f"Wrote game {result['id']} to {clean(file)}.")
    if result["unproven"]:
        write(f"Not proven: {_numbers(result['unproven'])}.")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.argument("other", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--partial", is_flag=True, help="Accept a record in which some actions are not proven.")
@json_option
def verify(file: Path, other: Path | None, partial: bool, as_json: bool) -> None:
    """Prove offline who made the moves of a signed game.

    FILE is what `lrgpnode games export --signed` has written; - reads standard input. Every signature
    is checked, and the game is played again by its rules. No node needs to run. OTHER is the record of
    the other player: both must tell the same, which proves that neither left anything out. What a record
    proves and what not is in docs/records.md. Without proof the exit code is 7.
    """
    found = _proven(file, partial)
    both = other is not None
    if other is not None:
        from lrgpnode.records.verify import agree  # noqa: PLC0415 - as below

        with _explained():
            agree(found, _proven(other, partial))
    if as_json:
        say_json({**_as_json(found), "both": both})
        return
    for line in _shown(found, both):
        write(line)


def _proven(file: Path, partial: bool) -> Verified:
    from lrgpnode.plugins import load_games  # noqa: PLC0415 - loads every game
    from lrgpnode.records.verify import verify  # noqa: PLC0415 - loads cryptography

    data = _read(file)
    with _explained():
        return verify(data, load_games()[0], partial=partial)


@contextmanager
def _explained() -> Iterator[None]:
    from lrgpnode.records.errors import GameMissing, Refused  # noqa: PLC0415

    try:
        yield
    except Refused as error:
        hint = "With --partial the rest is checked." if error.reason == "unproven" else ""
        raise CliError(Exit.REFUSED, str(error.reason), error.message, hint) from None
    except GameMissing as error:
        hint = "Its rules cannot be checked: install it, and try again."
        raise CliError(Exit.FAILED, "unknown_app", error.message, hint) from None


def _shown(found: Verified, both: bool) -> list[str]:
    names = {player.address: player.name for player in found.players}
    proven = len(found.acts) - len(found.unproven)
    lines = [f"Proven: {proven} of {len(found.acts)} actions of {found.app}.{found.version} {found.session}."]
    if found.unproven:
        lines.append(f"Not proven: {_numbers(found.unproven)}.")
    lines += [f"Player   {player.address} {clean(player.name)}".rstrip() for player in found.players]
    end = "no result yet" if not found.end.reason else clean(found.end.reason).replace("_", " ")
    if found.end.winner:
        end += f", won by {who(names.get(found.end.winner, ''), found.end.winner)}"
    lines.append(f"Result   {clean(found.end.status)}: {end}")
    if found.expired:
        lines.append("         That time ran out is what the exporter says.")
    lines.append(f"Exported {when(found.exported_at)} by {who(names[found.exporter], found.exporter)}")
    if both:
        lines.append("The record of the other player tells the same.")
    # Every character of the text prints, that has been checked; `clean` would spoil its columns.
    return [*lines, "", found.text.rstrip()]


def _as_json(found: Verified) -> Mapping[str, Any]:
    end = found.end
    return {
        "app": found.app,
        "version": found.version,
        "session": found.session,
        "players": [
            {"address": player.address, "public_key": player.public_key, "name": player.name}
            for player in found.players
        ],
        "initiator": found.initiator,
        "exporter": found.exporter,
        "exported_at": found.exported_at,
        "status": end.status,
        "reason": end.reason,
        "winner": end.winner,
        "turn": end.turn,
        "ply": end.ply,
        "position": end.position,
        "text": found.text,
        "unproven": found.unproven,
        "actions": [
            {
                "number": act.number,
                "author": act.author,
                "command": act.command,
                "hash": act.hash,
                "written_at": act.written_at,
            }
            for act in found.acts
        ],
    }


def _numbers(numbers: Any) -> str:
    shown = ", ".join(str(number) for number in numbers)
    return f"action {shown}" if len(numbers) == 1 else f"actions {shown}"


def _read(file: Path) -> bytes:
    from lrgpnode.records.format import MAX_FILE  # noqa: PLC0415

    try:
        if str(file) == "-":
            return sys.stdin.buffer.read(MAX_FILE + 1)
        with file.open("rb") as stream:
            return stream.read(MAX_FILE + 1)
    except OSError as error:
        message = f"Cannot read {file}: {error.strerror or error}."
        raise CliError(Exit.FAILED, "cannot_read", message) from None


def _print(content: str) -> None:
    """In UTF-8, whatever the terminal is: the bytes count."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
    try:
        sys.stdout.write(content)
        sys.stdout.flush()
    except OSError as error:
        raise stdout_failed(error) from None


def _replace(target: Path, data: bytes) -> None:
    """Write a file that takes the place of ``target`` when it is whole."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        try:
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        message = f"Cannot write {target}: {error.strerror or error}."
        raise CliError(Exit.FAILED, "cannot_write", message, "Name another file.") from None
