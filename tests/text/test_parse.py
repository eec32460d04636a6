"""Reading what people write: whatever it is, it becomes a command, something unknown, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from interfaces.text import clean, parse
from interfaces.text.parse import Verb


def verb(text: str) -> Verb | None:
    line = parse.read(text)
    assert line is not None
    return line.verb


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("help", Verb.HELP),
        ("HELP!!", Verb.HELP),
        ("  help.  ", Verb.HELP),
        ("?", Verb.HELP),
        ("/help", Verb.HELP),
        ("!help", Verb.HELP),
        ("Hilfe", Verb.HELP),
        ("ｈｅｌｐ", Verb.HELP),
        ("🎲 help 🎲", Verb.HELP),
        ("\x1b[31mhelp\x1b[0m", Verb.HELP),
        ("\x1b]0;title\x07help", Verb.HELP),
        ("h\u200belp", Verb.HELP),
        ("A title\nhelp", Verb.HELP),
        ("help\nsent from my radio", Verb.HELP),
        ("> play chess\nhelp", Verb.HELP),
        ("Accept", Verb.YES),
        ("ok.", Verb.YES),
        ("Nein", Verb.NO),
        ("draw?", Verb.DRAW),
        ("offer a draw", Verb.DRAW),
        ("accept the draw", Verb.DRAW),
        ("no draw", Verb.NO),
        ("decline draw", Verb.NO),
        ("I give up", Verb.RESIGN),
        ("quit", Verb.LEAVE),
        ("show board", Verb.BOARD),
        ("show me my games", Verb.GAMES),
        ("unmute", Verb.UNMUTE),
        ("again", Verb.RESEND),
        ("Nf3", None),
        ("e2 e4", None),
        ("0-0", None),
        ("5", None),
        ("col 3", None),
        ("good morning", None),
        ("help" * 200, None),
    ],
)
def test_the_word_of_command(text: str, expected: Verb | None) -> None:
    assert verb(text) is expected


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "\x00\x01", "🎲🎲", "...", "\u202e\u2066", "> quoted", "\ud800"]
)
def test_nothing_is_said(text: str) -> None:
    assert parse.read(text) is None


@pytest.mark.parametrize(
    ("text", "game", "rest"),
    [
        ("#2 Nf3", "2", "Nf3"),
        ("#2: Nf3", "2", "Nf3"),
        ("2: e4", "2", "e4"),
        ("2) e4", "2", "e4"),
        ("paul: e4", "paul", "e4"),
        ("game 2 e4", "2", "e4"),
        ("Game 12: e4", "12", "e4"),
        ("1. e4", "", "1. e4"),
        ("e4", "", "e4"),
    ],
)
def test_a_game_may_be_named_in_front(text: str, game: str, rest: str) -> None:
    line = parse.read(text)
    assert line is not None
    assert (line.verb, line.game, line.rest) == (None, game, rest)


def test_games_are_told_from_game_numbers() -> None:
    assert verb("game chess") is Verb.PLAY
    assert verb("game 2") is Verb.BOARD


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), ("5️⃣", 5), ("５", 5), ("#12", 12), ("5.", 5), ("5 5", None)]
)
def test_bare_numbers(text: str, number: int | None) -> None:
    line = parse.read(text)
    assert line is not None
    # "#12" names a game and says nothing more.
    assert (line.number if not line.game else int(line.game)) == number


@pytest.mark.parametrize(
    ("words", "app", "others"),
    [
        ("chess house 3", "chess", ("house", "3")),
        ("Tic Tac Toe", "ttt", ()),
        ("connect four paul", "four_in_a_row", ("paul",)),
        ("4 in a row", "four_in_a_row", ()),
        ("vier gewinnt", "four_in_a_row", ()),
        ("chess 4", "chess", ("4",)),
        ("go paul", "", ("go", "paul")),
    ],
)
def test_the_game_among_the_words(words: str, app: str, others: tuple[str, ...]) -> None:
    line = parse.read(f"play {words}")
    assert line is not None
    installed = {name: name for name in ("chess", "ttt", "four_in_a_row")}
    assert parse.app(line.words, installed) == (app, others)


@pytest.mark.parametrize(
    "text", ["~#1 chess", "[LRGP Chess] Sent a challenge!", "Auto-reply: away", "[bot] hello", "  ~x"]
)
def test_programs_are_recognised(text: str) -> None:
    assert parse.automatic(text)


@pytest.mark.parametrize("text", ["help", "e4", "both of us", "away we go"[:0] + "board"])
def test_people_are_not_taken_for_programs(text: str) -> None:
    assert not parse.automatic(text)


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    line = parse.read(text)
    parse.automatic(text)
    if line is not None:
        assert line.rest or line.verb or line.game
        assert len(line.rest) <= clean.LONGEST
        assert all(char.isprintable() for char in line.rest)


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    parse.read(data.decode("utf-8", "replace"))
    parse.read(data.decode("latin-1"))
    parse.read(data.decode("utf-8", "surrogateescape"))
