"""Chess positions as deployed LRGP peers judge them, on the ``chess`` package.

Importing this module loads ``chess``; ``games.chess`` does so only when a chess session is touched.
A ``Position`` is a value: its board is never changed and carries no move stack, so a move costs the
same at any ply. What differs from ``chess`` itself, because both sides must agree with deployed peers:
the repetition key keeps the en-passant file after every double push, the list of insufficient
material is shorter, and castling goes on the wire as king takes own rook.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import chess

from lrgpnode.protocol.errors import ErrorCode, Rejection
from lrgpnode.protocol.printable import printable

_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_LOOSE_UCI = re.compile(r"([a-h][1-8])[-x:]?([a-h][1-8])(?:=?([qrbn]))?")
_SUFFIX: Final = re.compile(r"(e\.?p\.?|[!?+#])+$")
_NULL_MOVES: Final = frozenset(("--", "0000", "z0", "@@@@", "null"))
_HOME: Final = {chess.E1: (chess.A1, chess.H1), chess.E8: (chess.A8, chess.H8)}

MOST_NAMED: Final = 8
"""Legal moves that are named to somebody whose move was none."""

Key = tuple[int | bool | None, ...]


def repetition_key(board: chess.Board) -> Key:
    """What two positions must share to be the same one."""
    return (
        board.turn,
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.clean_castling_rights(),
        board.ep_square,
    )


def insufficient_material(board: chess.Board) -> bool:
    """King v king, one minor piece v king, or one bishop each on squares of one colour; nothing else."""
    if board.pawns | board.rooks | board.queens:
        return False
    pieces = chess.popcount(board.occupied)
    if pieces <= 3:
        return True
    bishops = board.bishops
    one_each = chess.popcount(bishops & board.occupied_co[chess.WHITE]) == 1
    one_colour = not bishops & chess.BB_LIGHT_SQUARES or not bishops & chess.BB_DARK_SQUARES
    return pieces == 4 and chess.popcount(bishops) == 2 and one_each and one_colour


@dataclass(frozen=True, slots=True)
class Position:
    """``keys``: repetition keys since the last capture or pawn move, this position's last."""

    board: chess.Board
    keys: tuple[Key, ...]

    def move(self, uci: str) -> chess.Move:
        """The legal move that ``uci`` names, castling in either spelling. Raises ``Rejection``."""
        if _UCI.fullmatch(uci) is None:
            shown = ascii(uci)[:16]
            raise Rejection(ErrorCode.INVALID_MOVE, f"{shown} is not a move in UCI form, like e2e4")
        move = self.normal(_squares(uci))
        if not self.board.is_legal(move):
            raise Rejection(ErrorCode.INVALID_MOVE, f"{uci} is not a legal move here")
        return move

    def normal(self, move: chess.Move) -> chess.Move:
        """The form ``chess`` uses: king takes own rook becomes the king's two steps."""
        board, home = self.board, _HOME.get(move.from_square, ())
        if (
            move.to_square in home
            and board.kings & chess.BB_SQUARES[move.from_square]
            and board.rooks & board.occupied_co[board.turn] & chess.BB_SQUARES[move.to_square]
        ):
            step = 2 if move.to_square > move.from_square else -2
            return chess.Move(move.from_square, move.from_square + step)
        return move

    def wire(self, move: chess.Move) -> str:
        """How the move is sent: castling as king takes own rook."""
        if self.board.is_castling(move):
            rook = _HOME[move.from_square][self.board.is_kingside_castling(move)]
            return chess.square_name(move.from_square) + chess.square_name(rook)
        return move.uci()

    def after(self, move: chess.Move) -> Position:
        board = self.board.copy(stack=False)
        board.push(move)
        board.clear_stack()
        key = repetition_key(board)
        return Position(board, (key,) if board.halfmove_clock == 0 else (*self.keys, key))

    def end(self) -> tuple[str, str]:
        """(terminal, reason) that this position has by itself; ("", "") while play goes on."""
        board = self.board
        if not any(board.generate_legal_moves()):
            return ("win", "cm") if board.is_check() else ("draw", "sm")
        return ("draw", "ins") if insufficient_material(board) else ("", "")

    def claim(self) -> str:
        """The one draw that may be claimed here: "50m", "3fr" or ""."""
        if self.board.halfmove_clock >= 100:
            return "50m"
        return "3fr" if self.keys.count(self.keys[-1]) >= 3 else ""


def _squares(uci: str) -> chess.Move:
    """``chess.Move.from_uci`` without its refusal of a move that stays where it is: that is never legal."""
    promotion = chess.PIECE_SYMBOLS.index(uci[4]) if len(uci) == 5 else None
    return chess.Move(chess.parse_square(uci[:2]), chess.parse_square(uci[2:4]), promotion)


def start() -> Position:
    board = chess.Board()
    return Position(board, (repetition_key(board),))


def replay(moves: Iterable[str]) -> Position:
    """The position after ``moves``. Raises ``Rejection`` where one is illegal or follows the end."""
    position = start()
    ended = False
    for uci in moves:
        if ended:
            raise Rejection(ErrorCode.INVALID_MOVE, f"{uci} was played after the end of the game")
        position = position.after(position.move(uci))
        ended = position.end() != ("", "")
    return position


def sans(position: Position, moves: Iterable[str]) -> list[str]:
    """SAN of the ``moves`` played from ``position``."""
    labels = []
    for uci in moves:
        move = position.move(uci)
        labels.append(position.board.san(move))
        position = position.after(move)
    return labels


def parse(position: Position, text: str) -> chess.Move:
    """What a person typed: SAN or UCI, tolerant. Raises ``Rejection`` with what to type instead."""
    word = _SUFFIX.sub("", re.sub(r"\s+", "", text))
    if not word or word.lower() in _NULL_MOVES:
        raise Rejection(ErrorCode.INVALID_MOVE, "Type a move such as Nf3, e2e4 or O-O")
    board = position.board
    loose = _LOOSE_UCI.fullmatch(word.lower())
    if loose is not None:
        move = position.normal(_squares("".join(part or "" for part in loose.groups())))
        if board.is_legal(move):
            return move
        queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
        if loose[3] is None and board.is_legal(queen):
            raise Rejection(ErrorCode.INVALID_MOVE, f"Name the piece to promote to, e.g. {board.san(queen)}")
    return _parse_san(board, word, ascii(text.strip())[:20])


def _parse_san(board: chess.Board, word: str, shown: str) -> chess.Move:
    if re.fullmatch(r"[oO0](-[oO0]){1,2}", word):
        word = re.sub("[o0]", "O", word)
    promotion = re.fullmatch(r"(.*[a-h][18])[=/(]?([qrbnQRBN])\)?", word)
    if promotion:
        word = f"{promotion[1]}={promotion[2].upper()}"
    exact = _san(board, word)
    if exact is not None and (word[:1].isupper() or board.san(exact).rstrip("+#") == word):
        return exact
    # Where people save the shift key, a small b is a bishop as well as a pawn.
    shifted = _san(board, word[:1].upper() + word[1:])
    found = {move for move in (exact, shifted) if move is not None}
    if len(found) == 1:
        return found.pop()
    if found:
        labels = " or ".join(sorted(map(board.san, found)))
        raise Rejection(ErrorCode.INVALID_MOVE, f"{shown} may be {labels}: write it in full, like b5c6")
    target = re.fullmatch(r"(?:[a-h]x)?([a-h][18])", word)
    if target and any(
        move.promotion and move.to_square == chess.parse_square(target[1]) for move in board.legal_moves
    ):
        raise Rejection(ErrorCode.INVALID_MOVE, f"Name the piece to promote to, e.g. {word}=Q")
    raise Rejection(ErrorCode.INVALID_MOVE, f"{shown} is not a legal move here{_instead(board, word)}")


def _instead(board: chess.Board, word: str) -> str:
    """Legal moves of the same piece, or of the one on the square that was typed first."""
    if board.is_check():
        moves = list(board.legal_moves)
    elif word[:1] in set("KQRBN"):
        moves = [m for m in board.legal_moves if board.san(m).startswith(word[0])]
    elif re.match("[a-h][1-8]", word.lower()):
        square = chess.parse_square(word[:2].lower())
        moves = [m for m in board.legal_moves if square in (m.from_square, m.to_square)]
    else:
        moves = []
    if not moves:
        return ""
    labels = sorted(map(board.san, moves))
    more = " ..." if len(labels) > MOST_NAMED else ""
    check = "you are in check; " if board.is_check() else ""
    return f": {check}try {', '.join(labels[:MOST_NAMED])}{more}"


def _san(board: chess.Board, word: str) -> chess.Move | None:
    """The legal move that ``word`` names, or None. Raises ``Rejection`` where it names several."""
    try:
        return board.parse_san(word)
    except chess.AmbiguousMoveError:
        raise Rejection(ErrorCode.INVALID_MOVE, _ambiguous(board, word)) from None
    except (chess.InvalidMoveError, chess.IllegalMoveError):
        return None


def _ambiguous(board: chess.Board, word: str) -> str:
    target, piece = word[-2:], word[0]
    fitting = [
        label
        for label in map(board.san, board.legal_moves)
        if label.startswith(piece) and label.rstrip("+#").endswith(target)
    ]
    return f"{word} is ambiguous: {' or '.join(fitting)}"


def pgn(moves: list[str], headers: dict[str, str]) -> str:
    """PGN text with these ``headers``; whatever is in a name, it stays inside its quotes."""
    import chess.pgn  # noqa: PLC0415 - only an export needs it

    game = chess.pgn.Game()
    for name, value in headers.items():
        game.headers[name] = re.sub(r'(["\\])', r"\\\1", "".join(c if printable(c) else " " for c in value))
    node: chess.pgn.GameNode = game
    position = start()
    for uci in moves:
        move = position.move(uci)
        node = node.add_variation(move)
        position = position.after(move)
    return str(game)
