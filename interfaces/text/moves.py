"""What somebody may mean by a move, in whatever words. Pure.

The game reads it (``Game.parse``), after what people add to a move is taken away, and one after the other in
the forms it may have been meant in. What the game knows nothing of may still be the label of a legal move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.game import GameView

from .clean import fold

_FILLER_WORDS: Final = (
    "move moves play plays to from the my a an in into on at nach von auf zu col column columns row cell "
    "field square spalte feld position pos number no nr please pls then and i takes take captures with "
    "drop put"
)
_FILLERS: Final = frozenset(_FILLER_WORDS.split())
_PIECES: Final = {
    "king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "horse": "N", "pawn": "",
    "koenig": "K", "dame": "Q", "turm": "R", "laeufer": "B", "springer": "N", "bauer": "",
}  # fmt: skip
_CASTLES: Final = (
    (re.compile(r"^[0o] ?[0o]$"), "O-O"),
    (re.compile(r"^[0o] ?[0o] ?[0o]$"), "O-O-O"),
    (re.compile(r"^(castles?|castling|rochade|rochiere)( ?(king'?s?|kingside|short|kurz).*)?$"), "O-O"),
    (re.compile(r"^(castles?|castling|rochade|rochiere) ?(queen'?s?|queenside|long|lang).*$"), "O-O-O"),
    (re.compile(r"^(king'?s?-?side|short|kurze) ?(castles?|castling|rochade)$"), "O-O"),
    (re.compile(r"^(queen'?s?-?side|long|lange) ?(castles?|castling|rochade)$"), "O-O-O"),
)
_NUMBERED: Final = re.compile(r"^\d{1,3}\s*\.{1,3}\s*(?=[a-zA-Z0-9])")
_SQUARES: Final = re.compile(r"^([a-h][1-8])[^a-z0-9]*([a-h][1-8])[^a-z0-9]*=?([qrbn])?$")
_LIKE_MOVE: Final = re.compile(r"[a-h]?x?[a-h][1-8]|[0o]-[0o](-[0o])?|\d", re.IGNORECASE)
_NUMBER_WORDS: Final = {
    word: str(number)
    for number, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], 1)
}
MOST_FORMS: Final = 12


def forms(text: str) -> Iterator[str]:
    """What it may have been meant as, the nearest first; each once."""
    seen: set[str] = set()
    for form in _forms(text):
        short = form.strip()
        if short and short not in seen and len(seen) < MOST_FORMS:
            seen.add(short)
            yield short


def _forms(text: str) -> Iterator[str]:
    text = _NUMBERED.sub("", text.strip())
    folded = " ".join(fold(text).split()).strip(" .,;:!?")
    for pattern, castle in _CASTLES:
        if pattern.match(folded):
            yield castle
    words = [word for word in re.split(r"[\s,;:]+", text.strip(" .,;:!?")) if word]
    bare = [word for word in words if fold(word) not in _FILLERS]
    pieces = [_PIECES.get(fold(word), word) for word in bare]
    counted = [_NUMBER_WORDS.get(fold(word), word) for word in bare]
    for some in (words, bare, pieces, counted):
        yield "".join(some)
    joined = fold("".join(bare))
    squares = _SQUARES.match(joined)
    if squares is not None:
        yield "".join(part or "" for part in squares.groups())
    yield joined
    yield re.sub(r"[^a-z0-9]", "", joined)
    digits = re.findall(r"\d+", joined)
    if len(digits) == 1 and not re.search(r"[a-z]", joined):
        yield digits[0]


def like_move(text: str) -> bool:
    """Whether it looks like a move of some game, so that what is wrong with it is worth an answer."""
    return len(text) <= 40 and _LIKE_MOVE.search(text) is not None


def read(view: GameView, parse: Callable[[str], Mapping[str, Any]], text: str) -> Mapping[str, Any]:
    """The intent. ``parse`` is the game's. Raises ``Rejection``, for people, where there is none."""
    first: Rejection | None = None
    legal = [move.intent for move in view.legal]
    fallback: Mapping[str, Any] | None = None
    for form in forms(text):
        try:
            intent = parse(form)
        except Rejection as rejection:
            first = first or rejection
            continue
        if not legal or intent in legal:
            return intent
        fallback = fallback or intent
    for move in view.legal:
        if any(_plain(form) == _plain(move.label) for form in forms(text)):
            return move.intent
    if fallback is not None:
        return fallback  # the game says better than we could why it cannot be made
    raise first or _nothing(parse)


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", fold(text))


def _nothing(parse: Callable[[str], Mapping[str, Any]]) -> Rejection:
    try:
        parse("?")
    except Rejection as rejection:
        return rejection
    raise AssertionError("a game took a question mark for a move")
