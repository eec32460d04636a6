"""What is written beside a board, and what can be done now."""

from __future__ import annotations

from typing import Any

import pytest

from interfaces.tui.kit.glyphs import ASCII
from interfaces.tui.models import board, game, moves, picture
from interfaces.tui.models.board import Pointer
from interfaces.tui.models.game import Deed
from interfaces.tui.models.sheet import Shown, sheet
from lrgpnode.control.models import AppRecord
from storage.model import OutboxState
from tests.cli.fakes import ID, ME, PEER
from tests.cli.sessions import CHESS, TTT, act, challenged, own, played, shown

ACTIONS = tuple(str(action) for action in CHESS.manifest.actions)


def page(found: dict[str, Any], actions: tuple[str, ...] = ACTIONS) -> game.Page:
    return game.page(found, "Chess", actions, 100.0, None)


def deeds(found: dict[str, Any]) -> list[Deed]:
    return [offer.deed for offer in page(found).offers]


def test_a_challenge_can_be_answered_or_taken_back() -> None:
    assert deeds(shown(TTT, challenged(TTT, PEER))) == [Deed.ACCEPT, Deed.DECLINE]
    mine = page(shown(TTT, challenged(TTT, ME)))
    assert [(offer.deed, offer.label) for offer in mine.offers] == [(Deed.DECLINE, "take back")]
    assert mine.status == "Waiting for an answer to your challenge."


def test_a_game_can_be_resigned_and_drawn() -> None:
    session = played(TTT, "a1 b2")
    assert deeds(shown(TTT, session)) == [Deed.OFFER, Deed.RESIGN]
    assert all(offer.question for offer in page(shown(TTT, session)).offers)
    offered = act(TTT, session, PEER, "draw_offer")
    found = page(shown(TTT, offered))
    assert [offer.deed for offer in found.offers] == [Deed.AGREE, Deed.REFUSE, Deed.RESIGN]
    assert ("warn", "A draw is offered to you.") in found.remarks
    mine = page(shown(TTT, act(TTT, session, ME, "draw_offer")))
    assert [offer.deed for offer in mine.offers] == [Deed.RESIGN]


def test_a_draw_by_rule_can_be_claimed() -> None:
    for initiator in (ME, PEER):
        session = played(CHESS, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", initiator)
        found = shown(CHESS, session)
        if found["view"]["my_turn"]:
            assert deeds(found) == [Deed.CLAIM, Deed.RESIGN]
            assert ("warn", "You can claim a draw: threefold repetition.") in page(found).remarks


def test_an_ended_game_can_be_played_again() -> None:
    ended = shown(TTT, played(TTT, "a1 b1 a2 b2 a3"))
    found = page(ended)
    assert found.ended
    assert found.status == "You won."
    assert [offer.deed for offer in found.offers] == [Deed.REMATCH]
    assert game.call(Deed.REMATCH, ended) == ("game.challenge", {"peer": PEER, "app": "ttt", "identity": ME})


def test_trouble_can_be_dealt_with() -> None:
    failed = shown(TTT, played(TTT, "a1 b2"), last_own=own("move", OutboxState.FAILED, reason="no path"))
    assert deeds(failed) == [Deed.OFFER, Deed.RESIGN, Deed.RESEND]
    assert page(failed).delivery is not None
    lost = shown(TTT, played(TTT, "a1 b2"), flags={"out_of_sync": "it refused a move"})
    assert deeds(lost) == [Deed.OFFER, Deed.RESIGN, Deed.RESEND, Deed.ABANDON]
    assert ("bad", "Out of sync: it refused a move") in page(lost).remarks


def test_deeds_are_requests_of_the_api() -> None:
    found = shown(TTT, played(TTT, "a1"))
    where = {"id": ID, "identity": ME}
    assert game.call(Deed.RESIGN, found) == ("game.resign", where)
    assert game.call(Deed.CLAIM, found) == ("game.draw", where | {"what": "claim"})


def test_the_time_limit_is_told_in_days() -> None:
    found = page(shown(TTT, played(TTT, "a1"), expires_at=100.0 + 6.5 * 86_400))
    assert ("faint", "Ends by itself in 6 days.") in found.remarks


def test_commands_of_a_game_of_its_own() -> None:
    found = page(shown(TTT, played(TTT, "a1")), (*ACTIONS, "reveal"))
    assert found.own_commands == ("reveal",)
    assert page(shown(TTT, played(TTT, "a1 b1 a2 b2 a3")), (*ACTIONS, "reveal")).own_commands == ()


def test_the_list_of_moves() -> None:
    found = moves.turns(["e4", "e5", "Nf3"], 2)
    assert [(turn.number, turn.first, turn.labels) for turn in found] == [
        (1, 1, ("e4", "e5")),
        (2, 3, ("Nf3",)),
    ]
    assert moves.tail(["e4", "e5", "Nf3"], 2, 40) == "1. e4 e5  2. Nf3"
    assert moves.tail(["e4", "e5", "Nf3"], 2, 10) == "2. Nf3"
    assert moves.tail([], 2, 10) == ""


def test_captured_pieces() -> None:
    view = shown(CHESS, played(CHESS, "e4 d5 exd5"))["view"]
    assert moves.captured(view) == (("black", "p"),)
    assert moves.material(view) == (-1 if view["turned"] else 1)
    assert moves.captured(shown(TTT, played(TTT, "a1"))["view"]) == ()


RECORD = AppRecord(app="ttt", won=3, drawn=1, lost=2)


def test_the_score_against_the_opponent() -> None:
    assert page(shown(TTT, played(TTT, "a1"))).score == ""
    assert page(shown(TTT, played(TTT, "a1"), record=RECORD)).score == "won 3, drawn 1, lost 2"


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (80, 6), (40, 20), (40, 9), (40, 6)])
def test_the_score_stands_by_the_opponent_and_takes_no_room_from_the_board(columns: int, rows: int) -> None:
    told, plain = _lines(RECORD, columns, rows), _lines(None, columns, rows)
    with_score = [line for line in told if "won 3, drawn 1, lost 2" in line]
    assert all(len(line) <= columns for line in told)
    assert len(told) <= rows
    # Whatever was there without it, board and status, still is.
    assert {line.split("Bob")[0].strip() for line in plain} <= {
        line.split("Bob")[0].split("won 3")[0].strip() for line in told
    }
    if rows >= 20:
        at = next(number for number, line in enumerate(told) if "Bob" in line)
        assert [line in told[at : at + 2] for line in with_score] == [True]


def _lines(record: AppRecord | None, columns: int, rows: int) -> list[str]:
    detail = shown(TTT, played(TTT, "a1"), record=record)
    view = detail["view"]
    shape = picture.draw(board.board(view, Pointer()), ASCII, colours=False, columns=columns - 1, hints={})
    made = sheet(Shown(page=page(detail), picture=shape, view=view), columns, rows, ASCII)
    return ["".join(part for _, part in line).rstrip() for line in made.lines]
