"""The command ``lrgpnode``: its group of commands, and the one place where every error ends up."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final

import click

from lrgpnode.cli.exits import STDOUT, CliError, Exit, ReaderGone, sentence

COMMANDS: Final = {
    "tui": "tui",
    "run": "running",
    "demo": "demo",
    "status": "status",
    "stop": "running",
    "announce": "running",
    "identity": "people",
    "peers": "people",
    "contacts": "contacts",
    "requests": "contacts",
    "house": "house",
    "ladder": "standings",
    "gateway": "gateway",
    "arcade": "arcade",
    "challenge": "play",
    "games": "games",
    "accept": "play",
    "decline": "play",
    "move": "play",
    "draw": "play",
    "act": "play",
    "resign": "play",
    "actions": "games",
    "outbox": "outbox",
    "resend": "outbox",
    "abandon": "outbox",
    "delete": "outbox",
    "chat": "chat",
    "watch": "watch",
    "propagation": "propagation",
    "config": "settings",
    "metrics": "metrics",
    "doctor": "doctor",
    "radio": "radio",
    "service": "service",
    "log": "log",
    "db": "db",
    "backup": "backup",
    "restore": "backup",
    "conform": "running",
}
"""The modules that the commands are in, in the order of the help. Only the one that is needed is loaded."""

# A command group without a command; click before 8.2 prints its help by itself.
_NO_ARGUMENTS: Final[type[click.UsageError] | tuple[()]] = getattr(click.exceptions, "NoArgsIsHelpError", ())


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = getattr(import_module(f"lrgpnode.cli.{module}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # noqa: PLC0415 - only a typing error needs it

            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near or "Did you mean" in error.message:
                raise
            message = f"{error.message.rstrip('.')}. Did you mean {near[0]!r}?"
            raise click.UsageError(message, ctx) from None


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Data directory of the node. Without it: $LRGPNODE_DATA, else the installed service's, else yours.",
)
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Control socket of the node, where it is not the usual one. Also: $LRGPNODE_SOCKET.",
)
@click.option(
    "--as",
    "identity",
    metavar="IDENTITY",
    help="Act as this identity, by name or hash prefix; needed only where the node has several.",
)
@click.version_option(package_name="lrgpnode", message="%(prog)s %(version)s")
@click.pass_context
def lrgpnode(ctx: click.Context, data: Path | None, socket: Path | None, identity: str | None) -> int | None:
    """Play board games over Reticulum mesh networks.

    Without a command it opens the interface in the terminal. `lrgpnode run` starts a node; every other
    command talks to a running one.
    """
    from lrgpnode.cli.context import Context  # noqa: PLC0415 - for --help and --version nothing is loaded

    ctx.obj = Context(data=data, socket=socket, identity=identity)
    if ctx.invoked_subcommand is not None:
        return None
    from lrgpnode.cli.tui import tui  # noqa: PLC0415

    code: int = ctx.invoke(tui)
    return code


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    given = list(sys.argv[1:] if args is None else args)
    # A name that the terminal cannot show must not end a command.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        result = lrgpnode.main(given, prog_name="lrgpnode", standalone_mode=False)
        return result if isinstance(result, int) else Exit.OK
    except CliError as error:
        failure = error
    except click.UsageError as error:
        if isinstance(error, _NO_ARGUMENTS):
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        failure = _usage(error)
    except click.ClickException as error:
        failure = CliError(Exit.FAILED, "failed", sentence(error.format_message()))
    except ReaderGone:
        _abandon_stdout()
        return Exit.OK
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    return _report(failure, as_json="--json" in given)


def _usage(error: click.UsageError) -> CliError:
    path = error.ctx.command_path if error.ctx is not None else "lrgpnode"
    return CliError(Exit.USAGE, "usage", sentence(error.format_message()), f"See `{path} --help`.")


def _report(error: CliError, *, as_json: bool) -> int:
    from lrgpnode.cli.text import clean  # noqa: PLC0415 - only errors need it

    if error.kind == STDOUT:
        _abandon_stdout()
    elif as_json:
        fields = {"kind": error.kind, "message": error.message, "hint": error.hint}
        try:
            sys.stdout.write(json.dumps({"error": fields}) + "\n")
            sys.stdout.flush()
        except OSError:
            _abandon_stdout()
        return error.code
    text = " ".join(clean(part, 600) for part in (error.message, error.hint) if part)
    with suppress(OSError):
        sys.stderr.write(f"lrgpnode: {text}\n")
    return error.code


def _abandon_stdout() -> None:
    """What is left in the buffer must not raise again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
