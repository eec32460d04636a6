"""Drawings of games, at 40 columns."""

from __future__ import annotations

import copy
import shlex
from dataclasses import replace
from typing import Any

import pytest

from lrgpnode.cli.board import drawing, grid
from lrgpnode.cli.text import width
from lrgpnode.control.models import AppRecord
from lrgpnode.protocol.game import Command
from lrgpnode.protocol.session import SessionKey
from storage.model import OutboxState
from tests.cli.fakes import ID, ME, PEER
from tests.cli.sessions import CHESS, FOUR, TTT, act, challenged, own, played, shown

TTT_ACTIVE = """\
ttt 3f2a90c1d4e5b677 active
You (X) against
  Bob (b2b2b2b2)

   a  b  c
1  X  .  .
2  . [O] .
3  .  .  .

Your turn.
Moves: 1. a1 2. b2
Your last action: move, not delivered:
no path; next attempt 1970-01-01 00:01.
Ends by itself: 1970-01-02 01:00

You can play 2, 3, 4, 6, 7, 8, 9.
  lrgpnode move 3f2a90c1d4e5b677 2
"""

CHESS_ACTIVE = """\
chess 3f2a90c1d4e5b677 active
You (white) against
  Bob (b2b2b2b2)

   a  b  c  d  e  f  g  h
8  r  .  b  q  k  b  n  r
7  .  p  p  p  .  p  p  p
6  p  .  n  .  .  .  .  .
5  . [.] .  .  p  .  .  .
4 [B] .  .  .  P  .  .  .
3  .  .  .  .  .  N  .  .
2  P  P  P  P  .  P  P  P
1  R  N  B  Q  K  .  .  R

Waiting for the other player's move.
To move: Bob (b2b2b2b2).
Moves: 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6
4. Ba4
Your last action: move, delivered.
"""

FOUR_WON = """\
four_in_a_row 3f2a90c1d4e5b677 completed
You (A) against
  Bob (b2b2b2b2)

  1  2  3  4  5  6  7
  .  .  .  .  .  .  .
  .  .  .  .  .  .  .
  .  .  .  .  .  .  .
  .  .  .  .  .  .  .
  .  B  B  B  .  .  .
 [A] A  A  A  .  .  .

You won.
Moves: ... 2. 4 3. 3 4. 3 5. 2 6. 2 7. 1
"""


def text(game: dict[str, Any]) -> str:
    lines = drawing(game)
    assert all(width(line) <= 40 for line in lines), lines
    return "\n".join(lines) + "\n"


def test_tic_tac_toe() -> None:
    failed = own("move", OutboxState.FAILED, reason="no path", next_attempt_at=60.0)
    session = played(TTT, "a1 b2")
    assert text(shown(TTT, session, last_own=failed, expires_at=90_000.0)) == TTT_ACTIVE


def test_chess() -> None:
    session = played(CHESS, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4")
    assert text(shown(CHESS, session, last_own=own("move", OutboxState.DELIVERED))) == CHESS_ACTIVE


CHESS_TURNED = """
   h  g  f  e  d  c  b  a
1  R  N  B  K  Q  B  N  R
2  P  P  P  .  P  P  P  P
3  .  .  .  .  .  .  .  .
4  .  .  . [P] .  .  .  .
5  .  .  .  .  .  .  .  .
6  .  .  .  .  .  .  .  .
7  p  p  p  p  p  p  p  p
8  r  n  b  k  q  b  n  r
"""


def test_black_sees_the_board_from_the_other_side() -> None:
    session = played(CHESS, "e4")
    assert session.metadata["first_turn"] == ME
    black = replace(session, key=SessionKey(identity=PEER, session_id=ID), peer=ME)
    drawn = text(shown(CHESS, black)).replace("[.]", " . ")
    assert CHESS_TURNED in "\n".join(line.rstrip() for line in drawn.splitlines())


def test_a_long_game_ends_its_history_with_whole_moves() -> None:
    session = played(CHESS, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 e5 e4")
    assert "Moves: ... 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 e5 5. e4" in " ".join(text(shown(CHESS, session)).split())


def test_four_in_a_row() -> None:
    assert text(shown(FOUR, played(FOUR, "4 4 3 3 2 2 1"))) == FOUR_WON


@pytest.mark.parametrize("game", [TTT, CHESS, FOUR])
def test_a_challenge_says_how_to_answer(game: Any) -> None:
    theirs = text(shown(game, challenged(game, PEER)))
    assert theirs.endswith(f"\nAnswer:\n  lrgpnode accept {ID}\n  lrgpnode decline {ID}\n")
    mine = text(shown(game, challenged(game)))
    assert mine.endswith(f"\nTake it back:\n  lrgpnode decline {ID}\n")


def test_draws() -> None:
    session = played(TTT, "1 2")
    offered = text(shown(TTT, act(TTT, session, PEER, Command.DRAW_OFFER)))
    answers = f"A draw is offered to you:\n  lrgpnode draw {ID} accept\n  lrgpnode draw {ID} decline\n"
    assert offered.endswith(answers)
    mine = act(TTT, session, ME, Command.DRAW_OFFER)
    assert "You offered a draw.\n" in text(shown(TTT, mine))

    over = text(shown(TTT, act(TTT, mine, PEER, Command.DRAW_ACCEPT)))
    assert "Draw by agreement.\n" in over
    assert "lrgpnode draw" not in over


@pytest.mark.parametrize(
    ("offered_by", "declined", "said"),
    [
        (ME, True, "Your draw offer was declined."),
        (ME, False, "Your draw offer was answered with a move."),
        (PEER, True, "The draw offer of Bob (b2b2b2b2) was declined."),
    ],
)
def test_a_draw_offer_that_was_turned_down(offered_by: str, declined: bool, said: str) -> None:
    game = shown(TTT, played(TTT, "1 2"))
    assert "draw offer" not in text(game)
    game["refused_draw"] = {"offered_by": offered_by, "declined": declined}
    assert said in " ".join(text(game).split())


def test_a_draw_that_can_be_claimed() -> None:
    session = played(CHESS, "Nf3 Nf6 Ng1 Ng8 " * 2)
    assert text(shown(CHESS, session)).endswith(f"You can claim a draw:\n  lrgpnode draw {ID} claim\n")


def test_a_resignation_and_its_delivery() -> None:
    session = act(TTT, played(TTT, "1 2"), ME, Command.RESIGN)
    drawn = text(shown(TTT, session, last_own=own("resign", OutboxState.DROPPED, reason="expired")))
    assert "You resigned.\n" in drawn
    assert "Your last action: resign, given up:\nexpired.\n" in drawn


def third_party(**more: Any) -> dict[str, Any]:
    """A game that says nothing that can be left empty."""
    view = {
        "app_id": "go",
        "grid": [],
        "row_labels": [],
        "column_labels": [],
        "seat": "",
        "turn": "",
        "my_turn": False,
        "legal": [],
        "last_cells": [],
        "status_line": "",
        "result": None,
        "history": [],
        "ply": 0,
        "tokens": {},
        "draw_offered_by": "",
        "extras": {},
    }
    return {**shown(TTT, played(TTT, "1")), "app": "go", "view": view | more, "peer_name": ""}


def test_a_game_without_board_and_words() -> None:
    assert text(third_party()).splitlines() == [
        f"go {ID} active",
        "You against",
        "  b2b2b2b2",
        "",
        "Waiting for the other player.",
    ]
    mine = text(third_party(my_turn=True, turn=ME))
    assert "Your turn.\n" in mine
    assert mine.endswith(f"  lrgpnode move {ID} MOVE\n")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"reason": "win", "winner": ME}, "You won."),
        ({"reason": "resignation", "winner": PEER}, "You lost (resignation)."),
        ({"reason": "board_full", "winner": ""}, "The game is over without a winner (board full)."),
    ],
)
def test_a_result_without_a_sentence(result: dict[str, str], said: str) -> None:
    game = third_party(result=result)
    assert said in " ".join(text(game | {"status": "completed"}).split())


def test_a_wide_board_takes_less_room() -> None:
    rows = [["" for _ in range(17)] for _ in range(2)]
    rows[1][16] = "X"
    view = {"grid": rows, "row_labels": [], "column_labels": [*"abcdefghijklmnopq"], "last_cells": [[1, 16]]}
    assert grid(view) == [
        "  a b c d e f g h i j k l m n o p q",
        "  . . . . . . . . . . . . . . . . .",
        "  . . . . . . . . . . . . . . . .>X",
    ]


def test_uneven_rows_and_long_or_wide_tokens() -> None:
    view = {
        "grid": [["10", "日"], [""]],
        "row_labels": ["first", ""],
        "column_labels": ["a"],
        "last_cells": [[0, 1], [7, 7]],
    }
    assert grid(view) == ["       a", "first  10 [日]", "       ."]


def test_a_game_out_of_sync_says_why_and_what_can_be_done() -> None:
    game = copy.deepcopy(third_party())
    game["status"], game["flags"] = "active", {"out_of_sync": "the peer refused our move: no"}
    text = "\n".join(drawing(game))
    assert "Out of sync: the peer refused our move:\nno." in text
    assert text.endswith(f"  lrgpnode resend {ID}\n  lrgpnode abandon {ID}")
    game["status"] = "completed"
    assert "resend" not in "\n".join(drawing(game))


HOSTILE = "\x1b[31m\u202eevil\u200b\r\n$(reboot)" + "!" * 500


def test_nothing_hostile_gets_through() -> None:
    game = copy.deepcopy(third_party(my_turn=True, turn=ME))
    game |= {"peer_name": HOSTILE, "flags": {HOSTILE: HOSTILE}, "app": HOSTILE}
    game["last_own"] = {"command": HOSTILE, "state": HOSTILE, "reason": HOSTILE}
    game["view"] |= {
        "grid": [[HOSTILE, "x"]],
        "row_labels": [HOSTILE],
        "column_labels": [HOSTILE],
        "seat": HOSTILE,
        "status_line": HOSTILE,
        "history": [HOSTILE],
        "legal": [{"label": HOSTILE, "intent": {}}],
    }
    lines = drawing(game)
    assert all(line.isprintable() for line in lines)
    assert len("\n".join(lines)) < 2000
    command = next(line for line in lines if "lrgpnode move" in line)
    assert len(shlex.split(command)) == 4
    assert "'" in command


def test_how_games_with_the_opponent_have_ended() -> None:
    record = AppRecord(app="ttt", won=3, drawn=1, lost=2)
    lines = drawing(shown(TTT, played(TTT, "a1"), record=record))
    assert lines[:4] == [
        f"ttt {ID} active",
        "You (X) against",
        "  Bob (b2b2b2b2)",
        "  won 3, drawn 1, lost 2",
    ]
