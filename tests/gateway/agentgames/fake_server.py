"""A strict AgentGames server, written from what was measured of the reference server, with literal JSON.

One matchmaker for WebSocket, SSH and memory. It notes in ``wrongs`` whatever a client does that the protocol
does not allow or that costs it a match, and can be mute, rude or gone at any message.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import chess

STATE, QUEUED, HELLO, RESULT = "state", "queued", "hello", "result"
NO_OPPONENT = "no opponent found \u2014 try again later"
CLOSED, TIMEOUT, ILLEGAL = "forfeit: connection closed", "forfeit: move timeout", "forfeit: illegal move"


class TicTacToe:
    lines = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

    def __init__(self) -> None:
        self.cells = ["."] * 9
        self.ply = 0

    def legal(self) -> list[str]:
        return [str(i) for i, cell in enumerate(self.cells) if cell == "."]

    def play(self, token: str) -> None:
        self.cells[int(token)] = "XO"[self.ply % 2]
        self.ply += 1

    def end(self) -> str:
        if any(len({self.cells[i] for i in line}) == 1 and self.cells[line[0]] != "." for line in self.lines):
            return "win"
        return "" if "." in self.cells else "draw"

    def show(self) -> dict[str, Any]:
        return {"board": list(self.cells), "toMove": self.ply % 2, "legal": self.legal()}


class ConnectFour:
    def __init__(self) -> None:
        self.rows = [["."] * 7 for _ in range(6)]
        self.ply = 0

    def legal(self) -> list[str]:
        return [str(column) for column in range(7) if self.rows[0][column] == "."]

    def play(self, token: str) -> None:
        column = int(token)
        row = max(r for r in range(6) if self.rows[r][column] == ".")
        self.rows[row][column] = "XO"[self.ply % 2]
        self.ply += 1

    def end(self) -> str:
        for r in range(6):
            for c in range(7):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    cells = [(r + dr * i, c + dc * i) for i in range(4)]
                    if all(0 <= y < 6 and 0 <= x < 7 for y, x in cells):
                        marks = {self.rows[y][x] for y, x in cells}
                        if len(marks) == 1 and marks != {"."}:
                            return "win"
        return "" if self.legal() else "draw"

    def show(self) -> dict[str, Any]:
        return {"board": [list(row) for row in self.rows], "toMove": self.ply % 2, "legal": self.legal()}


class Chess:
    """As the arcade shows it."""

    def __init__(self) -> None:
        self.board = chess.Board()

    @property
    def ply(self) -> int:
        return len(self.board.move_stack)

    def legal(self) -> list[str]:
        return sorted(move.uci() for move in self.board.legal_moves)

    def play(self, token: str) -> None:
        self.board.push_uci(token)

    def end(self) -> str:
        outcome = self.board.outcome()
        return "" if outcome is None else "draw" if outcome.winner is None else "win"

    def show(self) -> dict[str, Any]:
        moves = [move.uci() for move in self.board.move_stack]
        return {"fen": self.board.fen(), "toMove": self.ply % 2, "legal": self.legal(), "moves": moves}


GAMES: dict[str, Callable[[], Any]] = {"ttt": TicTacToe, "c4": ConnectFour, "chess": Chess}


class Peer:
    """An agent, as the server sees it. ``leaves``: whether the server notices when it goes in the queue."""

    leaves = False

    def __init__(
        self, server: FakeServer, name: str, write: Callable[[str], Any], end: Callable[[], Any]
    ) -> None:
        self.server = server
        self.name = name
        self.inbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.to_move = False
        self.gone = asyncio.Event()
        self._write = write
        self._end = end

    def arrived(self, text: str | None) -> None:
        """Something from the client; None for its end."""
        if text is None:
            self.gone.set()
        elif not self.to_move:
            self.server.wrongs.append(f"{self.name} says {text!r} when it is not to move")
        self.inbox.put_nowait(text)

    async def say(self, message: dict[str, Any]) -> None:
        """Send one message, unless the server is to misbehave at it."""
        kind = message["type"]
        if kind in self.server.mute:
            return
        for line in self.server.before.get(kind, ()):
            await self._write(line)
        await self._write(json.dumps(message) + "\n")
        for line in self.server.after.get(kind, ()):
            await self._write(line)
        if kind in self.server.drop:
            await self.end()
            raise Dropped

    async def end(self) -> None:
        await self._end()


class Dropped(Exception):
    """The server has ended a connection that it should not have ended."""


class Bot(Peer):
    """An opponent in the server: plays ``moves`` when it is to move, then nothing; "drop" ends it."""

    def __init__(self, server: FakeServer, name: str, moves: Iterable[str]) -> None:
        super().__init__(server, name, self._take, self._stop)
        self._moves = list(moves)
        self.seen: list[dict[str, Any]] = []

    async def say(self, message: dict[str, Any]) -> None:
        self.seen.append(message)
        if message["type"] == STATE and message["yourTurn"] and self._moves:
            move = self._moves.pop(0)
            self.inbox.put_nowait(None if move == "drop" else json.dumps({"type": "move", "move": move}))

    async def _take(self, line: str) -> None: ...

    async def _stop(self) -> None: ...


class FakeServer:
    """``accounts``: name by token or by the text of a public key.

    ``mute``, ``drop``: kinds of messages that are not sent, or after which the connection ends. ``before``,
    ``after``: lines around one of a kind. ``seconds_of``: a player's time for a move, if not everybody's.
    """

    def __init__(self, games: Iterable[str] = ("ttt", "c4"), *, move: float = 15, queue: float = 120) -> None:
        self.games = sorted(games)
        self.move_seconds = move
        self.queue_seconds = queue
        self.accounts: dict[str, str] = {}
        self.banned: set[str] = set()
        self.mute: set[str] = set()
        self.drop: set[str] = set()
        self.before: dict[str, list[str]] = {}
        self.after: dict[str, list[str]] = {}
        self.wrongs: list[str] = []
        self.dials: list[tuple[str, str]] = []
        self.results: list[dict[str, Any]] = []
        self.seconds_of: dict[str, float] = {}
        self.status = 0
        self.headers: dict[str, str] = {}
        self._slots: dict[str, tuple[Peer, asyncio.Future[tuple[Peer, asyncio.Future[None]]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def waits(self, game: str) -> str:
        """Who waits in a queue, or ""."""
        return self._slots[game][0].name if game in self._slots else ""

    def bot(self, game: str, moves: Iterable[str], name: str = "bob") -> Bot:
        """An opponent comes into the queue."""
        bot = Bot(self, name, moves)
        task = asyncio.get_running_loop().create_task(self.serve(bot, game))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return bot

    async def stop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # The life of a connection

    async def serve(self, peer: Peer, game: str) -> None:
        """From the queue to the end; the caller ends the connection then."""
        self.dials.append((peer.name, game))
        if game not in self.games:
            return await peer.say(
                {"type": "error", "error": f"unknown game {game}; games: {', '.join(self.games)}"}
            )
        try:
            await peer.say({"type": "queued", "game": game})
            waiting = self._slots.get(game)
            if waiting is not None and waiting[0].name != peer.name:
                del self._slots[game]
                over = asyncio.get_running_loop().create_future()
                waiting[1].set_result((peer, over))
                await over
                return None
            await self._wait(peer, game)
        except Dropped:
            return None

    async def _wait(self, peer: Peer, game: str) -> None:
        if game in self._slots:
            self.wrongs.append(f"{peer.name} is in the queue of {game} twice")
        future: asyncio.Future[tuple[Peer, asyncio.Future[None]]] = asyncio.get_running_loop().create_future()
        self._slots[game] = (peer, future)
        left = asyncio.get_running_loop().create_task(
            peer.gone.wait() if peer.leaves else asyncio.Event().wait()
        )
        try:
            await asyncio.wait(
                {future, left}, timeout=self.queue_seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            left.cancel()
            if self._slots.get(game, (None,))[0] is peer:
                del self._slots[game]
        if future.done():
            other, over = future.result()
            try:
                await self._match(game, (peer, other))
            finally:
                over.set_result(None)
        elif not peer.gone.is_set():
            await peer.say({"type": "error", "error": NO_OPPONENT})

    async def _match(self, game: str, players: tuple[Peer, Peer]) -> None:
        board = GAMES[game]()
        for number, player in enumerate(players):
            await player.say(
                {"type": "hello", "player": number, "game": game, "opponent": players[1 - number].name}
            )
        while True:
            mover = board.ply % 2
            players[mover].to_move = True
            for number, player in enumerate(players):
                shown = {"type": "state", "observation": board.show(), "yourTurn": number == mover}
                await player.say(shown)
            reason = await self._move(players[mover], board)
            if reason or board.end():
                winner = 1 - mover if reason else mover if board.end() == "win" else -1
                return await self._end(players, winner, reason)

    async def _move(self, player: Peer, board: Any) -> str:
        """Take the mover's move; why it forfeits instead, or ""."""
        try:
            async with asyncio.timeout(self.seconds_of.get(player.name, self.move_seconds)):
                while True:
                    text = await player.inbox.get()
                    if text is None:
                        return CLOSED
                    message = json.loads(text)
                    if not isinstance(message, dict) or set(message) != {"type", "move"}:
                        self.wrongs.append(f"{player.name} says {text!r}")
                        continue
                    break
        except TimeoutError:
            return TIMEOUT
        finally:
            player.to_move = False
        if message["move"] not in board.legal():
            return ILLEGAL
        board.play(message["move"])
        return ""

    async def _end(self, players: tuple[Peer, Peer], winner: int, reason: str) -> None:
        for number, player in enumerate(players):
            outcome = "draw" if winner < 0 else "win" if winner == number else "loss"
            rating = {"win": 1516, "loss": 1484.5, "draw": 1500.25}[outcome]
            result = {"type": "result", "winner": winner, "outcome": outcome, "rating": rating}
            if reason:
                result["reason"] = reason
            self.results.append({"player": player.name, **result})
            try:
                await player.say(result)
            except Dropped:
                continue
