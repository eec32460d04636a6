"""What every command gets: which node is meant, and how to talk to it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from lrgpnode.cli.exits import CliError, Exit, sentence, stdout_failed
from lrgpnode.config import ConfigError, Paths, RunOptions, read_lock, resolve
from lrgpnode.control.client import (
    CallFailed,
    Client,
    ClientError,
    Disconnected,
    EventStream,
    NotRunning,
)

ANSWER_SECONDS: Final = 30.0
"""How long a command waits for the node's answer."""


@dataclass(slots=True)
class Context:
    """The options before the command."""

    data: Path | None = None
    socket: Path | None = None
    identity: str | None = None

    def options(self, **more: Any) -> RunOptions:
        return RunOptions(data=self.data, socket=self.socket, **more)

    def paths(self) -> Paths:
        try:
            return resolve(self.options())
        except ConfigError as error:
            raise CliError(Exit.CONFIG, "config", sentence(str(error))) from None

    def client(self, timeout: float = ANSWER_SECONDS) -> Client:
        return Client(self.socket_path(), timeout=timeout)

    def socket_path(self) -> Path:
        """Where the node answers, or would."""
        paths = self.paths()
        # Not Path.exists, which raises where the directory of the service is closed to us.
        if self.socket is None and not os.path.exists(paths.socket):  # noqa: PTH110
            # The node may have been started where $XDG_RUNTIME_DIR was another, e.g. by cron.
            holder = read_lock(paths.data)
            if holder is not None:
                return holder[1]
        return paths.socket

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a method of the node. Raises ``CliError``."""
        try:
            with self.client() as client:
                return client.call(method, **params)
        except ClientError as error:
            raise self.explain(error) from None

    def events(self, after: int | None) -> EventStream:
        try:
            return self.client().events(after)
        except ClientError as error:
            raise self.explain(error) from None

    def explain(self, error: ClientError) -> CliError:
        """An error of the client in the words of the command line."""
        if isinstance(error, NotRunning):
            return self._unreachable(error)
        if isinstance(error, CallFailed):
            return self._refused(error)
        hint = (
            f"See with `{self.command('games')}` whether it was done."
            if isinstance(error, Disconnected)
            else ""
        )
        return CliError(Exit.UNCERTAIN, "disconnected", sentence(str(error)), hint)

    def _unreachable(self, error: NotRunning) -> CliError:
        paths = self.paths()
        if isinstance(error.__cause__, PermissionError):
            return CliError(
                Exit.NOT_RUNNING,
                "not_running",
                f"You may not open the node's socket {paths.socket}.",
                "Join the group of the service with `sudo adduser $USER lrgpnode` and log in again, "
                "or run the command as the user of the node.",
            )
        start = "Start it with `sudo systemctl start lrgpnode`." if paths.service else self._start()
        return CliError(Exit.NOT_RUNNING, "not_running", f"No node is running for {paths.data}.", start)

    def command(self, *words: str) -> str:
        """A command line for the same node and identity, to be copied by a person."""
        given = [("--data", self.data), ("--socket", self.socket), ("--as", self.identity)]
        options = [word for name, value in given if value for word in (name, str(value))]
        return shlex.join(["lrgpnode", *options, *words])

    def _refused(self, error: CallFailed) -> CliError:
        """What the node said, with commands for this very node in its hint."""
        refused = _refused(error)
        refused.hint = refused.hint.replace("`lrgpnode ", f"`{replace(self, identity=None).command()} ")
        return refused

    def _start(self) -> str:
        return f"Start it with `{replace(self, identity=None).command('run')}`."


def _refused(error: CallFailed) -> CliError:
    match error.kind:
        case "storage":
            code = Exit.DATABASE
        case "config":
            code = Exit.CONFIG
        case "rpc-32602":
            code = Exit.USAGE
        case "rpc-32601":
            return CliError(
                Exit.FAILED,
                error.kind,
                "The running node does not know this command.",
                "It is of another version: restart the node.",
            )
        case "rpc-32603":
            return CliError(
                Exit.FAILED, error.kind, "The node failed because of a defect.", "Its log says more."
            )
        case _:
            code = Exit.FAILED
    return CliError(code, error.kind, sentence(error.message), error.hint)


pass_context = click.make_pass_decorator(Context, ensure=True)

json_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one JSON object."
)


def say_json(value: Any) -> None:
    """One line of ASCII: nothing in it can do anything to a terminal."""
    write(json.dumps(value))


def write(line: str) -> None:
    """A line to stdout, at once."""
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except OSError as error:
        raise stdout_failed(error) from None
