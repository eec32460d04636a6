"""Chess, ``chess.1`` (spec, appendix B).

Peers exchange UCI moves and replay them; no board travels. The responder draws lots and says with
``accept`` who has White. Threefold repetition and fifty moves are claimed with a ``draw_offer`` that
carries the reason: a claim that holds ends the game at once, one that does not is a plain offer.

A session stores its moves as they were on the wire. The position is derived and cached per session
for its last two values, so that a rollback finds it too; the cache may be dropped at any time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from lrgpnode.protocol.errors import Corrupt, Rejection
from lrgpnode.protocol.game import (
    Coin,
    Command,
    GameView,
    Intent,
    LegalMove,
    Manifest,
    Notation,
    Payload,
    SessionType,
    Validation,
)
from lrgpnode.protocol.session import Session, SessionKey, Status
from lrgpnode.protocol.turn_based import (
    ACTIONS,
    NO_OFFER,
    PREFERRED_DELIVERY,
    Shape,
    TurnBasedGame,
    contradicts,
    invalid,
    loaded,
    malformed,
    matches,
    require,
)

from ._views import outcome, status_line

if TYPE_CHECKING:
    from ._chess_rules import Position

T = TypeVar("T")

CACHED_SESSIONS: Final = 64

_MOVE: Final[Shape] = {"m": str, "n": int, "x": str}
_DRAWN: Final[Shape] = {**_MOVE, "r": str}
_WON: Final[Shape] = {**_DRAWN, "w": str}
_SHAPES: Final = {"": _MOVE, "draw": _DRAWN, "win": _WON}
_CLAIM: Final[Shape] = {"r": str}
_CLAIMS: Final = {"3fr": "Claimed threefold repetition", "50m": "Claimed fifty-move rule"}
_ENDS: Final = {"sm": "Draw (stalemate)", "ins": "Draw (insufficient material)"}
_METADATA: Final = {
    "moves": (list,),
    "my_color": (str,),
    "first_turn": (str,),
    "turn": (str,),
    "move_count": (int,),
    "winner": (str,),
    "terminal": (str,),
    "reason": (str,),
}


class Chess(TurnBasedGame):
    manifest: ClassVar[Manifest] = Manifest(
        app_id="chess",
        version=1,
        display_name="Chess",
        icon="chess",
        session_type=SessionType.TURN_BASED,
        validation=Validation.BOTH,
        actions=ACTIONS,
        tag="Chess",
        preferred_delivery=PREFERRED_DELIVERY,
    )
    move_intent: ClassVar[Shape] = {"m": str}
    accept_shape: ClassVar[Shape] = {"w": str}

    def __init__(self) -> None:
        self._positions: OrderedDict[SessionKey, tuple[tuple[list[str], Position], ...]] = OrderedDict()
        self._labels: OrderedDict[SessionKey, tuple[Position, list[str], list[str]]] = OrderedDict()

    # Positions

    def position(self, session: Session) -> Position:
        """The position after the session's moves. Raises ``Rejection`` where they are not legal.

        Replays only what is not cached: a session that comes back from the database, say.
        """
        moves: list[str] = session.metadata["moves"]
        for known, position in self._positions.get(session.key, ()):
            if known is moves or known == moves:
                self._remember(session.key, moves, position)
                return position
        from ._chess_rules import replay  # noqa: PLC0415 - loads `chess`, which most nodes may never need

        position = replay(moves)
        self._remember(session.key, moves, position)
        return position

    def _remember(self, key: SessionKey, moves: list[str], position: Position) -> None:
        others = [entry for entry in self._positions.get(key, ()) if entry[1] is not position]
        _keep(self._positions, key, ((moves, position), *others[:1]))

    # The rules

    def opening(self, key: SessionKey, peer: str, initiator: str) -> dict[str, Any]:
        return {
            "moves": [],
            "my_color": "",
            "first_turn": "",
            "turn": "",
            "move_count": 0,
            "winner": "",
            "terminal": "",
            "reason": "",
            **NO_OFFER,
        }

    def accept_payload(self, session: Session, coin: Coin) -> Payload:
        return {"w": session.participants[coin()]}

    def accepted(self, session: Session, payload: Payload) -> dict[str, Any]:
        white = payload["w"]
        if white not in session.participants:
            raise contradicts("White must be one of the two players")
        return {"first_turn": white, "turn": white, "my_color": "w" if white == session.key.identity else "b"}

    def move_payload(self, session: Session, actor: str, intent: Intent) -> Payload:
        position = self.position(session)
        move = position.move(intent["m"])
        end, reason = position.after(move).end()
        payload: Payload = {"m": position.wire(move), "n": session.metadata["move_count"], "x": end}
        if end:
            payload["r"] = reason
        return payload | {"w": actor} if end == "win" else payload

    def check_move_shape(self, payload: Payload) -> None:
        end = payload.get("x")
        shape = _SHAPES.get(end, _MOVE) if type(end) is str else _MOVE
        if not matches(payload, shape):
            raise malformed("move", shape)
        if end not in _SHAPES or payload["n"] < 0 or (end and not payload["r"]):
            raise contradicts("x must be empty, win or draw, n not negative, and r not empty")

    def moved(self, session: Session, actor: str, payload: Payload) -> dict[str, Any]:
        moves: list[str] = session.metadata["moves"]
        if payload["n"] != len(moves):
            raise invalid(f"Ply {len(moves)} is expected, not ply {payload['n']}")
        position = self.position(session)
        after = position.after(position.move(payload["m"]))
        end, reason = after.end()
        if (payload["x"], payload.get("r", "")) != (end, reason):
            raise invalid("The claimed result is wrong")
        winner = actor if end == "win" else ""
        if payload.get("w", "") != winner:
            raise invalid("The claimed winner is wrong")
        played = [*moves, payload["m"]]
        self._remember(session.key, played, after)
        return {
            "moves": played,
            "turn": "" if end else session.other(actor),
            "move_count": len(played),
            "winner": winner,
            "terminal": end,
            "reason": reason,
        }

    def early_offer(self, session: Session, actor: str, payload: Payload) -> bool:
        """A claim is early, too, where some move of the claimant would make it hold."""
        if super().early_offer(session, actor, payload):
            return True
        if not payload or self.claimed(session, actor, payload) is not None:
            return False
        position = self.position(session)
        return any(position.after(move).claim() == payload["r"] for move in position.board.legal_moves)

    def check_offer_shape(self, payload: Payload) -> None:
        if payload and not (matches(payload, _CLAIM) and payload["r"] in _CLAIMS):
            raise contradicts("A draw offer carries nothing, or exactly r: 3fr or 50m")

    def claimed(self, session: Session, actor: str, payload: Payload) -> dict[str, Any] | None:
        if not payload or self.position(session).claim() != payload["r"]:
            return None
        return {"turn": "", "winner": "", "terminal": "draw", "reason": payload["r"]}

    def resigned(self, session: Session, actor: str) -> dict[str, Any]:
        return {"turn": "", "winner": session.other(actor), "terminal": "win", "reason": "rsn"}

    def agreed(self, session: Session) -> dict[str, Any]:
        return {"turn": "", "winner": "", "terminal": "draw", "reason": "agr"}

    def declined(self, session: Session, actor: str) -> dict[str, Any]:
        return {"cancelled_by_initiator": True} if actor == session.initiator else {}

    # Stored records

    def normalise(self, session: Session) -> Session:
        board = session.metadata.get("board")  # as ``public`` exports it; not stored, but it must be right
        session = loaded(session, _METADATA, optional=("cancelled_by_initiator",))
        m = session.metadata
        moves = m["moves"]
        require(all(type(move) is str for move in moves), "moves is malformed")
        require(m["move_count"] == len(moves), "move_count is wrong")
        white = m["first_turn"]
        require(white in session.participants or (white == "" and not moves), "White is no participant")
        colour = "" if not white else "w" if white == session.key.identity else "b"
        require(m["my_color"] == colour, "my_color is wrong")
        cancelled = m.get("cancelled_by_initiator", False)
        require(type(cancelled) is bool, "cancelled_by_initiator is malformed")
        require(not cancelled or session.status is Status.DECLINED, "a cancelled game is declined")
        if not white:
            _check_unopened(session)
            if board is None:
                return session  # without loading the chess package for a mere challenge
        try:
            position = self.position(session)
        except Rejection as rejection:
            raise Corrupt(f"the moves are not a game: {rejection.message}") from None
        require(board in (None, position.board.fen()), "the board is not that of the moves")
        if not white:
            return session
        black = session.other(white)
        to_move = black if len(moves) % 2 else white
        self._check_opened(session, position, to_move)
        return session

    def _check_opened(self, session: Session, position: Position, to_move: str) -> None:
        m = session.metadata
        end, reason = position.end() if m["moves"] else ("", "")
        result = (m["terminal"], m["reason"], m["winner"])
        if session.status in (Status.ACTIVE, Status.EXPIRED):
            require(not end and result == ("", "", ""), f"an {session.status} game must be unfinished")
            require(m["turn"] == to_move, "the wrong player is to move")
            return
        require(session.status is Status.COMPLETED, f"a {session.status} game has been opened")
        require(m["turn"] == "", "nobody is to move in a finished game")
        if end:
            winner = session.other(to_move) if end == "win" else ""
            require(result == (end, reason, winner), "the result contradicts the position")
            return
        resigned = result[:2] == ("win", "rsn") and result[2] in session.participants
        claimed = position.claim() if m["reason"] in _CLAIMS else "agr"
        drawn = result == ("draw", claimed, "")
        require(resigned or drawn, "a completed game needs a result that its moves allow")

    # What people see

    def public(self, session: Session) -> dict[str, Any]:
        return {**session.metadata, "board": self.position(session).board.fen()}

    def move_text(self, after: Session, payload: Payload) -> str:
        if payload["x"] == "win":
            return f"{payload['m']}# (checkmate)"
        return _ENDS[payload["r"]] if payload["x"] else str(payload["m"])

    def command_text(self, before: Session, actor: str, command: str, payload: Payload) -> str:
        if command == Command.DECLINE and actor == before.initiator:
            return "Challenge cancelled"
        if command == Command.DRAW_OFFER and payload:
            return _CLAIMS[payload["r"]]
        return super().command_text(before, actor, command, payload)

    def history(self, session: Session) -> list[str]:
        """SAN of every move."""
        from ._chess_rules import sans, start  # noqa: PLC0415 - see position()

        moves: list[str] = session.metadata["moves"]
        known = self._labels.get(session.key)
        if known is None or moves[: len(known[1])] != known[1]:
            known = (start(), [], [])
        position, before, labels = known
        if len(before) < len(moves):
            labels = labels + sans(position, moves[len(before) :])
        _keep(self._labels, session.key, (self.position(session), moves, labels))
        return list(labels)

    def view(self, session: Session, viewer: str) -> GameView:
        from . import _chess_view as shown  # noqa: PLC0415 - see position()

        m = session.metadata
        position = self.position(session)
        my_turn = session.status is Status.ACTIVE and m["turn"] == viewer
        white = m["first_turn"]
        check = position.board.is_check()
        return GameView(
            app_id="chess",
            grid=shown.grid(position.board),
            row_labels=tuple("87654321"),
            column_labels=tuple("abcdefgh"),
            seat="" if not white else "white" if white == viewer else "black",
            turn=m["turn"] if session.status is Status.ACTIVE else "",
            my_turn=my_turn,
            legal=tuple(LegalMove(**move) for move in shown.legal(position)) if my_turn else (),
            last_cells=shown.cells(m["moves"][-1], position.board) if m["moves"] else (),
            status_line=status_line(session, viewer, check=check and my_turn),
            result=outcome(session, draw_by_board=False),
            history=tuple(self.history(session)),
            ply=m["move_count"],
            tokens=shown.TOKENS,
            numbered=2,
            turned=bool(white) and white != viewer,
            draw_offered_by=m["draw_offered_by"],
            extras=shown.extras(position),
        )

    def parse(self, session: Session, text: str) -> dict[str, Any]:
        from ._chess_rules import parse  # noqa: PLC0415 - see position()

        self._check_turn(session, session.key.identity)
        position = self.position(session)
        return {"m": position.wire(parse(position, text))}

    def notation(self, session: Session, names: Mapping[str, str], date: str) -> Notation:
        white = session.metadata["first_turn"]
        black = session.other(white) if white else ""
        text = self.pgn(session, white=names.get(white, "?"), black=names.get(black, "?"), date=date)
        return Notation("pgn", text)

    def pgn(self, session: Session, *, white: str, black: str, date: str) -> str:
        """The game as PGN. ``date`` as YYYY.MM.DD; names are shown as given."""
        from ._chess_rules import pgn  # noqa: PLC0415 - see position()

        m = session.metadata
        result = "*"
        if m["terminal"] == "draw":
            result = "1/2-1/2"
        elif m["terminal"] == "win":
            result = "1-0" if m["winner"] == m["first_turn"] else "0-1"
        headers = {
            "Event": "LRGP game",
            "Site": "Reticulum",
            "Date": date,
            "Round": "-",
            "White": white,
            "Black": black,
            "Result": result,
        }
        return pgn(m["moves"], headers)


def _keep(cache: OrderedDict[SessionKey, T], key: SessionKey, value: T) -> None:
    """Remember ``value``, and forget the session that was used longest ago."""
    cache.pop(key, None)
    cache[key] = value
    if len(cache) > CACHED_SESSIONS:
        cache.popitem(last=False)


def _check_unopened(session: Session) -> None:
    m = session.metadata
    require(
        session.status in (Status.PENDING, Status.DECLINED, Status.EXPIRED),
        f"a game that is {session.status} has a White player",
    )
    blank = (m["turn"], m["winner"], m["terminal"], m["reason"], m["draw_offered"]) == ("", "", "", "", False)
    require(blank, f"a {session.status} game has been played")
