"""What somebody wrote, read as a command. Pure, and tolerant: any text gives a `Line` or None (nothing said).

    play chess house 3      Verb.PLAY, words ("chess", "house", "3")
    #2 Nf3 / 2: Nf3         game "2", no verb, rest "Nf3"
    move paul e4            Verb.MOVE, words ("paul", "e4")

Whether words name a game, an opponent or a move depends on what he plays; that is for `orders`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from lrgpnode.protocol.value import Value

from .clean import fold, lines

MARK: Final = "~"
"""What every text of ours begins with. A text that begins with it was written by a program like this one."""


class Verb(StrEnum):
    HELP = "help"
    GAMES = "games"
    TABLES = "tables"
    PLAY = "play"
    REMATCH = "rematch"
    BOARD = "board"
    MOVE = "move"
    RESIGN = "resign"
    DRAW = "draw"
    LEAVE = "leave"
    SEEK = "seek"
    WHO = "who"
    RESEND = "resend"
    MUTE = "mute"
    UNMUTE = "unmute"
    ASSIST = "assist"
    LADDER = "ladder"
    REPLAY = "replay"
    YES = "yes"
    NO = "no"


_ALIASES: Final[Mapping[Verb, str]] = {
    Verb.HELP: "help h ? hilfe info commands command menu start usage aide ayuda man",
    Verb.GAMES: "games list mine status overview spiele",
    Verb.TABLES: "tables table lobby tische rooms open",
    Verb.PLAY: "play challenge new join sit spiel game",
    Verb.REMATCH: "rematch revanche",
    Verb.BOARD: "board b show position pos view look brett display",
    Verb.MOVE: "move mv m go zug ziehe put drop place",
    Verb.RESIGN: "resign surrender forfeit aufgeben concede",
    Verb.DRAW: "draw remis claim tie offer patt",
    Verb.LEAVE: "leave quit exit stop cancel logout abort bye end",
    Verb.SEEK: "seek wait queue match suche anyone",
    Verb.WHO: "who players people wer online users",
    Verb.RESEND: "resend again repeat r sync refresh nochmal",
    Verb.MUTE: "mute quiet silence silent stumm",
    Verb.UNMUTE: "unmute loud notify",
    Verb.ASSIST: "assist assisted assistance",
    Verb.LADDER: "ladder ladders rating ratings elo rank ranks ranking rangliste top",
    Verb.REPLAY: "replay rewatch review",
    Verb.YES: "yes y accept ok okay ja agree sure",
    Verb.NO: "no n decline reject nein refuse nope",
}
VERBS: Final[Mapping[str, Verb]] = MappingProxyType(
    {word: verb for verb, words in _ALIASES.items() for word in words.split()}
)
"""Every word that is a command."""

_APPS: Final[Mapping[str, str]] = {
    "chess": "chess schach ajedrez echecs",
    "ttt": "ttt tictactoe tic-tac-toe noughts xo oxo tic",
    "four_in_a_row": "four_in_a_row four 4 connect4 connectfour connect-four connect c4 4inarow "
    "fourinarow 4row four-in-a-row vier viergewinnt",
}
APPS: Final[Mapping[str, str]] = MappingProxyType(
    {word: app for app, words in _APPS.items() for word in words.split()}
)
"""What people call the games that come with the node."""

_AUTOMATIC: Final = re.compile(
    r"\s*(\[lrgp\b|\[?(auto|bot|automatic|automated|out of office|away)\b[\s:\-\]]|auto-?repl|i am a bot)",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"^[^\w#?@]+", re.UNICODE)
_TRAILING: Final = re.compile(r"[^\w+#=?)]+$", re.UNICODE)
_NAMED: Final = re.compile(
    r"(?:#\s*(\d{1,3})(?:\s*[:.,)-]?\s*)|(\d{1,3})\s*[:)]\s*|([^\s:]{2,24})\s*:\s+)(.*)"
)
_NUMBER: Final = re.compile(r"#?(\d{1,3})")
_PHRASES: Final = (
    (re.compile(r"tic[\s-]*tac[\s-]*toe"), "ttt"),
    (re.compile(r"(four|4|connect)[\s-]+in[\s-]+a[\s-]+row"), "four"),
    (re.compile(r"connect[\s-]*(four|4)"), "four"),
    (re.compile(r"vier[\s-]+gewinnt"), "four"),
    (re.compile(r"^(i )?(give up|gave up|gebe auf)\b"), "resign"),
    (re.compile(r"^(offer|accept|claim)( a| the)? draw\b"), "draw"),
    (re.compile(r"^(decline|refuse|reject|no)( a| the)? draw\b"), "no"),
    (re.compile(r"^draw (no|decline|refuse|reject)\b"), "no"),
    (re.compile(r"^draw (yes|accept|offer|claim|please|\?)"), "draw"),
    (re.compile(r"^(show|list)( me)?( my| the)? (games|tables|board|players|help)\b"), r"\4"),
    (re.compile(r"^(un-mute|mute off|sound on)\b"), "unmute"),
    (re.compile(r"^(shut up|be quiet)\b"), "mute"),
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Line(Value):
    """``verb`` is None where no word of command was found: a move, a number, or nothing that is known.

    ``game``: the number or opponent that was put in front, as written. ``rest``: what follows, with case;
    ``words``: the same, folded and without punctuation. ``prefixed``: it began like a command (``/help``).
    """

    verb: Verb | None
    game: str
    rest: str
    words: tuple[str, ...]
    prefixed: bool = False

    @property
    def number(self) -> int | None:
        """The number that is all of it, where it is one."""
        found = _NUMBER.fullmatch(self.rest.strip()) if self.verb is None and not self.game else None
        return int(found[1]) if found else None


def automatic(text: str) -> bool:
    """Whether a program seems to have written this, which must not be answered."""
    start = text.lstrip()
    return start.startswith(MARK) or _AUTOMATIC.match(text) is not None


def read(text: str) -> Line | None:
    """The command in a text: its first line that has one, else its last line. None where nothing is said.

    Many clients send a title of their own; it is the line before what was written.
    """
    found = [line for line in map(_line, lines(text)) if line is not None]
    known = [line for line in found if line.verb is not None or line.prefixed or line.game or line.number]
    return next(iter(known or found[-1:]), None)


def _line(text: str) -> Line | None:
    prefixed = text[:1] in "/!." and len(text) > 1
    body = text[1:] if prefixed else text
    if body.strip() == "?":
        return Line(verb=Verb.HELP, game="", rest="", words=(), prefixed=prefixed)
    body = _TRAILING.sub("", _LEADING.sub("", body)).rstrip("?") or ""
    if not body:
        return None
    game = ""
    named = _NAMED.fullmatch(body)
    if named is not None and (named[1] or named[4]):
        game, body = named[1] or named[2] or named[3], named[4]
    for pattern, word in _PHRASES:
        folded = fold(body)
        if len(folded) == len(body):
            match = pattern.search(folded)
            if match is not None:
                body = f"{body[: match.start()]}{match.expand(word)}{body[match.end() :]}"
    head, _, rest = body.strip().partition(" ")
    verb = VERBS.get(fold(head).strip("!.,;:?"))
    if verb is None:
        rest = body
    elif verb in (Verb.PLAY, Verb.SEEK) and fold(head) == "game":
        # "game 2 e4" names a game; "game chess" wants one.
        number = _NUMBER.match(rest)
        if number is not None:
            game, rest, verb = number[1], rest[number.end() :].strip(" :,"), None
            return _made(None if rest else Verb.BOARD, game, rest, prefixed=prefixed)
    return _made(verb, game, rest, prefixed=prefixed)


def _made(verb: Verb | None, game: str, rest: str, *, prefixed: bool) -> Line:
    rest = rest.strip()
    words = (word.strip(".,;:!?") for word in fold(rest).split())
    return Line(verb=verb, game=game, rest=rest, words=tuple(filter(None, words)), prefixed=prefixed)


def app(words: tuple[str, ...], installed: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The game that is named among the words ("" for none), and the other words.

    ``installed``: what else games are called, folded, with their app ids.
    """
    known = {**APPS, **installed}
    for place, word in enumerate(words):
        if word in known and known[word] in set(installed.values()) and not (word == "4" and place):
            return known[word], words[:place] + words[place + 1 :]
    return "", words
