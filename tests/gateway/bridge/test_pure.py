"""The pure parts of a bridge: what was seen, how two games compare, what is remembered, what comes next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from gateway.bridge import words
from gateway.bridge.decide import decide
from gateway.bridge.notes import Notes
from gateway.bridge.rules import Kind, Rules
from gateway.bridge.seen import Seen, fold
from gateway.bridge.situation import VERDICT_SECONDS, Situation
from gateway.bridge.steps import Accept, Act, Decline, Leave, MeshMove, MeshResign, Note, Settle, Tell, Wait
from gateway.pace import Pace, again, anyway, limit_words
from gateway.seat import (
    Away,
    Board,
    Finished,
    Joined,
    Lost,
    OpponentMoved,
    Reason,
    Rejected,
    Said,
    Side,
    TheirTurn,
    Winner,
    Word,
    YourTurn,
)
from lrgpnode.protocol import plaintext
from lrgpnode.protocol.game import Command, Game
from lrgpnode.protocol.session import Session, SessionKey
from storage.gateway_model import SeatStage

GATE, PEER = "b" * 32, "a" * 32
CASTLING = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1")


def played(game: Game, *moves: Any, white: str = PEER, initiator: str = PEER) -> Session:
    """A session of the gateway's after these moves."""
    key = SessionKey(GATE, "1" * 16)
    session = game.open(key, PEER, initiator, 0.0)
    session = game.apply(session, initiator, Command.CHALLENGE, {}, 0.0)
    accepter = session.other(initiator)
    coin = session.participants.index(white)
    payload = game.intend(session, accepter, Command.ACCEPT, {}, lambda: bool(coin))
    session = game.apply(session, accepter, Command.ACCEPT, payload, 0.0)
    name = {"chess": "m", "ttt": "i", "four_in_a_row": "c"}[game.manifest.app_id]
    for move in moves:
        mover = session.metadata["turn"]
        payload = game.intend(session, mover, Command.MOVE, {name: move}, lambda: True)
        session = game.apply(session, mover, Command.MOVE, payload, 0.0)
    return session


def m(*moves: str) -> tuple[dict[str, str], ...]:
    return tuple({"m": move} for move in moves)


JOINED = Joined(seat=0, players=(), first=Side.US, begun=True)


# What was seen


def test_events_that_are_folded() -> None:
    board = Board(moves=m("e2e4"))
    seen = fold(Seen(), replace(JOINED, board=Board(moves=())))
    seen = fold(seen, YourTurn(board=board, turn=3, deadline=9.0))
    assert (seen.board, seen.first, seen.begun, seen.deadline) == (board, Side.US, True, 9.0)
    seen = fold(seen, Said(word=Word.DRAW_OFFER))
    assert seen.offers
    seen = fold(seen, Away(reason="gone"))
    assert (seen.away, seen.turn) == ("gone", None)
    seen = fold(seen, TheirTurn(board=Board(moves=m("e2e4", "e7e5"))))
    assert (seen.away, seen.offers) == ("", False), "a move ends an offer"
    assert not fold(seen, Rejected(reason="no")).over
    assert fold(seen, Finished(winner=Winner.US, reason=Reason.LEFT)).over
    assert fold(seen, Lost(reason="gone")).over


def test_a_move_without_a_board_makes_the_list_longer_only_where_it_fits() -> None:
    seen = Seen(board=Board(moves=m("e2e4")))
    assert fold(seen, OpponentMoved(intent={"m": "e7e5"}, ply=1)).board == Board(moves=m("e2e4", "e7e5"))
    for ply in (0, 2):
        assert fold(seen, OpponentMoved(intent={"m": "e7e5"}, ply=ply)) == seen
    by_position = Seen(board=Board(position="x"))
    assert fold(by_position, OpponentMoved(intent={"m": "e7e5"}, ply=1)) == by_position


@given(
    st.builds(
        Notes,
        told=st.frozensets(st.text(max_size=8), max_size=4),
        swap=st.booleans(),
        broken=st.text(max_size=20),
        left=st.booleans(),
        offered=st.none() | st.integers(0, 500),
        asked=st.none() | st.integers(0, 500),
        said=st.text(max_size=8),
        until=st.none() | st.floats(0, 1e10),
        rematch_of=st.none() | st.integers(1, 10**6),
    )
)
def test_notes_are_remembered_as_they_are(notes: Notes) -> None:
    assert Notes.load(notes.dump()) == notes


@pytest.mark.parametrize("text", ["[]", '{"other": 1}', "nonsense"])
def test_damaged_notes(text: str) -> None:
    with pytest.raises(ValueError, match=r"damaged|Expecting"):
        Notes.load(text)
    assert Notes().dump() == "{}"


# How two games compare


@pytest.mark.parametrize("castling", ["e1g1", "e1h1"])
def test_both_spellings_of_castling_are_the_same_move(castling: str) -> None:
    game = Chess()
    session = played(game, *CASTLING)
    assert session.metadata["moves"][-1] == "e1h1"
    board = Board(moves=m(*CASTLING[:-1], castling))
    assert Rules(game, "x").relation(session, board).kind is Kind.SAME
    before = played(game, *CASTLING[:-1])
    relation = Rules(game, "y").relation(before, board)
    assert (relation.kind, relation.moves) == (Kind.AHEAD, m("e1h1"))
    rules = Rules(game, "z")
    assert rules.allowed(session, 6, {"m": "e1h1"}, m("a2a3", castling))
    assert not rules.allowed(session, 6, {"m": "e1h1"}, m("a2a3", "nonsense"))


def test_further_not_as_far_and_elsewhere() -> None:
    game = Chess()
    rules = Rules(game, "x")
    session = played(game, "e2e4", "e7e5")
    cases = {
        ("e2e4", "e7e5", "g1f3"): (Kind.AHEAD, m("g1f3")),
        ("e2e4",): (Kind.BEHIND, m("e7e5")),
        ("e2e4", "c7c5"): (Kind.OTHER, ()),
        ("e2e4", "e7e5", "e1e8"): (Kind.OTHER, ()),
        (): (Kind.BEHIND, m("e2e4", "e7e5")),
    }
    for moves, expected in cases.items():
        relation = rules.relation(session, Board(moves=m(*moves)))
        assert (relation.kind, relation.moves) == expected
        assert bool(relation.why) is (relation.kind is Kind.OTHER)
    assert rules.relation(session, None).kind is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("game", "moves", "more"),
    [(Chess(), ("e2e4", "e7e5"), "g1f3"), (TicTacToe(), (0, 4), 8), (FourInARow(), (3, 3), 2)],
)
def test_by_positions_alone(game: Game, moves: tuple[Any, ...], more: Any) -> None:
    rules = Rules(game, "x")
    here, there = played(game, *moves), played(game, *moves, more)

    def board(session: Session) -> Board:
        return Board(position=str(game.public(session)["board"]))

    assert rules.relation(here, board(here)).kind is Kind.SAME
    assert rules.relation(here, board(there)).moves == ({rules._key: more},)
    assert rules.relation(there, board(here)).kind is Kind.BEHIND
    assert rules.relation(played(game, moves[0]), board(there)).kind is Kind.OTHER


def test_a_fen_may_say_less_or_other_of_what_is_not_on_the_board() -> None:
    game = Chess()
    session = played(game, "e2e4")
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 7 99"
    assert Rules(game, "x").relation(session, Board(position=fen)).kind is Kind.SAME


# What comes next


def situation(session: Session, **values: Any) -> Situation:
    fields: dict[str, Any] = {
        "now": 1000.0,
        "stage": SeatStage.PLAYING,
        "hosted": False,
        "seated": True,
        "had": True,
        "session": session,
        "notes": Notes(),
        "seen": Seen(joined=JOINED, board=Board(moves=())),
        "since": 1000.0,
        "wait_until": 5000.0,
        "game": "Chess",
    }
    return Situation(**{**fields, **values})


def seen(*moves: str, **values: Any) -> Seen:
    return Seen(**{"joined": JOINED, "board": Board(moves=m(*moves)), **values})


CHESS = Chess()
RULES = Rules(CHESS, "decide")
TURN = YourTurn(turn=4, legal=m("e2e4", "d2d4"))


def test_the_player_s_move_goes_out_once() -> None:
    session = played(CHESS, "e2e4")
    at = situation(session, seen=seen(turn=TURN))
    assert decide(at, RULES) == Act(intent={"m": "e2e4"}, ply=0, turn=TURN)
    assert decide(replace(at, acted=(0, 4)), RULES) == Wait()
    assert decide(replace(at, seen=seen()), RULES) == Wait(), "the table is not ready"
    again = replace(at, acted=(0, 4), seen=seen(turn=replace(TURN, turn=5)))
    assert isinstance(decide(again, RULES), Act), "a new turn, and the table has not got it"


def test_a_move_that_is_not_allowed_or_was_rejected_ends_it() -> None:
    session = played(CHESS, "e2e4")
    at = situation(session, seen=seen(turn=replace(TURN, legal=m("d2d4"))))
    note = decide(at, RULES)
    assert isinstance(note, Note)
    assert note.notes.broken == "the table does not allow your move e2e4"
    at = situation(session, seen=seen(turn=TURN, rejected="too late"), tried=0)
    note = decide(at, RULES)
    assert isinstance(note, Note)
    assert note.notes.broken.endswith("too late")
    at = replace(at, notes=note.notes)
    step = decide(at, RULES)
    assert isinstance(step, Tell)
    step = decide(replace(at, notes=step.notes), RULES)
    assert isinstance(step, Leave)
    step = decide(replace(at, notes=replace(at.notes, told=frozenset(("end",)), left=True)), RULES)
    assert type(step).__name__ == "Close"


def test_the_other_side_s_move_comes_before_its_end() -> None:
    mate = ("f2f3", "e7e5", "g2g4", "d8h4")
    session = played(CHESS, *mate[:-1])
    finished = Finished(winner=Winner.THEM, reason=Reason.BOARD)
    at = situation(session, seen=seen(*mate, finished=finished))
    assert decide(at, RULES) == MeshMove(intent={"m": "d8h4"})


def test_no_move_is_made_up_for_the_player() -> None:
    at = situation(played(CHESS), seen=seen("e2e4"))
    note = decide(at, RULES)
    assert isinstance(note, Note)
    assert note.notes.broken == "at the table a move was made for you"


def test_the_other_side_is_gone() -> None:
    finished = Finished(winner=Winner.US, reason=Reason.TIMEOUT)
    at = situation(played(CHESS), seen=seen(finished=finished))
    assert decide(at, RULES) == Settle()
    at = replace(at, stage=SeatStage.SETTLING)
    tell = decide(at, RULES)
    assert isinstance(tell, Tell)
    assert decide(replace(at, notes=tell.notes), RULES) == MeshResign()


def test_a_challenge_waits_for_the_order_and_not_for_ever() -> None:
    game = TicTacToe()
    key = SessionKey(GATE, "1" * 16)
    session = game.open(key, PEER, PEER, 0.0)
    rules = Rules(game, "ttt")
    open_seat = Seen(joined=replace(JOINED, first=None, begun=False))
    at = situation(session, stage=SeatStage.WAITING, seen=open_seat, game="Tic-Tac-Toe")
    assert decide(at, rules) == Wait(until=5000.0)
    assert isinstance(decide(replace(at, now=5000.0), rules), Note)
    assert decide(replace(at, seen=Seen(joined=JOINED)), rules) == Accept(first=Side.US)
    second = replace(at, seen=Seen(joined=replace(JOINED, first=Side.THEM)))
    tell = decide(second, rules)
    assert isinstance(tell, Tell)
    decline = decide(replace(second, notes=tell.notes), rules)
    assert isinstance(decline, Decline)
    assert decline.notes.swap


def test_who_says_nothing_of_a_mate_is_left_in_the_end() -> None:
    session = played(CHESS, "f2f3", "e7e5", "g2g4", "d8h4", white=GATE)
    joined = replace(JOINED, first=Side.THEM)
    at = situation(session, seen=seen("f2f3", "e7e5", "g2g4", "d8h4", joined=joined))
    assert isinstance(decide(at, RULES), Wait)
    late = replace(at, now=1000.0 + VERDICT_SECONDS)
    assert isinstance(decide(late, RULES), Leave)


# What players are written


@pytest.mark.parametrize("winner", list(Winner))
@pytest.mark.parametrize("reason", list(Reason))
def test_every_end_has_words_that_fit_into_a_packet(winner: Winner, reason: Reason) -> None:
    long = "a very long story \x07\n" * 30
    finished = Finished(winner=winner, reason=reason, text=long)
    texts = [words.won(finished), words.lost(finished), words.drawn(finished), words.too_late(finished)]
    texts += [words.gone(long), words.broken(long), words.not_seated(long), words.result(finished)]
    texts += [words.rematch("Four in a Row", 59.0), words.strike(1, 1e9), words.swapped("Four in a Row")]
    slow = Pace(limit=3600.0, trip=3599.4, thinking=10.0)
    name = "p" * 32
    texts += [words.swapped("Four in a Row", 3600.0), words.not_begun(finished, long)]
    texts += [limit_words(name, slow), words.not_seated(again(name, slow, 3600.0)), anyway(name, slow)]
    for text in filter(None, texts):
        assert plaintext.bytes_left(plaintext.checked(text)) >= 0, text
        assert text.isprintable()
