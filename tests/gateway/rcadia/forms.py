"""Games as RCADIA tables might show them, written from the rules of each notation and not from our reader.

A form is a name and a function from the moves of a game to what the table publishes. Chess moves are UCI as
the ``chess`` package writes it, cells 0 to 8, columns 0 to 6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chess
import chess.pgn

Form = Callable[[list[Any]], Any]


# Chess


def board_of(moves: list[str]) -> chess.Board:
    board = chess.Board()
    for uci in moves:
        board.push_uci(uci)
    return board


def sans_of(moves: list[str]) -> list[str]:
    board, labels = chess.Board(), []
    for uci in moves:
        labels.append(board.san(chess.Move.from_uci(uci)))
        board.push_uci(uci)
    return labels


def pgn_of(moves: list[str]) -> str:
    game = chess.pgn.Game()
    node: chess.pgn.GameNode = game
    for uci in moves:
        node = node.add_variation(chess.Move.from_uci(uci))
    return str(game)


def parts(uci: str) -> dict[str, str]:
    """As chess.js gives and takes a move."""
    return {"from": uci[:2], "to": uci[2:4]} | ({"promotion": uci[4]} if len(uci) == 5 else {})


def symbol(board: chess.Board, square: int) -> str | None:
    piece = board.piece_at(square)
    return piece.symbol() if piece else None


def rows(board: chess.Board, write: Callable[[str | None], Any]) -> list[list[Any]]:
    """Rank 8 first, a-file first."""
    return [[write(symbol(board, chess.square(f, r))) for f in range(8)] for r in range(7, -1, -1)]


def two_letters(piece: str | None) -> str | None:
    return piece and ("w" if piece.isupper() else "b") + piece.upper()


def chess_js(board: chess.Board) -> list[list[Any]]:
    def cell(square: int) -> Any:
        piece = symbol(board, square)
        if piece is None:
            return None
        colour = "w" if piece.isupper() else "b"
        return {"square": chess.square_name(square), "type": piece.lower(), "color": colour}

    return [[cell(chess.square(f, r)) for f in range(8)] for r in range(7, -1, -1)]


def turn(board: chess.Board) -> str:
    return "white" if board.turn else "black"


def _chess_boards(moves: list[str]) -> dict[str, Any]:
    board = board_of(moves)
    upright = rows(board, lambda piece: piece)
    return {
        "fen": {"fen": board.fen()},
        "fen with en passant always": {"fen": board.fen(en_passant="fen")},
        "placement": {"position": board.board_fen(), "turn": "w" if board.turn else "b"},
        "state is the fen": board.fen(),
        "wrapped fen": {"game": {"data": {"currentFen": board.fen()}}},
        "rows": {"board": upright, "turn": turn(board)},
        "rows without turn": {"board": upright},
        "rank 1 first": {"board": upright[::-1], "turn": turn(board)},
        "from black": {"board": [row[::-1] for row in upright[::-1]], "turn": turn(board)},
        "dots": {"board": ["".join(p or "." for p in row) for row in upright]},
        "two letters": {"squares": rows(board, two_letters)},
        "chess.js": {"board": chess_js(board), "turn": "w" if board.turn else "b"},
        "unicode": {"grid": rows(board, lambda p: chess.Piece.from_symbol(p).unicode_symbol() if p else "")},
        "flat": {"board": [cell for row in upright for cell in row]},
        "64 characters": {"board": "".join(cell or "." for row in upright for cell in row)},
        "square to piece": {
            "pieces": {chess.square_name(s): p.symbol() for s, p in board.piece_map().items()},
        },
        "words": {
            "board": {
                chess.square_name(s): {
                    "color": chess.COLOR_NAMES[p.color],
                    "piece": chess.piece_name(p.piece_type),
                }
                for s, p in board.piece_map().items()
            },
            "currentPlayer": turn(board),
        },
    }


def _chess_lists(moves: list[str]) -> dict[str, Any]:
    sans = sans_of(moves)
    pairs = [sans[at : at + 2] for at in range(0, len(sans), 2)]
    return {
        "uci": {"moves": moves},
        "san": {"history": sans},
        "objects": {"moveHistory": [parts(uci) for uci in moves]},
        "wrapped objects": {
            "moves": [{"playerId": "p_1", "action": {"type": "move", **parts(m)}} for m in moves]
        },
        "san in objects": {"move_history": [{"san": san, "color": "w"} for san in sans]},
        "one text": {"moves": " ".join(moves)},
        "pgn": {"pgn": pgn_of(moves)},
        "pairs": {"history": pairs},
        "white and black": {"moves": [dict(zip(("white", "black"), pair, strict=False)) for pair in pairs]},
        "moves and fen": {"moves": moves, "fen": board_of(moves).fen()},
        "last moves and fen": {"history": sans[-4:], "fen": board_of(moves).fen()},
    }


CHESS_BOARDS = tuple(_chess_boards([]))
CHESS_LISTS = tuple(_chess_lists([]))


def chess_state(form: str, moves: list[str]) -> Any:
    return (_chess_boards(moves) if form in CHESS_BOARDS else _chess_lists(moves))[form]


def chess_action(form: str, board: chess.Board, move: chess.Move) -> Any:
    uci, san = move.uci(), board.san(move)
    origin, target = move.from_square, move.to_square
    return {
        "uci": uci,
        "san": san,
        "object": parts(uci),
        "always a promotion": {"from": uci[:2], "to": uci[2:4], "promotion": uci[4:] or None},
        "typed": {"type": "move", **parts(uci)},
        "typed uci": {"type": "move", "uci": uci},
        "typed move": {"type": "move", "move": san},
        "in data": {"type": "MOVE", "data": {"move": parts(uci)}},
        "chess.js": {**parts(uci), "san": san, "lan": uci, "color": "w" if board.turn else "b", "piece": "p"},
        "list": [uci[:2], uci[2:4], *uci[4:]],
        "numbers": {"from": origin, "to": target, "promotion": uci[4:]},
        "numbers from a8": {"from": origin ^ 56, "to": target ^ 56, "promotion": uci[4:]},
        "rows": {
            "from": {"row": 7 - origin // 8, "col": origin % 8},
            "to": {"row": 7 - target // 8, "col": target % 8},
            "promotion": uci[4:],
        },
        "king takes rook": _king_takes_rook(board, move),
    }[form]


def _king_takes_rook(board: chess.Board, move: chess.Move) -> str:
    if board.is_kingside_castling(move):
        return move.uci()[:2] + "h" + move.uci()[1]
    return move.uci()[:2] + "a" + move.uci()[1] if board.is_queenside_castling(move) else move.uci()


CHESS_ACTIONS = (
    "uci", "san", "object", "always a promotion", "typed", "typed uci", "typed move", "in data", "chess.js",
    "list", "numbers", "numbers from a8", "rows", "king takes rook",
)  # fmt: skip


# Tic-tac-toe


def ttt_cells(moves: list[int], first: Any, second: Any, empty: Any) -> list[Any]:
    cells = [empty] * 9
    for number, cell in enumerate(moves):
        cells[cell] = second if number % 2 else first
    return cells


def _threes(cells: list[Any]) -> list[list[Any]]:
    return [cells[at : at + 3] for at in (0, 3, 6)]


def _ttt(moves: list[int]) -> dict[str, Any]:
    letters = ttt_cells(moves, "X", "O", "")
    ids = ttt_cells(moves, {"player": "p_2"}, {"player": "p_1"}, None)
    return {
        "flat": {"board": letters},
        "null": {"board": ttt_cells(moves, "X", "O", None)},
        "rows": {"board": _threes(letters)},
        "numbers": {"cells": ttt_cells(moves, 1, 2, 0)},
        "one and minus one": {"grid": _threes(ttt_cells(moves, 1, -1, 0))},
        "zero plays": {"board": ttt_cells(moves, 0, 1, None)},
        "O begins": {"board": ttt_cells(moves, "O", "X", " ")},
        "objects": {"board": ids},
        "text": {"board": "".join(ttt_cells(moves, "X", "O", "."))},
        "lines": {"board": "/".join("".join(row) for row in _threes(ttt_cells(moves, "X", "O", "-")))},
        "object from 0": {"board": {str(at): cell for at, cell in enumerate(letters)}},
        "object from 1": {"board": {str(at + 1): cell for at, cell in enumerate(letters)}},
        "bare": letters,
        "board and moves": {"board": letters, "moves": moves},
        "board and moves from 1": {
            "board": letters,
            "history": [{"cell": m + 1, "by": "p_1"} for m in moves],
        },
        "board and rows": {"board": letters, "moves": [{"row": m // 3, "col": m % 3} for m in moves]},
    }


TTT_STATES = tuple(_ttt([]))


def ttt_state(form: str, moves: list[int]) -> Any:
    return _ttt(moves)[form]


def ttt_action(form: str, cell: int) -> Any:
    row, column = divmod(cell, 3)
    return {
        "0 to 8": cell,
        "1 to 9": cell + 1,
        "text": str(cell),
        "cell": {"cell": cell},
        "index": {"type": "move", "index": cell},
        "position from 1": {"type": "place", "position": cell + 1},
        "row and col": {"row": row, "col": column},
        "row and column from 1": {"type": "mark", "row": row + 1, "column": column + 1},
        "x and y": {"x": column, "y": row},
        "list": [row, column],
        "comma": f"{row},{column}",
        "in data": {"type": "move", "data": {"cell": cell}},
        "in move": {"move": cell},
    }[form]


TTT_ACTIONS = (
    "0 to 8", "1 to 9", "text", "cell", "index", "position from 1", "row and col", "row and column from 1",
    "x and y", "list", "comma", "in data", "in move",
)  # fmt: skip


# Four in a row


def stacks(moves: list[int], first: Any, second: Any) -> list[list[Any]]:
    """The seven columns, from the bottom."""
    columns: list[list[Any]] = [[] for _ in range(7)]
    for number, column in enumerate(moves):
        columns[column].append(second if number % 2 else first)
    return columns


def four_rows(moves: list[int], first: Any, second: Any, empty: Any) -> list[list[Any]]:
    """The six rows, the upper one first."""
    columns = [column + [empty] * (6 - len(column)) for column in stacks(moves, first, second)]
    return [[column[row] for column in columns] for row in range(5, -1, -1)]


def _four(moves: list[int]) -> dict[str, Any]:
    upright = four_rows(moves, "R", "Y", "")
    numbers = four_rows(moves, 1, 2, 0)
    grown = [column + [None] * (6 - len(column)) for column in stacks(moves, "red", "yellow")]
    return {
        "rows": {"board": upright},
        "numbers": {"board": numbers},
        "bottom first": {"grid": numbers[::-1]},
        "flat": {"cells": [cell for row in upright for cell in row]},
        "flat, bottom first": {"board": [cell for row in numbers[::-1] for cell in row]},
        "columns": {"columns": grown},
        "columns from the top": {"board": [column[::-1] for column in grown]},
        "stacks": {"columns": stacks(moves, "p_9", "p_4")},
        "text": {"board": "".join("".join(row) for row in four_rows(moves, "X", "O", "."))},
        "lines": {"board": "\n".join("".join(row) for row in four_rows(moves, "A", "B", "_"))},
        "objects": {"board": [[{"color": cell} if cell else None for cell in row] for row in upright]},
        "wrapped": {"state": {"game": {"board": upright}}},
        "moves": {"board": upright, "moves": moves},
        "moves from 1": {"board": numbers, "history": [{"column": m + 1} for m in moves]},
        "moves with rows": {"board": numbers, "moves": [{"row": 0, "col": m} for m in moves]},
    }


FOUR_STATES = tuple(_four([]))


def four_state(form: str, moves: list[int]) -> Any:
    return _four(moves)[form]


def four_action(form: str, column: int) -> Any:
    return {
        "0 to 6": column,
        "1 to 7": column + 1,
        "text from 1": str(column + 1),
        "column": {"column": column},
        "typed": {"type": "drop", "column": column},
        "col from 1": {"type": "drop", "col": column + 1},
        "row and col": {"row": 3, "col": column},
        "in data": {"type": "move", "data": {"column": column}},
        "in move": {"move": column},
    }[form]


FOUR_ACTIONS = (
    "0 to 6", "1 to 7", "text from 1", "column", "typed", "col from 1", "row and col", "in data", "in move",
)  # fmt: skip
