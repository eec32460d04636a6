"""What the node asks the thinking process, and what it gets back: one line of JSON each way."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lrgpnode.protocol.value import Value

from .levels import LEVELS

if TYPE_CHECKING:
    from lrgpnode.protocol.session import Session

_MOVE: Final = {"ttt": "i", "four_in_a_row": "c", "chess": "m"}
STATE: Final = {"ttt": "board", "four_in_a_row": "board", "chess": "moves"}
"""Where the metadata of a session have what is thought about."""

MAX_LINE: Final = 64 * 1024
"""Bytes of a question; a chess game of ten thousand plies has fewer."""


class BadQuestion(Exception):
    """The line is no question or no answer; ``str()`` says why."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Question(Value):
    """``state``: the board of tic-tac-toe and four in a row, the moves of chess in UCI form.

    It is answered for whoever is to move there. Equal questions get equal answers.
    """

    app: str
    state: str | tuple[str, ...]
    level: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer(Value):
    """``score``: above 0 whoever is to move is better. ``claim``: the draw that may be claimed, or ""."""

    move: int | str
    score: int
    nodes: int
    claim: str = ""


def of(session: Session, *, level: int, seed: int) -> Question:
    """What whoever is to move in a session is to play."""
    state = session.metadata[STATE[session.app_id]]
    return Question(
        app=session.app_id,
        state=tuple(state) if isinstance(state, list) else state,
        level=level,
        seed=seed,
    )


def intent(app: str, move: int | str) -> dict[str, Any]:
    """The move of an answer as the game takes it."""
    return {_MOVE[app]: move}


def pack_question(question: Question) -> bytes:
    fields = {
        "app": question.app,
        "state": question.state,
        "level": question.level,
        "seed": question.seed,
    }
    return _line(fields)


def pack_answer(answer: Answer) -> bytes:
    fields = {"move": answer.move, "score": answer.score, "nodes": answer.nodes, "claim": answer.claim}
    return _line(fields)


def pack_failure(reason: str) -> bytes:
    return _line({"failed": reason[:200]})


def parse_question(line: bytes) -> Question:
    """Raises ``BadQuestion``."""
    fields = _fields(line)
    app, state, level, seed = (fields.get(name) for name in ("app", "state", "level", "seed"))
    if isinstance(state, list) and all(isinstance(move, str) for move in state):
        state = tuple(state)
    if not isinstance(app, str) or app not in LEVELS or not isinstance(state, (str, tuple)):
        raise BadQuestion("the question names no game and position")
    if type(level) is not int or type(seed) is not int:
        raise BadQuestion("level and seed must be whole numbers")
    return Question(app=app, state=state, level=level, seed=seed)


def parse_answer(line: bytes) -> Answer:
    """Raises ``BadQuestion``, also where the answer is that thinking failed."""
    fields = _fields(line)
    if "failed" in fields:
        raise BadQuestion(f"thinking failed: {fields['failed']}")
    move, score, nodes, claim = (fields.get(name) for name in ("move", "score", "nodes", "claim"))
    if type(move) not in (int, str) or type(score) is not int or type(nodes) is not int:
        raise BadQuestion("the answer has no move and score")
    if not isinstance(claim, str):
        raise BadQuestion("the answer says nothing about claims")
    return Answer(move=move, score=score, nodes=nodes, claim=claim)  # type: ignore[arg-type]


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _fields(line: bytes) -> dict[str, Any]:
    if not line.endswith(b"\n") or len(line) > MAX_LINE:
        raise BadQuestion("the line was cut off")
    try:
        fields = json.loads(line)
    except ValueError:
        raise BadQuestion("the line is not JSON") from None
    if not isinstance(fields, dict):
        raise BadQuestion("the line is not a JSON object")
    return fields
