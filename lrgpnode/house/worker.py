"""Asks the thinking process (``think``) and sees to it that none is left behind.

A process for each thought: it costs a few tenths of a second on a small computer, and in exchange
an idle node has no process waiting and no engine in memory.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Final, Protocol

from .niceness import be_nice
from .question import MAX_LINE, Answer, BadQuestion, Question, pack_question, parse_answer

log = logging.getLogger(__name__)

THINK_SECONDS: Final = 120.0
"""No level takes a tenth of it on the slowest computer, unless that is busy with other things."""

COMMAND: Final = (sys.executable, "-P", "-m", "lrgpnode.house.think")
"""``-P``: modules come from where lrgpnode is installed, never from the working directory."""


class ThinkError(Exception):
    """There is no answer; ``str()`` says why, in one sentence."""


class Thinker(Protocol):
    async def think(self, question: Question) -> Answer:
        """Raises ``ThinkError``. When cancelled, nothing goes on thinking."""
        ...


class ThinkingProcess:
    """Implements ``Thinker``; one process for each question, for at most ``seconds``."""

    def __init__(self, command: tuple[str, ...] = COMMAND, seconds: float = THINK_SECONDS) -> None:
        self._command = command
        self._seconds = seconds

    async def think(self, question: Question) -> Answer:
        try:
            # A group of its own: Ctrl-C at a terminal is for the node, which will end it.
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, limit=MAX_LINE, process_group=0
            )
        except OSError as error:
            raise ThinkError(f"no process to think in: {error.strerror}") from error
        try:
            # The process does so itself as soon as it can; but first it loads Python and the rules.
            with suppress(ProcessLookupError):
                be_nice(process.pid, os.getpid())
            async with asyncio.timeout(self._seconds):
                return parse_answer(await _ask(process, pack_question(question)))
        except TimeoutError:
            raise ThinkError(f"no answer within {self._seconds:g} s") from None
        except (BadQuestion, OSError, ValueError) as error:
            raise ThinkError(str(error)) from error
        finally:
            await _end(process)


async def _ask(process: Process, line: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    await process.stdin.drain()
    # The standard input stays open until the answer is there: its end means that nobody waits.
    return await process.stdout.readline()


async def _end(process: Process) -> None:
    """Collect the process; also while the task that asked is being cancelled."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await asyncio.shield(process.wait())
