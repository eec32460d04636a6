"""Every message of AgentGames as a typed model, for client and server, and how each side reads them.

One JSON object a message: a line over SSH, a frame over WebSocket. `encode` ends it with a newline, as
servers do on both. A client reads what servers say with `read_answer`: key order, unknown fields and a
newline at the end do not matter, and a field of the wrong type costs nothing where no one needs it. A server
reads what agents say with `read_request`, which takes and ignores what the reference server does.

The protocol's text leaves open, and the reference server answers:

- how an error looks: ``{"type":"error","error":TEXT}``, told apart by its text only;
- where a reason is: in ``reason`` of a result, absent where the board says how it ended;
- what a move token is: a JSON string that is read as a Go integer (`go_int`); in chess UCI;
- what is ignored: everything that is no move or join, without any reply.

Chess is no game of the reference server; `ChessObservation` is how our arcade shows it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, get_type_hints

import msgspec

TTT: Final = "ttt"
C4: Final = "c4"
CHESS: Final = "chess"

EMPTY: Final = "."
MARKS: Final = "XO"
"""The letters of players 0 and 1 on a board."""

MAX_LINE: Final = 1 << 20
"""Bytes of the longest line that the reference server reads over SSH; its WebSocket has no bound."""

DRAW: Final = -1
"""``Result.winner`` of a draw."""

Outcome: TypeAlias = Literal["win", "loss", "draw"]

ILLEGAL_MOVE: Final = "forfeit: illegal move"
MOVE_TIMEOUT: Final = "forfeit: move timeout"
CONNECTION_CLOSED: Final = "forfeit: connection closed"

NO_OPPONENT: Final = "no opponent found \u2014 try again later"
BAD_TOKEN: Final = "invalid or missing token (mint: agentbbs mint-token <user>)"  # noqa: S105 - no token
ACCOUNT_UNAVAILABLE: Final = "account unavailable"


class Message(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="type"):
    """Base of all messages; ``type`` is their tag."""


# What a server says


class Queued(Message, frozen=True, kw_only=True, tag="queued"):
    """The agent waits for an opponent."""

    game: str


class Hello(Message, frozen=True, kw_only=True, tag="hello"):
    """The match begins. ``player``: 0 (X, moves first) or 1. ``opponent``: the name of an account."""

    player: int
    game: str
    opponent: str


class State(Message, frozen=True, kw_only=True, tag="state"):
    """The position before a move, sent to both. `observation_of` and `read_observation` make and read it."""

    observation: msgspec.Raw
    your_turn: bool


class Result(Message, frozen=True, kw_only=True, tag="result", omit_defaults=True):
    """The match is over. ``winner``: 0, 1 or `DRAW`. ``outcome``: for who reads it. ``rating``: its new one.

    ``reason``: "" where the board says how it ended, and then absent on the wire.
    """

    winner: int
    outcome: Outcome
    rating: float
    reason: str = ""


class Error(Message, frozen=True, kw_only=True, tag="error"):
    """There is no match; the server closes."""

    error: str


# What an agent says


class Join(Message, frozen=True, kw_only=True, tag="join"):
    """Wait for an opponent; only where the game was not named otherwise."""

    game: str


class Move(Message, frozen=True, kw_only=True, tag="move"):
    """``move``: one of the observation's ``legal``."""

    move: str


Answer: TypeAlias = Queued | Hello | State | Result | Error
Request: TypeAlias = Join | Move


# What an observation shows


class TttObservation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """``board``: nine cells, row by row."""

    board: list[str]
    to_move: int
    legal: list[str]


class C4Observation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """``board``: six rows of seven cells, the highest first."""

    board: list[list[str]]
    to_move: int
    legal: list[str]


class ChessObservation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """``legal``: UCI, sorted. ``moves``: all moves from the beginning in UCI. Player 0 is White."""

    fen: str
    to_move: int
    legal: list[str]
    moves: list[str]


Observation: TypeAlias = TttObservation | C4Observation | ChessObservation

OBSERVATIONS: Final[Mapping[str, type[Observation]]] = {
    TTT: TttObservation,
    C4: C4Observation,
    CHESS: ChessObservation,
}


# Writing


def encode(message: Answer | Request) -> bytes:
    """One line, with its newline."""
    if isinstance(message, Result) and message.rating.is_integer():
        # As Go writes a float: 1516 and not 1516.0.
        message = msgspec.structs.replace(message, rating=int(message.rating))
    return msgspec.json.encode(message) + b"\n"


def observation_of(observation: Observation) -> msgspec.Raw:
    """What goes into both copies of a `State`."""
    return msgspec.Raw(msgspec.json.encode(observation))


def unknown_game(game: str, games: Iterable[str]) -> Error:
    """The game that was asked for is not played here."""
    return Error(error=f"unknown game {game}; games: {_listed(games)}")


def join_first(games: Iterable[str]) -> Error:
    """No game was named in time."""
    return Error(error=f'send {{"type":"join","game":"<id>"}} first; games: {_listed(games)}')


def no_opponent() -> Error:
    """Nobody came while the agent waited."""
    return Error(error=NO_OPPONENT)


def _listed(games: Iterable[str]) -> str:
    return ", ".join(sorted(games))


# Reading, as a client


class Unreadable(ValueError):
    """Base of what a client cannot use."""


class PlainText(Unreadable):
    """A line that is no JSON object: refusals over SSH are such. ``text`` is the line, not checked."""

    def __init__(self, text: str) -> None:
        super().__init__("a line that is not JSON")
        self.text = text


class Malformed(Unreadable):
    """A message of a known type that lacks what it needs. The text names the field."""


def read_answer(line: bytes | str) -> Answer | None:
    """What a server said; None for a type that is not known. Raises `PlainText` and `Malformed`.

    The caller bounds the length.
    """
    data = line.encode("utf-8", "replace") if isinstance(line, str) else line
    try:
        fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
        kind = msgspec.json.decode(fields["type"]) if "type" in fields else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise PlainText(data.decode("utf-8", "replace").strip()) from None
    model = _ANSWERS.get(kind) if isinstance(kind, str) else None
    return None if model is None else _read(fields, model)


_ANSWERS: Final[Mapping[str, type[Answer]]] = {
    "queued": Queued,
    "hello": Hello,
    "state": State,
    "result": Result,
    "error": Error,
}
_OPTIONAL: Final[Mapping[str, Any]] = {
    "opponent": "",
    "error": "",
    "game": "",
    "rating": math.nan,
    "reason": "",
}
"""What a client can do without."""

_SEATS: Final[Mapping[str, range]] = {"player": range(2), "winner": range(-1, 2)}


def _read(fields: Mapping[str, msgspec.Raw], model: type[Answer]) -> Answer:
    hints = get_type_hints(model)
    found: dict[str, Any] = {}
    for field in msgspec.structs.fields(model):
        name = field.encode_name
        try:
            value = msgspec.json.decode(fields[name], type=hints[field.name], strict=False)
            if name in _SEATS and value not in _SEATS[name]:
                raise KeyError(name)
        except (KeyError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if name not in _OPTIONAL:
                raise Malformed(f"a message without {name} that can be used") from None
            value = _OPTIONAL[name]
        found[field.name] = value
    return model(**found)


def rating_of(result: Result) -> float | None:
    """The new rating; None where none that is a number was sent."""
    return result.rating if math.isfinite(result.rating) else None


def read_observation(game: str, observation: msgspec.Raw) -> Observation:
    """The observation of a `State`; its cells and moves are not checked. Raises `Malformed`."""
    try:
        read = msgspec.json.decode(observation, type=OBSERVATIONS[game])
    except (KeyError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Malformed("an observation that cannot be read") from None
    if read.to_move not in range(2):
        raise Malformed("an observation without toMove that can be used")
    return read


# Reading, as a server


def read_request(line: bytes | str) -> Request | None:
    """What an agent said; None for all that the reference server ignores. Never raises.

    Keys match without regard to case, the last of equal keys wins, null changes nothing, and a known key with
    anything but a string makes the whole message noise. The caller bounds the length.
    """
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    try:
        pairs = json.loads(
            text, object_pairs_hook=_Pairs, parse_int=_zero, parse_float=_zero, parse_constant=_none
        )
    except (ValueError, RecursionError):
        return None
    if not isinstance(pairs, _Pairs):
        return None
    found = {"type": "", "game": "", "move": ""}
    for key, value in pairs:
        name = key.lower() if key.isascii() else key
        if name not in found or value is None:
            continue
        if not isinstance(value, str):
            return None
        found[name] = _SURROGATE.sub("\ufffd", value)
    match found:
        case {"type": "join", "game": str(game)} if game:
            return Join(game=game)
        case {"type": "move", "move": str(move)} if move:
            return Move(move=move)
    return None


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object, which may have equal keys."""


def _zero(_: str) -> int:
    return 0


def _none(constant: str) -> None:
    raise ValueError(constant)


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_GO_INT: Final = re.compile(r"[+-]?[0-9]{1,40}\Z")
_GO_RANGE: Final = range(-(1 << 63), 1 << 63)


def go_int(token: str) -> int | None:
    """A move token as the reference server reads it (Go's ``strconv.Atoi``): "+4" is 4, " 4" is none.

    None is a move that forfeits.
    """
    if not _GO_INT.match(token):
        return None
    number = int(token)
    return number if number in _GO_RANGE else None
