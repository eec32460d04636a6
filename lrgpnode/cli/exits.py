"""Exit codes, and every error as the sentence and the code it ends with."""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Exit(IntEnum):
    """What a command ends with; docs/commands.md is made from ``MEANINGS``."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_RUNNING = 3
    DATABASE = 4
    CONFIG = 5
    UNCERTAIN = 6
    REFUSED = 7
    INTERRUPTED = 130


MEANINGS: Final = {
    Exit.OK: "Done. Also: whoever read the output has closed it.",
    Exit.FAILED: "The node refused the request, or it failed.",
    Exit.USAGE: "The command line is wrong.",
    Exit.NOT_RUNNING: "No node is running, or it cannot be reached.",
    Exit.DATABASE: "The database is damaged, or cannot be read or written.",
    Exit.CONFIG: "A setting, a path or a key file is wrong.",
    Exit.UNCERTAIN: "The node went away before it answered: what was asked may be done or not.",
    Exit.REFUSED: "`games verify`: the file does not prove what it says.",
    Exit.INTERRUPTED: "Interrupted with Ctrl-C.",
}


STDOUT: Final = "stdout"
"""The kind of an error that cannot be reported on standard output."""


class CliError(Exception):
    """The end of a command: what happened, in a sentence, and what to do next."""

    def __init__(self, code: Exit, kind: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.kind = kind
        self.message = message
        self.hint = hint


class ReaderGone(Exception):
    """Whoever read the output has closed it. Not ``BrokenPipeError``: click would exit with 1 at that."""


def stdout_failed(error: OSError) -> Exception:
    """What to raise where the output cannot be written."""
    if isinstance(error, BrokenPipeError):
        return ReaderGone()
    return CliError(Exit.FAILED, STDOUT, f"Cannot write the output: {error.strerror or error}.")


def sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
