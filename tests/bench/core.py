"""The protocol core: codec, receiving, replay cache, admission."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgpack

from games.chess import Chess
from games.four_in_a_row import FourInARow
from games.tictactoe import TicTacToe
from lrgpnode.protocol.envelope import Envelope
from lrgpnode.protocol.game import Game
from lrgpnode.protocol.replay import ReplayCache
from lrgpnode.protocol.router import Applied, Router
from lrgpnode.protocol.session import Session, SessionKey, Status
from storage.model import Commit
from storage.store import Store

from .timing import Row, best_of

ME, PEER = "a" * 32, "b" * 32
SESSION = "0123456789abcdef"
NOW = 1_750_000_000.0

ENVELOPES = (
    ("ttt", "challenge", {}),
    ("ttt", "accept", {"b": "_" * 9, "t": PEER}),
    ("ttt", "move", {"i": 4, "b": "____X____", "n": 1, "t": PEER, "x": ""}),
    ("chess", "accept", {"w": PEER}),
    ("chess", "move", {"m": "e2e4", "n": 0, "x": ""}),
    ("chess", "move", {"m": "d8h4", "n": 3, "x": "win", "r": "cm", "w": PEER}),
    ("four_in_a_row", "challenge", {}),
    ("four_in_a_row", "move", {"c": 0, "n": 7, "x": "win", "w": PEER}),
)


def codec() -> list[Row]:
    """Strict unpack and pack against raw msgpack; of eight envelopes the worst ratio counts."""
    unpack: list[Row] = []
    pack: list[Row] = []
    for app, command, payload in ENVELOPES:
        envelope = Envelope(app, 1, command, SESSION, payload, bytes(range(8)))
        raw, native = envelope.pack(), envelope.as_map()
        name = f"{app} {command}{' win' if payload.get('x') else ''}"
        micros = best_of(
            {
                "unpack": lambda raw=raw: Envelope.unpack(raw),
                "raw unpack": lambda raw=raw: msgpack.unpackb(raw),
                "pack": envelope.pack,
                "raw pack": lambda native=native: msgpack.packb(native),
            },
            calls=400,
            rounds=75,
        )
        unpack.append(_row(f"unpack {name}", micros["unpack"], micros["raw unpack"], 8.0))
        pack.append(_row(f"pack {name}", micros["pack"], micros["raw pack"], 3.0))
    return [max(unpack, key=lambda row: row.figure), max(pack, key=lambda row: row.figure)]


def _row(name: str, value: float, baseline: float, limit: float) -> Row:
    return Row(name=name, value=value, baseline=baseline, unit="us", limit=limit)


class OneSession:
    """The ``Sessions`` of a router that has nothing but one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get(self, key: SessionKey) -> Session | None:
        return self.session if key == self.session.key else None

    def list(self, identity: str, app_id: str | None = None) -> Iterable[Session]:
        return [self.session]

    def pending_count(self, identity: str, peer: str | None, since: float) -> int:
        return 0

    def older(self, identity: str, status: Status, before: float) -> Sequence[Session]:
        return []


def _router(game: Game, sessions: OneSession | Store) -> Router:
    numbers = itertools.count()
    return Router(
        {game.manifest.app_id: game},
        sessions.sessions if isinstance(sessions, Store) else sessions,
        ReplayCache(lambda: NOW),
        nonce=lambda: next(numbers).to_bytes(8, "big"),
        new_session_id=lambda: f"{next(numbers):016x}",
        coin=lambda: False,
    )


def _received(game: Game, moves: Iterator[dict[str, object]], ply: int) -> tuple[Router, bytes]:
    """A router whose session is at ``ply``, PEER to move, and PEER's envelope for that move."""
    session = game.open(SessionKey(ME, SESSION), PEER, PEER, NOW)
    accept = game.intend(session, ME, "accept", {}, lambda: True)
    session = game.apply(session, ME, "accept", accept, NOW)
    while session.metadata["move_count"] < ply:
        actor = session.metadata["turn"]
        payload = game.intend(session, actor, "move", next(moves), lambda: False)
        session = game.apply(session, actor, "move", payload, NOW)
    actor = session.metadata["turn"]
    assert actor == PEER
    payload = game.intend(session, PEER, "move", next(moves), lambda: False)
    envelope = Envelope(session.app_id, 1, "move", SESSION, payload, bytes(8))
    return _router(game, OneSession(session)), envelope.pack()


def _receive(router: Router, raw: bytes) -> None:
    outcome = router.receive(ME, PEER, raw, NOW)
    assert isinstance(outcome, Applied), outcome
    router.forget(ME, SESSION, bytes(8))


def receive() -> list[Row]:
    """Decode → router → game → next session at chess ply 300 against ply 12.

    Knights go out and back for the whole game: the position is the same at both plies, and nothing
    ever clears the list of positions that repetition is counted in. That is the worst case.
    """
    shuffle = [{"m": m} for m in ("g1f3", "g8f6", "f3g1", "f6g8")]
    short = _received(Chess(), itertools.cycle(shuffle), 12)
    long = _received(Chess(), itertools.cycle(shuffle), 300)
    micros = best_of({"300": lambda: _receive(*long), "12": lambda: _receive(*short)}, calls=200)
    rows = [_row("receive a chess move, ply 300 / ply 12", micros["300"], micros["12"], 1.3)]
    game = FourInARow()
    columns = [c for c in (0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0) for _ in (0,)]
    columns += [c + 2 for c in columns] + [4, 5, 4, 5, 4, 5, 5, 4, 5, 4, 5, 4]
    moves = [{"c": c} for c in columns]
    early = _received(game, iter(moves), 2)
    late = _received(game, iter(moves), 32)
    micros = best_of({"late": lambda: _receive(*late), "early": lambda: _receive(*early)}, calls=300)
    rows.append(_row("receive a four in a row move, ply 32 / ply 2", micros["late"], micros["early"], 1.3))
    return rows


def replay() -> list[Row]:
    """One probe, record and forget with 10,000 nonces held against none."""
    works = {}
    for count in (0, 10_000):
        cache = ReplayCache(lambda: NOW)
        for number in range(count):
            cache.record(ME, f"{number // 500:016x}", number.to_bytes(8, "big"))
        assert len(cache) == count

        def work(cache: ReplayCache = cache) -> None:
            cache.seen(ME, SESSION, b"fresh no")
            cache.record(ME, SESSION, b"fresh no")
            cache.forget(ME, SESSION, b"fresh no")

        works[str(count)] = work
    micros = best_of(works, calls=2000)
    return [_row("replay check, 10,000 nonces / none", micros["10000"], micros["0"], 1.5)]


def admission(directory: Path) -> list[Row]:
    """An incoming challenge with 5,000 stored sessions against one; a real database file."""
    works = {}
    for count in (1, 5000):
        store = Store(directory / f"{count}.db")
        _fill(store, count)
        router = _router(TicTacToe(), store)
        raw = Envelope("ttt", 1, "challenge", "f" * 16, {}, bytes(8)).pack()

        def work(router: Router = router, raw: bytes = raw) -> None:
            assert isinstance(router.receive(ME, PEER, raw, NOW), Applied)
            router.forget(ME, "f" * 16, bytes(8))

        works[str(count)] = work
    micros = best_of(works, calls=200)
    return [_row("incoming challenge, 5,000 sessions / 1", micros["5000"], micros["1"], 1.5)]


def _fill(store: Store, count: int) -> None:
    """Mostly ended games, 200 active ones and 100 open challenges of many peers."""
    game = TicTacToe()
    for number in range(count):
        peer = f"{number:032x}"
        session = game.open(SessionKey(ME, f"{number:016x}"), peer, peer, NOW - number % 1000)
        if number % 50 not in (0, 1, 2):
            session = game.apply(session, ME, "decline", {}, session.created_at)
        elif number % 50:
            payload = game.intend(session, ME, "accept", {}, lambda: False)
            session = game.apply(session, ME, "accept", payload, session.created_at)
        with_fsync = number == count - 1
        store.commit(Commit(insert=session)) if with_fsync else _insert(store, session)


def _insert(store: Store, session: Session) -> None:
    from storage import sessions

    with store.database.transaction(durable=False) as connection:
        sessions.insert(connection, session)
