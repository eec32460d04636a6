"""Games for the strict server, by rules of their own: nothing of lrgpnode is used here."""

from __future__ import annotations

from typing import Any, Protocol

import chess

from tests.gateway.rcadia import forms


class TableGame(Protocol):
    title: str
    moves: list[Any]

    def mover(self) -> int:
        """0: who began."""
        ...

    def legal(self) -> dict[str, Any]:
        """Moves by name, and how the table writes them."""
        ...

    def play(self, name: str) -> None: ...

    def state(self) -> Any: ...

    def over(self) -> tuple[int | None, str] | None:
        """(who has won: 0, 1 or None; why), None while play goes on."""
        ...


class ChessGame:
    title = "Chess"

    def __init__(self, state: str = "fen", action: str = "uci") -> None:
        self.forms = state, action
        self.moves: list[str] = []
        self.board = chess.Board()

    def mover(self) -> int:
        return 0 if self.board.turn else 1

    def legal(self) -> dict[str, Any]:
        form = self.forms[1]
        return {m.uci(): forms.chess_action(form, self.board, m) for m in self.board.legal_moves}

    def play(self, name: str) -> None:
        self.board.push_uci(name)
        self.moves.append(name)

    def state(self) -> Any:
        return forms.chess_state(self.forms[0], self.moves)

    def over(self) -> tuple[int | None, str] | None:
        outcome = self.board.outcome()
        if outcome is None:
            return None
        winner = None if outcome.winner is None else 0 if outcome.winner else 1
        return winner, outcome.termination.name.lower()


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class TicTacToeGame:
    title = "Tic-Tac-Toe"

    def __init__(self, state: str = "flat", action: str = "0 to 8") -> None:
        self.forms = state, action
        self.moves: list[int] = []

    def mover(self) -> int:
        return len(self.moves) % 2

    def legal(self) -> dict[str, Any]:
        return {str(c): forms.ttt_action(self.forms[1], c) for c in range(9) if c not in self.moves}

    def play(self, name: str) -> None:
        self.moves.append(int(name))

    def state(self) -> Any:
        return forms.ttt_state(self.forms[0], self.moves)

    def over(self) -> tuple[int | None, str] | None:
        for side in (0, 1):
            mine = set(self.moves[side::2])
            if any(mine >= set(line) for line in LINES):
                return side, "three_in_a_row"
        return (None, "draw") if len(self.moves) == 9 else None


class FourGame:
    title = "Connect Four"

    def __init__(self, state: str = "rows", action: str = "0 to 6") -> None:
        self.forms = state, action
        self.moves: list[int] = []

    def mover(self) -> int:
        return len(self.moves) % 2

    def legal(self) -> dict[str, Any]:
        return {str(c): forms.four_action(self.forms[1], c) for c in range(7) if self.moves.count(c) < 6}

    def play(self, name: str) -> None:
        self.moves.append(int(name))

    def state(self) -> Any:
        return forms.four_state(self.forms[0], self.moves)

    def over(self) -> tuple[int | None, str] | None:
        stones: dict[tuple[int, int], int] = {}
        for number, column in enumerate(self.moves):
            height = sum(1 for c, _ in stones if c == column)
            stones[column, height] = number % 2
        for (column, row), side in stones.items():
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if all(stones.get((column + k * right, row + k * up)) == side for k in range(4)):
                    return side, "connect_four"
        return (None, "draw") if len(self.moves) == 42 else None
