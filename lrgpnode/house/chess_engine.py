"""Chess: principal variation search with iterative deepening, on the ``chess`` package's boards.

Every line is followed until it is quiet; a check is looked at one ply deeper. Positions are remembered
in a table for the one thought. Nothing is pruned in the first three plies but what alpha-beta prunes, so
whoever searches three plies finds every mate in two.

A score is that of the side to move. ``_Score`` goes along the line and is changed by each move, so no
position is ever added up.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import chess

from games._chess_rules import Key, Position, repetition_key

from ._chess_tables import END, MIDDLE, PHASE, WHOLE_PHASE
from .levels import MATE, Choice, Level

_WON: Final = MATE // 2
"""A score beyond this is a forced mate."""

_TABLE_SIZE: Final = 50_000
_MAX_PLY: Final = 64
_WORTH: Final = (0, 100, 320, 330, 500, 950, 20_000)
_TEMPO: Final = 10
_HOPE: Final = 200
"""What a quiet move or the next capture may gain beside the piece it takes."""

_QUEEN_GAIN: Final = 900
_EXACT, _LOWER, _UPPER = 0, 1, 2


class _Score(NamedTuple):
    """Middle game and end game values for the side to move, and how much of the former is left."""

    middle: int
    end: int
    phase: int


class _OutOfNodes(Exception):
    pass


def choose(position: Position, level: Level, rng: random.Random) -> Choice:
    """A move in UCI form. The position must have a legal one."""
    board = position.board.copy(stack=False)
    moves = sorted(board.legal_moves, key=lambda move: move.uci())
    rng.shuffle(moves)
    whims = {move: rng.randint(0, level.noise) for move in moves}
    slip = rng.random() < level.slips
    search = _Search(board, position.keys, level.nodes)
    best, score = search.best(moves, whims, level.depth)
    return Choice((rng.choice(moves) if slip else best).uci(), score, search.nodes)


class _Search:
    def __init__(self, board: chess.Board, seen: Iterable[Key], budget: int) -> None:
        self.nodes = 0
        self._board = board
        self._budget = budget
        self._line = set(seen)
        self._table: dict[Key, tuple[int, int, int, chess.Move | None]] = {}
        self._killers: list[list[chess.Move]] = [[] for _ in range(_MAX_PLY + 2)]
        self._history: dict[tuple[bool, int, int], int] = {}

    # The root

    def best(
        self, moves: list[chess.Move], whims: dict[chess.Move, int], depth: int
    ) -> tuple[chess.Move, int]:
        """(move, score) of the deepest search that the budget allows."""
        score = _added_up(self._board)
        found, value = moves[0], 0
        self._line.add(repetition_key(self._board))
        for plies in range(1, min(depth, _MAX_PLY) + 1):
            moves.sort(key=lambda move: self._rank(move, found))
            # Of an iteration that was cut off, what was found before counts: the best move came first.
            done, found, value = self._root(moves, whims, plies, score, found, value)
            if not done or abs(value) > _WON or len(moves) == 1:
                break
        return found, value

    def _root(
        self,
        moves: list[chess.Move],
        whims: dict[chess.Move, int],
        depth: int,
        score: _Score,
        found: chess.Move,
        value: int,
    ) -> tuple[bool, chess.Move, int]:
        board, height = self._board, len(self._board.move_stack)
        alpha = -MATE
        try:
            for move in moves:
                child = self._after(move, score)
                whim = whims[move]
                board.push(move)
                exact = -self._negamax(depth - 1, -MATE, whim - alpha, 1, child)
                board.pop()
                # A whim does not make a lost move look better than one that is not.
                liked = exact + whim if abs(exact) < _WON else exact
                if liked > alpha:
                    alpha, found, value = liked, move, exact
        except _OutOfNodes:
            while len(board.move_stack) > height:
                board.pop()
            return False, found, value
        return True, found, value

    def _rank(self, move: chess.Move, first: chess.Move) -> tuple[bool, int]:
        return move != first, -self._promise(move)

    # The tree

    def _negamax(
        self, depth: int, alpha: int, beta: int, ply: int, score: _Score, nothing: bool = True
    ) -> int:
        """``nothing``: whether the side to move may try what happens if it does nothing."""
        board = self._board
        check = board.is_check()
        if check:
            depth += 1
        if depth <= 0 or ply >= _MAX_PLY:
            return self._quiet(alpha, beta, ply, score, check)
        self._count()
        position = repetition_key(board)
        if position in self._line or board.halfmove_clock >= 100 or _dead(board, score):
            return 0
        known = self._table.get(position)
        first: chess.Move | None = None
        if known is not None:
            known_depth, kind, value, first = known
            value = _from_table(value, ply)
            if known_depth >= depth and (
                kind == _EXACT or (kind == _LOWER and value >= beta) or (kind == _UPPER and value <= alpha)
            ):
                return value
        static = _evaluate(board, score)
        if nothing and depth >= 3 and not check and static >= beta and beta < _WON and score.phase > 2:
            value = self._after_nothing(depth, beta, ply, score)
            if value >= beta:
                return value
        self._line.add(position)
        best, move, kind = self._children(depth, alpha, beta, ply, score, check, static, first)
        self._line.discard(position)
        if len(self._table) < _TABLE_SIZE:
            self._table[position] = depth, kind, _to_table(best, ply), move
        return best

    def _after_nothing(self, depth: int, beta: int, ply: int, score: _Score) -> int:
        self._board.push(chess.Move.null())
        child = _Score(-score.middle, -score.end, score.phase)
        value = -self._negamax(depth - 3, -beta, 1 - beta, ply + 1, child, nothing=False)
        self._board.pop()
        return min(value, _WON)

    def _children(
        self,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        score: _Score,
        check: bool,
        static: int,
        first: chess.Move | None,
    ) -> tuple[int, chess.Move | None, int]:
        """(score, best move, whether it is exact or a bound) of a node with something left to search."""
        board = self._board
        best, best_move, kind, tried = -MATE, None, _UPPER, 0
        hopeless = depth == 1 and not check and static + _HOPE <= alpha and abs(alpha) < _WON
        for move in self._moves(first, ply):
            quiet = not board.is_capture(move) and move.promotion is None
            child = self._after(move, score)
            board.push(move)
            if board.was_into_check():
                board.pop()
                continue
            tried += 1
            if hopeless and quiet and tried > 1 and not board.is_check():
                board.pop()
                best = max(best, static + _HOPE)
                continue
            value = self._child(depth, alpha, beta, ply, child, tried, quiet and not check)
            board.pop()
            if value > best:
                best, best_move = value, move
            if value > alpha:
                alpha, kind = value, _EXACT
            if alpha >= beta:
                kind = _LOWER
                if quiet:
                    self._remember(move, depth, ply)
                break
        if not tried:
            return (ply - MATE if check else 0), None, _EXACT
        return best, best_move, kind

    def _child(
        self, depth: int, alpha: int, beta: int, ply: int, child: _Score, tried: int, reducible: bool
    ) -> int:
        """The first move gets the whole window; the others must first show that they are better."""
        if tried == 1:
            return -self._negamax(depth - 1, -beta, -alpha, ply + 1, child)
        less = 1 if reducible and depth >= 3 and tried > 4 else 0
        value = -self._negamax(depth - 1 - less, -alpha - 1, -alpha, ply + 1, child)
        if value > alpha and less:
            value = -self._negamax(depth - 1, -alpha - 1, -alpha, ply + 1, child)
        if alpha < value < beta:
            value = -self._negamax(depth - 1, -beta, -alpha, ply + 1, child)
        return value

    def _quiet(self, alpha: int, beta: int, ply: int, score: _Score, check: bool) -> int:
        """Captures and queens only, until none of them pays; out of a check, everything."""
        self._count()
        board = self._board
        if _dead(board, score):
            return 0
        best = -MATE
        static = _evaluate(board, score)
        if not check or ply >= _MAX_PLY:
            best = static
            if best >= beta or ply >= _MAX_PLY:
                return best
            alpha = max(alpha, best)
        legal = 0
        for move in self._moves(None, ply) if check else self._loud():
            if not check and self._pointless(move, static, alpha):
                continue
            child = self._after(move, score)
            board.push(move)
            if board.was_into_check():
                board.pop()
                continue
            legal += 1
            value = -self._quiet(-beta, -alpha, ply + 1, child, board.is_check())
            board.pop()
            best = max(best, value)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return ply - MATE if check and not legal else best

    def _pointless(self, move: chess.Move, static: int, alpha: int) -> bool:
        """Whether a capture cannot raise ``alpha``, or gives more than it takes."""
        board = self._board
        taken = _WORTH[board.piece_type_at(move.to_square) or chess.PAWN]
        gain = taken + (_QUEEN_GAIN if move.promotion else 0)
        if static + gain + _HOPE <= alpha:
            return True
        cost = _WORTH[board.piece_type_at(move.from_square) or 0]
        return cost > gain and board.is_attacked_by(not board.turn, move.to_square)

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self._budget:
            raise _OutOfNodes

    # The order of moves

    def _moves(self, first: chess.Move | None, ply: int) -> Iterator[chess.Move]:
        """Every pseudo-legal move, the promising ones first."""
        board = self._board
        if first is not None:
            yield first
        for move in self._captures():
            if move != first:
                yield move
        killers, history, turn = self._killers[min(ply, _MAX_PLY)], self._history, board.turn

        def rank(move: chess.Move) -> int:
            if move.promotion == chess.QUEEN or move in killers:
                return -1_000_000
            return -history.get((turn, move.from_square, move.to_square), 0)

        quiet = [
            move
            for move in board.generate_pseudo_legal_moves(to_mask=~board.occupied & chess.BB_ALL)
            if not board.is_en_passant(move) and move != first
        ]
        # Asked for apart: the generator takes the rook's square, which is occupied, for the target.
        quiet += (move for move in board.generate_castling_moves() if move != first)
        quiet.sort(key=rank)
        yield from quiet

    def _captures(self) -> list[chess.Move]:
        return sorted(self._board.generate_pseudo_legal_captures(), key=self._promise, reverse=True)

    def _loud(self) -> list[chess.Move]:
        """Captures, and pawns that become queens."""
        board = self._board
        moves = [m for m in self._captures() if m.promotion in (None, chess.QUEEN)]
        last = chess.BB_RANK_7 if board.turn == chess.WHITE else chess.BB_RANK_2
        pawns = board.pawns & board.occupied_co[board.turn] & last
        if pawns:
            onward = board.generate_pseudo_legal_moves(pawns, ~board.occupied & chess.BB_BACKRANKS)
            moves[:0] = [move for move in onward if move.promotion == chess.QUEEN]
        return moves

    def _promise(self, move: chess.Move) -> int:
        """The most valuable victim first, of these the cheapest attacker."""
        board = self._board
        victim = board.piece_type_at(move.to_square) or (chess.PAWN if board.is_en_passant(move) else 0)
        attacker = board.piece_type_at(move.from_square) or 0
        return 16 * _WORTH[victim] - attacker + (_QUEEN_GAIN if move.promotion == chess.QUEEN else 0)

    def _remember(self, move: chess.Move, depth: int, ply: int) -> None:
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]
        where = (self._board.turn, move.from_square, move.to_square)
        self._history[where] = self._history.get(where, 0) + depth * depth

    # Scores

    def _after(self, move: chess.Move, score: _Score) -> _Score:
        """The score once ``move`` is made, for the other side."""
        board = self._board
        us, start, target = board.turn, move.from_square, move.to_square
        piece = board.piece_type_at(start) or 0
        became = move.promotion or piece
        middle_of, end_of = MIDDLE[us], END[us]
        middle = score.middle + middle_of[became][target] - middle_of[piece][start]
        end = score.end + end_of[became][target] - end_of[piece][start]
        phase = score.phase + PHASE[became] - PHASE[piece]
        victim, where = board.piece_type_at(target) or 0, target
        if not victim and piece == chess.PAWN and target == board.ep_square:
            victim, where = chess.PAWN, target - 8 if us else target + 8
        elif piece == chess.KING and abs(target - start) == 2:
            rook, home = (target - 1, start + 3) if target > start else (target + 1, start - 4)
            middle += middle_of[chess.ROOK][rook] - middle_of[chess.ROOK][home]
            end += end_of[chess.ROOK][rook] - end_of[chess.ROOK][home]
        if victim:
            middle += MIDDLE[not us][victim][where]
            end += END[not us][victim][where]
            phase -= PHASE[victim]
        return _Score(-middle, -end, phase)


def _added_up(board: chess.Board) -> _Score:
    middle = end = phase = 0
    for square, piece in board.piece_map().items():
        sign = 1 if piece.color == board.turn else -1
        middle += sign * MIDDLE[piece.color][piece.piece_type][square]
        end += sign * END[piece.color][piece.piece_type][square]
        phase += PHASE[piece.piece_type]
    return _Score(middle, end, phase)


def _evaluate(board: chess.Board, score: _Score) -> int:
    phase = min(score.phase, WHOLE_PHASE)
    value = (score.middle * phase + score.end * (WHOLE_PHASE - phase)) // WHOLE_PHASE + _TEMPO
    return value + _drive(board, value) if phase <= 8 else value


def _drive(board: chess.Board, value: int) -> int:
    """Against a king alone: it goes to the edge, and ours comes closer."""
    winner = board.turn if value > 0 else not board.turn
    if board.occupied_co[not winner] & ~board.kings:
        return 0
    king, lost = board.king(winner), board.king(not winner)
    assert king is not None
    assert lost is not None
    file, rank = chess.square_file(lost), chess.square_rank(lost)
    edge = max(3 - file, file - 4) + max(3 - rank, rank - 4)
    near = 14 - chess.square_manhattan_distance(king, lost)
    bonus = 20 * edge + 8 * near
    return bonus if winner == board.turn else -bonus


def _dead(board: chess.Board, score: _Score) -> bool:
    """Whether nobody can win any more; two lone minor pieces are left to the search."""
    return score.phase <= 1 and not board.pawns | board.rooks | board.queens


def _to_table(value: int, ply: int) -> int:
    """A mate counts from the root in the search, from its own position in the table."""
    return value + ply if value > _WON else value - ply if value < -_WON else value


def _from_table(value: int, ply: int) -> int:
    return value - ply if value > _WON else value + ply if value < -_WON else value
