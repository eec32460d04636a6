"""What one side of a game should hold: a second, naive reading of the specification's rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SIZES = {"ttt": (3, 3, 3, "XO"), "four_in_a_row": (7, 6, 4, "AB")}


@dataclass
class Model:
    app: str
    challenger: str
    responder: str
    status: str = "pending"
    moves: list[int] = field(default_factory=list)
    offer: str = ""
    winner: str = ""
    end: str = ""
    nonces: list[bytes] = field(default_factory=list)

    @property
    def turn(self) -> str:
        if self.status != "active":
            return ""
        return (self.challenger, self.responder)[len(self.moves) % 2]

    @property
    def board(self) -> str:
        width, height, _, marks = SIZES[self.app]
        cells = ["_"] * (width * height)
        for number, move in enumerate(self.moves):
            cells[self._cell(cells, move)] = marks[number % 2]
        return "".join(cells)

    def open_moves(self) -> list[int]:
        board = self.board
        return [m for m in range(SIZES[self.app][0] if self.app != "ttt" else 9) if board[m] == "_"]

    def accepts(self, actor: str, command: str, move: int, number: int) -> bool:
        """Apply the action if the rules allow it; whether they do. ``number``: 1-based, of a move."""
        other = self.responder if actor == self.challenger else self.challenger
        active = self.status == "active"
        match command:
            case "accept" if self.status == "pending" and actor == self.responder:
                self.status = "active"
            case "decline" if self.status == "pending":
                self.status = "declined"
            case "move" if active and self.turn == actor and number == len(self.moves) + 1:
                if move not in self.open_moves():
                    return False
                self.moves.append(move)
                self.offer = ""
                self._finish(actor)
            case "resign" if active:
                self._over("resign", other)
            case "draw_offer" if active and not self.offer:
                self.offer = actor
            case "draw_accept" if active and self.offer == other:
                self._over("draw", "")
            case "draw_decline" if active and self.offer == other:
                self.offer = ""
            case _:
                return False
        return True

    def state(self) -> tuple[Any, ...]:
        return self.status, self.board, self.turn, self.offer, self.winner, self.end

    def _cell(self, cells: list[str], move: int) -> int:
        if self.app == "ttt":
            return move
        return max(row * 7 + move for row in range(6) if cells[row * 7 + move] == "_")

    def _over(self, end: str, winner: str) -> None:
        self.status, self.end, self.winner, self.offer = "completed", end, winner, ""

    def _finish(self, actor: str) -> None:
        width, height, need, _ = SIZES[self.app]
        board = self.board
        for r in range(height):
            for c in range(width):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    line = [(r + i * dr, c + i * dc) for i in range(need)]
                    if all(y < height and 0 <= x < width for y, x in line):
                        marks = {board[y * width + x] for y, x in line}
                        if len(marks) == 1 and marks != {"_"}:
                            self._over("win", actor)
                            return
        if "_" not in board:
            self._over("draw", "")
