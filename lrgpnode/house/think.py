"""The thinking process: ``python -m lrgpnode.house.think``. One question, one answer, and it ends.

It is a process of its own so that the node goes on answering, and its memory is given back when it has
thought. It knows nothing of the node and loads neither Reticulum nor asyncio. When its standard input
closes, because the node has stopped, was killed or lost interest, it ends at once.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import threading
from typing import Final

from . import question
from .levels import level
from .niceness import be_nice
from .question import Answer, BadQuestion, Question

MEMORY_BYTES: Final = 384 * 1024 * 1024
"""Of address space, of which an engine uses a tenth."""

CPU_SECONDS: Final = 180
EXIT_ABANDONED: Final = 3


def answer(asked: Question) -> Answer:
    """Raises ``BadQuestion`` where there is nothing to choose; the position itself must be legal."""
    rng, limits = random.Random(asked.seed), level(asked.app, asked.level)  # noqa: S311 - whims, no secrets
    if asked.app == "chess" and isinstance(asked.state, tuple):
        from games import _chess_rules as rules  # noqa: PLC0415 - a second on a small computer

        from . import chess_engine  # noqa: PLC0415

        position = rules.replay(asked.state)
        if position.end() != ("", ""):
            raise BadQuestion("the game is over")
        choice = chess_engine.choose(position, limits, rng)
        return Answer(move=choice.move, score=choice.score, nodes=choice.nodes, claim=position.claim())
    if not isinstance(asked.state, str) or "_" not in asked.state:
        raise BadQuestion("the board is full, or none")
    from . import four, tictactoe  # noqa: PLC0415

    engine = tictactoe if asked.app == "ttt" else four
    choice = engine.choose(asked.state, limits, rng)
    return Answer(move=choice.move, score=choice.score, nodes=choice.nodes)


def main() -> int:
    _limit()
    line = sys.stdin.buffer.readline(question.MAX_LINE + 1)
    threading.Thread(target=_end_with_the_node, daemon=True).start()
    try:
        reply = question.pack_answer(answer(question.parse_question(line)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the node is waiting for a line
        reply = question.pack_failure(f"{type(error).__name__}: {error}")
    sys.stdout.buffer.write(reply)
    sys.stdout.buffer.flush()
    return 0


def _limit() -> None:
    be_nice(os.getpid(), os.getppid())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_the_node() -> None:
    """Wait for the end of the standard input; nothing more is expected on it."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(EXIT_ABANDONED)


if __name__ == "__main__":
    sys.exit(main())
