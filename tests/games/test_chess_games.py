"""Whole games of chess, the position cache behind them, and what loading the game costs."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from typing import Any

import chess
import pytest
from hypothesis import given, settings, strategies as st

from games import _chess_rules
from games.chess import CACHED_SESSIONS, Chess
from lrgpnode.protocol.errors import Rejection
from lrgpnode.protocol.session import Session, SessionKey, Status
from tests.games.table import ANN, BEN, NOW, Table, heads, words

SHUFFLE = words("g1f3 g8f6 f3g1 f6g8")


class Oracle:
    """A game kept by the ``chess`` package, and deployed peers' own rules worked out from its FENs."""

    def __init__(self) -> None:
        self.board = chess.Board()
        self.seen = Counter([self._key()])

    def _key(self) -> tuple[str, bool, int, int | None]:
        return (
            self.board.board_fen(),
            self.board.turn,
            self.board.clean_castling_rights(),
            self.board.ep_square,
        )

    def push(self, uci: str) -> None:
        self.board.push_uci(uci)
        self.seen[self._key()] += 1

    def end(self) -> tuple[str, str]:
        if self.board.is_checkmate():
            return "win", "cm"
        if self.board.is_stalemate():
            return "draw", "sm"
        pieces = "".join(sorted(self.board.board_fen().lower().translate(_NO_SPACES)))
        if pieces in ("kk", "bkk", "kkn") or (pieces == "bbkk" and self._bishops_face_each_other()):
            return "draw", "ins"
        return "", ""

    def _bishops_face_each_other(self) -> bool:
        bishops = [square for square in chess.SQUARES if self.board.piece_type_at(square) == chess.BISHOP]
        owners = {self.board.color_at(square) for square in bishops}
        shades = {(chess.square_file(square) + chess.square_rank(square)) % 2 for square in bishops}
        return len(owners) == 2 and len(shades) == 1

    def claim(self) -> str:
        if self.board.halfmove_clock >= 100:
            return "50m"
        return "3fr" if self.seen[self._key()] >= 3 else ""


_NO_SPACES = str.maketrans("", "", "12345678/")


def pick(dice: random.Random, board: chess.Board) -> str:
    """A legal move, in one of its spellings; captures are liked, so that games come to an end."""
    moves = list(board.legal_moves)
    captures = [move for move in moves if board.is_capture(move)]
    move = dice.choice(captures if captures and dice.random() < 0.6 else moves)
    if board.is_castling(move) and dice.random() < 0.5:
        rook = chess.square(7 if board.is_kingside_castling(move) else 0, chess.square_rank(move.from_square))
        return chess.Move(move.from_square, rook).uci()
    return move.uci()


def whole_game(seed: int, plies: int) -> Table:
    dice, oracle = random.Random(seed), Oracle()
    white = dice.choice((ANN, BEN))
    table = Table.active("chess", white=white, game=Chess())
    while table.status is Status.ACTIVE and len(oracle.board.move_stack) < plies:
        uci = pick(dice, oracle.board)
        mover = table.turn
        oracle.push(uci)
        end, reason = oracle.end()
        payload = table.play(mover, "move", {"m": uci})
        assert (payload["x"], payload.get("r", "")) == (end, reason)
        m = table.metadata
        assert (m["terminal"], m["reason"], m["winner"]) == (end, reason, mover if end == "win" else "")
        assert m["turn"] == ("" if end else table.ann.other(mover))
        assert table.game.public(table.ann)["board"] == oracle.board.fen()
        claimable = table.game.view(table.ben, BEN).extras["claimable"]
        assert claimable == oracle.claim()
        if claimable and dice.random() < 0.05:
            table.play(dice.choice((ANN, BEN)), "draw_offer", {"r": claimable})
    moves = list(table.game.view(table.ann, ANN).history)
    assert moves == sans(oracle.board)
    return table


def sans(played: chess.Board) -> list[str]:
    board = played.root()
    return [board.san_and_push(move) for move in played.move_stack]


@pytest.mark.parametrize(
    ("seed", "reason"),
    [(101, "ins"), (103, "ins"), (105, "cm"), (111, "cm"), (138, "sm"), (139, "sm"), (127, "50m")],
)
def test_random_games_against_the_oracle(seed: int, reason: str) -> None:
    """The dice of these seeds lead to every end that a game can come to without an agreement."""
    assert whole_game(seed, 500).metadata["reason"] == reason


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 32))
def test_many_random_games_against_the_oracle(seed: int) -> None:
    whole_game(seed, 500)


# The cache


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The move lists that were replayed from the start."""
    calls: list[list[str]] = []
    replay = _chess_rules.replay

    def counted(moves: Any) -> Any:
        calls.append(list(moves))
        return replay(moves)

    monkeypatch.setattr(_chess_rules, "replay", counted)
    return calls


def long_game(game: Chess, plies: int) -> Table:
    table = Table.active("chess", game=game)
    for ply in range(plies):
        table.play(table.turn, "move", {"m": SHUFFLE[ply % 4]})
    return table


def test_a_game_in_progress_is_never_replayed(replays: list[list[str]]) -> None:
    long_game(Chess(), 60)
    assert [moves for moves in replays if moves] == []


def test_a_rolled_back_move_finds_its_position_again(replays: list[list[str]]) -> None:
    game = Chess()
    table = long_game(game, 40)
    replays.clear()
    for _ in range(3):
        for intent in ("g1f3", "b1c3", "e2e4"):
            payload = game.intend(table.ann, ANN, "move", {"m": intent}, heads)
            game.apply(table.ann, ANN, "move", payload, NOW)  # and never committed
    assert replays == []


def test_the_cache_can_be_thrown_away_at_any_time(replays: list[list[str]]) -> None:
    table = long_game(Chess(), 30)
    replays.clear()
    other = Chess()
    payload = other.intend(table.ann, ANN, "move", {"m": SHUFFLE[2]}, heads)
    assert len(replays) == 1
    after = other.apply(table.ann, ANN, "move", payload, NOW)
    assert after == table.game.apply(table.ann, ANN, "move", payload, NOW)
    assert other.view(after, ANN) == table.game.view(after, ANN)
    assert other.view(table.ann, BEN) == table.game.view(table.ann, BEN)
    assert len(replays) == 1


def test_the_cache_is_bounded(replays: list[list[str]]) -> None:
    game = Chess()
    sessions = []
    for number in range(CACHED_SESSIONS + 1):
        session = game.open(SessionKey(ANN, f"{number:016x}"), BEN, ANN, NOW)
        session = game.apply(session, BEN, "accept", {"w": ANN}, NOW)
        sessions.append(game.apply(session, ANN, "move", {"m": "e2e4", "n": 0, "x": ""}, NOW))
        game.view(sessions[-1], ANN)
    assert len(game._positions) == len(game._labels) == CACHED_SESSIONS
    replays.clear()
    game.view(sessions[-1], BEN)
    assert replays == []
    game.view(sessions[0], BEN)
    assert replays == [["e2e4"]]


def test_two_games_under_one_id_do_not_meet() -> None:
    """One key, another history: as after a record was hydrated over the one before."""
    game = Chess()
    one, two = Table.active("chess", game=game), Table.active("chess", game=game)
    one.moves({"m": "e2e4"}, {"m": "e7e5"})
    two.moves({"m": "d2d4"}, {"m": "d7d5"})
    for table, labels in ((one, ("e4", "e5")), (two, ("d4", "d5")), (one, ("e4", "e5"))):
        assert game.view(table.ann, ANN).history == labels
        assert game.public(table.ann) == Chess().public(table.ann)


def test_a_position_is_a_value() -> None:
    start = _chess_rules.start()
    fen = start.board.fen()
    after = start.after(start.move("e2e4"))
    assert (start.board.fen(), after.board.move_stack, len(start.keys)) == (fen, [], 1)
    start.end(), start.claim()
    assert start.board.fen() == fen


def test_a_session_keeps_its_own_list_of_moves() -> None:
    table = Table.active("chess").moves({"m": "e2e4"})
    before = table.ben
    table.moves({"m": "e7e5"})
    assert before.metadata["moves"] == ["e2e4"]
    assert table.game.view(before, ANN).history == ("e4",)


# Messages of any kind


PAYLOADS = st.dictionaries(
    st.sampled_from(["m", "n", "x", "r", "w"]),
    st.sampled_from(["", "win", "draw", "cm", "3fr", "50m", "e2e4", "a1a1", "e7e8q", "0000", ANN, BEN])
    | st.integers(-2, 3)
    | st.none()
    | st.booleans()
    | st.binary(max_size=2)
    | st.text(max_size=6),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(
    command=st.sampled_from(["challenge", "accept", "decline", "move", "resign"])
    | st.sampled_from(["draw_offer", "draw_accept", "draw_decline"]),
    payload=PAYLOADS,
    actor=st.sampled_from([ANN, BEN]),
    state=st.integers(0, 3),
)
def test_any_payload_is_applied_alike_on_both_sides_or_refused_alike(
    command: str, payload: dict[str, Any], actor: str, state: int
) -> None:
    table = [
        lambda: Table.challenged("chess"),
        lambda: Table.active("chess"),
        lambda: Table.active("chess").moves({"m": "e2e4"}),
        lambda: Table.active("chess").moves(*({"m": move} for move in SHUFFLE * 2)),
    ][state]()
    results: list[Session | tuple[str, bool, str]] = []
    for side in table.sides.values():
        try:
            results.append(table.game.apply(side, actor, command, payload, NOW))
        except Rejection as rejection:
            assert rejection.message.isascii()
            results.append((rejection.code, rejection.transition, rejection.message))
    ann, ben = results
    if isinstance(ann, Session) and isinstance(ben, Session):
        table.sides = {ANN: ann, BEN: ben}
        table.check_agreement()
    else:
        assert ann == ben


# Start-up


def test_loading_the_games_does_not_load_the_chess_package() -> None:
    code = (
        "import sys\n"
        "from lrgpnode.plugins import load_games\n"
        "games, problems = load_games()\n"
        "assert {'ttt', 'chess', 'four_in_a_row'} <= games.keys() and not problems\n"
        "games['chess'].manifest.as_dict()\n"
        "assert 'chess' not in sys.modules, 'loaded'\n"
        "from lrgpnode.protocol.session import SessionKey\n"
        "s = games['chess'].open(SessionKey('a' * 32, '0' * 16), 'b' * 32, 'a' * 32, 0.0)\n"
        "games['chess'].normalise(games['chess'].apply(s, 'a' * 32, 'challenge', {}, 0.0))\n"
        "assert 'chess' not in sys.modules, 'loaded by a challenge'\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
