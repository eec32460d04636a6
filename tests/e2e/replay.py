"""What a journal says, worked out from its envelopes alone and without the project's own rules."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import chess
import msgpack

from tests.e2e.nodes import Json, NodeProcess, until

OPEN_ROWS = """
SELECT session_id, o.command, o.state FROM outbox AS o JOIN game_sessions AS s USING (identity_id, session_id)
WHERE s.status NOT IN ('pending', 'active') AND o.state NOT IN ('confirmed', 'dropped')
"""


@dataclass(frozen=True)
class Replayed:
    grid: list[list[str]]
    ply: int
    turn: str
    result: tuple[str, str] | None
    fen: str | None = None


def replay(journal: list[Json]) -> Replayed:
    """The state that a journal's envelopes lead to. ``result`` is (reason, winner)."""
    seen = [(action["sender"], msgpack.unpackb(bytes.fromhex(action["envelope"]))) for action in journal]
    app = seen[0][1]["a"]
    board: Any = {"ttt.1": [""] * 9, "four_in_a_row.1": [""] * 42, "chess.1": chess.Board()}[app]
    challenger = seen[0][0]
    turn, result, ply = "", None, 0
    players = {challenger, *(sender for sender, _ in seen)}
    keys: Counter[Any] = Counter()
    if app == "chess.1":
        keys[_key(board)] += 1
    for sender, envelope in seen:
        command, payload = envelope["c"], envelope["p"]
        other = next((player for player in players if player != sender), "")
        if command == "accept":
            turn = payload["w"] if app == "chess.1" else challenger
        elif command == "move":
            assert turn == sender, "a move out of turn"
            ply, turn = ply + 1, other
            result = _move(app, board, payload, ply, sender)
            if app == "chess.1":
                keys[_key(board)] += 1
        elif command == "resign":
            result = ("resignation", other)
        elif command == "draw_accept":
            result = ("agreement", "")
        elif command == "draw_offer" and payload.get("r") == "3fr" and keys[_key(board)] >= 3:
            result = ("threefold_repetition", "")
        elif command == "decline":
            # Only chess tells a cancelled challenge from a declined one.
            cancelled = sender == challenger and app == "chess.1"
            result = ("cancelled" if cancelled else "declined", "")
        if result is not None:
            turn = ""
    fen = board.fen() if app == "chess.1" else None
    return Replayed(_grid(app, board), ply, turn, result, fen)


def _key(board: chess.Board) -> Any:
    """The deployed repetition key: the en-passant file stays after every double push."""
    return board.board_fen(), board.turn, board.clean_castling_rights(), board.ep_square


def _move(app: str, board: Any, payload: Json, ply: int, sender: str) -> tuple[str, str] | None:
    if app == "chess.1":
        board.push_uci(payload["m"])  # raises where it is not legal
        if board.is_checkmate():
            return "checkmate", sender
        return ("stalemate", "") if board.is_stalemate() else None
    width, height, need, marks = (3, 3, 3, "OX") if app == "ttt.1" else (7, 6, 4, "BA")
    cell = payload.get("i")
    if cell is None:
        cell = max(row * 7 + payload["c"] for row in range(6) if not board[row * 7 + payload["c"]])
    assert not board[cell], "a taken cell"
    board[cell] = mark = marks[ply % 2]
    for r in range(height):
        for c in range(width):
            for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = [(r + i * dr, c + i * dc) for i in range(need)]
                inside = all(y < height and 0 <= x < width for y, x in line)
                if inside and all(board[y * width + x] == mark for y, x in line):
                    return "win", sender
    return ("board_full", "") if all(board) else None


def _grid(app: str, board: Any) -> list[list[str]]:
    if app == "chess.1":
        return [
            [piece.symbol() if (piece := board.piece_at(8 * rank + file)) else "" for file in range(8)]
            for rank in range(7, -1, -1)
        ]
    width = 3 if app == "ttt.1" else 7
    return [board[start : start + width] for start in range(0, len(board), width)]


def check_same(a: NodeProcess, b: NodeProcess, id: str) -> Replayed:
    """Both sides hold the same journal, and show what it says."""
    mine, theirs = a.actions(id), b.actions(id)
    told = ("action_num", "command", "sender", "nonce", "envelope", "payload")
    assert [[row[name] for name in told] for row in mine] == [[row[name] for name in told] for row in theirs]
    for row in mine:
        envelope = msgpack.unpackb(bytes.fromhex(row["envelope"]))
        assert (row["command"], row["nonce"]) == (envelope["c"], envelope["n"].hex())
    expected = replay(mine)
    for node in (a, b):
        game = node.game(id)
        assert game is not None
        view = game["view"]
        result = view["result"] and (view["result"]["reason"], view["result"]["winner"])
        shown = (view["grid"], view["ply"], view["turn"], result, view["extras"].get("fen"))
        assert shown == (expected.grid, expected.ply, expected.turn, expected.result, expected.fen)
    return expected


def stored_states(node: NodeProcess, id: str) -> list[str]:
    """The states of a session's outbox rows, as they are in the database."""
    with closing(sqlite3.connect(f"file:{node.database}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT state FROM outbox WHERE session_id = ? ORDER BY id", (id,))
        return [state for (state,) in rows]


def check_settled(node: NodeProcess) -> None:
    """Nothing of an ended session waits to be sent."""
    with closing(sqlite3.connect(f"file:{node.database}?mode=ro", uri=True)) as database:
        rows: list[Any] = []

        def none_open() -> bool:
            rows[:] = database.execute(OPEN_ROWS).fetchall()
            return not rows

        try:
            # A proof that was lost is asked for again by LXMF after some 14 s.
            until(none_open, "the outbox is settled", 40.0)
        except AssertionError:
            raise AssertionError(f"{node.name} still has open outbox rows: {rows}") from None
